// The three steps of a handshake. A side's timer runs only once something of it is known to be
// lost.
#include "sim/net/connection.hpp"
#include "sim/net/host_stack.hpp"
#include "sim/net/listener.hpp"
#include "sim/net/stream.hpp"

namespace drydock::sim {

void Socket::connect(const KeepAlive& keep_alive) {
  ENSURE(state_ == State::closed);
  state_ = State::syn_sent;
  keep_alive_ = keep_alive;
  handshake_sent_at_ = core_.kernel.now();
  send(SegmentKind::syn);
}

// At the server. A full backlog ignores the SYN: the client will repeat it.
void Socket::on_syn() {
  if (state_ == State::established) return;
  if (state_ == State::closed) {
    SimListener* const listener = host_.listener(connection_.server_port());
    if (listener == nullptr) return send_reset();
    if (!listener->has_room()) return peer_.handshake_lost();
    listener_ = listener;
    listener->expect(*this);
    state_ = State::syn_received;
    handshake_retries_ = 0;
  }
  handshake_sent_at_ = core_.kernel.now();
  send(SegmentKind::syn_ack);
}

// At the client.
void Socket::on_syn_ack() {
  state_ = State::established;
  handshake_timer_.unlink();
  arm_keep_alive();
  send(SegmentKind::handshake_ack);
  stream_->wake_all();
}

// At the server: the client has our SYN-ACK.
void Socket::on_client_proved() {
  state_ = State::established;
  handshake_timer_.unlink();
  listener_->established(*this);
}

void Socket::handshake_lost() {
  const bool open = state_ == State::syn_sent || state_ == State::syn_received;
  if (!open || handshake_timer_.linked()) return;
  core_.kernel.at(handshake_timer_,
                  handshake_sent_at_ + (kHandshakeRetry.count_ns() << handshake_retries_));
}

void Socket::on_handshake_timer() {
  const bool client = state_ == State::syn_sent;
  if (handshake_retries_ >= (client ? kSynRetries : kSynAckRetries)) {
    if (client) return fail(ErrorCode::timed_out);
    return on_reset();
  }
  ++handshake_retries_;
  ++core_.counters.retransmitted;
  handshake_sent_at_ = core_.kernel.now();
  send(client ? SegmentKind::syn : SegmentKind::syn_ack);
}

}  // namespace drydock::sim
