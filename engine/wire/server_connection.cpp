#include "engine/wire/server_connection.hpp"

namespace drydock {

namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
constexpr Duration kIdleTimeout = Duration::s(120);  // RocketMQ's server closes idle channels.

}  // namespace

Task<Result<void>> ServerConnection::drained() {
  while (congested() && !broken_) {
    drained_.reset();
    const Deadline idle = last_traffic_ + kIdleTimeout;
    Result<void> drained = co_await drained_.wait(idle);
    // A slow client takes long; it is idle only if nothing was sent to it meanwhile.
    const bool gone_on = last_traffic_ + kIdleTimeout > idle;
    const bool timed_out = !drained && drained.error().code() == ErrorCode::timed_out;
    if (!drained && !(timed_out && gone_on)) co_return drained.error();
  }
  if (broken_) co_return ErrorCode::connection_reset;
  co_return Result<void>();
}

Task<Result<ByteChain>> ServerConnection::read() {
  Result<void> room = co_await drained();
  if (!room) co_return room.error();
  for (;;) {
    const Deadline idle = last_traffic_ + kIdleTimeout;
    Result<ByteChain> bytes = co_await stream_->read(kReadBytes, idle);
    const bool idle_in_vain = !bytes && bytes.error().code() == ErrorCode::timed_out &&
                              context_.clock.now() >= idle && last_traffic_ + kIdleTimeout > idle;
    if (idle_in_vain) continue;  // Responses were sent meanwhile.
    if (bytes) touch();
    co_return bytes;
  }
}

void ServerConnection::respond(SharedBytes frame) {
  if (stream_ == nullptr || broken_) return;
  outgoing_.push(std::move(frame));
  has_outgoing_.set();
}

Task<void> ServerConnection::write_responses() {
  for (;;) {
    has_outgoing_.reset();
    if (outgoing_.empty()) {
      Result<void> woken = co_await has_outgoing_.wait();
      if (!woken) co_return;
    }
    while (!outgoing_.empty()) {
      SharedBytes piece = outgoing_.pop_piece();
      Result<void> written = co_await stream_->write(std::move(piece));
      if (!written) {
        broken_ = true;
        drained_.set();
        co_return;
      }
      touch();
      if (!congested()) drained_.set();
    }
  }
}

void ServerConnection::close() {
  stream_.reset();
  outgoing_.clear();
}

}  // namespace drydock
