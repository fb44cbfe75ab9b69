// A host that does nothing but write: workers that store records one behind the other into files of
// their own, as fast as they can or at a rate, while somebody looks at the page cache every 10 ms.
// What the real kernel did in the same situation is in the Linux I/O model, sections 7.2 and 11.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "engine/runtime/sync.hpp"
#include "tests/support/disk_world.hpp"
#include "tests/support/file_world.hpp"

namespace drydock::test {

constexpr std::int64_t kMiB = 1 << 20;

struct WriterOptions {
  std::int64_t bytes_per_s = 0;  // 0: as fast as it can.
  bool mapped = true;            // Otherwise it calls write.
  // What dirtying 64 KiB costs in CPU time; measured: 12 us per page, 6 in large folios.
  Duration cpu_per_step = Duration::us(190);
};

// One worker and its file.
class RecordWriter {
 public:
  static constexpr std::int64_t kStepBytes = 64 << 10;

  RecordWriter(FileActor& actor, const std::string& path, std::int64_t file_bytes,
               WriterOptions options)
      : actor_(actor),
        options_(options),
        worker_(actor.process().context().workers.add(path)),
        file_(actor.file(path)),
        map_(actor.map(path, file_bytes)) {}

  void start(const sim::Kernel& kernel) { done_ = actor_.start(run(kernel)); }
  std::int64_t written() const { return written_; }
  MappedFile& map() const { return map_; }
  Worker& worker() const { return worker_; }

 private:
  Task<Result<void>> run(const sim::Kernel& kernel) {
    const std::int64_t began = kernel.now();
    const Clock& clock = actor_.process().context().clock;
    const SharedBytes page = page_of('r');
    for (;;) {
      Duration pause = options_.cpu_per_step;
      if (options_.bytes_per_s > 0) {
        const Duration due = Duration::ms(written_ * 1000 / options_.bytes_per_s);
        pause = std::max(pause, due - Duration::ns(kernel.now() - began));
      }
      Result<void> slept = co_await sleep_for(clock, pause);
      if (!slept) co_return slept;
      for (std::int64_t i = 0; i < kStepBytes / sim::kPageBytes; ++i) {
        const std::int64_t at = written_ % map_.size();
        const bool stored = options_.mapped && map_.try_store(worker_, at, page.span());
        if (!stored && options_.mapped) {
          Result<void> slow = co_await map_.store(worker_, at, page);
          if (!slow) co_return slow;
        } else if (!stored) {
          Result<void> wrote = co_await file_.write_at(worker_, at, page);
          if (!wrote) co_return wrote;
        }
        written_ += sim::kPageBytes;
      }
    }
  }

  FileActor& actor_;
  WriterOptions options_;
  Worker& worker_;
  File& file_;
  MappedFile& map_;
  std::int64_t written_ = 0;
  Asked<void> done_;
};

struct WriterWorldOptions {
  std::int64_t background_mib = 32;
  std::int64_t dirty_mib = 64;
  // Files are written by the MiB before: on new kernels in folios of one.
  bool large_folios = false;
  std::int64_t device_bytes_per_s = 50 * kMiB;
  // What the runs before had left of the estimate, and what the device took in one piece: nearly
  // all that the flusher wrote of a file.
  std::int64_t initial_bandwidth_mib = 60;
  std::int64_t command_mib = 4;
  // The kernel of the measurements lets the log past the throttled queue; here it waits its turn.
  Duration commit_interval = Duration::s(600);
  std::int64_t strict_limit_bytes = 0;
  std::vector<WriterOptions> writers{WriterOptions{}};
  // A writer that has filled its file begins anew.
  std::int64_t file_mib = 192;
  std::int64_t queue_mib = 4096;  // Of the device.
  sim::KernelProfile kernel;
};

class WriterWorld final : public sim::StallRecorder {
 public:
  explicit WriterWorld(const WriterWorldOptions& options) : world(file_world(options)) {
    for (std::size_t i = 0; i < options.writers.size(); ++i) {
      WriterOptions writer = options.writers[i];
      if (options.large_folios) writer.cpu_per_step = Duration::us(100);
      const std::string path = "/w" + std::to_string(i);
      fill(path, options.file_mib * kMiB);
      writers_.push_back(
          std::make_unique<RecordWriter>(world.actor(), path, options.file_mib * kMiB, writer));
    }
    world.settle();
    world.files.cache().set_stall_recorder(this);
  }
  ~WriterWorld() { world.files.cache().set_stall_recorder(nullptr); }

  FileWorld world;

