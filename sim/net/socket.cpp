#include "sim/net/socket.hpp"

#include "sim/net/connection.hpp"
#include "sim/net/host_stack.hpp"
#include "sim/net/listener.hpp"
#include "sim/net/stream.hpp"

namespace drydock::sim {

Socket::Socket(Connection& connection, HostStack& host, Link& out, Socket& peer)
    : connection_(connection),
      host_(host),
      out_(out),
      peer_(peer),
      core_(connection.core()),
      receiver_(core_.segments, core_.options.receive_window_bytes),
      sender_(*this, core_, connection.id()),
      handshake_timer_(*this, connection.id(), &Socket::on_handshake_timer),
      keep_alive_timer_(*this, connection.id(), &Socket::on_keep_alive) {}

// ---- The process that holds it ----

void Socket::hold(SimStream& stream) {
  stream_ = &stream;
  listener_ = nullptr;
}

bool Socket::try_read(std::size_t max_bytes, Result<ByteChain>& result) {
  if (receiver_.has_unread()) {
    result = receiver_.take(max_bytes);
    const bool alive = state_ == State::established;
    if (alive && receiver_.wants_update()) acknowledge(core_.kernel.now());
    return true;
  }
  // Bytes, then the peer's end, then an error: the order of Linux's tcp_recvmsg.
  if (receiver_.finished()) {
    result = ErrorCode::end_of_stream;
    return true;
  }
  if (error_) {
    result = *error_;
    return true;
  }
  return false;
}

bool Socket::start_write(Stream::WriteAwaiter& writer) {
  if (error_) {
    writer.fail(*error_);
    return true;
  }
  ENSURE(!writer_waits());
  if (write_cut_short_ || sender_.finished()) {
    writer.fail(ErrorCode::invalid_argument);
    return true;
  }
  sender_.absorb();
  SharedBytes& bytes = writer.bytes();
  if (static_cast<std::int64_t>(bytes.size()) <= sender_.space()) [[likely]] {
    if (!bytes.empty()) sender_.queue(std::move(bytes));
    return true;
  }
  write_cut_short_ = true;
  stream_->keep_writer(writer);
  const Stream::WriteAwaiter* const fed = feed_writer();
  ENSURE(fed == nullptr);
  sender_.await_acknowledgement();
  return false;
}

bool Socket::writer_waits() const { return stream_ != nullptr && stream_->writer() != nullptr; }

Stream::WriteAwaiter* Socket::feed_writer() {
  if (!writer_waits()) return nullptr;
  Stream::WriteAwaiter& writer = *stream_->writer();
  // A thread that was killed copies nothing any more, even while its frame is still there.
  const Strand* const strand = writer.strand();
  if (strand != nullptr && strand->process().ending()) return nullptr;
  SharedBytes& bytes = writer.bytes();
  const auto room = static_cast<std::size_t>(std::max<std::int64_t>(sender_.space(), 0));
  if (room >= bytes.size()) {
    sender_.queue(std::move(bytes));
    write_cut_short_ = false;
    return &writer;
  }
  if (room == 0) return nullptr;
  sender_.queue(bytes.slice(0, room));
  bytes = bytes.slice(room, bytes.size() - room);
  return nullptr;
}

void Socket::finish_writing() {
  if (state_ == State::established && !sender_.finished()) sender_.queue_fin();
}

void Socket::reset() {
  if (state_ == State::established) send_reset();
  if (state_ != State::closed) fail(ErrorCode::connection_reset);
}

void Socket::close() {
  stream_ = nullptr;
  if (state_ == State::established && receiver_.has_unread()) {
    send_reset();
    vanish();
  } else if (state_ == State::established) {
    finish_writing();
  } else {
    vanish();
  }
  connection_.let_go();
}

void Socket::withdraw() {
  listener_ = nullptr;
  if (state_ == State::established) send_reset();
  vanish();
  connection_.let_go();
}

// ---- What travels ----

void Socket::transmit(Segment& segment) {
  const std::int64_t now = core_.kernel.now();
  ++core_.counters.sent;
  segment.sent_at = now;
  if (out_.cut(connection_.server_port())) [[unlikely]]
    return lose(segment);
  const std::int64_t departs = out_.depart(now, segment.payload.size());
  if (out_.loses()) [[unlikely]]
    return lose(segment);
  segment.departs_at = departs;
  last_arrival_ = std::max(last_arrival_, departs + out_.latency_ns());
  connection_.departed();
  core_.kernel.at(segment, last_arrival_);
}

void Segment::on_arrival(Wakeup& wakeup) {
  auto& segment = static_cast<Segment&>(wakeup);
  segment.from->peer().arrive(segment);
}

void Socket::arrive(Segment& segment) {
  SegmentPool& segments = core_.segments;
  if (!connection_.arrived()) [[unlikely]]
    return segments.give_back(segment);  // The socket may be gone already.
  const bool cut = peer_.out_.cut(connection_.server_port());
  const bool sent = !peer_.out_.died_in_queue(segment.sent_at, segment.departs_at);
  if (cut || !sent || !host_.powered()) [[unlikely]]
    return peer_.lose(segment);
  heard_at_ = core_.kernel.now();
  if (state_ == State::established && segment.kind == SegmentKind::data && stream_ != nullptr)
      [[likely]] {
    receive_data(segment);
  } else {
    receive_other(segment);
  }
}

void Socket::receive_data(Segment& segment) {
  const std::int64_t sent_at = segment.sent_at;
  if (!receiver_.accept(segment)) return;
  acknowledge(sent_at);
  if (stream_ != nullptr) stream_->wake_reader_now();  // Last: the stream may be gone afterwards.
}

void Socket::receive_other(Segment& segment) {
  const SegmentKind kind = segment.kind;
  if (state_ == State::syn_received && kind != SegmentKind::reset && kind != SegmentKind::syn) {
    on_client_proved();
  }
  const bool in_sequence = kind == SegmentKind::data || kind == SegmentKind::fin;
  const bool wanted = kind == SegmentKind::fin || held();
  if (state_ == State::established && in_sequence && wanted) return receive_data(segment);

  const std::int64_t sent_at = segment.sent_at;
  core_.segments.give_back(segment);
  if (kind == SegmentKind::reset) return on_reset();
  if (kind == SegmentKind::syn) return on_syn();
  if (kind == SegmentKind::syn_ack && state_ == State::syn_sent) return on_syn_ack();
  if (state_ == State::established) return receive_established(kind, sent_at);
  send_reset();
}

void Socket::receive_established(SegmentKind kind, std::int64_t sent_at) {
  switch (kind) {
    case SegmentKind::data:  // Nobody will ever read it.
      send_reset();
      vanish();
      return;
    case SegmentKind::probe: return acknowledge(sent_at);
    case SegmentKind::syn_ack: return send(SegmentKind::handshake_ack);  // Ours was lost.
    default: return;
  }
}

void Socket::acknowledge(std::int64_t sent_at) {
  if (peer_.state_ != State::established) return;
  if (out_.cut(connection_.server_port())) [[unlikely]] {
    peer_.sender_.on_silence(sent_at);
    return;
  }
  const std::int64_t now = core_.kernel.now();
  const Acknowledgement acknowledgement{.sent_at = now,
                                        .arrives_at = now + out_.median_ns(),
                                        .acked = receiver_.next(),
                                        .window_end = receiver_.advertise()};
  peer_.sender_.acknowledgement_sent(acknowledgement);
}

void Socket::lose(Segment& segment) {
  ++core_.counters.lost;
  const SegmentKind kind = segment.kind;
  const bool alive = state_ == State::established;
  if (alive && (kind == SegmentKind::data || kind == SegmentKind::fin)) {
    sender_.on_lost(segment);
    return;
  }
  core_.segments.give_back(segment);
  // It may have been the step or the answer that somebody waits for.
  handshake_lost();
  peer_.handshake_lost();
  if (peer_.state_ == State::established) peer_.sender_.on_silence(core_.kernel.now());
}

void Socket::send(SegmentKind kind) {
  transmit(core_.segments.take(*this, connection_.id(), kind));
}

void Socket::send_reset() {
  ++core_.counters.resets;
  send(SegmentKind::reset);
}

std::int64_t Socket::round_trip_ns() const { return out_.median_ns() + peer_.out_.median_ns(); }

// ---- How it ends ----

void Socket::on_reset() {
  switch (state_) {
    case State::closed: return;
    case State::syn_sent: return fail(ErrorCode::connection_refused);
    case State::syn_received:
      listener_->forget(*this);
      listener_ = nullptr;
      vanish();
      connection_.let_go();
      return;
    case State::established: return fail(ErrorCode::connection_reset);
  }
}

void Socket::fail(Error error) {
  if (state_ == State::closed) return;
  error_ = error;
  vanish();
  if (stream_ != nullptr) stream_->wake_all();
}

void Socket::go_dark() { vanish(); }

void Socket::vanish() {
  state_ = State::closed;
  sender_.drop();
  receiver_.drop_held();
  if (!held()) receiver_.drop_all();
  handshake_timer_.unlink();
  keep_alive_timer_.unlink();
  // Whoever waits for our answer would wait for ever: a peer with a shut window sends nothing.
  if (peer_.state_ == State::established) peer_.sender_.on_silence(core_.kernel.now());
}

// ---- Keep-alive ----

void Socket::arm_keep_alive() {
  if (!keep_alive_.enabled) return;
  heard_at_ = core_.kernel.now();
  core_.kernel.after(keep_alive_timer_, keep_alive_.idle);
}

// As Linux's tcp_keepalive_timer: unanswered data prove silence by themselves.
void Socket::on_keep_alive() {
  sender_.absorb();
  const std::int64_t now = core_.kernel.now();
  const std::int64_t heard_at = std::max(heard_at_, sender_.heard_at());
  const std::int64_t idle = keep_alive_.idle.count_ns();
  if (sender_.outstanding() || now - heard_at < idle) {
    keep_alive_probes_ = 0;
    core_.kernel.at(keep_alive_timer_, sender_.outstanding() ? now + idle : heard_at + idle);
    return;
  }
  if (keep_alive_probes_ >= keep_alive_.probes) {
    send_reset();
    return fail(ErrorCode::timed_out);
  }
  ++keep_alive_probes_;
  core_.kernel.after(keep_alive_timer_, keep_alive_.interval);
  send_probe();
}

}  // namespace drydock::sim
