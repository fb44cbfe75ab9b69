// How far the messages of each delay level have been delivered (storage reference, 1.2):
// config/delayOffset.json. Pure.
//
//   {"dataVersion":{"counter":1,"stateVersion":0,"timestamp":…},"offsetTable":{1:55,2:0}}
//
// The key is the level, the value the queue offset of the next message of that level.
#pragma once

#include <map>

#include "engine/broker/config_content.hpp"
#include "engine/types/ids.hpp"
#include "engine/wire/data_version.hpp"

namespace drydock {

class DelayOffsets : public ConfigContent {
 public:
  // 0 if nothing is known of the level.
  QueueOffset of(std::int32_t level) const;
  // `now_ms`: wall time.
  void set(std::int32_t level, QueueOffset next, std::int64_t now_ms);

  // The levels in it take the place of what there is of them; others stay.
  bool read(std::string_view text) override;
  std::string write() const override;
  std::uint64_t changes() const override { return changes_; }

 private:
  std::map<std::int32_t, QueueOffset> next_;  // By level.
  DataVersion version_;
  std::uint64_t changes_ = 0;
};

}  // namespace drydock
