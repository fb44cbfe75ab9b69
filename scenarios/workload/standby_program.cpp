#include "scenarios/workload/standby_program.hpp"

#include <cstring>
#include <memory>

#include "engine/runtime/sync.hpp"
#include "scenarios/workload/node_key.hpp"
#include "scenarios/workload/pace.hpp"

namespace drydock::scenarios {
namespace {

using reports::TakeoverStep;

constexpr std::int64_t kWriteBytes = 1 << 20;
// What a stray write leaves on the blocks: no record begins with it.
constexpr int kStrayByte = 0xd1;

class Standby {
 public:
  Standby(Context& context, const StandbySpec& spec, StandbyPlace place,
          reports::TakeoverFacts& facts)
      : context_(context),
        spec_(spec),
        place_(std::move(place)),
        facts_(facts),
        worker_(context.workers.add("standby")) {}

  Task<void> run() {
    Result<void> begun = co_await begin();
    if (!begun) {
      fail("begin", begun.error());
      co_return;
    }
    const MonotonicTime start = context_.clock.now();
    const bool used = co_await wait_until(start + spec_.after);
    if (!used) co_return;
    TaskScope others(context_.scope);
    if (spec_.dirties) {
      Result<void> dirtied = co_await dirty();
      if (!dirtied) fail("write to the device", dirtied.error());
    }
    if (spec_.reads) others.spawn(scan(context_.workers.add("scan")));
    const bool due = co_await wait_until(start + spec_.takeover_after);
    if (!due) {
      scanning_ends_.set();
      co_await others.join();
      co_return;
    }
    facts_.began_ns = place_.now();
    co_await take_over(others);
    Result<void> told_to_stop = co_await context_.terminate.wait();
    static_cast<void>(told_to_stop.has_value());
  }

 private:
  Task<Result<void>> begin() {
    Result<std::unique_ptr<Reservations>> reservations =
        place_.control.open_reservations(place_.device);
    if (!reservations) co_return reservations.error();
    reservations_ = std::move(*reservations);
    const OpenOptions options;
    Result<std::unique_ptr<File>> device =
        co_await context_.files.open(worker_, place_.device, options);
    if (!device) co_return device.error();
    device_ = std::move(*device);
    const PersistThroughPowerLoss persist = PersistThroughPowerLoss::keep;
    Result<void> registered = co_await reservations_->register_key(worker_, place_.key, persist);
    co_return registered;
  }

  // False: it is told to stop before.
  Task<bool> wait_until(MonotonicTime time) {
    Result<void> told_to_stop = co_await context_.terminate.wait(time);
    if (told_to_stop) co_return false;
    co_return told_to_stop.error().code() != ErrorCode::cancelled;
  }

  // Once, and without a sync: it stays in memory until the kernel writes it back.
  Task<Result<void>> dirty() {
    SharedBytes stray = SharedBytes::zeros(static_cast<std::size_t>(kWriteBytes));
    std::memset(stray.writable().data(), kStrayByte, stray.size());
    const std::int64_t end = spec_.dirties->from + spec_.dirties->bytes;
    for (std::int64_t at = spec_.dirties->from; at < end; at += kWriteBytes) {
      const auto length = static_cast<std::size_t>(std::min(kWriteBytes, end - at));
      SharedBytes piece = stray.slice(0, length);
      Result<void> written = co_await device_->write_at(worker_, at, std::move(piece));
      if (!written) co_return written;
    }
    co_return Result<void>();
  }

  // Over and over, as what watches or probes a device does.
  Task<void> scan(Worker& worker) {
    const std::int64_t pieces = spec_.reads->bytes / spec_.read_bytes;
    const MonotonicTime begin = context_.clock.now();
    for (std::int64_t made = 0; !scanning_ends_.is_set(); ++made) {
      const MonotonicTime due = begin + pace(made * spec_.read_bytes, spec_.bytes_per_second);
      if (due > context_.clock.now()) {
        Result<void> told_to_stop = co_await scanning_ends_.wait(due);
        if (told_to_stop || told_to_stop.error().code() == ErrorCode::cancelled) co_return;
      }
      const std::int64_t place = spec_.reads->from + made % pieces * spec_.read_bytes;
      Result<ByteChain> bytes = co_await device_->read_at(worker, place, spec_.read_bytes);
      if (!bytes) co_return;
    }
  }

