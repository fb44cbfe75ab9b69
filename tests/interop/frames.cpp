// Frames that a Java client and a Java broker exchanged, decoded and encoded again by engine/wire:
// equal byte for byte? Arguments: files, each what one end of one connection has sent. Prints TAP,
// a check per kind of frame. Used by frames.py.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "engine/wire/remoting_frame.hpp"

namespace drydock {
namespace {

struct Fields {
  std::span<const std::byte> encoded;
  template <class Visit>
  void for_each(Visit visit) const {
    ExtFieldReader reader(encoded);
    std::string_view key;
    std::string_view value;
    while (reader.next(key, value)) visit(key, value);
  }
};

struct Kind {
  int frames = 0;
  std::string different;  // The first frame that is not equal, as text.
};

std::string name_of(const RemotingCommand& command) {
  const std::string kind = command.is_response() ? "response " : "request ";
  const bool json = command.head.serialize_type == SerializeType::json;
  return (json ? "JSON " : "ROCKETMQ ") + kind + std::to_string(command.head.code);
}

// Of the header: bodies are handed through.
std::string shown(std::span<const std::byte> frame) {
  std::string text;
  for (const std::byte byte : frame.first(std::min<std::size_t>(frame.size(), 600))) {
    const char letter = static_cast<char>(byte);
    text += letter >= ' ' && letter <= '~' ? letter : '.';
  }
  return text;
}

void check(std::span<const std::byte> frame, std::map<std::string, Kind>& kinds) {
  RemotingCommand command;
  const SharedBytes bytes = SharedBytes::copy_of(frame);
  const FrameFault fault = decode_command(bytes.slice(4, bytes.size() - 4), command);
  if (fault != FrameFault::none) {
    kinds["frame that can't be decoded"] = {1, shown(frame)};
    return;
  }
  Kind& kind = kinds[name_of(command)];
  ++kind.frames;
  const Fields fields{command.ext_fields.span()};
  const SharedBytes again =
      encode_command(command.head, fields, as_text(command.remark.span()), command.body.span());
  if (!std::ranges::equal(again.span(), frame) && kind.different.empty()) {
    kind.different = shown(frame) + "\n# " + shown(again.span());
  }
}

// Cuts at the lengths that the frames begin with. What a connection's end cut off is left out.
void check_stream(const std::string& bytes, std::map<std::string, Kind>& kinds) {
  const auto all = std::as_bytes(std::span(bytes.data(), bytes.size()));
  std::size_t at = 0;
  while (at + 4 <= all.size()) {
    const std::size_t size = 4 + std::size_t{read_big_endian<std::uint32_t>(all.data() + at)};
    if (at + size > all.size()) break;
    check(all.subspan(at, size), kinds);
    at += size;
  }
}

int run(std::span<char* const> files) {
  std::map<std::string, Kind> kinds;
  for (const char* const file : files) {
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream),
                            std::istreambuf_iterator<char>()};
    check_stream(bytes, kinds);
  }
  int number = 0;
  int failed = 0;
  for (const auto& [name, kind] : kinds) {
    const bool equal = kind.different.empty();
    failed += equal ? 0 : 1;
    std::printf("%sok %d - %s: %d frames, equal byte for byte\n", equal ? "" : "not ", ++number,
                name.c_str(), kind.frames);
    if (!equal) std::printf("# %s\n", kind.different.c_str());
  }
  return failed > 0 ? 1 : 0;
}

}  // namespace
}  // namespace drydock

int main(int count, char** arguments) {
  return drydock::run(std::span(arguments + 1, static_cast<std::size_t>(count) - 1));
}
