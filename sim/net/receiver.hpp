// The receiving half of a socket.
#pragma once

#include "sim/net/segment.hpp"

namespace drydock::sim {

// Positions count the peer's bytes from 0, and its FIN as one more:
//
//   consumed <= next <= advertised
//
// consumed: the process has read up to here. next: everything before it has arrived. advertised:
// the sender was told that it may send up to here (consumed + window at the time). A segment that
// arrives before an earlier one (which was lost) is held back until that one comes.
class Receiver {
 public:
  Receiver(SegmentPool& segments, std::int64_t window) : segments_(segments), window_(window) {}

  // Takes the segment. True if something new can be read; false if it has to wait for another.
  bool accept(Segment& segment);

  bool has_unread() const { return !unread_.empty(); }
  // The peer's FIN has arrived, and everything before it.
  bool finished() const { return finished_; }
  // At least one and at most `max_bytes` bytes. Only if has_unread().
  ByteChain take(std::size_t max_bytes);

  std::int64_t next() const { return next_; }
  // How far the sender may send now. The answer counts as told.
  std::int64_t advertise() { return advertised_ = consumed_ + window_; }
  // Whether reading has opened the window so far that the sender is told unasked: to twice what it
  // knows of, and by a segment at least. Source: Linux, tcp_cleanup_rbuf and __tcp_select_window.
  bool wants_update() const {
    const std::int64_t known = advertised_ - next_;
    const std::int64_t open = consumed_ + window_ - next_;
    return open >= 2 * known && open > known && open >= least_update();
  }

  // The socket is gone: what was held back will never be complete.
  void drop_held() { segments_.give_back_all(held_); }
  void drop_all() {
    drop_held();
    segments_.give_back_all(unread_);
  }

 private:
  void append(Segment& segment);
  std::int64_t least_update() const {
    constexpr std::int64_t kSegmentOnTheWire = 1448;  // Ethernet, with TCP time stamps.
    return std::min(kSegmentOnTheWire, window_ / 2);
  }

  SegmentPool& segments_;
  IntrusiveList unread_;
  IntrusiveList held_;
  std::int64_t window_;
  std::int64_t consumed_ = 0;
  std::int64_t next_ = 0;
  std::int64_t advertised_ = window_;
  bool finished_ = false;
};

}  // namespace drydock::sim
