// The workloads on a bare event queue, to choose one by measurement. A candidate Queue offers
//
//   Queue(std::uint32_t timers)                       timers are numbered from 0
//   void post(std::int64_t time, std::uint64_t word)  an event that is never cancelled
//   void arm(std::uint32_t timer, std::int64_t time)  replaces what the timer was armed for
//   void disarm(std::uint32_t timer)
//   bool pop(Popped& next)                            false when nothing is left
//
// and serves events by (time, order of post and arm). Nothing else of a kernel is here: no
// coroutine, no fingerprint. So a table of these figures bounds what a kernel on the same queue can
// reach.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "tests/bench/workloads/harness.hpp"
#include "tests/bench/workloads/pp_timers.hpp"
#include "tests/bench/workloads/raft_hb.hpp"
#include "tests/bench/workloads/timers_only.hpp"

namespace drydock::bench {

struct Popped {
  std::int64_t time;
  std::uint64_t word;  // Of a posted event; the timer's number otherwise.
  bool is_timer;
};

template <class Queue>
class PingPongOnQueue {
 public:
  explicit PingPongOnQueue(const PingPong& load) : queue_(load.nodes) {
    nodes_.reserve(load.nodes);
    for (std::uint32_t id = 0; id < load.nodes; ++id) {
      nodes_.push_back({load.rounds, LossRule(id)});
      queue_.post(PingPong::start_ns(id), kStart | id);
    }
  }

  void run(Record& record) {
    Popped next{};
    while (queue_.pop(next)) {
      serve(next);
      ++record.events;
    }
    record.messages = messages_;
    record.timeouts = timeouts_;
    record.virtual_s = static_cast<double>(next.time) * 1e-9;
  }

 private:
  static constexpr std::uint64_t kStart = std::uint64_t{1} << 32;

  struct Node {
    std::uint32_t rounds_left;
    LossRule loss;
  };

  void serve(const Popped& event) {
    const auto id = static_cast<std::uint32_t>(event.word);
    Node& node = nodes_[id];
    if (event.is_timer || event.word >= kStart) {
      if (event.is_timer) ++timeouts_;
      if (PingPong::is_initiator(id)) ping(node, id, event.time);
      queue_.arm(id, event.time + PingPong::kTimeoutNs);
      return;
    }
    ++messages_;
    queue_.disarm(id);
    const bool more = --node.rounds_left != 0;
    if (!PingPong::is_initiator(id)) {
      send(id, event.time);
    } else if (more) {
      ping(node, id, event.time);
    }
    if (more) queue_.arm(id, event.time + PingPong::kTimeoutNs);
  }

  void ping(Node& node, std::uint32_t id, std::int64_t now) {
    if (!node.loss.loses_next()) send(id, now);
  }
  void send(std::uint32_t id, std::int64_t now) {
    queue_.post(now + PingPong::kLatencyNs, PingPong::peer(id));
  }

  Queue queue_;
  std::vector<Node> nodes_;
  std::uint64_t messages_ = 0;
  std::uint64_t timeouts_ = 0;
};

template <class Queue>
class RaftOnQueue {
 public:
  explicit RaftOnQueue(const RaftLoad& load) : end_(load.end_ns()), queue_(load.nodes) {
    for (std::uint32_t id = 0; id < load.nodes; ++id) {
      nodes_.emplace_back(id, load.nodes, counts_);
      nodes_.back().start(*this);
    }
    queue_.post(RaftLoad::kKillPeriodNs, kKill);
  }

  void run(Record& record) {
    Popped next{};
    while (queue_.pop(next) && next.time < end_) {
      now_ = next.time;
      serve(next);
      ++record.events;
    }
    record.messages = counts_.messages;
    record.elections = counts_.elections;
    record.leaders = counts_.leaders;
    record.virtual_s = static_cast<double>(end_) * 1e-9;
  }

  void send(const RaftMessage& message) {
    queue_.post(now_ + RaftLoad::kLatencyNs, std::bit_cast<std::uint64_t>(message));
  }
  void arm(std::uint32_t node, std::int64_t delay) { queue_.arm(node, now_ + delay); }
  void disarm(std::uint32_t node) { queue_.disarm(node); }

 private:
  // Words no message has: its first byte is a RaftKind.
  static constexpr std::uint64_t kKill = 0xfe;
  static constexpr std::uint64_t kRestart = 0xff;

  void serve(const Popped& event) {
    if (event.is_timer) {
      nodes_[event.word].on_timer(*this);
    } else if (event.word == kKill) {
      const std::uint64_t killed = kill_leader(nodes_, *this);
      if (killed < nodes_.size()) queue_.post(now_ + RaftLoad::kDownNs, killed << 8 | kRestart);
      queue_.post(now_ + RaftLoad::kKillPeriodNs, kKill);
    } else if ((event.word & 0xff) == kRestart) {
      nodes_[event.word >> 8].start(*this);
    } else {
      const auto message = std::bit_cast<RaftMessage>(event.word);
      nodes_[message.to].on_message(message, *this);
    }
  }

  std::int64_t end_;
  std::int64_t now_ = 0;
  Queue queue_;
  std::vector<RaftNode> nodes_;
  RaftCounts counts_;
};

template <class Queue>
class TimersOnQueue {
 public:
  TimersOnQueue() : queue_(TimersOnly::kTimers) {}

  void run(Record& record) {
    arm_all();
    Popped next{};
    while (queue_.pop(next)) {
      ++record.events;
      if (next.is_timer) {
        log_.expired(static_cast<std::uint32_t>(next.word), next.time);
      } else {
        tick(next.time);
      }
    }
    record.timeouts = log_.count();
    record.checksum = log_.checksum();
    record.virtual_s = static_cast<double>(next.time) * 1e-9;
  }

 private:
  void arm_all() {
    Draws draws(4, 0);
    for (std::uint32_t timer = 0; timer < TimersOnly::kTimers; ++timer) {
      queue_.arm(timer, TimersOnly::draw_delay_ns(draws));
    }
    queue_.post(TimersOnly::kTickNs, 0);
  }

  void tick(std::int64_t now) {
    for (std::uint32_t i = 0; i < TimersOnly::kCancelledPerTick; ++i) {
      queue_.disarm(TimersOnly::cancelled(next_cancelled_++));
    }
    if (next_cancelled_ < TimersOnly::kTicks * TimersOnly::kCancelledPerTick) {
      queue_.post(now + TimersOnly::kTickNs, 0);
    }
  }

  Queue queue_;
  std::uint32_t next_cancelled_ = 0;
  ExpiryLog log_;
};

template <class World, class... Load>
Record measure(Load... load) {
  Record record;
  Stopwatch watch;
  World world(load...);
  watch.started();
  world.run(record);
  watch.finish(record);
  return record;
}

// Runs the workload named in the options. False: there is none of that name.
template <class Queue>
bool run_on_queue(const Options& options, Record& record) {
  if (options.workload == "pp-timers") {
    record = measure<PingPongOnQueue<Queue>>(PingPong(options.n, options.messages));
  } else if (options.workload == "raft-hb") {
    record = measure<RaftOnQueue<Queue>>(RaftLoad{options.n, options.virtual_s});
  } else if (options.workload == "timers-only") {
    record = measure<TimersOnQueue<Queue>>();
  } else {
    return false;
  }
  return true;
}

}  // namespace drydock::bench
