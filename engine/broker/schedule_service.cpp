#include "engine/broker/schedule_service.hpp"

#include <algorithm>

#include "engine/broker/internal_message.hpp"
#include "engine/broker/transactions.hpp"
#include "engine/runtime/join.hpp"
#include "engine/runtime/poll_grid.hpp"

namespace drydock {

namespace {

constexpr Duration kFirstLook = Duration::s(1);
constexpr Duration kLookInterval = Duration::ms(100);
constexpr std::int64_t kUnitsAtOnce = 64;

}  // namespace

void ScheduleService::start() {
  started_ = context_.clock.now();
  running_ = true;
  for (std::int32_t level = 1; level <= levels().count(); ++level) {
    const QueueRange known = range(level);
    note(level, std::clamp(offsets_.of(level), known.min, known.max));
    if (known.max > offsets_.of(level)) wake(level);
  }
}

Task<void> ScheduleService::stop() {
  running_ = false;
  levels_scope_.cancel();
  co_await levels_scope_.join();
}

void ScheduleService::message_arrived(std::int32_t queue_id) {
  if (running_ && queue_id < levels().count()) wake(queue_id + 1);
}

void ScheduleService::wake(std::int32_t level) {
  const auto running = running_levels_.find(level);
  if (running != running_levels_.end()) return running->second.arrived.set();
  Worker& worker = context_.workers.add("ScheduleMessageTimerThread_" + std::to_string(level));
  const auto added = running_levels_.try_emplace(level, level, worker).first;
  levels_scope_.spawn(deliver(added->second));
}

void ScheduleService::note(std::int32_t level, QueueOffset next) {
  offsets_.set(level, next, context_.clock.wall_now().count_ms());
  changed_.set();
}

Task<void> ScheduleService::deliver(Level& level) {
  PollGrid grid(context_.clock, started_ + kFirstLook - kLookInterval, kLookInterval);
  const auto any = [&] { return range(level.number).max > offsets_.of(level.number); };
  for (;;) {
    Result<void> due = co_await grid.until(level.arrived, any);
    if (!due) co_return;
    co_await deliver_due(level);
  }
}

Task<void> ScheduleService::deliver_due(Level& level) {
  const std::int64_t delay_ms = levels().delay_ms(level.number);
  for (;;) {
    const QueueOffset first = std::max(offsets_.of(level.number), range(level.number).min);
    Result<std::vector<ConsumeQueueUnit>> units =
        co_await store_.units(level.worker, kScheduleTopic, level.number - 1, first, kUnitsAtOnce);
    if (!units || units->empty()) co_return;
    QueueOffset next = first;
    for (const ConsumeQueueUnit& unit : *units) {
      // A time further away than the delay is long: the clock has gone back since.
      const std::int64_t now_ms = context_.clock.wall_now().count_ms();
      const bool due = unit.tags_code <= now_ms || unit.tags_code > now_ms + delay_ms;
      if (!due) co_return;
      const bool put = co_await deliver_one(level, unit.physical);
      if (!put) co_return;
      next = next + 1;
      note(level.number, next);
    }
  }
}

Task<bool> ScheduleService::deliver_one(Level& level, PhysicalOffset at) {
  if (level.unsafe) {
    const bool safe = co_await wait_for_safety(level);
    co_return safe;
  }
  Result<std::optional<StoredMessage>> read = co_await store_.stored_at(level.worker, at);
  if (!read) co_return false;
  if (!read->has_value()) co_return true;  // The log has lost it.
  const StoredMessage& stored = **read;
  const std::optional<RealPlace> place = real_place_of(stored.properties());
  if (!place || place->topic == kHalfTopic) co_return true;
  IncomingMessage message =
      copy_of(stored, place->topic, place->queue_id, stored.share(stored.view.properties));
  const PutResult result = co_await store_.append(level.worker, std::move(message));
  if (result.status != PutStatus::put_ok) co_return false;
  level.unsafe = result;
  const bool safe = co_await wait_for_safety(level);
  co_return safe;
}

Task<bool> ScheduleService::wait_for_safety(Level& level) {
  const PutResult stored = *level.unsafe;
  const PutStatus status = co_await safety_.wait_internal(stored);
  if (status == PutStatus::put_ok) level.unsafe.reset();
  co_return status == PutStatus::put_ok;
}

}  // namespace drydock
