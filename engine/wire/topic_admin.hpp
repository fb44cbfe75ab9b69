// Requests of operators about topics and groups (storage reference, 12.4). Pure.
//
//   17   UPDATE_AND_CREATE_TOPIC  makes a topic, or changes one
//   202  GET_TOPIC_STATS_INFO     the ends of each queue of a topic
//   208  GET_CONSUME_STATS        how far a group has come in each queue
//   351  GET_TOPIC_CONFIG         what is configured of a topic
//
// The tables in the answers have objects as keys, as fastjson writes them:
//
//   {"offsetTable":{{"brokerName":"b","queueId":0,"topic":"t"}:{"lastUpdateTimestamp":1700000000000,
//   "maxOffset":5,"minOffset":0}}}
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/types/ids.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

// Views point into whatever it was made from.
struct UpdateTopicHeader {
  std::string_view topic;
  std::int32_t read_queues = 0;   // readQueueNums
  std::int32_t write_queues = 0;  // writeQueueNums
  std::int32_t permissions = 0;   // perm
  std::int32_t topic_sys_flag = 0;
  bool ordered = false;         // order
  std::string_view attributes;  // "+name=value,-name"; empty: none is changed.

  template <class Visit>
  void for_each(Visit visit) const {
    visit("topic", topic);
    visit("defaultTopic", "TBW102");
    visit("readQueueNums", DecimalText(read_queues).view());
    visit("writeQueueNums", DecimalText(write_queues).view());
    visit("perm", DecimalText(permissions).view());
    visit("topicFilterType", "SINGLE_TAG");
    visit("topicSysFlag", DecimalText(topic_sys_flag).view());
    visit("order", ordered ? "true" : "false");
    if (!attributes.empty()) visit("attributes", attributes);
  }
};
HeaderFault decode_update_topic_header(std::span<const std::byte> ext_fields,
                                       UpdateTopicHeader& header);

// Of GET_TOPIC_STATS_INFO and GET_TOPIC_CONFIG.
struct TopicStatsHeader {
  std::string_view topic;

  template <class Visit>
  void for_each(Visit visit) const {
    visit("topic", topic);
  }
};
HeaderFault decode_topic_stats_header(std::span<const std::byte> ext_fields,
                                      TopicStatsHeader& header);

struct ConsumeStatsHeader {
  std::string_view consumer_group;
  std::string_view topic;  // Empty: all that the group has offsets of.

  template <class Visit>
  void for_each(Visit visit) const {
    visit("consumerGroup", consumer_group);
    if (!topic.empty()) visit("topic", topic);
  }
};
HeaderFault decode_consume_stats_header(std::span<const std::byte> ext_fields,
                                        ConsumeStatsHeader& header);

// A queue as the tables name it.
struct StatsQueue {
  std::string_view broker_name;
  std::string_view topic;
  std::int32_t queue_id = 0;
};
struct TopicStats {
  StatsQueue queue;
  QueueOffset min;
  QueueOffset max;
  std::int64_t last_update_ms = 0;  // Of the newest message; 0 without one.
};
std::string encode_topic_stats(const std::vector<TopicStats>& queues);

struct ConsumeStats {
  StatsQueue queue;
  QueueOffset broker;
  QueueOffset consumer;
  std::int64_t last_ms = 0;  // When the last consumed message was stored; 0 without one.
};
// What the group is pulling is not told apart from what it has consumed.
std::string encode_consume_stats(const std::vector<ConsumeStats>& queues);

}  // namespace drydock
