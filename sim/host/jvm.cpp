#include "sim/host/jvm.hpp"

#include <algorithm>

#include "sim/host/host.hpp"
#include "sim/host/jvm_files.hpp"

namespace drydock::sim {
namespace {

__extension__ using Wide = __int128;
constexpr std::int64_t kBillion = 1'000'000'000;

// The heap is touched in pieces of a region. Source: -XX:G1HeapRegionSize=16m, bin/runbroker.sh.
constexpr std::int64_t kRegionBytes = 16 << 20;
// What a collection writes into its log (assumed), and how large the file of performance data is
// (-XX:PerfDataMemorySize).
constexpr std::size_t kLogBytes = 2'048;
constexpr std::int64_t kPerfDataBytes = 32 << 10;

// How long allocating `bytes` takes, rounded up; the rate is more than 0.
Duration time_for(std::int64_t bytes, std::int64_t per_second) {
  const Wide ns = (static_cast<Wide>(bytes) * kBillion + per_second - 1) / per_second;
  return Duration::ns(static_cast<std::int64_t>(ns));
}

}  // namespace

Jvm::Jvm(SimProcess& process, SimWorkers& workers, FileSystem& files, JvmOptions options)
    : process_(process),
      workers_(workers),
      files_(files),
      options_(std::move(options)),
      java_files_(files_of_jvm(*this, files)) {
  ENSURE(options_.young_bytes > 0);
  ENSURE(options_.young_bytes <= options_.heap_bytes);
  ENSURE(options_.allocated_per_second >= 0);
}

Jvm::~Jvm() = default;

Task<void> Jvm::run() {
  const StopCauses none = co_await PassStops(StopCause::safepoint);
  ENSURE(none.empty());
  thread_ = &workers_.add("VM Thread");
  if (options_.pre_touch) touch(options_.heap_bytes);
  const bool pool_fits = take_transient_pool();
  if (!pool_fits) co_return process_.kill();
  running_since_ = process_.clock().now();
  co_await open_files();
  for (;;) {
    const Next due = next();
    if (due.at == kNever) co_return;
    Result<void> slept = co_await sleep_until(due.at);
    if (!slept) co_return;
    allocate(process_.clock().now() - running_since_);
    const bool collects = due.collects && eden_used_ >= options_.young_bytes;
    if (due.collects && !collects) continue;  // It has only touched more of the heap.
    const bool went_on = co_await safepoint(collects);
    if (!went_on) co_return;
  }
}

// What has to be done next, and whether for want of memory: a collection, or touching a region.
Jvm::Next Jvm::next() const {
  MonotonicTime guaranteed = kNever;
  if (options_.guaranteed_interval > Duration()) {
    guaranteed = running_since_ + options_.guaranteed_interval;
  }
  if (options_.allocated_per_second == 0) return {guaranteed, false};
  std::int64_t until = options_.young_bytes;
  if (touched_ < until) until = touched_;
  const std::int64_t bytes = std::max<std::int64_t>(until - eden_used_, 0);
  const MonotonicTime full = running_since_ + time_for(bytes, options_.allocated_per_second);
  return full <= guaranteed ? Next{full, true} : Next{guaranteed, false};
}

Task<bool> Jvm::safepoint(bool collects) {
  const MonotonicTime asked = process_.clock().now();
  const bool stopped = co_await stop_threads();
  if (!stopped) co_return false;
  counters_.stopping_longest = std::max(counters_.stopping_longest, process_.clock().now() - asked);
  ++counters_.safepoints;
  if (collects) ++counters_.collections;
  co_await write_files(collects);
  const Duration pause = collects ? options_.young_pause : options_.cleanup_pause;
  Result<void> worked = co_await sleep_for(process_.clock(), pause);
  if (!worked) co_return false;
  if (collects) eden_used_ = 0;
  let_threads_go();
  co_return true;
}

Task<bool> Jvm::stop_threads() {
  const MonotonicTime now = process_.clock().now();
  process_.stop(StopCause::safepoint);
  for (const auto& worker : workers_.all()) {
    const WaitPlace place = worker->wait_place();
    const bool runs = place == WaitPlace::none || place == WaitPlace::cpu;
    if (runs && worker.get() != thread_) worker->set_wait(WaitPlace::safepoint, now);
  }
  while (options_.waits_for_mapped && in_mapped_ > 0) {
    nobody_in_mapped_.reset();
    Result<void> stopped = co_await nobody_in_mapped_.wait();
    if (!stopped) co_return false;
  }
  co_return true;
}

void Jvm::let_threads_go() {
  running_since_ = process_.clock().now();
  for (const auto& worker : workers_.all()) {
    const bool stood = worker->wait_place() == WaitPlace::safepoint;
    if (stood) worker->set_wait(WaitPlace::none, running_since_);
  }
  process_.proceed(StopCause::safepoint);
}

// A thread that returns from the kernel while all stand still.
void Jvm::comes_back(Worker& worker) {
  if (!process_.stopped_by(StopCause::safepoint)) return;
  worker.set_wait(WaitPlace::safepoint, process_.clock().now());
}

void Jvm::allocate(Duration time) {
  running_since_ = running_since_ + time;
  const Wide bytes = static_cast<Wide>(time.count_ns()) * options_.allocated_per_second / kBillion;
  eden_used_ = static_cast<std::int64_t>(std::min<Wide>(eden_used_ + bytes, options_.young_bytes));
  const std::int64_t regions = eden_used_ / kRegionBytes + 1;
  touch(std::min(regions * kRegionBytes, options_.young_bytes));
}

void Jvm::touch(std::int64_t bytes) {
  if (bytes <= touched_) return;
  process_.charge_memory(bytes - touched_);
  touched_ = bytes;
}

bool Jvm::take_direct(std::int64_t bytes) {
  if (bytes > options_.direct_bytes - direct_) return false;
  direct_ += bytes;
  process_.charge_memory(bytes);
  return true;
}

bool Jvm::take_transient_pool() {
  const std::int64_t bytes = options_.transient_pool_bytes;
  if (!take_direct(bytes)) {
    Host& host = process_.host();
    host.log(process_.name(), LogLevel::error, "OutOfMemoryError: Direct buffer memory");
    return false;
  }
  // A limit on locked memory is not noticed: the result of the call is not looked at.
  HostMemory* const memory = process_.host().memory();
  if (memory != nullptr && bytes > 0) static_cast<void>(memory->lock(process_, bytes));
  return true;
}

void Jvm::give_direct(std::int64_t bytes) {
  ENSURE(bytes <= direct_);
  direct_ -= bytes;
  process_.give_back_memory(bytes);
}

// The machine goes without a file that it cannot open.
Task<void> Jvm::open_files() {
  if (!options_.gc_log.empty()) {
    const OpenOptions options{.create = Create::if_missing};
    Result<std::unique_ptr<File>> log =
        co_await native(*thread_, files_.open(*thread_, options_.gc_log, options));
    if (log) {
      gc_log_ = std::move(*log);
      gc_log_end_ = gc_log_->size().value_or(0);
    }
  }
  if (options_.perf_data.empty()) co_return;
  Result<std::unique_ptr<MappedFile>> data =
      co_await native(*thread_, files_.map(*thread_, options_.perf_data, kPerfDataBytes));
  if (data) perf_data_ = std::move(*data);
}

void Jvm::close_files() {
  gc_log_.reset();
  perf_data_.reset();
}

Task<void> Jvm::write_files(bool collects) {
  if (perf_data_ != nullptr) {
    const SharedBytes counter = SharedBytes::zeros(sizeof(std::int64_t));
    const bool stored = perf_data_->try_store(*thread_, 0, counter.span());
    if (!stored) {
      Result<void> waited = co_await native(*thread_, perf_data_->store(*thread_, 0, counter));
      if (!waited) perf_data_.reset();
    }
  }
  if (gc_log_ == nullptr || !collects) co_return;
  SharedBytes lines = SharedBytes::zeros(kLogBytes);
  Result<void> written =
      co_await native(*thread_, gc_log_->write_at(*thread_, gc_log_end_, std::move(lines)));
  if (written) gc_log_end_ += static_cast<std::int64_t>(kLogBytes);
}

}  // namespace drydock::sim
