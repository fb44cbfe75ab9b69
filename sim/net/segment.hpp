// What travels between two sockets.
#pragma once

#include <cstdint>
#include <deque>

#include "engine/runtime/wakeup.hpp"
#include "engine/types/bytes.hpp"

namespace drydock::sim {

class Socket;

enum class SegmentKind : std::uint8_t {
  data,
  fin,    // The end of the sender's bytes. Takes one place in the sequence, as in TCP.
  probe,  // Asks for an acknowledgement: repeated data, zero-window and keep-alive probes.
  syn,    // The three steps of the handshake.
  syn_ack,
  handshake_ack,
  reset,
};

// One node for the whole life of a piece of a stream. It waits in its sender's list, is queued in
// the kernel while it travels (the event is its arrival), goes back to the sender if it is lost,
// and ends in the receiver's list until it is read: data exist once, so nothing can arrive twice.
// A piece is at most 64 KiB, as the largest unit that Linux hands to a network card (GSO).
struct Segment : Wakeup {
  Segment() : Wakeup(&Segment::on_arrival, EventKind::segment, 0) {}

  std::int64_t end() const { return sequence + length; }

  Socket* from = nullptr;
  SharedBytes payload;
  std::int64_t sequence = 0;    // Of the first byte, from 0 for each direction.
  std::int64_t sent_at = 0;     // When it was last sent, virtual ns.
  std::int64_t departs_at = 0;  // When its last byte leaves the host.
  std::int32_t length = 0;      // What it takes of the sequence: bytes; 1 for a fin.
  SegmentKind kind = SegmentKind::data;

 private:
  static void on_arrival(Wakeup& wakeup);
};

inline constexpr std::size_t kSegmentBytesMax = 64 * 1024;

inline Segment& front_segment(IntrusiveList& list) { return static_cast<Segment&>(*list.front()); }

// Puts a segment into a list that is ordered by sequence. Cheap at either end.
inline void insert_in_order(IntrusiveList& list, Segment& segment) {
  IntrusiveList before;
  if (!list.empty() && static_cast<Segment&>(*list.back()).sequence < segment.sequence) {
    list.push_back(segment);
    return;
  }
  while (!list.empty() && front_segment(list).sequence < segment.sequence) {
    Segment& smaller = front_segment(list);
    smaller.unlink();
    before.push_back(smaller);
  }
  before.push_back(segment);
  before.take_all(list);
  list.take_all(before);
}

// Segments, reused: the one given back last is taken first, while it is still in the cache. Memory
// stays at the largest number that was ever in use.
class SegmentPool {
 public:
  Segment& take(Socket& from, std::uint32_t connection, SegmentKind kind) {
    if (free_.empty()) free_.push_back(all_.emplace_back());
    auto& segment = static_cast<Segment&>(*free_.back());
    segment.unlink();
    segment.set_label(EventKind::segment, connection);
    segment.from = &from;
    segment.kind = kind;
    segment.length = 0;
    ++in_use_;
    return segment;
  }
  void give_back(Segment& segment) {
    segment.unlink();
    segment.payload = SharedBytes();
    free_.push_back(segment);
    --in_use_;
  }
  void give_back_all(IntrusiveList& list) {
    while (!list.empty()) give_back(front_segment(list));
  }
  // Waiting to be sent, under way, lost or unread.
  std::size_t in_use() const { return in_use_; }

 private:
  std::size_t in_use_ = 0;
  std::deque<Segment> all_;
  IntrusiveList free_;
};

}  // namespace drydock::sim
