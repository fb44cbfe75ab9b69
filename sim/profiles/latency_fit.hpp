// From percentiles that fio measured to the table of a profile.
#pragma once

#include <string>
#include <vector>

#include "sim/profiles/fio_file.hpp"
#include "sim/profiles/fit_table.hpp"

namespace drydock::sim {

struct LatencyFit {
  std::vector<LatencyPoint> points;
  FitTable table;                     // A row per percentile of fio, and the mean.
  std::int64_t tail_per_million = 0;  // The highest quantile that has samples enough; 0: none has.
};

// A percentile counts if at least so many samples lie beyond it: 99.9% takes 10,000 samples.
inline constexpr std::int64_t kSamplesBeyond = 10;

// `less_ns` is subtracted from every time: a part of what was measured that the table leaves out.
// Between two percentiles the table follows a straight line of the logarithm of the time, between
// the smallest time and the first percentile one of the time.
LatencyFit fit_latency(const FioLatency& measured, std::int64_t less_ns, const std::string& title,
                       const std::string& citation);

}  // namespace drydock::sim
