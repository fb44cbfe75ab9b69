// engine/runtime is the seam: everything that the engine may ask of a world, as interfaces and task
// types. Two worlds implement it: sim (virtual time) and engine/linux. The engine is compiled once
// and links with either; nothing here can tell which one it is.
//
//   wakeup, timer_queue      what an executor's queue holds, and that queue
//   process_state, strand,   a process as its executor sees it; a chain of coroutines; the
//   task, scope              coroutine type; structured lifetime and killing
//   waiter, sync, channel    leaf awaits: events, locks, semaphores, bounded queues
//   clock, random, network,  the world's services, as narrow abstract classes whose comments are
//   file_system, …           their contracts
//   context                  the one object through which a process reaches all of that
//
// This file: one entry of an executor's ready list or timer queue.
#pragma once

#include <cstdint>

#include "engine/types/ensure.hpp"

namespace drydock {

// An intrusive list node. Unlinking needs no access to the list.
class ListLink {
 public:
  ListLink() = default;
  ListLink(const ListLink&) = delete;
  ListLink& operator=(const ListLink&) = delete;
  ~ListLink() { unlink(); }

  bool linked() const { return next_ != nullptr; }
  void unlink() noexcept {
    if (next_ == nullptr) return;
    previous_->next_ = next_;
    next_->previous_ = previous_;
    next_ = nullptr;
    previous_ = nullptr;
  }

 private:
  friend class IntrusiveList;
  ListLink* next_ = nullptr;
  ListLink* previous_ = nullptr;
};

// A circular list of links, in insertion order. The owner of the nodes is somebody else.
class IntrusiveList {
 public:
  IntrusiveList() { reset(); }
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;
  ~IntrusiveList() {
    while (!empty()) front()->unlink();
    head_.next_ = nullptr;  // The head is no member of another list.
  }

  bool empty() const { return head_.next_ == &head_; }
  ListLink* front() { return head_.next_; }
  ListLink* back() { return head_.previous_; }
  // The node behind `link`, or null at the end.
  ListLink* after(ListLink* link) { return link->next_ == &head_ ? nullptr : link->next_; }

  void push_back(ListLink& link) {
    link.previous_ = head_.previous_;
    link.next_ = &head_;
    head_.previous_->next_ = &link;
    head_.previous_ = &link;
  }
  // Moves every node of `other` behind ours, keeping their order.
  void take_all(IntrusiveList& other) {
    if (other.empty()) return;
    ListLink* const first = other.head_.next_;
    ListLink* const last = other.head_.previous_;
    first->previous_ = head_.previous_;
    head_.previous_->next_ = first;
    last->next_ = &head_;
    head_.previous_ = last;
    other.reset();
  }

 private:
  void reset() { head_.next_ = head_.previous_ = &head_; }
  ListLink head_;
};

// What an event is about, for the fingerprint and for the trace. Values are part of the
// fingerprint: append only.
enum class EventKind : std::uint16_t {
  none = 0,
  resume = 1,     // A coroutine goes on. Subject: process id.
  timer = 2,      // A deadline of a coroutine has passed. Subject: process id.
  segment = 3,    // Bytes arrive at the end of a stream. Subject: stream id.
  link = 4,       // A link's or connection's own timer. Subject: link or stream id.
  device = 5,     // A device command completes. Subject: disk id.
  writeback = 6,  // The page cache's flusher or the journal runs. Subject: host id.
  fault = 7,      // A fault starts or ends. Subject: fault index.
  kill = 8,       // A process is killed. Subject: process id.
  host = 9,       // A host changes state. Subject: host id.
  engine = 10,    // A typed event of the engine. Subject: process id; detail: name and values.
  // 11 was never recorded: draws show by the events that they move.
  user = 12,  // Reserved for workloads of tests and benchmarks.
};

class Waiter;

// One entry of an executor. It belongs to somebody else (a coroutine frame, a stream, a disk),
// deregisters in its destructor, and runs at most once per registration.
class Wakeup : public ListLink {
 public:
  // Called by the executor, never from inside a coroutine.
  using Run = void (*)(Wakeup&);

  Wakeup(Run run, EventKind kind, std::uint32_t subject)
      : run_(run), subject_(subject), kind_(kind) {}

  // The queue's own time: the executor's nanoseconds, not a host's clock.
  std::int64_t time() const { return time_; }
  EventKind kind() const { return kind_; }
  std::uint32_t subject() const { return subject_; }
  void set_label(EventKind kind, std::uint32_t subject) {
    kind_ = kind;
    subject_ = subject;
  }
  void run() { run_(*this); }

  // Where the queue finds the waiter that `run` will wake, if it will: the address of a pointer to
  // it. The queue prefetches the pointer when the entry comes near, and the waiter's frame when it
  // comes next; nothing depends on it. The pointer variable must live as long as the entry is
  // queued; what it holds may be null or stale.
  void set_hint(Waiter* const* waiter) { hint_ = waiter; }

 private:
  friend class TimerQueue;
  std::int64_t time_ = 0;
  Run run_;
  Waiter* const* hint_ = nullptr;
  std::uint32_t subject_;
  EventKind kind_;
};

}  // namespace drydock
