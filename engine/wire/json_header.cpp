#include "engine/wire/json_header.hpp"

#include <limits>
#include <nlohmann/json.hpp>

namespace drydock {

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr const char* kFields = "extFields";

constexpr std::array<std::string_view, static_cast<std::size_t>(Language::count_)> kLanguages = {
    "JAVA",  "CPP",  "DOTNET", "PYTHON", "DELPHI", "ERLANG", "RUBY",
    "OTHER", "HTTP", "GO",     "PHP",    "OMS",    "RUST",   "NODE_JS"};

Language language_named(std::string_view name) {
  for (std::size_t i = 0; i < kLanguages.size(); ++i) {
    if (kLanguages[i] == name) return static_cast<Language>(i);
  }
  return Language::other;
}

// A member that has to be an integer of T's range if it is there at all.
template <class T>
bool read_integer(const Json& header, const char* name, T& into) {
  const auto found = header.find(name);
  if (found == header.end() || found->is_null()) return true;
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
  const std::int64_t value = integer_member(header, name, kNone);
  if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) return false;
  into = static_cast<T>(value);
  return true;
}

std::string field_text(const OrderedJson& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// The members that are not the fields.
Json without_fields(const OrderedJson& whole) {
  Json rest = Json::object();
  for (const auto& [key, value] : whole.items()) {
    if (key != kFields) rest[key] = Json(value);
  }
  return rest;
}

// The fields as the binary header holds them.
bool read_fields(const OrderedJson& header, SharedBytes& encoded) {
  const auto fields = header.find(kFields);
  if (fields == header.end() || !fields->is_object()) return true;
  std::size_t bytes = 0;
  for (const auto& [key, value] : fields->items()) {
    if (value.is_null()) continue;
    if (key.size() > static_cast<std::size_t>(std::numeric_limits<std::int16_t>::max())) {
      return false;
    }
    bytes += ext_field_bytes(key, field_text(value));
  }
  encoded = SharedBytes::allocate(bytes);
  BigEndianWriter writer(encoded.writable());
  for (const auto& [key, value] : fields->items()) {
    if (!value.is_null()) write_ext_field(writer, key, field_text(value));
  }
  return true;
}

}  // namespace

std::string_view name_of(Language language) {
  const auto index = static_cast<std::size_t>(language);
  return index < kLanguages.size() ? kLanguages[index] : "OTHER";
}

bool decode_json_header(std::string_view text, RemotingCommand& command) {
  const std::optional<OrderedJson> whole = read_ordered_json(text, kJsonHeaderLimits);
  if (!whole || !whole->is_object()) return false;
  const Json header = without_fields(*whole);
  CommandHead& head = command.head;
  head = CommandHead();
  head.serialize_type = SerializeType::json;
  head.version = 0;
  head.language = language_named(text_member(header, "language"));
  command.remark = SharedBytes::copy_of(text_member(header, "remark"));
  command.ext_fields = SharedBytes();
  const auto remark = header.find("remark");
  head.empty_remark = remark != header.end() && remark->is_string() && command.remark.empty();
  const auto fields = whole->find(kFields);
  head.empty_fields = fields != whole->end() && fields->is_object() && fields->empty();
  return read_integer(header, "code", head.code) && read_integer(header, "flag", head.flag) &&
         read_integer(header, "opaque", head.opaque) &&
         read_integer(header, "version", head.version) && read_fields(*whole, command.ext_fields);
}

JsonHeaderText::JsonHeaderText(const CommandHead& head) : head_(head) {
  writer_.begin_object().key("code").number(head.code);
}

void JsonHeaderText::add_field(std::string_view key, std::string_view value) {
  if (!has_fields_) writer_.key(kFields).begin_object();
  has_fields_ = true;
  writer_.key(key).text(value);
}

std::string JsonHeaderText::finish(std::string_view remark) {
  if (!has_fields_ && head_.empty_fields) writer_.key(kFields).begin_object();
  if (has_fields_ || head_.empty_fields) writer_.end_object();
  writer_.key("flag").number(head_.flag);
  writer_.key("language").text(name_of(head_.language));
  writer_.key("opaque").number(head_.opaque);
  if (!remark.empty() || head_.empty_remark) writer_.key("remark").text(remark);
  writer_.key("serializeTypeCurrentRPC").text("JSON");
  writer_.key("version").number(head_.version);
  writer_.end_object();
  return writer_.take();
}

}  // namespace drydock
