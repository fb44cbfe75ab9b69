// Which topics exist, and the rules for their names (storage reference, 2.7 and 6.1).
//
// A topic that is sent to and does not exist is made after the model of TBW102, if the
// configuration allows. Difference: RocketMQ keeps them in config/topics.json; here they live in
// memory and are made again after a restart (the file comes later).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace drydock {

inline constexpr std::string_view kAutoCreateTopic = "TBW102";

// Letters, digits, %, |, _ and -, at most 127 of them, at least one.
bool topic_name_allowed(std::string_view topic);
// Topics of the broker itself, into which no client may send.
bool topic_reserved(std::string_view topic);

class Topics {
 public:
  struct Options {
    bool auto_create = true;
    std::int32_t queue_count = 8;  // Of TBW102: the most that a new topic gets.
  };
  explicit Topics(Options options) : options_(options) {}

  // The number of queues of `topic`. A missing one is made with as many queues as the client asks
  // for, within limits; none if it is missing and may not be made from `model`.
  std::optional<std::int32_t> find_or_create(std::string_view topic, std::string_view model,
                                             std::int32_t queues_wanted);

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  Options options_;
  // Only ever looked up, never walked.
  std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>> queue_counts_;
};

}  // namespace drydock