  RecordWriter& writer(std::size_t i = 0) { return *writers_.at(i); }
  void start() {
    began_ns_ = world.kernel.now();
    for (auto& writer : writers_) writer->start(world.kernel);
  }
  std::int64_t began_ns() const { return began_ns_; }
  // Since the start.
  std::int64_t now_ms() const { return (world.kernel.now() - began_ns_) / 1'000'000; }
  void run_until_ms(std::int64_t time_ms) {
    while (now_ms() < time_ms) {
      world.run_for(Duration::ms(std::min<std::int64_t>(10, time_ms - now_ms())));
      const sim::PageCache& cache = world.files.cache();
      samples.push_back({.time_ms = now_ms(),
                         .dirty = cache.dirty_pages(),
                         .writeback = cache.writeback_pages(),
                         .written = writer().written()});
    }
  }

  struct Sample {
    std::int64_t time_ms;
    std::int64_t dirty;      // Pages.
    std::int64_t writeback;  // Pages.
    std::int64_t written;    // Bytes, by the first writer.
    std::int64_t both() const { return dirty + writeback; }
  };
  std::vector<Sample> samples;
  std::vector<sim::Stall> stalls;  // Of at least 1 ms, `began_ns` since the start.

  // Lengths in us of those at the place that began in [from, to) ms, ascending; of one worker or
  // all.
  std::vector<std::int64_t> stalls_us(WaitPlace place, std::int64_t from_ms = 0,
                                      std::int64_t to_ms = INT64_MAX / 1'000'000,
                                      const Worker* worker = nullptr) const {
    std::vector<std::int64_t> lengths;
    for (const sim::Stall& stall : stalls) {
      const std::int64_t began = stall.began_ns / 1'000'000;
      if (stall.place != place || began < from_ms || began >= to_ms) continue;
      if (worker != nullptr && stall.worker != worker->id()) continue;
      lengths.push_back(stall.length_ns / 1000);
    }
    std::ranges::sort(lengths);
    return lengths;
  }
  // Of D + W in [from, to), in thousandths of the limit.
  std::int64_t median_of_limit(std::int64_t from_ms, std::int64_t limit_pages) const {
    std::vector<std::int64_t> both;
    for (const Sample& sample : samples) {
      if (sample.time_ms >= from_ms) both.push_back(sample.both());
    }
    std::ranges::sort(both);
    return both[both.size() / 2] * 1000 / limit_pages;
  }
  // Of the first writer, KiB/s.
  std::int64_t rate_kib(std::int64_t from_ms, std::int64_t to_ms) const {
    const auto at = [this](std::int64_t time_ms) {
      const auto found = std::ranges::find_if(
          samples, [time_ms](const Sample& sample) { return sample.time_ms >= time_ms; });
      return found == samples.end() ? samples.back().written : found->written;
    };
    return (at(to_ms) - at(from_ms)) * 1000 / (to_ms - from_ms) / 1024;
  }

  void stalled(const sim::Stall& stall) override {
    if (stall.length_ns < 1'000'000) return;
    stalls.push_back(stall);
    stalls.back().began_ns -= began_ns_;
  }

 private:
  static FileWorldOptions file_world(const WriterWorldOptions& options) {
    FileWorldOptions result;
    result.cores = 2;
    result.disk.capacity_bytes =
        (options.file_mib + 64) * kMiB * static_cast<std::int64_t>(options.writers.size());
    result.disk.profile = flat_profile();
    result.disk.profile.write_servers = 128;
    result.disk.profile.write_bytes_per_s = options.device_bytes_per_s;
    sim::PageCacheOptions& cache = result.files.page_cache;
    cache.dirty_bytes = options.dirty_mib * kMiB;
    cache.dirty_background_bytes = options.background_mib * kMiB;
    cache.command_bytes = options.command_mib * kMiB;
    cache.queue_bytes = options.queue_mib * kMiB;
    cache.initial_bandwidth_bytes = options.initial_bandwidth_mib * kMiB;
    result.files.commit_interval = options.commit_interval;
    cache.kernel = options.kernel;
    if (options.large_folios) cache.kernel.folio_pages_max = 256;
    result.files.strict_limit_bytes = options.strict_limit_bytes;
    return result;
  }
  // As `fill` of the measurements: every page written, then synced.
  void fill(const std::string& path, std::int64_t bytes) {
    const SharedBytes page = SharedBytes::copy_of(std::string(kMiB, 'f'));
    for (std::int64_t at = 0; at < bytes; at += kMiB) {
      ENSURE(world->now(world->file(path).write_at(world->worker(), at, page)).has_value());
    }
    ENSURE(world->sync(path).has_value());
  }

  std::int64_t began_ns_ = 0;
  std::vector<std::unique_ptr<RecordWriter>> writers_;
};

}  // namespace drydock::test
