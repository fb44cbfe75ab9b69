#include "engine/wire/property_crc.hpp"

#include <algorithm>
#include <ranges>
#include <string_view>

#include "engine/wire/big_endian.hpp"
#include "engine/wire/compression.hpp"
#include "engine/wire/message_properties.hpp"

namespace drydock {

namespace {

constexpr std::size_t kDigits = 10;
static_assert(property::kCrc.size() + 1 + kDigits + 1 == kPropertyCrcBytes);

bool needs_end(std::span<const std::byte> properties, PropertyCrc crc) {
  return crc == PropertyCrc::appended && !properties.empty() &&
         properties.back() != std::byte{kPropertyEnd};
}

// As RocketMQ reads it: in 32 bits, which wrap, and from whatever characters there are. Negative:
// there is none.
std::int32_t value_of(std::string_view digits) {
  if (digits.empty()) return -1;
  std::uint32_t value = 0;
  for (const char digit : digits | std::views::reverse) {
    value = value * 10 + static_cast<std::uint32_t>(static_cast<unsigned char>(digit)) - '0';
  }
  return static_cast<std::int32_t>(value);
}

}  // namespace

std::size_t stored_properties_bytes(std::span<const std::byte> properties, PropertyCrc crc) {
  const std::size_t behind = crc == PropertyCrc::appended ? kPropertyCrcBytes : 0;
  return properties.size() + (needs_end(properties, crc) ? 1 : 0) + behind;
}

void write_stored_properties(std::span<std::byte> into, std::span<const std::byte> properties,
                             PropertyCrc crc) {
  ENSURE(into.size() == stored_properties_bytes(properties, crc));
  auto at = std::ranges::copy(properties, into.begin()).out;
  if (crc == PropertyCrc::none) return;
  if (needs_end(properties, crc)) *at++ = std::byte{kPropertyEnd};
  at = std::ranges::copy(as_byte_span(property::kCrc), at).out;
  *at++ = std::byte{kNameEnd};
  at = std::fill_n(at, kDigits, std::byte{'0'});
  *at = std::byte{kPropertyEnd};
}

void set_property_crc(std::span<std::byte> record) {
  ENSURE(record.size() >= kPropertyCrcBytes);
  std::uint32_t rest = body_crc(record.first(record.size() - kPropertyCrcBytes));
  for (std::byte& digit : record.last(kDigits + 1).first(kDigits)) {
    digit = static_cast<std::byte>('0' + rest % 10);
    rest /= 10;
  }
}

PropertyCrcState check_property_crc(std::span<const std::byte> record,
                                    std::span<const std::byte> properties) {
  const std::int32_t told = value_of(find_property(as_text(properties), property::kCrc));
  if (told < 0) return PropertyCrcState::absent;
  ENSURE(record.size() >= kPropertyCrcBytes);
  const std::uint32_t sum = body_crc(record.first(record.size() - kPropertyCrcBytes));
  return sum == static_cast<std::uint32_t>(told) ? PropertyCrcState::right
                                                 : PropertyCrcState::wrong;
}

}  // namespace drydock
