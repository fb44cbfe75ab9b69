// engine/client is what applications use: a producer and a consumer that behave as RocketMQ's do.
//
//   producer             sends with time-out and retries; says what is known of the outcome
//   pull_consumer        reads the queues of a topic as messages come, and stores how far it is
//   queue_sweep          reads every queue of a topic once, from end to end
//   queue_client         asks brokers about queues; queue_source: where the queues are
//   received_message     a message as a consumer gets it
//   send_outcome         what a response, or its absence, says (pure)
//   route_cache          which queues a topic has, which one is next, where brokers are (pure)
//   routes               keeps the routes fresh, sends heartbeats; name_server_client
//   broker_connections   one connection per broker, shared by all sends
//
// What it does not do yet: latency fault tolerance, sharing queues among the consumers of a group.
//
// This file: the producer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/runtime/context.hpp"
#include "engine/types/bytes.hpp"

namespace drydock {

struct ProducerOptions {
  std::string producer_group = "drydock";
  // For the whole send, retries included, as RocketMQ's sendMsgTimeout counts it.
  Duration send_timeout = Duration::ms(3000);
  // If set, the most that an attempt other than the last one may take
  // (sendMsgMaxTimeoutPerRequest). RocketMQ's default is none: an attempt that meets silence uses
  // up the whole send.
  std::optional<Duration> attempt_timeout;
  int retries = 2;  // retryTimesWhenSendFailed: further attempts after the first.
  Duration connect_timeout = Duration::ms(3000);
  // After a failed connect the next one waits this long, twice as long after each further failure.
  // 0 ms: at once. Whether RocketMQ's client waits was not looked up.
  Duration reconnect_delay = Duration::ms(100);
  Duration reconnect_delay_max = Duration::s(1);
  // A time-out ends the connection, and with it every send in flight on it, as RocketMQ's client
  // does for synchronous requests (clientCloseSocketIfTimeout).
  bool close_connection_on_timeout = true;
  std::int32_t default_topic_queue_nums = 4;   // What the client asks for if the topic is new.
  std::uint32_t sends_in_flight_max = 65'535;  // Further sends wait; RocketMQ's semaphore.
};

struct OutgoingMessage {
  SharedBytes topic;
  std::int32_t queue_id = 0;  // Counts only without name servers: with them the producer chooses.
  // The key of the logical send: stored as property KEYS, in decimal.
  std::uint64_t key = 0;
  SharedBytes body;
  SharedBytes tags;           // Property TAGS; empty: none.
  bool wait_store_ok = true;  // Property WAIT: false answers before flush and replication.
};

// What is known of a send or of one attempt of it (design, section 0).
enum class SendStatus : std::uint8_t {
  acked,    // SEND_OK, nothing else.
  unknown,  // It may or may not be stored.
  failed,   // A definite refusal, or it never left the client.
};

// Why.
enum class SendDetail : std::uint8_t {
  none,                   // acked
  flush_disk_timeout,     // unknown: response code 10
  slave_not_available,    // unknown: response code 11
  flush_slave_timeout,    // unknown: response code 12
  timed_out,              // unknown: no response in time
  connection_lost,        // unknown: the connection ended before the response
  malformed_response,     // unknown: the response could not be read
  cancelled,              // unknown: the client was stopped while it waited
  not_connected,          // failed: no connection could be made
  not_sent_in_time,       // failed: the time was up before the request was handed over
  system_error,           // failed: response code 1
  system_busy,            // failed: response code 2
  message_illegal,        // failed: response code 13
  service_not_available,  // failed: response code 14
  no_permission,          // failed: response code 16
  no_route,               // failed: no name server knows a queue to send to
  no_broker,              // failed: the queue's broker has no master in any route
  topic_not_exist,        // failed: response code 17
  invalid_parameter,      // failed: response code 29
  other_refusal,          // failed: any other response code
  count_,
};

std::string_view name_of(SendStatus status);
std::string_view name_of(SendDetail detail);

struct SendAttempt {
  // Unique among the attempts of this producer; stored with the message as property ATTEMPT, in
  // decimal, so that the store tells which attempt it holds.
  std::uint64_t id = 0;
  MonotonicTime invoked;  // On the client's clock.
  MonotonicTime completed;
  SendStatus status = SendStatus::failed;
  SendDetail detail = SendDetail::not_sent_in_time;
  std::int32_t response_code = -1;  // -1: there was no response.
  Endpoint broker;                  // To which it went, or would have gone.
  std::int32_t queue_id = 0;
};

struct SendOutcome {
  // acked if an attempt was; else unknown if any attempt is; else failed.
  SendStatus status = SendStatus::failed;
  SendDetail detail = SendDetail::not_sent_in_time;  // Of the attempt that decided the status.
  // RocketMQ's client returned a result instead of throwing: acked, or codes 10, 11, 12.
  bool returned = false;
  std::vector<SendAttempt> attempts;
  // From the response, if it carried a message id (also with codes 10, 11, 12).
  std::optional<PhysicalOffset> physical_offset;
  std::optional<QueueOffset> queue_offset;
};

// Name servers that a producer asks where to send: one at a time.
struct NameServers {
  std::vector<Endpoint> endpoints;  // At least one.
};

// Sends to one broker, or wherever name servers say, over one connection per broker that all sends
// share. Sends may be in flight at the same time, from tasks of the same process; each one
// completes by itself, in any order.
//
// With name servers the queues of a topic are used in turn, beginning somewhere; further attempts
// go to another broker if there is one. A topic that no broker has goes to the queues of TBW102. A
// route that is known stays until there is a newer one, also when no name server answers.
//
// It outlives its sends: keep it in a frame that is older than the tasks that send.
class Producer {
 public:
  // `name` tells producers of one process apart: it enters the ids of their messages.
  Producer(Context& context, Endpoint broker, ProducerOptions options,
           std::string_view name = "producer");
  Producer(Context& context, NameServers name_servers, ProducerOptions options,
           std::string_view name = "producer");
  ~Producer();

  // Sends with up to 1 + retries attempts. Retries after connect failures, lost connections,
  // time-outs and the response codes 17, 14, 1, 2, 16, 204, 205, 1500, as RocketMQ's synchronous
  // send does; codes 10, 11, 12 are results and are not retried. Emits send_acknowledged.
  // A cancelled scope ends it: what was handed over by then is `unknown`.
  Task<SendOutcome> send(OutgoingMessage message);

  // Ends all connections in an orderly way; sends in flight become `unknown`.
  Task<void> close();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace drydock
