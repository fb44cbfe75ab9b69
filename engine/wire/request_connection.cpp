#include "engine/wire/request_connection.hpp"

#include <algorithm>

#include "engine/runtime/join.hpp"

namespace drydock {

namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
constexpr std::uint32_t kSlotMask = 0xffff;
constexpr int kSlotBits = 16;

}  // namespace

RequestConnection::Call::Call(RequestConnection& connection) : connection_(connection) {
  if (connection.free_slots_.empty()) {
    ENSURE(connection.slots_.size() < kCallsMax);
    connection.free_slots_.push_back(static_cast<std::uint16_t>(connection.slots_.size()));
    connection.slots_.push_back(nullptr);
  }
  const std::uint16_t slot = connection.free_slots_.back();
  connection.free_slots_.pop_back();
  connection.slots_[slot] = this;
  const std::uint32_t use = connection.uses_++ & 0x7fff;  // An opaque is not negative.
  opaque_ = static_cast<std::int32_t>(use << kSlotBits | slot);
}

RequestConnection::Call::~Call() {
  const auto slot = static_cast<std::uint16_t>(static_cast<std::uint32_t>(opaque_) & kSlotMask);
  connection_.slots_[slot] = nullptr;
  connection_.free_slots_.push_back(slot);
}

Task<Result<void>> RequestConnection::ready(Deadline deadline) {
  while (state_ != State::connected) {
    if (state_ == State::idle) {
      state_ = State::connecting;
      scope_.spawn(run());
    }
    const bool connecting = state_ == State::connecting;  // Else the former one has yet to end.
    settled_.reset();
    Result<void> settled = co_await settled_.wait(deadline);
    if (!settled) co_return settled;
    if (connecting && state_ != State::connected) co_return last_error_;
  }
  co_return Result<void>();
}

void RequestConnection::send(Call& call, SharedBytes frame) {
  if (state_ != State::connected) {
    call.finish(Call::State::lost);
    return;
  }
  sent_.push_back(call);
  outgoing_.push(std::move(frame));
  has_outgoing_.set();
}

Task<Result<RemotingCommand>> RequestConnection::ask(SharedBytes frame, Deadline deadline) {
  Result<Semaphore::Permit> slot = co_await asks_.acquire(1, deadline);
  if (!slot) co_return slot.error();
  Result<void> connected = co_await ready(deadline);
  if (!connected) co_return connected.error();
  Call call(*this);
  set_opaque(frame, call.opaque());
  send(call, std::move(frame));
  Result<void> done = co_await call.done().wait(deadline);
  if (!done) co_return done.error();
  if (call.state() == Call::State::lost) co_return ErrorCode::connection_reset;
  co_return std::move(call.response());
}

Task<void> RequestConnection::close() {
  if (state_ == State::connected) state_ = State::ending;
  scope_.cancel();
  co_await scope_.join();
}

Task<void> RequestConnection::run() {
  Result<std::unique_ptr<Stream>> stream = co_await open_stream();
  if (stream) {
    TaskScope life(scope_);
    life_ = &life;
    state_ = State::connected;
    settled_.set();
    life.spawn(read_responses(**stream));
    life.spawn(write_requests(**stream));
    co_await life.join();
    life_ = nullptr;
    last_error_ = ErrorCode::connection_reset;
    outgoing_.clear();
    while (!sent_.empty()) static_cast<Call&>(*sent_.front()).finish(Call::State::lost);
  } else {
    last_error_ = stream.error();
  }
  state_ = State::idle;
  settled_.set();
}

Task<Result<std::unique_ptr<Stream>>> RequestConnection::open_stream() {
  if (delay_ > Duration()) {
    Result<void> slept = co_await sleep_for(context_.clock, delay_);
    if (!slept) co_return slept.error();
  }
  const ConnectOptions options{.deadline = context_.clock.now() + options_.connect_timeout,
                               .keep_alive = {}};
  Result<std::unique_ptr<Stream>> stream = co_await context_.network.connect(peer_, options);
  if (stream) {
    delay_ = Duration();
  } else {
    delay_ = std::min(std::max(delay_ * 2, options_.reconnect_delay), options_.reconnect_delay_max);
  }
  co_return stream;
}

Task<void> RequestConnection::read_responses(Stream& stream) {
  FrameDecoder decoder;
  FrameDecoder::Step step = FrameDecoder::Step::need_more;
  while (step != FrameDecoder::Step::fault) {
    Result<ByteChain> bytes = co_await stream.read(kReadBytes);
    if (!bytes) break;
    decoder.feed(std::move(*bytes));
    RemotingCommand command;
    while ((step = decoder.next(command)) == FrameDecoder::Step::command) {
      take_response(std::move(command));
      command = RemotingCommand();
    }
  }
  disconnect();  // The writer ends too.
}

void RequestConnection::take_response(RemotingCommand response) {
  if (!response.is_response() || response.head.opaque < 0) return;
  const std::size_t slot = static_cast<std::uint32_t>(response.head.opaque) & kSlotMask;
  if (slot >= slots_.size() || slots_[slot] == nullptr) return;
  Call& call = *slots_[slot];
  if (call.opaque_ != response.head.opaque || !call.linked()) return;
  call.response_ = std::move(response);
  call.finish(Call::State::answered);
}

Task<void> RequestConnection::write_requests(Stream& stream) {
  for (;;) {
    has_outgoing_.reset();
    if (outgoing_.empty()) {
      Result<void> woken = co_await has_outgoing_.wait();
      if (!woken) break;
    }
    while (!outgoing_.empty()) {
      SharedBytes piece = outgoing_.pop_piece();
      Result<void> written = co_await stream.write(std::move(piece));
      if (written) continue;
      disconnect();  // The reader ends too.
      co_return;
    }
  }
}

}  // namespace drydock
