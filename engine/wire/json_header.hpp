// The header of a command as a JSON object: what clients of RocketMQ send unless they are told
// otherwise (storage reference, 12.2). Pure.
//
//   {"code":105,"extFields":{"topic":"orders"},"flag":0,"language":"JAVA","opaque":7,
//    "remark":"why","serializeTypeCurrentRPC":"JSON","version":479}
//
// Every ext field is a text. `extFields` and `remark` may be missing or null. Readers take ext
// fields that are numbers or truth values for their text.
#pragma once

#include <string>
#include <string_view>

#include "engine/wire/json_text.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

// A send's properties, at most 32,767 characters, may each be six characters long in JSON.
inline constexpr JsonLimits kJsonHeaderLimits{.bytes = 1024 * 1024, .values = 1'000, .depth = 4};

std::string_view name_of(Language language);

// Fills in everything but the body. False if the text is not the JSON of a header: no object, a
// code, flag, opaque or version that is no number of its range, a key longer than the binary header
// could hold. The fields come in the order in which they stand.
bool decode_json_header(std::string_view header, RemotingCommand& command);

// Writes a header from the front: its fields one by one, then the rest.
class JsonHeaderText {
 public:
  explicit JsonHeaderText(const CommandHead& head);
  void add_field(std::string_view key, std::string_view value);
  // The whole text; the object is of no use afterwards.
  std::string finish(std::string_view remark);

 private:
  CommandHead head_;
  JsonWriter writer_;
  bool has_fields_ = false;
};

}  // namespace drydock
