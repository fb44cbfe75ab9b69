#include "reports/delivery/delivery.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace drydock::reports {
namespace {

// A consumer in one of its queues.
using Line = std::tuple<std::uint32_t, std::string, std::int32_t>;

// The keys that readers of the final store find.
std::set<std::uint64_t> keys_in_queues(const FinalStore& store) {
  std::set<std::uint64_t> keys;
  for (const StoredCopy& copy : store.copies) {
    if (copy.key_known && copy.in_queue) keys.insert(copy.key);
  }
  return keys;
}

struct Progress {
  std::set<std::uint64_t> got;
  std::int64_t furthest = -1;
};

// Messages of the final queues that lie before the furthest offset to which their consumer has
// come, and that it never got: it was put past them.
std::int64_t count_skipped(const History& history, const FinalStore& store,
                           const std::map<Line, Progress>& progress) {
  std::int64_t skipped = 0;
  for (const StoredCopy& copy : store.copies) {
    if (!copy.in_queue || !copy.key_known) continue;
    const StoredQueue& queue = store.queues.at(static_cast<std::size_t>(copy.queue));
    for (std::uint32_t consumer = 0; consumer < history.consumers.size(); ++consumer) {
      const auto found = progress.find(Line{consumer, queue.topic, queue.queue_id});
      if (found == progress.end() || copy.queue_offset > found->second.furthest) continue;
      if (!found->second.got.contains(copy.key)) ++skipped;
    }
  }
  return skipped;
}

}  // namespace

DeliveryReport check_deliveries(const History& history, const FinalStore& store) {
  DeliveryReport report;
  const std::set<std::uint64_t> kept = keys_in_queues(store);
  std::set<std::pair<std::uint32_t, std::uint64_t>> seen;
  std::map<Line, Progress> progress;
  for (const DeliveryRecord& each : history.deliveries) {
    const ConsumerRecord& consumer = history.consumers.at(each.consumer);
    Progress& line = progress[Line{each.consumer, consumer.topic, each.queue_id}];
    line.got.insert(each.key);
    line.furthest = std::max(line.furthest, each.queue_offset);
    if (!seen.emplace(each.consumer, each.key).second) {
      ++report.again;
      continue;
    }
    ++report.delivered;
    if (!kept.contains(each.key)) ++report.gone;
  }
  report.skipped = count_skipped(history, store, progress);
  return report;
}

}  // namespace drydock::reports
