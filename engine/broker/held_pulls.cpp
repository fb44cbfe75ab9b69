#include "engine/broker/held_pulls.hpp"

#include <algorithm>

namespace drydock {

namespace {

constexpr Duration kLookInterval = Duration::s(5);

}  // namespace

Duration HeldPulls::interval() const {
  return configuration_.long_polling_enable ? kLookInterval : configuration_.short_polling_time;
}

void HeldPulls::hold(HeldPull pull) {
  if (pull.connection->ended()) return;
  const PullRequest& request = pull.request;
  const bool grown = store_.range(request.topic, request.queue_id).max > request.offset;
  const std::uint64_t connection = pull.connection->id();
  const auto held = of_connection_.find(connection);
  const bool too_many =
      count_ >= kHeldMax || (held != of_connection_.end() && held->second >= kHeldOfOneMax);
  if (grown || too_many) return waker_.go_on(std::move(pull));
  Queue queue{request.topic, request.queue_id};
  table_[std::move(queue)].push_back(std::move(pull));
  ++count_;
  ++of_connection_[connection];
  held_.set();
}

void HeldPulls::count_out(const HeldPull& pull) {
  --count_;
  const auto held = of_connection_.find(pull.connection->id());
  if (--held->second == 0) of_connection_.erase(held);
}

void HeldPulls::connection_ended(const ServerConnection& connection) {
  const auto held = of_connection_.find(connection.id());
  if (held == of_connection_.end()) return;
  count_ -= held->second;
  of_connection_.erase(held);
  const auto gone = [&](const HeldPull& pull) { return pull.connection->id() == connection.id(); };
  for (auto& [queue, pulls] : table_) std::erase_if(pulls, gone);
  std::erase_if(table_, [](const auto& entry) { return entry.second.empty(); });
}

void HeldPulls::message_arrived(std::string_view topic, std::int32_t queue_id, QueueOffset next,
                                std::int64_t tags_code) {
  if (count_ == 0 || !configuration_.long_polling_enable) return;
  const auto entry = table_.find(QueueView{topic, queue_id});
  if (entry != table_.end()) look(entry, Look{next, &tags_code});
}

Task<void> HeldPulls::run() {
  PollGrid grid(context_.clock, context_.clock.now(), interval());
  const auto any = [this] { return count_ > 0; };
  for (;;) {
    Result<void> due = co_await grid.until(held_, any);
    if (!due) co_return;
    look_at_all();
  }
}

void HeldPulls::look_at_all() {
  for (auto entry = table_.begin(); entry != table_.end();) {
    const QueueOffset max = store_.range(entry->first.topic, entry->first.queue_id).max;
    entry = look(entry, Look{max});
  }
}

HeldPulls::Table::iterator HeldPulls::look(Table::iterator entry, const Look& at) {
  Pulls& pulls = entry->second;
  const auto first = std::ranges::find_if(pulls, [&](const auto& pull) { return due(pull, at); });
  if (first == pulls.end()) return std::next(entry);  // Most arrivals concern nobody.
  Pulls going;
  auto waiting = first;
  for (auto pull = first; pull != pulls.end(); ++pull) {
    if (pull == first || due(*pull, at)) {
      count_out(*pull);
      going.push_back(std::move(*pull));
    } else {
      *waiting++ = std::move(*pull);
    }
  }
  pulls.erase(waiting, pulls.end());
  const auto next = pulls.empty() ? table_.erase(entry) : std::next(entry);
  for (HeldPull& pull : going) waker_.go_on(std::move(pull));
  return next;
}

bool HeldPulls::due(const HeldPull& pull, const Look& at) const {
  const PullRequest& request = pull.request;
  const QueueOffset max =
      at.max > request.offset ? at.max : store_.range(request.topic, request.queue_id).max;
  const bool wanted = at.tags_code == nullptr || wants(request.tag_codes, *at.tags_code);
  return (max > request.offset && wanted) || context_.clock.now() >= pull.until;
}

}  // namespace drydock
