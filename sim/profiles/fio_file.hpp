// What fio measured, from the JSON that it writes with --output-format=json (fio 3.33).
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace drydock::sim {

enum class FioPattern : std::uint8_t { random_read, random_write, read, write, random_mix };

// What follows each write.
enum class FioSync : std::uint8_t { none, fsync, fdatasync, dsync };

struct FioPercentile {
  std::int64_t per_million = 0;
  std::int64_t ns = 0;
};

struct FioLatency {
  std::int64_t samples = 0;
  std::int64_t min_ns = 0;
  std::int64_t max_ns = 0;
  double mean_ns = 0;
  std::vector<FioPercentile> percentiles;  // Rising; of a latency without samples none.
};

struct FioDirection {
  std::int64_t commands = 0;
  double iops = 0;
  std::int64_t bytes_per_s = 0;
  FioLatency completion;  // clat: from the end of the submission to the completion.
  FioLatency whole;       // lat: with the submission. May have no percentiles.
};

struct FioJob {
  std::string place;  // "FILE: /jobs/0 (NAME)", for messages.
  std::string name;   // One line of printable ASCII.
  FioPattern pattern = FioPattern::random_read;
  std::int64_t block_bytes = 0;
  int depth = 1;
  bool direct = false;
  FioSync sync = FioSync::none;
  int stage = 0;  // Jobs of one file and stage ran at the same time.
  std::int64_t runtime_ms = 0;
  FioDirection read;
  FioDirection write;
  FioLatency sync_latency;  // Of fsync or fdatasync alone.
};

// The jobs of one file, at least one. The error is one line with file and path.
std::expected<std::vector<FioJob>, std::string> read_fio(const std::string& file,
                                                         std::string_view text);

}  // namespace drydock::sim
