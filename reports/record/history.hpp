// reports holds what is concluded from runs. Everything in it is a function of recorded data; it
// never asks the engine for its opinion of itself.
//
//   record   the types of what was recorded: history, final store, facts of a run, results
//   loss     the checker: which acknowledged messages are gone, and what else is wrong
//   order    the checker: which messages a queue holds in another order than they were sent in
//   rto      for how long nothing could be written
//   latency  how long sends took while faults were at work
//   evidence the figures of iostat
//   waits    where threads were stuck inside the kernel
//   expect   expectations of a drill, and the verdicts that follow from them
//   render   the text on the terminal, result.json, junit.xml
//
// This file: the history, which is what clients saw. All times are the run's own (virtual in the
// simulation), ns since its start.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drydock::reports {

// Design, section 0. `unknown` covers time-outs, broken connections, and answers that say "stored
// in memory, not on disk": the message may or may not be there.
enum class SendOutcome : std::uint8_t {
  acked,  // SEND_OK, nothing else.
  unknown,
  failed,  // A definite refusal.
};

// One request of a send.
struct AttemptRecord {
  std::uint64_t id = 0;       // Its own among those of its client process; the message carries it.
  std::int32_t queue_id = 0;  // For which queue it asked.
  SendOutcome outcome = SendOutcome::unknown;
  bool busy = false;  // The broker refused it as SYSTEM_BUSY (response code 2).

  friend bool operator==(const AttemptRecord&, const AttemptRecord&) = default;
};

// One logical send: one key, one or more attempts.
struct SendRecord {
  std::uint64_t key = 0;
  std::uint32_t producer = 0;  // An index of History::producers.
  std::int64_t body_bytes = 0;
  // In the order of their invocation; none are known of a send that the run ended before.
  std::vector<AttemptRecord> attempts;
  std::int64_t invoked_ns = 0;
  std::int64_t completed_ns = -1;  // -1: the run ended first; its outcome is unknown.
  // How many sends of all clients had been invoked by then: those behind them came later, be it in
  // the same nanosecond.
  std::uint64_t invoked_by_completion = 0;
  SendOutcome outcome = SendOutcome::unknown;
  std::int64_t physical_offset = -1;  // Where the broker said it is; -1 if it did not say.

  friend bool operator==(const SendRecord&, const SendRecord&) = default;
};

struct ProducerRecord {
  std::string name;
  std::int64_t timeout_ns = 0;  // A logical send that takes longer counts as stalled.
};

struct ConsumerRecord {
  std::string name;
  std::string topic;
  std::int64_t started_ns = 0;
  std::int64_t first_ns = -1;  // When it was given its first message; -1: never.
};

// A message that a consumer was given.
struct DeliveryRecord {
  std::uint32_t consumer = 0;  // An index of History::consumers.
  std::uint64_t key = 0;       // 0: it carries none of ours.
  std::int32_t queue_id = 0;
  std::int64_t queue_offset = 0;

  friend bool operator==(const DeliveryRecord&, const DeliveryRecord&) = default;
};

struct History {
  std::vector<ProducerRecord> producers;
  std::vector<ConsumerRecord> consumers;
  std::vector<SendRecord> sends;           // In the order of their invocation.
  std::vector<DeliveryRecord> deliveries;  // In the order in which they came.

  std::int64_t timeout_ns(const SendRecord& send) const {
    return producers.at(send.producer).timeout_ns;
  }
};

}  // namespace drydock::reports
