#include "tools/fidelity/throttled_run.hpp"

#include <cmath>
#include <memory>

#include "scenarios/drill/drill.hpp"
#include "tools/fidelity/csv_table.hpp"
#include "tools/fidelity/devices.hpp"
#include "tools/fidelity/statistics.hpp"

namespace drydock::fidelity {
namespace {

// Before it the pages that are free to be dirtied count too.
constexpr Duration kSteadyFrom = Duration::s(2);

struct Sample {
  Duration at;
  double dirty_ratio = 0;
  std::vector<std::int64_t> written;
};

// The device takes nearly all that the flusher writes of a file in one piece.
sim::FileSystemOptions files_of(const ThrottledRunOptions& options) {
  sim::FileSystemOptions files = dirty_limits(options.background_bytes, options.dirty_bytes);
  files.commit_interval = options.commit_interval;
  files.strict_limit_bytes = options.strict_limit_bytes;
  files.page_cache.command_bytes = (options.large_folios ? 12 : 4) * kMiB;
  files.page_cache.queue_bytes = options.queue_bytes;
  files.page_cache.initial_bandwidth_bytes = options.initial_bandwidth_bytes;
  if (options.large_folios) files.page_cache.kernel.folio_pages_max = 256;
  return files;
}

// What throttles: the host's limit or the device's own.
std::int64_t limit_of(const ThrottledRunOptions& options) {
  return options.strict_limit_bytes > 0 ? options.strict_limit_bytes : options.dirty_bytes;
}

double total_ms(const std::vector<Stall>& stalls) {
  double total = 0;
  for (const Stall& stall : stalls) total += ms(stall.length);
  return total;
}

double dirty_kib(const CsvTable::Row& sample) {
  return sample.number("dirty_kb") + sample.number("writeback_kb");
}

template <class Value>
double median_of_samples(const CalibrationData& data, const std::string& run, Value value) {
  const CsvTable table(data, "mmap_writer_samples_100ms.csv");
  std::vector<double> values;
  for (const CsvTable::Row* sample : table.rows_with("label", run)) {
    if (sample->number("t_ms") >= ms(kSteadyFrom)) values.push_back(value(*sample));
  }
  if (values.empty()) {
    throw scenarios::InputError(data.place("mmap_writer_samples_100ms.csv") +
                                ": has no samples of " + run);
  }
  return median(values);
}

}  // namespace

std::vector<double> WriterResult::stall_lengths() const {
  std::vector<double> lengths;
  for (const Stall& stall : stalls) lengths.push_back(ms(stall.length));
  return lengths;
}

Stall WriterResult::first_long_stall() const {
  for (const Stall& stall : stalls) {
    if (stall.length >= Duration::ms(10)) return stall;
  }
  return {};
}

ThrottledResult run_throttled(const ThrottledRunOptions& options) {
  StorageWorld world({.disk = throttled_loop_disk(), .files = files_of(options)});
  const std::int64_t file_bytes = 2 * limit_of(options) + 64 * kMiB;
  for (std::size_t i = 0; i < options.bytes_per_s.size(); ++i) {
    make_file(world, "/log" + std::to_string(i), file_bytes, Contents::filled);
  }
  std::vector<std::unique_ptr<RecordWriter>> writers;
  for (std::size_t i = 0; i < options.bytes_per_s.size(); ++i) {
    const std::string number = std::to_string(i);
    const RecordWriterOptions writer{.path = "/log" + number,
                                     .file_bytes = file_bytes,
                                     .bytes_per_s = options.bytes_per_s[i],
                                     .length = options.length,
                                     .fault = Duration::us(options.large_folios ? 6 : 12)};
    writers.push_back(std::make_unique<RecordWriter>(world, "writer" + number, writer));
  }
  const auto limit = static_cast<double>(limit_of(options) / sim::kPageBytes);
  std::vector<Sample> samples;
  const Duration start = world.now();
  world.every(Duration::ms(100), start + kSteadyFrom, start + options.length, [&] {
    const std::int64_t dirty = world.cache().dirty_pages() + world.cache().writeback_pages();
    Sample sample{.at = world.now(), .dirty_ratio = static_cast<double>(dirty) / limit};
    for (const auto& writer : writers) sample.written.push_back(writer->written_bytes());
    samples.push_back(std::move(sample));
  });
  for (const auto& writer : writers) writer->wait();
  ThrottledResult result;
  std::vector<double> ratios;
  for (const Sample& sample : samples) ratios.push_back(sample.dirty_ratio);
  result.dirty_ratio = median(ratios);
  const double steady_s = seconds(samples.back().at - samples.front().at);
  for (std::size_t i = 0; i < writers.size(); ++i) {
    const RecordWriter& writer = *writers[i];
    const std::int64_t steady = samples.back().written[i] - samples.front().written[i];
    const auto written = static_cast<double>(writer.written_bytes());
    result.writers.push_back(
        {.stalls = writer.stalls(),
         .written_bytes = writer.written_bytes(),
         .mean_mb_per_s = written / 1e6 / seconds(writer.length()),
         .steady_mib_per_s = static_cast<double>(steady) / static_cast<double>(kMiB) / steady_s,
         .stalled_percent = 100 * total_ms(writer.stalls()) / ms(writer.length()),
         .throttle_sleeps = writer.waits_at(WaitPlace::dirty_throttle).count,
         .journal = writer.waits_at(WaitPlace::journal)});
  }
  return result;
}

WriterResult measured_writer(const CalibrationData& data, const std::string& run) {
  const CsvTable summary(data, "mmap_writer_summary.csv");
  const CsvTable::Row& row = summary.row_with("label", run);
  const CsvTable table(data, "mmap_writer_samples_100ms.csv");
  std::vector<const CsvTable::Row*> steady;
  for (const CsvTable::Row* sample : table.rows_with("label", run)) {
    if (sample->number("t_ms") >= ms(kSteadyFrom)) steady.push_back(sample);
  }
  if (steady.size() < 2) {
    throw scenarios::InputError(data.place("mmap_writer_samples_100ms.csv") +
                                ": has no samples of " + run);
  }
  const auto grown = [&](std::string_view column) {
    return steady.back()->number(column) - steady.front()->number(column);
  };
  WriterResult result;
  if (row.number("stalls_ge_1ms") > 0) result.stalls = measured_stalls(data, run);
  const double kib = grown("app_written_kb");
  result.steady_mib_per_s = kib / 1024 / (grown("t_ms") / 1000);
  const double length_s = row.number("duration_s");
  result.written_bytes = std::llround(row.number("records") * 1024);
  result.mean_mb_per_s = static_cast<double>(result.written_bytes) / 1e6 / length_s;
  result.stalled_percent = 100 * total_ms(result.stalls) / (length_s * 1000);
  return result;
}

double measured_dirty_ratio(const CalibrationData& data, const std::string& run) {
  return median_of_samples(data, run, [](const CsvTable::Row& sample) {
    return dirty_kib(sample) / sample.number("thresh_kb");
  });
}

double measured_dirty_mib(const CalibrationData& data, const std::string& run) {
  return median_of_samples(data, run,
                           [](const CsvTable::Row& sample) { return dirty_kib(sample) / 1024; });
}

}  // namespace drydock::fidelity
