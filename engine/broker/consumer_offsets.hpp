// How far each group of consumers has come in each queue (storage reference, 1.2):
// config/consumerOffset.json. Pure.
//
//   {"dataVersion":{"counter":1,"stateVersion":0,"timestamp":…},
//    "groupTopicMap":{"G":["T"]},
//    "offsetTable":{"T@G":{0:100,1:97}}}
//
// `groupTopicMap` follows from the table and is not read.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/broker/config_content.hpp"
#include "engine/wire/data_version.hpp"

namespace drydock {

class ConsumerOffsets : public ConfigContent {
 public:
  struct Place {
    std::string_view group;
    std::string_view topic;
    std::int32_t queue_id = 0;
  };

  // An offset may go backwards. `now_ms`: wall time. False: there are so many pairs of topic and
  // group that no further one is kept.
  bool commit(const Place& place, std::int64_t offset, std::int64_t now_ms);
  // None if nothing is stored there.
  std::optional<std::int64_t> find(const Place& place) const;

  bool read(std::string_view text) override;
  std::string write() const override;
  std::uint64_t changes() const override { return changes_; }

 private:
  using Table = std::map<std::string, std::map<std::int32_t, std::int64_t>, std::less<>>;

  Table table_;  // By "topic@group".
  DataVersion version_;
  std::uint64_t changes_ = 0;
};

}  // namespace drydock
