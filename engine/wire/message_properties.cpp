#include "engine/wire/message_properties.hpp"

#include <algorithm>
#include <string>

#include "engine/wire/big_endian.hpp"

namespace drydock {

namespace {

void write_property(BigEndianWriter& writer, const Property& property) {
  writer.text(property.name);
  writer.integer(kNameEnd);
  writer.text(property.value);
  writer.integer(kPropertyEnd);
}

bool replaced(std::string_view name, std::span<const std::string_view> removed,
              std::span<const Property> added) {
  return std::ranges::find(removed, name) != removed.end() ||
         std::ranges::find(added, name, &Property::name) != added.end();
}

}  // namespace

bool PropertyReader::next(Property& property) {
  while (!rest_.empty()) {
    const std::size_t end = rest_.find(kPropertyEnd);
    const std::string_view piece = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    const std::size_t mark = piece.find(kNameEnd);
    if (piece.size() < 3 || mark == std::string_view::npos) continue;
    if (mark == 0 || mark + 1 == piece.size()) continue;
    property = {piece.substr(0, mark), piece.substr(mark + 1)};
    return true;
  }
  return false;
}

std::string_view find_property(std::string_view text, std::string_view name) {
  std::string_view value;
  PropertyReader reader(text);
  Property property;
  while (reader.next(property)) {
    if (property.name == name) value = property.value;
  }
  return value;
}

SharedBytes encode_properties(std::span<const Property> parts) {
  std::size_t size = 0;
  for (const Property& part : parts) {
    if (!part.value.empty()) size += property_bytes(part);
  }
  SharedBytes text = SharedBytes::allocate(size);
  BigEndianWriter writer(text.writable());
  for (const Property& part : parts) {
    if (!part.value.empty()) write_property(writer, part);
  }
  return text;
}

SharedBytes rewrite_properties(std::string_view received, std::span<const Property> added) {
  return edit_properties(received, std::span(&property::kPopCheckpoint, 1), added);
}

SharedBytes edit_properties(std::string_view text, std::span<const std::string_view> removed,
                            std::span<const Property> added) {
  std::size_t size = 0;
  Property property;
  for (PropertyReader reader(text); reader.next(property);) {
    if (!replaced(property.name, removed, added)) size += property_bytes(property);
  }
  for (const Property& extra : added) size += extra.value.empty() ? 0 : property_bytes(extra);
  SharedBytes edited = SharedBytes::allocate(size);
  BigEndianWriter writer(edited.writable());
  for (PropertyReader reader(text); reader.next(property);) {
    if (!replaced(property.name, removed, added)) write_property(writer, property);
  }
  for (const Property& extra : added) {
    if (!extra.value.empty()) write_property(writer, extra);
  }
  return edited;
}

SharedBytes without_property(SharedBytes text, std::string_view name) {
  const std::string_view all = as_text(text.span());
  if (all.find(name) == std::string_view::npos) return text;
  std::string kept;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find(kPropertyEnd, at), all.size() - 1) + 1;
    const std::string_view piece = all.substr(at, end - at);
    const bool named = piece.starts_with(name) && piece.substr(name.size()).starts_with(kNameEnd);
    if (!named) kept += piece;
    at = end;
  }
  return SharedBytes::copy_of(kept);
}

}  // namespace drydock
