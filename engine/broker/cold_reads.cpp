#include "engine/broker/cold_reads.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

namespace drydock {

namespace {

constexpr std::int64_t kForgottenAfterMs = 60'000;
constexpr std::size_t kPeriodsKept = 10;
constexpr std::size_t kSlowedDown = 3;
constexpr std::int64_t kThresholdMax = std::int64_t{1} << 50;  // As of the keys.
constexpr std::string_view kSystemPrefix = "CID_RMQ_SYS_";
constexpr std::array<std::string_view, 10> kExempt = {
    "DEFAULT_CONSUMER",   "TOOLS_CONSUMER",    "SCHEDULE_CONSUMER",  "FILTERSRV_CONSUMER",
    "__MONITOR_CONSUMER", "SELF_TEST_C_GROUP", "CID_ONS-HTTP-PROXY", "CID_ONSAPI_PERMISSION",
    "CID_ONSAPI_OWNER",   "CID_ONSAPI_PULL"};

}  // namespace

bool ColdReads::is_exempt(std::string_view group) {
  return group.starts_with(kSystemPrefix) || std::ranges::find(kExempt, group) != kExempt.end();
}

void ColdReads::add(std::string_view group, std::int64_t bytes, std::int64_t now_ms) {
  if (bytes <= 0) return;
  all_ += bytes;
  auto known = groups_.find(group);
  if (known == groups_.end()) {
    if (groups_.size() >= kGroupsMax) return;
    known = groups_.emplace(group, Group()).first;
  }
  known->second.bytes += bytes;
  known->second.last_ms = now_ms;
}

std::int64_t ColdReads::threshold_of(std::string_view group) const {
  const auto adapted = adapted_.find(group);
  return adapted == adapted_.end() ? limits_.of_group_bytes : adapted->second;
}

bool ColdReads::had_enough(std::string_view group) const {
  const auto known = groups_.find(group);
  if (known == groups_.end() || is_exempt(group)) return false;
  return known->second.bytes >= threshold_of(group) || all_ >= limits_.of_all_bytes;
}

void ColdReads::end_period(std::int64_t now_ms) {
  if (limits_.adaptive) {
    room_.push_back(limits_.of_all_bytes / 5 * 4 - all_);
    if (room_.size() > kPeriodsKept) room_.pop_front();
  }
  for (auto entry = groups_.begin(); entry != groups_.end();) {
    auto& [name, group] = *entry;
    if (now_ms >= group.last_ms + kForgottenAfterMs) {
      adapted_.erase(name);
      entry = groups_.erase(entry);
      continue;
    }
    if (limits_.adaptive && group.bytes >= threshold_of(name) && !all_beyond()) speed_up(name);
    group.bytes = 0;
    ++entry;
  }
  if (limits_.adaptive) slow_down_the_fastest();
  all_ = 0;
}

std::int64_t ColdReads::factor_tenths() const {
  if (room_.size() < kPeriodsKept) return 0;
  const std::int64_t last = room_.back();
  const std::int64_t change = last - room_[room_.size() - 2];
  const std::int64_t sum = std::accumulate(room_.begin(), room_.end(), std::int64_t{0});
  return 5 * last + 3 * sum + 2 * change;
}

void ColdReads::speed_up(const std::string& group) {
  if (limits_.controller && factor_tenths() <= 0) return;
  const std::int64_t threshold = threshold_of(group);
  adapted_.insert_or_assign(group, std::min(threshold + threshold / 2, kThresholdMax));
}

void ColdReads::slow_down_the_fastest() {
  const bool wanted = limits_.controller ? factor_tenths() < 0 : all_beyond();
  if (!wanted) return;
  std::vector<std::pair<std::int64_t, std::string>> fastest;
  for (const auto& [name, threshold] : adapted_) fastest.emplace_back(-threshold, name);
  std::ranges::sort(fastest);
  fastest.resize(std::min(fastest.size(), kSlowedDown));
  for (const auto& [threshold, name] : fastest) {
    adapted_.insert_or_assign(name, std::max(limits_.of_group_bytes, -threshold / 5 * 4));
  }
}

}  // namespace drydock
