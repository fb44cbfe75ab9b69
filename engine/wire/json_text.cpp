#include "engine/wire/json_text.hpp"

#include <nlohmann/json.hpp>

#include "engine/wire/remoting_command.hpp"

namespace drydock {

namespace {

using Json = nlohmann::json;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_of_number(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

// Walks a text once: measures it against the limits and puts quotes around bare numbers that are
// keys. It does not judge the grammar; the parser behind it does.
class Scan {
 public:
  Scan(std::string_view text, const JsonLimits& limits) : text_(text), limits_(limits) {}

  std::optional<std::string> run() {
    if (text_.size() > limits_.bytes) return std::nullopt;
    out_.reserve(text_.size() + 16);
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        copy_string();
      } else if (c == '-' || (c >= '0' && c <= '9')) {
        copy_number();
      } else {
        count(c);
        copy(1);
      }
      if (depth_ > limits_.depth || values_ > limits_.values) return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  void copy(std::size_t count) {
    out_ += text_.substr(at_, count);
    at_ += count;
  }
  void count(char c) {
    if (c == '{' || c == '[') ++depth_;
    if ((c == '}' || c == ']') && depth_ > 0) --depth_;
    if (c == ',' || c == '{' || c == '[') ++values_;
  }
  void copy_string() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    copy(std::min(end + 1, text_.size()) - at_);
  }
  void copy_number() {
    std::size_t end = at_;
    while (end < text_.size() && is_of_number(text_[end])) ++end;
    std::size_t next = end;
    while (next < text_.size() && is_space(text_[next])) ++next;
    const bool is_key = next < text_.size() && text_[next] == ':';
    if (is_key) out_ += '"';
    copy(end - at_);
    if (is_key) out_ += '"';
  }

  std::string_view text_;
  const JsonLimits& limits_;
  std::string out_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t values_ = 0;
};

const Json* member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

template <class Kind>
std::optional<Kind> read(std::string_view text, const JsonLimits& limits) {
  const std::optional<std::string> standard = Scan(text, limits).run();
  if (!standard) return std::nullopt;
  Kind value = Kind::parse(*standard, nullptr, false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Json> read_json(std::string_view text, const JsonLimits& limits) {
  return read<Json>(text, limits);
}

std::optional<nlohmann::ordered_json> read_ordered_json(std::string_view text,
                                                        const JsonLimits& limits) {
  return read<nlohmann::ordered_json>(text, limits);
}

std::string text_member(const Json& object, const char* name) {
  const Json* const value = member(object, name);
  if (value == nullptr || !value->is_string()) return {};
  return value->get_ref<const std::string&>();
}

std::int64_t integer_member(const Json& object, const char* name, std::int64_t fallback) {
  const Json* const value = member(object, name);
  if (value == nullptr) return fallback;
  if (value->is_number_unsigned()) {
    const auto number = value->get<std::uint64_t>();
    return number > INT64_MAX ? fallback : static_cast<std::int64_t>(number);
  }
  if (value->is_number_integer()) return value->get<std::int64_t>();
  if (!value->is_string()) return fallback;
  return parse_decimal<std::int64_t>(value->get_ref<const std::string&>()).value_or(fallback);
}

bool bool_member(const Json& object, const char* name, bool fallback) {
  const Json* const value = member(object, name);
  if (value == nullptr) return fallback;
  if (value->is_boolean()) return value->get<bool>();
  if (!value->is_string()) return fallback;
  return value->get_ref<const std::string&>() == "true";
}

const Json* object_member(const Json& object, const char* name) {
  const Json* const value = member(object, name);
  return value != nullptr && value->is_object() ? value : nullptr;
}

const Json* array_member(const Json& object, const char* name) {
  const Json* const value = member(object, name);
  return value != nullptr && value->is_array() ? value : nullptr;
}

std::string indented(std::string_view json) {
  std::string out;
  std::size_t depth = 0;
  const auto new_line = [&out, &depth] {
    out += '\n';
    out.append(depth, '\t');
  };
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    const bool opens = c == '{' || c == '[';
    const bool closes = c == '}' || c == ']';
    const bool empty =
        opens && at + 1 < json.size() && (json[at + 1] == '}' || json[at + 1] == ']');
    if (closes) {
      --depth;
      new_line();
    }
    out += c;
    if (c == '"') {
      const std::size_t begin = at + 1;
      for (++at; json[at] != '"'; ++at) at += json[at] == '\\' ? 1 : 0;
      out += json.substr(begin, at - begin + 1);
    } else if (empty) {
      out += json[++at];
    } else if (opens || c == ',') {
      depth += opens ? 1 : 0;
      new_line();
    }
  }
  return out;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  text(name);
  out_ += ':';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::int64_t number, JsonKeys keys) {
  const DecimalText digits(number);
  if (keys == JsonKeys::all_quoted) return key(digits.view());
  raw(digits.view());
  out_ += ':';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  out_ += Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
  return *this;
}

JsonWriter& JsonWriter::number(std::int64_t value) { return raw(DecimalText(value).view()); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

}  // namespace drydock