  Task<void> take_over(TaskScope& others) {
    const bool before = spec_.purges == Purges::before_claim || spec_.purges == Purges::two;
    if (before) {
      const bool purged = co_await purge(TakeoverStep::purge_before);
      if (!purged) co_return;
    }
    const bool paused = co_await wait_until(context_.clock.now() + spec_.pause);
    // From here on nothing but the takeover reads on behalf of this host.
    scanning_ends_.set();
    co_await others.join();
    if (!paused) co_return;
    const bool claimed = co_await claim();
    if (!claimed) co_return;
    const bool paused_again = co_await wait_until(context_.clock.now() + spec_.pause);
    if (!paused_again) co_return;
    const bool after = spec_.purges == Purges::after_confirm || spec_.purges == Purges::two;
    if (after) {
      const bool purged = co_await purge(TakeoverStep::purge_after);
      if (!purged) co_return;
    }
    const bool mounted = co_await mount();
    if (!mounted) co_return;
    co_await read_back();
  }

  Task<bool> purge(TakeoverStep step) {
    const std::int64_t begin = place_.now();
    Worker& worker = context_.workers.add(std::string(reports::name_of(step)));
    Result<void> purged = co_await place_.control.purge_cache(worker, place_.device);
    co_return ended(step, begin, purged);
  }

  Task<bool> claim() {
    const std::int64_t begin = place_.now();
    Result<void> claimed = co_await claim_and_confirm(context_.workers.add("claim"));
    co_return ended(TakeoverStep::claim, begin, claimed);
  }

  // With exactly the key that was reported: if it is another one by now, nothing happens. Success
  // proves nothing, the report does.
  Task<Result<void>> claim_and_confirm(Worker& worker) {
    const ReservationType type = ReservationType::write_exclusive;
    Result<ReservationReport> report = co_await reservations_->report(worker);
    if (!report) co_return report.error();
    const std::optional<ReservationKey> victim = holder_of(*report);
    if (victim) {
      Result<void> preempted =
          co_await reservations_->preempt_and_abort(worker, place_.key, *victim, type);
      if (!preempted) co_return preempted;
    }
    Result<ReservationReport> preempted_report = co_await reservations_->report(worker);
    if (!preempted_report) co_return preempted_report.error();
    if (holder_of(*preempted_report) == place_.key) co_return Result<void>();
    Result<void> acquired = co_await reservations_->acquire(worker, place_.key, type);
    if (!acquired) co_return acquired;
    Result<ReservationReport> confirmed = co_await reservations_->report(worker);
    if (!confirmed) co_return confirmed.error();
    if (holder_of(*confirmed) == place_.key) co_return Result<void>();
    co_return ErrorCode::reservation_conflict;
  }

  Task<bool> mount() {
    const std::int64_t begin = place_.now();
    Worker& checker = context_.workers.add("check");
    Result<void> checked = co_await place_.control.check(checker, place_.device);
    if (!ended(TakeoverStep::check, begin, checked)) co_return false;
    const std::int64_t checked_at = place_.now();
    const MountOptions options;
    Worker& mounter = context_.workers.add("mount");
    Result<void> mounted = co_await place_.control.mount(mounter, place_.device, "/", options);
    co_return ended(TakeoverStep::mount, checked_at, mounted);
  }

  Task<void> read_back() {
    const std::int64_t begin = place_.now();
    Worker& worker = context_.workers.add("read_back");
    for (const RecordFile& file : place_.files) {
      Result<std::vector<FoundRecord>> found = co_await find_records(context_, worker, file);
      if (!found) {
        fail("read_back", found.error());
        co_return;
      }
      facts_.records_read += static_cast<std::int64_t>(found->size());
    }
    const bool done = ended(TakeoverStep::read_back, begin, Result<void>());
    facts_.completed = done;
    context_.observer.event(EventName::serving_started, context_.scope.process().id().value());
  }

  bool ended(TakeoverStep step, std::int64_t begin_ns, const Result<void>& outcome) {
    facts_.steps_ns[static_cast<std::size_t>(step)] = place_.now() - begin_ns;
    if (!outcome) fail(std::string(reports::name_of(step)).c_str(), outcome.error());
    return outcome.has_value();
  }

  void fail(const char* what, Error error) {
    facts_.failure = std::string(what) + ": " + std::string(drydock::name_of(error.code()));
    context_.observer.log(LogLevel::error, spec_.disk + ": " + facts_.failure);
  }

  Context& context_;
  const StandbySpec& spec_;
  StandbyPlace place_;
  reports::TakeoverFacts& facts_;
  Worker& worker_;
  std::unique_ptr<Reservations> reservations_;
  std::unique_ptr<File> device_;  // Open until the end: the cache of a device outlives its purge.
  Event scanning_ends_;
};

}  // namespace

Task<void> run_standby(Context& context, const StandbySpec& spec, StandbyPlace place,
                       reports::TakeoverFacts& facts) {
  Standby standby(context, spec, std::move(place), facts);
  co_await standby.run();
}

}  // namespace drydock::scenarios
