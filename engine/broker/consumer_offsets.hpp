// How far each group of consumers has come in each queue (storage reference, 1.2):
// config/consumerOffset.json. Pure.
//
//   {"dataVersion":{"counter":1,"stateVersion":0,"timestamp":…},
//    "groupTopicMap":{"G":["T"]},
//    "offsetTable":{"T@G":{0:100,1:97}}}
//
// `groupTopicMap` follows from the table and is not read. Nothing is kept that could not be read
// back: names are of 1 to 255 printable characters of ASCII besides " and \, and pairs and entries
// have a bound. RocketMQ's clients allow no other names; its broker takes whatever comes.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/broker/config_content.hpp"
#include "engine/wire/data_version.hpp"

namespace drydock {

class ConsumerOffsets : public ConfigContent {
 public:
  static constexpr std::size_t kPairsMax = 100'000;      // Of topic and group.
  static constexpr std::size_t kEntriesMax = 1'000'000;  // Queues, over all pairs.

  struct Place {
    std::string_view group;
    std::string_view topic;
    std::int32_t queue_id = 0;
  };

  // An offset may go backwards. `now_ms`: wall time. False: it is not kept, because of its names or
  // because there are too many.
  bool commit(const Place& place, std::int64_t offset, std::int64_t now_ms);
  // None if nothing is stored there.
  std::optional<std::int64_t> find(const Place& place) const;

  // Lowers every offset that is larger than what `end_of(topic, queue id)` gives.
  using EndOf = std::function<std::int64_t(std::string_view, std::int32_t)>;
  void lower(const EndOf& end_of);

  // Forgets what every group has of a topic; false if none had anything.
  bool remove_topic(std::string_view topic);

  // The topics that a group has offsets of, in the order of their names.
  std::vector<std::string> topics_of(std::string_view group) const;

  // The offsets of the master, of whom this broker is a slave: those of each pair of topic and
  // group take the place of what there is of that pair; other pairs stay. False, and nothing is
  // changed, if they are no table of offsets or too many.
  bool follow(std::string_view text);

  bool read(std::string_view text) override;
  std::string write() const override;
  std::uint64_t changes() const override { return changes_; }

 private:
  struct Table {
    std::map<std::string, std::map<std::int32_t, std::int64_t>> offsets;  // By "topic@group".
    std::size_t entries = 0;
  };
  // What a text holds.
  struct Told {
    Table table;
    std::optional<DataVersion> version;
  };
  static std::optional<Told> parse(std::string_view text);
  // False if it is one too many.
  static bool insert(Table& table, std::string key, std::int32_t queue_id, std::int64_t offset);

  Table table_;
  DataVersion version_;
  std::uint64_t changes_ = 0;
};

}  // namespace drydock
