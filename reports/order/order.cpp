#include "reports/order/order.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "engine/types/ensure.hpp"

namespace drydock::reports {
namespace {

// The first copy of a send in one queue.
struct Place {
  const SendRecord* send = nullptr;
  std::uint64_t invocation = 0;  // Its index in the history.
  std::uint32_t producer = 0;
  std::int32_t queue_id = 0;
  std::int64_t queue_offset = 0;
  std::int64_t physical_offset = 0;
};

auto position(const Place& place) {
  return std::tuple(place.producer, place.queue_id, place.queue_offset, place.physical_offset);
}

bool same_line(const Place& a, const Place& b) {
  return a.producer == b.producer && a.queue_id == b.queue_id;
}

// Places by producer, queue, and position in the queue, one per send and queue.
std::vector<Place> places_of(const History& history, const FinalStore& store) {
  std::map<std::uint64_t, std::uint64_t> invocations;
  for (const SendRecord& send : history.sends) {
    invocations.emplace(send.key, invocations.size());
  }
  std::vector<Place> places;
  for (const StoredCopy& copy : store.copies) {
    const auto found = invocations.find(copy.key);
    if (!copy.key_known || found == invocations.end()) continue;  // A phantom.
    if (!copy.in_queue) continue;                                 // No reader gets it.
    const SendRecord& send = history.sends[found->second];
    places.push_back({&send, found->second, send.producer, copy.queue_id, copy.queue_offset,
                      copy.physical_offset});
  }
  std::ranges::sort(places, {}, position);
  std::set<std::pair<std::uint64_t, std::int32_t>> seen;
  std::erase_if(places, [&](const Place& place) {
    return !seen.emplace(place.invocation, place.queue_id).second;
  });
  return places;
}

bool acked_in_queue(const SendRecord& send, std::int32_t queue_id) {
  return send.outcome == SendOutcome::acked &&
         std::ranges::any_of(send.attempts, [&](const AttemptRecord& attempt) {
           return attempt.outcome == SendOutcome::acked && attempt.queue_id == queue_id;
         });
}

}  // namespace

// Along each queue the latest invocation so far is kept: a message that was acknowledged before it
// comes too late.
OrderReport check_order(const History& history, const FinalStore& store) {
  ENSURE(store.read);
  OrderReport report;
  const std::vector<Place> places = places_of(history, store);
  const Place* latest = nullptr;
  for (const Place& place : places) {
    if (latest != nullptr && !same_line(*latest, place)) latest = nullptr;
    const bool late = latest != nullptr && acked_in_queue(*place.send, place.queue_id) &&
                      latest->invocation >= place.send->invoked_by_completion;
    if (late && ++report.violations <= static_cast<std::int64_t>(kOrderExamplesMax)) {
      report.examples.push_back({place.send->key, latest->send->key, place.queue_id,
                                 place.queue_offset, latest->queue_offset});
    }
    if (latest == nullptr || place.invocation > latest->invocation) latest = &place;
  }
  return report;
}

}  // namespace drydock::reports
