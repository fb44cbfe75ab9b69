#include "engine/broker/op_batch.hpp"

#include "engine/broker/transactions.hpp"
#include "engine/runtime/poll_grid.hpp"

namespace drydock {

namespace {

constexpr Duration kInterval = Duration::s(3);
constexpr std::size_t kBytesMax = 4096;
constexpr std::size_t kGatheredMax = 1024 * 1024;

}  // namespace

bool OpBatch::full() const { return places_.size() > kBytesMax; }

void OpBatch::add(QueueOffset place) {
  if (places_.size() > kGatheredMax) return;
  places_ += std::to_string(place.value());
  places_ += ',';
  grew_.set();
  if (full()) filled_.set();
}

Task<void> OpBatch::run() {
  const PollGrid grid(context_.clock, context_.clock.now(), kInterval);
  bool refused = false;
  for (;;) {
    grew_.reset();
    if (places_.empty()) {
      Result<void> woken = co_await grew_.wait();
      if (!woken) co_return;
    }
    filled_.reset();
    if (refused || !full()) {
      Result<void> due = co_await filled_.wait(grid.next_after(context_.clock.now()));
      if (!due && due.error().code() == ErrorCode::cancelled) co_return;
    }
    const bool written = co_await write();
    refused = !written;
  }
}

Task<bool> OpBatch::write() {
  std::string taken = places_;
  const std::int64_t now_ms = context_.clock.wall_now().count_ms();
  IncomingMessage message = op_message(taken, store_.store_host(), now_ms);
  const PutResult put = co_await store_.append(worker_, std::move(message));
  if (put.status != PutStatus::put_ok) co_return false;
  store_.put_ended(put);
  places_.erase(0, taken.size());
  co_return true;
}

}  // namespace drydock
