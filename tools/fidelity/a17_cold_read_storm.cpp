// A17: in a group with 192 MiB of memory a writer stores 20 MB/s through a mapping while three
// threads read another file at random. What was written stays in memory for as long as it takes the
// reads to push it out.
#include <array>

#include "tools/fidelity/actor.hpp"
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/csv_table.hpp"
#include "tools/fidelity/devices.hpp"
#include "tools/fidelity/set_up.hpp"
#include "tools/fidelity/statistics.hpp"

namespace drydock::fidelity {
namespace {

constexpr std::int64_t kHotBytes = 512 * kMiB;
constexpr std::int64_t kColdBytes = 640 * kMiB;
constexpr std::int64_t kReadBytes = 64 << 10;
constexpr std::int64_t kBytesPerS = 20'000'000;
// MiB behind the writer, as the columns of the measurement have them.
constexpr std::int64_t kEdges[] = {0, 16, 32, 64, 96};
constexpr std::size_t kBands = std::size(kEdges) - 1;

struct Sample {
  // Of what was written, the resident share of each band.
  std::array<double, kBands> resident{};
  double cold_mb_per_s = 0;  // What the three readers got together, from memory and from the disk.
};

class Storm {
 public:
  explicit Storm(bool tail_reader)
      : world_({.disk = slow_reads(),
                .files = default_dirty_limits(),
                .memory = {.bytes = std::int64_t{16} << 30, .group_limit_bytes = 192 * kMiB}}),
        actor_(world_, "actor"),
        tail_reader_(tail_reader) {
    actor_.filled("/cold", kColdBytes);
    File& hot = actor_.file("/hot");
    actor_.must(hot.allocate(actor_.worker(), 0, kHotBytes));
    actor_.must(hot.sync_all(actor_.worker()));
    world_.cache().drop_clean();
    hot_ = &actor_.map("/hot", kHotBytes);
    cold_ = &actor_.file("/cold");
    began_ = world_.now();
  }

  // What is resident that long after the first record; looking at it is a touch, so this is the
  // end.
  Sample run(Duration length) {
    const Duration calm = Duration::s(8);
    const Asked<void> writer = actor_.start(write());
    std::vector<Asked<void>> others;
    for (const char* const name : {"cold-1", "cold-2", "cold-3"}) {
      others.push_back(
          actor_.start(read_at_random(actor_.worker(name), RandomStream(1, name), began_ + calm)));
    }
    if (tail_reader_) others.push_back(actor_.start(follow()));
    world_.run_to(began_ + length);
    const Sample found{
        .resident = residency(),
        .cold_mb_per_s = static_cast<double>(cold_read_) / 1e6 / seconds(length - calm)};
    stop_ = true;
    actor_.wait(writer);
    for (const Asked<void>& other : others) actor_.wait(other);
    return found;
  }

