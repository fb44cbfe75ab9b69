// A broker of its own, a client that speaks bytes, and what a test needs to send and to look into
// queues.
#pragma once

#include <map>

#include "engine/wire/consumer_group.hpp"
#include "engine/wire/heartbeat.hpp"
#include "engine/wire/pull_message.hpp"
#include "engine/wire/send_message.hpp"
#include "tests/support/raw_client.hpp"

namespace drydock::test {

// A record, as a pull gives it.
struct Delivered {
  std::string properties;
  std::string body;
  std::int64_t queue_offset = 0;
  std::int64_t physical_offset = 0;
  std::int32_t sys_flag = 0;
  std::int64_t store_ms = 0;
  RecordOrigin origin;
  std::string_view property(std::string_view name) const { return find_property(properties, name); }
};

class MessageWorld : public BrokerWorld {
 public:
  explicit MessageWorld(BrokerConfiguration configuration = small_broker())
      : BrokerWorld(std::move(configuration)) {
    process = &start_broker();
    client.emplace(*this);
  }

  // The code of the answer to a send into queue 0; `properties` are NAME=VALUE.
  std::int32_t send(std::string_view topic,
                    const std::map<std::string, std::string>& properties = {},
                    std::int32_t reconsumed = 0, std::optional<std::int32_t> most = {}) {
    std::string text;
    for (const auto& [name, value] : properties) {
      text += name + kNameEnd + value + kPropertyEnd;
    }
    SendMessageHeader header;
    header.producer_group = "P";
    header.topic = topic;
    header.properties = text;
    header.born_timestamp_ms = host(1).clock().wall_now().count_ms();
    header.reconsume_times = reconsumed;
    header.max_reconsume_times = most;
    return code_of(encode_command(request_head(RequestCode::send_message_v2, ++opaque_), header, {},
                                  as_byte_span("body")));
  }
  std::int32_t code_of(SharedBytes frame) {
    answered = client->ask(std::move(frame));
    for (const RemotingCommand& command : answered) {
      if (command.is_response()) return command.head.code;
    }
    return -1;
  }
  // All messages of a queue.
  std::vector<Delivered> messages(std::string_view topic, std::int32_t queue_id = 0) {
    PullMessageHeader header;
    header.consumer_group = "reader";
    header.topic = topic;
    header.queue_id = queue_id;
    header.sys_flag = pull_flag::kSubscription;
    std::vector<Delivered> all;
    const auto responses = client->ask(
        encode_command(request_head(RequestCode::pull_message, ++opaque_), header, {}, {}));
    for (const RemotingCommand& response : responses) {
      for_each_record(response.body.span(), [&](auto record, const RecordView& view) {
        all.push_back({.properties = std::string(as_text(view.properties)),
                       .body = std::string(as_text(view.body)),
                       .queue_offset = view.queue_offset,
                       .physical_offset = view.physical_offset,
                       .sys_flag = view.sys_flag,
                       .store_ms = view.store_ms,
                       .origin = origin_of(record)});
      });
    }
    return all;
  }
  // The client is a producer of `producer`, a consumer of `consumer`, or both.
  std::int32_t heartbeat(std::string producer, std::string consumer = {}) {
    const SharedBytes body = encode_heartbeat("c", {.producer_group = std::move(producer),
                                                    .consumer_group = std::move(consumer),
                                                    .topics = {"orders"}});
    return code_of(encode_command(request_head(RequestCode::heart_beat, ++opaque_), NoFields(), {},
                                  body.span()));
  }
  void restart() {
    client.reset();
    process = &start_broker();
    run_for(Duration::s(1));
    client.emplace(*this);
  }
  void kill_and_restart() {
    process->kill();
    run_for(Duration::s(1));
    restart();
  }
  void stop_and_restart() {
    process->terminate();
    run_for(Duration::s(2));
    restart();
  }

  sim::SimProcess* process = nullptr;
  std::optional<RawClient> client;
  std::vector<RemotingCommand> answered;  // What the last request brought.

 private:
  std::int32_t opaque_ = 0;
};

}  // namespace drydock::test
