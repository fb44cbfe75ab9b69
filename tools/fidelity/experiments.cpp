#include <algorithm>
#include <array>

#include "tools/fidelity/all.hpp"
#include "tools/fidelity/experiment.hpp"

namespace drydock::fidelity {
namespace {

constexpr std::array kExperiments = std::to_array<Experiment>({
    {"A1", "recorded decisions of the throttle, made again", throttle_replay},
    {"A2", "a mapped writer at full speed: rates", writer_rates},
    {"A3", "a mapped writer at full speed: stalls", writer_stalls},
    {"A4", "a mapped writer at full speed: a limit of 8 MiB", tiny_limit},
    {"A5", "bytes before the first stall", start_up},
    {"A6", "a writer slower than the device", paced_below_device},
    {"A7", "a writer faster than the device", paced_above_device},
    {"A8", "two writers", two_writers},
    {"A9", "data writes hang for 5 s: the writer reaches the limit", hang_at_the_limit},
    {"A10", "all writes hang: the writer waits for the journal", hang_of_all_writes},
    {"A11", "all writes hang beside a thread that calls msync", hang_beside_msync},
    {"A12", "data writes hang for 11 s: only msync waits", hang_of_data},
    {"A13", "a small sync behind another file's writeback", sync_behind_writeback},
    {"A14", "a small sync beside another file's dirty pages", sync_beside_dirty_pages},
    {"A15", "a sync of 4 KiB to 64 MiB", sync_sizes},
    {"A16", "dirty pages that nobody syncs", dirty_expiry},
    {"A17", "a storm of cold reads in 192 MiB of memory", cold_read_storm},
    {"A18", "page faults and what they read", page_faults},
    {"A19", "slices of the block throttle", throttle_slices},
    {"A20", "what a power cut leaves", power_cuts},
    {"A21", "depth of the queue, and reads beside writes", queue_depths},
    {"A22", "msync every 500 ms at three quarters of the device's rate", periodic_msync},
    {"A23", "a strict limit of 64 MiB", strict_limit},
    {"A24", "the same seed, the same events", determinism},
});

}  // namespace

std::span<const Experiment> experiments() { return kExperiments; }

bool inside(const std::vector<Row>& rows) {
  return !rows.empty() &&
         std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.inside; });
}

bool inside_by_words(const std::vector<Row>& rows) {
  return !rows.empty() && std::all_of(rows.begin(), rows.end(), [](const Row& row) {
    return row.inside_by_words.value_or(row.inside);
  });
}

}  // namespace drydock::fidelity
