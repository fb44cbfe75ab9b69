#include "sim/net/sender.hpp"

#include "sim/net/socket.hpp"

namespace drydock::sim {

Sender::Sender(Socket& socket, NetworkCore& core, std::uint32_t connection)
    : socket_(socket),
      core_(core),
      connection_(connection),
      window_end_(core.options.receive_window_bytes) {}

void Sender::queue(SharedBytes bytes) {
  while (bytes.size() > kSegmentBytesMax) {
    queue_segment(SegmentKind::data, bytes.slice(0, kSegmentBytesMax), kSegmentBytesMax);
    bytes = bytes.slice(kSegmentBytesMax, bytes.size() - kSegmentBytesMax);
  }
  const auto length = static_cast<std::int32_t>(bytes.size());
  queue_segment(SegmentKind::data, std::move(bytes), length);
}

void Sender::queue_fin() {
  finished_ = true;
  queue_segment(SegmentKind::fin, SharedBytes(), 1);
}

void Sender::queue_segment(SegmentKind kind, SharedBytes payload, std::int32_t length) {
  Segment& segment = core_.segments.take(socket_, connection_, kind);
  segment.payload = std::move(payload);
  segment.sequence = queued_;
  segment.length = length;
  queued_ += length;
  if (unsent_.empty() && !stalled() && fits(segment)) [[likely]] {
    send(segment);
    return;
  }
  unsent_.push_back(segment);
  pump();
}

void Sender::send(Segment& segment) {
  if (segment.end() > sent_) sent_ = segment.end();
  socket_.transmit(segment);
}

void Sender::pump() {
  while (!stalled() && !unsent_.empty()) {
    Segment* const segment = next_unsent();
    if (segment == nullptr) return;
    segment->unlink();
    send(*segment);
  }
}

Segment* Sender::next_unsent() {
  Segment& first = front_segment(unsent_);
  if (fits(first)) return &first;
  const std::int64_t room = window_end_ - first.sequence;
  if (room <= 0) return nullptr;
  Segment& part = core_.segments.take(socket_, connection_, SegmentKind::data);
  part.sequence = first.sequence;
  part.length = static_cast<std::int32_t>(room);
  part.payload = first.payload.slice(0, static_cast<std::size_t>(room));
  first.payload =
      first.payload.slice(part.payload.size(), first.payload.size() - part.payload.size());
  first.sequence += room;
  first.length -= part.length;
  return &part;
}

void Sender::absorb() {
  const std::int64_t now = core_.kernel.now();
  std::int64_t said_at = kNone;
  while (!acknowledgements_.empty() && acknowledgements_.front().arrives_at <= now) {
    const Acknowledgement& arrived = acknowledgements_.front();
    said_at = arrived.sent_at;
    heard_at_ = arrived.arrives_at;
    if (arrived.acked > acked_) acked_ = arrived.acked;
    if (arrived.window_end > window_end_) window_end_ = arrived.window_end;
    acknowledgements_.pop_front();
  }
  if (said_at == kNone || trouble_since_ == kNone) [[likely]]
    return;
  // What was said before the doubt arose does not clear it: the peer may have died since.
  if (said_at > doubted_at_ || !outstanding()) end_trouble();
}

void Sender::end_trouble() {
  trouble_since_ = kNone;
  retransmit_.unlink();
  if (retries_ > 0) {
    retries_ = 0;
    resend_lost();
  }
  // It may have answered only a part of what is unanswered. That restarts the timer, as in Linux.
  const bool doubt = sent_ > acked_ && acknowledgements_.empty();
  if (!lost_.empty() || doubt) on_silence(core_.kernel.now());
}

void Sender::resend_lost() {
  IntrusiveList again;
  again.take_all(lost_);
  while (!again.empty()) {
    Segment& segment = front_segment(again);
    segment.unlink();
    ++core_.counters.retransmitted;
    send(segment);
  }
}

void Sender::acknowledgement_sent(const Acknowledgement& acknowledgement) {
  // Nobody may look for long: one side only reads.
  constexpr std::size_t kLookAfter = 64;
  if (acknowledgements_.size() >= kLookAfter) absorb();
  Acknowledgement note = acknowledgement;
  if (!acknowledgements_.empty() && acknowledgements_.back().arrives_at > note.arrives_at) {
    note.arrives_at = acknowledgements_.back().arrives_at;
  }
  acknowledgements_.push(note);
  await_acknowledgement();
}

void Sender::lose_acknowledgements() {
  const std::int64_t now = core_.kernel.now();
  bool missed = !unsent_.empty();  // Perhaps the news that the window has opened.
  while (!acknowledgements_.empty() && acknowledgements_.back().arrives_at > now) {
    acknowledgements_.pop_back();
    missed = true;
  }
  if (acknowledgements_.empty()) acknowledged_.unlink();
  if (missed) on_silence(now);
}

void Sender::await_acknowledgement() {
  if (acknowledgements_.empty() || acknowledged_.linked()) return;
  const bool wanted = stalled() || !unsent_.empty() || socket_.writer_waits();
  if (wanted) core_.kernel.at(acknowledged_, acknowledgements_.front().arrives_at);
}

void Sender::on_acknowledged() {
  absorb();
  go_on();
}

void Sender::go_on() {
  pump();
  Stream::WriteAwaiter* const fed = socket_.feed_writer();
  await_acknowledgement();
  if (fed != nullptr) fed->complete_now();
}

void Sender::on_lost(Segment& segment) {
  insert_in_order(lost_, segment);
  on_silence(segment.sent_at);
  await_acknowledgement();
}

void Sender::on_silence(std::int64_t since) {
  absorb();  // What has arrived by now says nothing about what comes.
  doubted_at_ = core_.kernel.now();
  if (trouble_since_ != kNone || !outstanding()) return;
  trouble_since_ = since;
  core_.kernel.at(retransmit_, since + timeout_ns());
}

std::int64_t Sender::timeout_ns() const {
  // Linux: smoothed round trip + max(4 · its deviation, TCP_RTO_MIN); the second wins here.
  const std::int64_t first = socket_.round_trip_ns() + kRetransmitMin.count_ns();
  constexpr int kShiftMax = 20;
  const std::int64_t doubled = first << std::min(retries_, kShiftMax);
  return std::min(doubled, std::max(first, kRetransmitMax.count_ns()));
}

void Sender::on_retransmit() {
  const std::int64_t now = core_.kernel.now();
  absorb();
  if (trouble_since_ == kNone) return go_on();
  if (!acknowledgements_.empty()) {  // An answer is on its way after all.
    core_.kernel.at(retransmit_, now + timeout_ns());
    return;
  }
  if (now - trouble_since_ >= socket_.give_up_after().count_ns()) {
    socket_.give_up();
    return;
  }
  ++retries_;
  core_.kernel.at(retransmit_, now + timeout_ns());
  ++core_.counters.retransmitted;
  if (lost_.empty()) {
    socket_.send_probe();
  } else {
    Segment& first = front_segment(lost_);
    first.unlink();
    send(first);
  }
}

void Sender::drop() {
  core_.segments.give_back_all(unsent_);
  core_.segments.give_back_all(lost_);
  acknowledgements_.clear();
  retransmit_.unlink();
  acknowledged_.unlink();
  trouble_since_ = kNone;
  retries_ = 0;
  acked_ = sent_ = queued_;
}

}  // namespace drydock::sim
