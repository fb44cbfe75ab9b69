#include "reports/delivery/delivery.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace drydock::reports {
namespace {

constexpr std::uint64_t kNoKey = 0;

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

// The keys whose messages have been deleted as too old, or in the way.
std::set<std::uint64_t> expired_keys(const History& history, const FinalStore& store) {
  std::set<std::uint64_t> keys;
  for (const SendRecord& send : history.sends) {
    const bool stored = send.outcome == SendOutcome::acked;
    if (stored && store.has_expired(send.physical_offset)) keys.insert(send.key);
  }
  return keys;
}

struct Progress {
  std::set<std::uint64_t> got;
  std::int64_t furthest = -1;
};

// Counts the messages of the final queues that a consumer never got. Those before the furthest
// offset to which it has come are skipped: it was put past them.
void count_undelivered(const History& history, const FinalStore& store,
                       const std::map<Line, Progress>& progress, DeliveryReport& report) {
  for (const StoredCopy& copy : store.copies) {
    if (!copy.in_queue || !copy.key_known) continue;
    const StoredQueue& queue = store.queues.at(static_cast<std::size_t>(copy.queue));
    for (std::uint32_t consumer = 0; consumer < history.consumers.size(); ++consumer) {
      if (history.consumers[consumer].topic != queue.topic) continue;
      const auto found = progress.find(Line{consumer, queue.topic, queue.queue_id});
      const bool come = found != progress.end();
      if (come && found->second.got.contains(copy.key)) continue;
      ++report.undelivered;
      if (come && copy.queue_offset <= found->second.furthest) ++report.skipped;
    }
  }
}

}  // namespace

DeliveryReport check_deliveries(const History& history, const FinalStore& store) {
  DeliveryReport report;
  const std::set<std::uint64_t> kept = keys_in_queues(store);
  const std::set<std::uint64_t> expired = expired_keys(history, store);
  std::set<std::pair<std::uint32_t, std::uint64_t>> seen;
  std::map<Line, Progress> progress;
  for (const DeliveryRecord& each : history.deliveries) {
    const ConsumerRecord& consumer = history.consumers.at(each.consumer);
    Progress& line = progress[Line{each.consumer, consumer.topic, each.queue_id}];
    const bool is_new = line.got.insert(each.key).second;
    if (is_new && each.queue_offset < line.furthest) ++report.out_of_order;
    line.furthest = std::max(line.furthest, each.queue_offset);
    if (each.key == kNoKey) continue;  // The log's phantoms are counted where the log is judged.
    if (!seen.emplace(each.consumer, each.key).second) {
      ++report.again;
      continue;
    }
    ++report.delivered;
    if (!kept.contains(each.key) && !expired.contains(each.key)) ++report.gone;
  }
  count_undelivered(history, store, progress, report);
  return report;
}

}  // namespace drydock::reports
