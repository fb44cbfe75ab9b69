// Answers what operators ask about topics and groups: UPDATE_AND_CREATE_TOPIC,
// DELETE_TOPIC_IN_BROKER, GET_TOPIC_CONFIG, GET_TOPIC_STATS_INFO and GET_CONSUME_STATS, as
// `mqadmin` updateTopic, deleteTopic, topicStatus and consumerProgress do; and
// DELETE_EXPIRED_COMMITLOG.
//
// What it does not do: attributes of topics, messages per second in statistics.
#pragma once

#include <memory>

#include "engine/broker/config_file.hpp"
#include "engine/broker/configuration.hpp"
#include "engine/broker/consumer_groups.hpp"
#include "engine/broker/deleted_topics.hpp"
#include "engine/broker/offsets_of_broker.hpp"
#include "engine/broker/topics_of_broker.hpp"
#include "engine/store/message_store.hpp"
#include "engine/wire/remoting_frame.hpp"
#include "engine/wire/server_connection.hpp"
#include "engine/wire/topic_admin.hpp"

namespace drydock {

class TopicProcessor {
 public:
  // What it looks into and changes; all of it outlives the processor.
  struct Parts {
    const BrokerConfiguration& configuration;
    MessageStore& store;
    TopicsOfBroker topics;
    OffsetsOfBroker offsets;
    const ConsumerGroups& consumers;
    DeletedTopics& deleted;
    ConfigFile& deleted_file;
  };
  // Reads on behalf of `worker`.
  TopicProcessor(Context& context, Parts parts, Worker& worker)
      : context_(context), parts_(parts), worker_(worker) {}

  static bool answers(const RemotingCommand& request);
  // `slot` is given back at the end.
  Task<void> process(std::shared_ptr<ServerConnection> connection, RemotingCommand request,
                     Semaphore::Permit slot);

 private:
  Task<SharedBytes> update(RemotingCommand request);
  Task<SharedBytes> remove(RemotingCommand request);
  // Writes down where the numbering of a topic's queues goes on, if it does. False: it can't be.
  Task<bool> remember_numbers(std::string topic);
  SharedBytes delete_expired(const RemotingCommand& request);
  // Writes the topics down; false if a hardened broker could not and its operator is to know.
  Task<bool> save_topics();
  SharedBytes topic_config(const RemotingCommand& request) const;
  Task<SharedBytes> topic_stats(RemotingCommand request);
  Task<SharedBytes> consume_stats(RemotingCommand request);
  // Why the topic may not be made or changed; empty if it may.
  std::string refusal(const UpdateTopicHeader& header) const;
  // A name that only the broker itself uses.
  bool is_reserved(std::string_view topic) const;
  // Whether the statistics of a group have a topic: nobody tells of one that its members, if there
  // are any, do not subscribe to.
  bool is_told(std::string_view group, std::string_view topic) const;
  // When the message of a queue was stored; 0 if that can't be told.
  Task<std::int64_t> stored_ms(StatsQueue queue, QueueOffset at);

  Context& context_;
  Parts parts_;
  Worker& worker_;
};

}  // namespace drydock
