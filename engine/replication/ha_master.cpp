#include "engine/replication/ha_master.hpp"

#include <algorithm>

#include "engine/replication/ha_link.hpp"
#include "engine/runtime/join.hpp"

namespace drydock {

namespace {

constexpr Duration kAcceptRetryPause = Duration::ms(100);
constexpr int kWakeUpsOfTheBug = 5;
constexpr std::size_t kStrayedMax = 1024;

}  // namespace

HaMaster::HaMaster(Context& context, HaConfiguration configuration, MessageStore& store)
    : context_(context),
      configuration_(std::move(configuration)),
      store_(store),
      scope_(context.scope) {}

HaMaster::~HaMaster() { scope_.destroy_tasks(); }

Result<void> HaMaster::start() {
  Result<std::unique_ptr<Listener>> listener = context_.network.listen(configuration_.listen_port);
  if (!listener) return listener.error();
  scope_.spawn(accept_slaves(std::move(*listener)));
  scope_.spawn(answer_requests());
  return {};
}

Task<void> HaMaster::stop() {
  scope_.cancel();
  co_await scope_.join();
}

Task<void> HaMaster::accept_slaves(std::unique_ptr<Listener> listener) {
  for (;;) {
    Result<std::unique_ptr<Stream>> stream = co_await listener->accept();
    if (stream) {
      scope_.spawn(serve(std::move(*stream)));
      continue;
    }
    if (stream.error().code() == ErrorCode::cancelled) co_return;
    Result<void> slept = co_await sleep_for(context_.clock, kAcceptRetryPause);
    if (!slept) co_return;
  }
}

Task<void> HaMaster::serve(std::unique_ptr<Stream> stream) {
  if (strayed_.contains(stream->peer().address)) co_return;
  Link link(context_, configuration_, store_, std::move(stream), acknowledged_, ++links_made_);
  const std::int64_t peer = link.peer().address;
  links_.push_back(&link);
  context_.observer.event(EventName::ha_slave_connected, peer);
  TaskScope shipping(scope_);
  shipping.spawn(link.ship());
  co_await link.read_reports();
  shipping.cancel();
  co_await shipping.join();
  std::erase(links_, &link);
  if (link.strayed() && strayed_.size() < kStrayedMax) strayed_.insert(peer);
  context_.observer.event(EventName::ha_slave_disconnected, peer);
}

void HaMaster::submit(ReplicaRequest& request) {
  requests_.push_back(request);
  asked_.set();
  for (Link* const link : links_) link->wake();
}

// Answers the oldest request, then the next one: nobody overtakes.
Task<void> HaMaster::answer_requests() {
  for (;;) {
    asked_.reset();
    if (requests_.empty()) {
      Result<void> asked = co_await asked_.wait();
      if (!asked) co_return;
    }
    const bool go_on = co_await settle();
    if (!go_on) co_return;
  }
}

// Waits until the oldest request is satisfied or given up. False: cancelled.
Task<bool> HaMaster::settle() {
  const bool counts_wakeups = store_.configuration().bugs.has(SeededBug::copy_wait_counts_wakeups);
  int wakeups = 0;
  while (!requests_.empty()) {
    auto& request = static_cast<ReplicaRequest&>(*requests_.front());
    if (copies_up_to(request.end()) >= request.copies()) {
      request.answer_with(ReplicaAnswer::replicated);
      wakeups = 0;
      continue;
    }
    const bool tired = counts_wakeups && wakeups >= kWakeUpsOfTheBug;
    if (tired || context_.clock.now() >= request.deadline()) {
      request.answer_with(ReplicaAnswer::timed_out);
      wakeups = 0;
      continue;
    }
    acknowledged_.reset();
    Result<void> news = co_await acknowledged_.wait(request.deadline());
    if (!news && news.error().code() == ErrorCode::cancelled) co_return false;
    ++wakeups;
  }
  co_return true;
}

// Every connection counts, two of one slave twice (HA reference, 1.5).
std::int32_t HaMaster::copies_up_to(PhysicalOffset end) const {
  return 1 + static_cast<std::int32_t>(std::count_if(links_.begin(), links_.end(), [&](Link* link) {
           return link->acknowledged() && *link->acknowledged() >= end;
         }));
}

}  // namespace drydock
