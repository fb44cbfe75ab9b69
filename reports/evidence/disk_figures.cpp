#include "reports/evidence/disk_figures.hpp"

#include <algorithm>

namespace drydock::reports {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kSectorBytes = 512;

// a * b / c, rounded to the nearest. Products are far below 2^127.
std::int64_t scaled(std::int64_t a, std::int64_t b, std::int64_t c) {
  if (c <= 0) return 0;
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>((Wide{a} * b + c / 2) / c);
}

std::int64_t length_of(const DiskUse& use) { return use.ended_ns - use.began_ns; }

// "12.34" in a column.
std::string hundredths(std::int64_t value, std::size_t width) {
  const std::string cents = std::to_string(value % 100);
  std::string text = std::to_string(value / 100) + (cents.size() < 2 ? ".0" : ".") + cents;
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::int64_t per_second_hundredths(std::int64_t count, const DiskUse& use) {
  return scaled(count, 100 * kSecondNs, length_of(use));
}
// Of a sum of times and a number of commands: ms each.
std::int64_t ms_hundredths(std::int64_t ns, std::int64_t commands) {
  return scaled(ns, 1, 10'000 * std::max<std::int64_t>(commands, 1));
}

}  // namespace

std::int64_t reads_per_second(const DiskUse& use) {
  return scaled(use.reads, kSecondNs, length_of(use));
}

std::int64_t read_bytes_per_second(const DiskUse& use) {
  return scaled(use.read_bytes, kSecondNs, length_of(use));
}

std::int64_t read_await_ns(const DiskUse& use) { return scaled(use.read_ns, 1, use.reads); }

std::int64_t queue_hundredths(const DiskUse& use) {
  return scaled(use.queue_ns, 100, length_of(use));
}

std::int64_t busy_percent(const DiskUse& use) { return scaled(use.busy_ns, 100, length_of(use)); }

std::int64_t hit_per_mille(const DiskUse& use) {
  return scaled(std::max<std::int64_t>(use.pages_touched - use.pages_read, 0), 1'000,
                use.pages_touched);
}

std::int64_t hit_percent(const DiskUse& use) {
  return scaled(std::max<std::int64_t>(use.pages_touched - use.pages_read, 0), 100,
                use.pages_touched);
}

std::string iostat_head() {
  return "Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   "
         "await r_await w_await  svctm  %util";
}

std::string iostat_line(const std::string& device, const DiskUse& use) {
  const std::int64_t commands = use.reads + use.writes;
  const std::int64_t bytes = use.read_bytes + use.written_bytes;
  std::string line = device;
  line.resize(std::max<std::size_t>(line.size(), 13), ' ');
  line += ' ' + hundredths(0, 8) + ' ' + hundredths(0, 8);  // Nothing is merged in the queue.
  line += ' ' + hundredths(per_second_hundredths(use.reads, use), 7);
  line += ' ' + hundredths(per_second_hundredths(use.writes, use), 7);
  line += ' ' + hundredths(per_second_hundredths(use.read_bytes, use) / 1024, 8);
  line += ' ' + hundredths(per_second_hundredths(use.written_bytes, use) / 1024, 8);
  line +=
      ' ' + hundredths(scaled(bytes, 100, kSectorBytes * std::max<std::int64_t>(commands, 1)), 8);
  line += ' ' + hundredths(queue_hundredths(use), 8);
  line += ' ' + hundredths(ms_hundredths(use.read_ns + use.write_ns, commands), 7);
  line += ' ' + hundredths(ms_hundredths(use.read_ns, use.reads), 7);
  line += ' ' + hundredths(ms_hundredths(use.write_ns, use.writes), 7);
  line += ' ' + hundredths(ms_hundredths(use.busy_ns, commands), 6);
  line += ' ' + hundredths(scaled(use.busy_ns, 10'000, length_of(use)), 6);
  return line;
}

}  // namespace drydock::reports