 private:
  // A quarter of what the three readers want is in memory. With this time for the rest they get the
  // 220 MB/s of the measurement.
  static sim::DiskProfile slow_reads() {
    sim::DiskProfile disk = loop_disk(1'000'000'000);
    disk.read = sim::QuantileTable::constant(Duration::us(1'150));
    return disk;
  }

  Task<Result<void>> write() {
    Worker& worker = actor_.worker("writer");
    const SharedBytes page = SharedBytes::zeros(static_cast<std::size_t>(sim::kPageBytes));
    while (!stop_) {
      const Duration due = began_ + Duration::ns(written_ * 1'000'000'000 / kBytesPerS);
      Result<void> waited = co_await sleep_until(MonotonicTime::at_ns(due.count_ns()));
      if (!waited) co_return waited;
      Result<void> stored = co_await hot_->store(worker, written_, page);
      if (!stored) co_return stored;
      written_ += sim::kPageBytes;
    }
    co_return Result<void>();
  }

  Task<Result<void>> read_at_random(Worker& worker, RandomStream random, Duration from) {
    Result<void> waited = co_await sleep_until(MonotonicTime::at_ns(from.count_ns()));
    if (!waited) co_return waited;
    while (!stop_) {
      const auto piece = static_cast<std::int64_t>(random.below(kColdBytes / kReadBytes));
      Result<ByteChain> read = co_await cold_->read_at(worker, piece * kReadBytes, kReadBytes);
      if (!read) co_return read.error();
      cold_read_ += kReadBytes;
    }
    co_return Result<void>();
  }

  // Touches every page that was written 16 MiB ago.
  Task<Result<void>> follow() {
    Worker& worker = actor_.worker("tail");
    std::int64_t read = 0;
    while (!stop_) {
      const Duration due =
          began_ + Duration::ns((read + 16 * kMiB + 4096) * 1'000'000'000 / kBytesPerS);
      Result<void> waited = co_await sleep_until(MonotonicTime::at_ns(due.count_ns()));
      if (!waited) co_return waited;
      Result<ByteChain> loaded = co_await hot_->load(worker, read, 1);
      if (!loaded) co_return loaded.error();
      read += sim::kPageBytes;
    }
    co_return Result<void>();
  }

  std::array<double, kBands> residency() {
    std::array<double, kBands> shares{};
    for (std::size_t band = 0; band < kBands; ++band) {
      const std::int64_t end = written_ - kEdges[band] * kMiB;
      const std::int64_t begin = written_ - kEdges[band + 1] * kMiB;
      double pages = 0;
      for (std::int64_t at = begin; at < end; at += sim::kPageBytes) {
        if (!hot_->try_load(at, 1).empty()) ++pages;
      }
      shares[band] = pages * sim::kPageBytes / static_cast<double>(end - begin);
    }
    return shares;
  }

  StorageWorld world_;
  Actor actor_;
  bool tail_reader_;
  MappedFile* hot_ = nullptr;
  File* cold_ = nullptr;
  Duration began_;
  std::int64_t written_ = 0;
  std::int64_t cold_read_ = 0;
  bool stop_ = false;
};

// At several moments; the first seconds of the storm still evict what was cold before it.
std::vector<Sample> model_samples(bool tail_reader) {
  std::vector<Sample> samples;
  for (const std::int64_t end_s : {13, 15, 17}) {
    samples.push_back(Storm(tail_reader).run(Duration::s(end_s)));
  }
  return samples;
}

std::vector<Sample> measured_samples(const CalibrationData& data, const std::string& name) {
  const CsvTable table(data, name);
  std::vector<Sample> samples;
  for (const CsvTable::Row* row : table.rows_with("phase", "1")) {
    if (row->number("t_s") < 12) continue;
    samples.push_back({.resident = {row->number("res_0_16"), row->number("res_16_32"),
                                    row->number("res_32_64"), row->number("res_64_96")},
                       .cold_mb_per_s = row->number("cold_mb_per_s")});
  }
  return samples;
}

// How much of the newest MiB is resident.
double window_mib(const std::vector<Sample>& samples) {
  std::vector<double> windows;
  for (const Sample& sample : samples) {
    double window = 0;
    for (std::size_t band = 0; band < kBands; ++band) {
      window += sample.resident[band] * static_cast<double>(kEdges[band + 1] - kEdges[band]);
    }
    windows.push_back(window);
  }
  return mean(windows);
}

double mean_share(const std::vector<Sample>& samples, std::size_t band) {
  std::vector<double> shares;
  for (const Sample& sample : samples) shares.push_back(100 * sample.resident[band]);
  return mean(shares);
}

double mean_cold_rate(const std::vector<Sample>& samples) {
  std::vector<double> rates;
  for (const Sample& sample : samples) rates.push_back(sample.cold_mb_per_s);
  return mean(rates);
}

}  // namespace

std::vector<Row> cold_read_storm(const CalibrationData& measured) {
  const auto alone = model_samples(false);
  const auto followed = model_samples(true);
  const auto real_alone = measured_samples(measured, "cold_read_storm_no_tail_reader.csv");
  const auto real_followed = measured_samples(measured, "cold_read_storm_tail_reader_16MB.csv");
  bool falls = true;
  for (std::size_t band = 0; band + 1 < kBands; ++band) {
    if (mean_share(alone, band) < mean_share(alone, band + 1)) falls = false;
  }
  return {
      within_percent(
          {"cold reads, as set up", "MB/s", mean_cold_rate(alone), mean_cold_rate(real_alone)}, 5),
      within_factor({"resident of the newest", "MiB", window_mib(alone), window_mib(real_alone)},
                    1.5),
      same("older is resident no more than newer", falls ? "yes" : "no", "yes"),
      at_most(
          {"resident of 32 to 64 MiB ago", "%", mean_share(alone, 2), mean_share(real_alone, 2)},
          1),
      within_factor({"resident of the newest, with a tail reader", "MiB", window_mib(followed),
                     window_mib(real_followed)},
                    1.5),
      in_range({"resident of 32 to 64 MiB ago, with a tail reader", "%", mean_share(followed, 2),
                mean_share(real_followed, 2)},
               38, 100),
  };
}

}  // namespace drydock::fidelity
