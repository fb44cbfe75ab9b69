// Pure: the effective settings of one broker, each with the line that it comes from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drydock {

struct Setting {
  std::string key;
  std::string value;
  int line = 0;  // From 1; 0 if the key is absent and RocketMQ's default counts.
};

// "flushDiskType=SYNC_FLUSH (line 10)", "brokerRole (absent: ASYNC_MASTER)".
std::string describe(const Setting& setting);

// Keys of broker.conf with values of their types, as the parser lets through. A key that is not
// given has RocketMQ's default.
class Settings {
 public:
  explicit Settings(std::vector<Setting> given) : given_(std::move(given)) {}

  // `key` must be one of RocketMQ's.
  Setting get(std::string_view key) const;
  bool is_given(std::string_view key) const { return find(key) != nullptr; }
  // For booleans and choices.
  bool is(std::string_view key, std::string_view value) const;
  // For whole numbers.
  std::int64_t number(std::string_view key) const;

 private:
  const Setting* find(std::string_view key) const;

  std::vector<Setting> given_;
};

}  // namespace drydock
