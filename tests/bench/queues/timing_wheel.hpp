// Candidate: a hierarchical timing wheel, 64 slots per level, exact to the nanosecond.
//
// Level l spans the l-th group of six bits of the time. An event sits in the level of the highest
// group in which its time differs from the wheel's, in the slot of its own group value, at the end
// of a doubly linked list. So:
//   - all events of a lower level come before all events of a higher one, slots in a level in
//   order;
//   - a slot of level 0 holds one instant only, first in, first out;
//   - when the wheel's time enters a slot of a higher level, its list is dealt out again from the
//     front, so equal times keep their order, and whatever is posted later lands behind them.
// A slot is dealt out relative to its earliest event, not to its beginning: the earliest goes
// straight to level 0. Arming, posting and disarming are a few stores; a timer disarmed early never
// moves.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/bench/queues/queue_worlds.hpp"

namespace drydock::bench {

class TimingWheelQueue {
 public:
  explicit TimingWheelQueue(std::uint32_t timers) : timers_(timers) {
    for (Link& slot : slots_) slot.next = slot.prev = &slot;
    free_.next = free_.prev = &free_;
  }

  TimingWheelQueue(TimingWheelQueue&&) = delete;  // The lists point into it.

  void post(std::int64_t time, std::uint64_t word) {
    if (free_.next == &free_) grow();
    Node* node = static_cast<Node*>(free_.next);
    free_.next = node->next;
    free_.next->prev = &free_;
    node->time = static_cast<std::uint64_t>(time);
    node->word = word;
    append(*node);
  }

  void arm(std::uint32_t timer, std::int64_t time) {
    Node& node = timers_[timer];
    if (node.next != nullptr) unlink(node);
    node.time = static_cast<std::uint64_t>(time);
    append(node);
  }

  void disarm(std::uint32_t timer) {
    Node& node = timers_[timer];
    if (node.next == nullptr) return;
    unlink(node);
    node.next = nullptr;
  }

  bool pop(Popped& next) {
    if (levels_ == 0) return false;
    const auto level = static_cast<std::uint32_t>(std::countr_zero(levels_));
    Link* slot =
        &slots_[level * kSlots + static_cast<std::uint32_t>(std::countr_zero(occupied_[level]))];
    if (level != 0 && slot->next->next != slot) {
      deal_out(*slot);
      slot = &slots_[now_ % kSlots];
    }
    Node& node = *static_cast<Node*>(slot->next);
    now_ = node.time;
    unlink(node);
    release(node, next);
    return true;
  }

 private:
  static constexpr std::uint32_t kBits = 6;
  static constexpr std::uint32_t kSlots = 1u << kBits;
  static constexpr std::uint32_t kLevels = 11;  // 66 bits.

  struct Link {
    Link* prev = nullptr;
    Link* next = nullptr;  // Null in a timer that is not armed.
  };
  struct Node : Link {
    std::uint64_t time = 0;
    std::uint64_t word = 0;
  };

  void append(Node& node) {
    const std::uint64_t differs = node.time ^ now_;
    const auto level =
        differs == 0 ? 0u : (static_cast<std::uint32_t>(std::bit_width(differs)) - 1) / kBits;
    const auto digit = static_cast<std::uint32_t>(node.time >> (level * kBits)) % kSlots;
    Link& slot = slots_[level * kSlots + digit];
    node.prev = slot.prev;
    node.next = &slot;
    slot.prev->next = &node;
    slot.prev = &node;
    occupied_[level] |= std::uint64_t{1} << digit;
    levels_ |= 1u << level;
  }

  void unlink(Node& node) {
    node.prev->next = node.next;
    node.next->prev = node.prev;
    if (node.next == node.prev) vacate(*node.next);
  }

  // The last node of a slot has left; both its neighbours were the slot itself.
  void vacate(const Link& slot) {
    const auto index = static_cast<std::uint32_t>(&slot - slots_.data());
    occupied_[index / kSlots] &= ~(std::uint64_t{1} << index % kSlots);
    if (occupied_[index / kSlots] == 0) levels_ &= ~(1u << index / kSlots);
  }

  void deal_out(Link& slot) {
    std::uint64_t earliest = static_cast<Node*>(slot.next)->time;
    for (Link* link = slot.next->next; link != &slot; link = link->next) {
      const std::uint64_t time = static_cast<Node*>(link)->time;
      if (time < earliest) earliest = time;
    }
    now_ = earliest;
    Link* link = slot.next;
    slot.next = slot.prev = &slot;
    vacate(slot);
    while (link != &slot) {
      Link* following = link->next;
      append(*static_cast<Node*>(link));
      link = following;
    }
  }

  void release(Node& node, Popped& next) {
    const auto timer = static_cast<std::uint64_t>(&node - timers_.data());
    if (&node >= timers_.data() && timer < timers_.size()) {
      node.next = nullptr;
      next = {static_cast<std::int64_t>(node.time), timer, true};
    } else {
      push_free(node);
      next = {static_cast<std::int64_t>(node.time), node.word, false};
    }
  }

  void grow() {
    constexpr std::uint32_t kChunk = 256;
    chunks_.push_back(std::make_unique<std::array<Node, kChunk>>());
    for (Node& node : *chunks_.back()) push_free(node);
  }

  // At the end: messages sent one after the other then lie side by side in memory, and so do the
  // nodes of a slot, which is walked from front to back.
  void push_free(Node& node) {
    node.prev = free_.prev;
    node.next = &free_;
    free_.prev->next = &node;
    free_.prev = &node;
  }

  std::uint64_t now_ = 0;
  std::uint32_t levels_ = 0;  // Which levels hold anything.
  std::array<std::uint64_t, kLevels> occupied_{};
  std::array<Link, kLevels * kSlots> slots_;
  std::vector<Node> timers_;
  Link free_;
  std::vector<std::unique_ptr<std::array<Node, 256>>> chunks_;
};

}  // namespace drydock::bench
