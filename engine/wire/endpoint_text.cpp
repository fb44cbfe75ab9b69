#include "engine/wire/endpoint_text.hpp"

#include "engine/wire/remoting_command.hpp"

namespace drydock {

namespace {

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<std::uint32_t> parse_address(std::string_view text) {
  std::uint32_t address = 0;
  for (int i = 0; i < 4; ++i) {
    const std::size_t dot = text.find('.');
    const auto part = parse_decimal<std::uint8_t>(text.substr(0, dot));
    if (!part || (dot == std::string_view::npos) != (i == 3)) return std::nullopt;
    address = address << 8 | *part;
    text = i == 3 ? std::string_view() : text.substr(dot + 1);
  }
  return address;
}

std::optional<Endpoint> parse_endpoint(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto address = parse_address(text.substr(0, colon));
  const auto port = parse_decimal<std::uint16_t>(text.substr(colon + 1));
  if (!address || !port || *port == 0) return std::nullopt;
  return Endpoint{*address, *port};
}

std::optional<std::vector<Endpoint>> parse_endpoints(std::string_view text) {
  std::vector<Endpoint> all;
  while (!text.empty()) {
    const std::size_t end = text.find(';');
    const auto endpoint = parse_endpoint(without_blanks(text.substr(0, end)));
    if (!endpoint) return std::nullopt;
    all.push_back(*endpoint);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  if (all.empty()) return std::nullopt;
  return all;
}

std::string to_text(Endpoint endpoint) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) {
    text += DecimalText(endpoint.address >> shift & 0xff).view();
    text += shift == 0 ? ':' : '.';
  }
  text += DecimalText(endpoint.port).view();
  return text;
}

}  // namespace drydock
