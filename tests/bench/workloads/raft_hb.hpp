// Workload raft-hb: the heartbeat skeleton of a Raft cluster of n nodes.
//
// The leader sends heartbeats to all followers every 50 ms; each follower answers and re-arms its
// election timer, 150 to 300 ms drawn anew each time. A message takes 1 ms one way. Every 30 s the
// leader is killed; it returns as a follower after 5 s. Votes follow Raft: a term, one vote per
// term, a majority wins, a greater term demotes. No log.
//
// A node is a pure state machine with at most one timer (follower, candidate: election; leader:
// next heartbeat), so that kernels with callbacks, with threads and with coroutines can all carry
// it. It acts through a Port that the contestant supplies:
//
//   void send(const RaftMessage& message)            deliver to message.to after kLatencyNs
//   void arm(std::uint32_t node, std::int64_t delay) replace the node's timer
//   void disarm(std::uint32_t node)                  the node has no timer any more
//
// Scored: virtual seconds per CPU second. Gate: messages, elections and leaders equal in all
// kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/bench/workloads/draws.hpp"

namespace drydock::bench {

struct RaftLoad {
  static constexpr std::int64_t kLatencyNs = 1'000'000;
  static constexpr std::int64_t kHeartbeatNs = 50'000'000;
  static constexpr std::int64_t kElectionMinNs = 150'000'000;
  static constexpr std::int64_t kElectionSpreadNs = 150'000'000;
  static constexpr std::int64_t kKillPeriodNs = 30'000'000'000;
  static constexpr std::int64_t kDownNs = 5'000'000'000;

  std::uint32_t nodes;
  std::int64_t virtual_s;  // The anchors use 36,000.

  // Events at or after this instant are not served.
  std::int64_t end_ns() const { return virtual_s * 1'000'000'000; }
};

enum class RaftKind : std::uint8_t { heartbeat, heartbeat_reply, vote_request, vote_reply };

struct RaftMessage {
  RaftKind kind;
  std::uint8_t from;
  std::uint8_t to;
  bool granted;  // Of vote_reply.
  std::uint32_t term;
};
static_assert(sizeof(RaftMessage) == 8, "fits the payload of a 24-byte event");

struct RaftCounts {
  std::uint64_t messages = 0;   // Delivered to a live node.
  std::uint64_t elections = 0;  // Started by a time-out.
  std::uint64_t leaders = 0;    // Elections won.
  std::uint64_t kills = 0;
};

class RaftNode {
 public:
  RaftNode(std::uint32_t id, std::uint32_t nodes, RaftCounts& counts)
      : draws_(3, id), counts_(&counts), id_(id), nodes_(nodes) {}

  bool alive() const { return role_ != Role::dead; }
  bool leads() const { return role_ == Role::leader; }

  template <class Port>
  void start(Port& port) {
    role_ = Role::follower;
    arm_election(port);
  }

  template <class Port>
  void kill(Port& port) {
    ++counts_->kills;
    role_ = Role::dead;
    port.disarm(id_);
  }

  // The timer that was armed last has run out.
  template <class Port>
  void on_timer(Port& port) {
    if (role_ == Role::leader) {
      beat(port);
      return;
    }
    ++counts_->elections;
    role_ = Role::candidate;
    ++term_;
    voted_in_term_ = term_;
    votes_ = 1;
    broadcast(port, RaftKind::vote_request);
    arm_election(port);
  }

  template <class Port>
  void on_message(const RaftMessage& message, Port& port) {
    if (role_ == Role::dead) return;
    ++counts_->messages;
    if (message.term > term_) adopt(message.term, port);
    switch (message.kind) {
      case RaftKind::heartbeat:
        if (message.term == term_) {
          role_ = Role::follower;
          arm_election(port);
        }
        reply(port, message, RaftKind::heartbeat_reply, false);
        break;
      case RaftKind::heartbeat_reply: break;
      case RaftKind::vote_request: on_vote_request(message, port); break;
      case RaftKind::vote_reply: on_vote_reply(message, port); break;
    }
  }

 private:
  enum class Role : std::uint8_t { dead, follower, candidate, leader };

  template <class Port>
  void adopt(std::uint32_t term, Port& port) {
    term_ = term;
    const bool led = role_ == Role::leader;
    role_ = Role::follower;
    if (led) arm_election(port);  // Its timer was a heartbeat.
  }

  template <class Port>
  void on_vote_request(const RaftMessage& message, Port& port) {
    const bool granted = message.term == term_ && voted_in_term_ != term_;
    if (granted) {
      voted_in_term_ = term_;
      arm_election(port);
    }
    reply(port, message, RaftKind::vote_reply, granted);
  }

  template <class Port>
  void on_vote_reply(const RaftMessage& message, Port& port) {
    if (role_ != Role::candidate || message.term != term_ || !message.granted) return;
    if (++votes_ <= nodes_ / 2) return;
    ++counts_->leaders;
    role_ = Role::leader;
    beat(port);
  }

  template <class Port>
  void beat(Port& port) {
    broadcast(port, RaftKind::heartbeat);
    port.arm(id_, RaftLoad::kHeartbeatNs);
  }

  template <class Port>
  void arm_election(Port& port) {
    const auto spread = static_cast<std::int64_t>(draws_.below(RaftLoad::kElectionSpreadNs));
    port.arm(id_, RaftLoad::kElectionMinNs + spread);
  }

  template <class Port>
  void broadcast(Port& port, RaftKind kind) {
    for (std::uint32_t to = 0; to < nodes_; ++to) {
      if (to != id_) port.send(make(kind, to, false));
    }
  }

  template <class Port>
  void reply(Port& port, const RaftMessage& to, RaftKind kind, bool granted) {
    port.send(make(kind, to.from, granted));
  }

  RaftMessage make(RaftKind kind, std::uint32_t to, bool granted) const {
    return RaftMessage{kind, static_cast<std::uint8_t>(id_), static_cast<std::uint8_t>(to), granted,
                       term_};
  }

  Draws draws_;
  RaftCounts* counts_;
  std::uint32_t id_;
  std::uint32_t nodes_;
  std::uint32_t term_ = 0;
  std::uint32_t voted_in_term_ = 0;
  std::uint32_t votes_ = 0;
  Role role_ = Role::dead;
};

// Kills the leader. Returns its id, or `nodes.size()` when nobody leads (then nothing happens).
template <class Port>
std::uint32_t kill_leader(std::vector<RaftNode>& nodes, Port& port) {
  std::uint32_t id = 0;
  while (id < nodes.size() && !nodes[id].leads()) ++id;
  if (id < nodes.size()) nodes[id].kill(port);
  return id;
}

}  // namespace drydock::bench
