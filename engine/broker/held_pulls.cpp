#include "engine/broker/held_pulls.hpp"

namespace drydock {

namespace {

constexpr Duration kLookInterval = Duration::s(5);

}  // namespace

Duration HeldPulls::interval() const {
  return configuration_.long_polling_enable ? kLookInterval : configuration_.short_polling_time;
}

void HeldPulls::hold(HeldPull pull) {
  const PullRequest& request = pull.request;
  const bool grown = store_.range(request.topic, request.queue_id).max > request.offset;
  if (grown || count_ >= kHeldMax) return waker_.go_on(std::move(pull));
  Queue queue{request.topic, request.queue_id};
  table_[std::move(queue)].push_back(std::move(pull));
  ++count_;
  held_.set();
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
  Pulls waiting;
  Pulls going;
  for (HeldPull& pull : entry->second) {
    Pulls& into = due(pull, at) ? going : waiting;
    into.push_back(std::move(pull));
  }
  count_ -= going.size();
  const bool empty = waiting.empty();
  entry->second = std::move(waiting);
  const auto next = empty ? table_.erase(entry) : std::next(entry);
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
