#include "engine/broker/fast_failure.hpp"

#include "engine/runtime/poll_grid.hpp"

namespace drydock {

namespace {

constexpr Duration kFirst = Duration::s(1);
constexpr Duration kPeriod = Duration::ms(10);

// The texts are RocketMQ's: operators look for them in the logs of their clients.
auto remark_of(std::string_view why) {
  return [why](Duration waited, std::size_t queued) {
    std::string text(why);
    text += "broker busy, start flow control for a while, period in queue: ";
    text += std::to_string(waited.count_ms());
    text += "ms, size of queue: ";
    text += std::to_string(queued);
    return text;
  };
}

void clean(WorkerPool& pool, const FastFailure& rules) {
  const bool busy = rules.store != nullptr && rules.store->os_page_cache_busy();
  while (busy && pool.has_queue()) pool.deny_first(remark_of("[PCBUSY_CLEAN_QUEUE]"));
  while (pool.has_queue() && pool.longest_wait() >= rules.wait_limit) {
    pool.deny_first(remark_of("[TIMEOUT_CLEAN_QUEUE]"));
  }
}

}  // namespace

Task<void> fail_fast(Context& context, WorkerPool& pool, FastFailure rules) {
  PollGrid grid(context.clock, context.clock.now() + kFirst - kPeriod, kPeriod);
  const auto queued = [&pool] { return pool.has_queue(); };
  for (;;) {
    Result<void> due = co_await grid.until(pool.grew(), queued);
    if (!due) co_return;
    clean(pool, rules);
  }
}

}  // namespace drydock
