#include "sim/net/receiver.hpp"

#include <algorithm>

namespace drydock::sim {

bool Receiver::accept(Segment& segment) {
  if (segment.sequence != next_) [[unlikely]] {
    ENSURE(segment.sequence > next_);  // Data exist once.
    insert_in_order(held_, segment);
    return false;
  }
  append(segment);
  while (!held_.empty() && front_segment(held_).sequence == next_) {
    Segment& freed = front_segment(held_);
    freed.unlink();
    append(freed);
  }
  return true;
}

void Receiver::append(Segment& segment) {
  ENSURE(!finished_);
  next_ = segment.end();
  if (segment.kind == SegmentKind::fin) {
    finished_ = true;
    segments_.give_back(segment);
    return;
  }
  ENSURE(next_ <= advertised_);
  unread_.push_back(segment);
}

ByteChain Receiver::take(std::size_t max_bytes) {
  ByteChain taken;
  while (!unread_.empty() && taken.size() < max_bytes) {
    Segment& first = front_segment(unread_);
    const std::size_t room = max_bytes - taken.size();
    if (first.payload.size() <= room) {
      taken.append(std::move(first.payload));
      segments_.give_back(first);
      continue;
    }
    taken.append(first.payload.slice(0, room));
    first.payload = first.payload.slice(room, first.payload.size() - room);
  }
  consumed_ += static_cast<std::int64_t>(taken.size());
  return taken;
}

}  // namespace drydock::sim
