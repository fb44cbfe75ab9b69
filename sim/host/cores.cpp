#include "sim/host/cores.hpp"

#include <optional>

namespace drydock::sim {
namespace {

// What a process takes of its quota at once. Source: sched_cfs_bandwidth_slice_us.
constexpr Duration kQuotaSlice = Duration::ms(5);

}  // namespace

void Cores::wait_in_line(Work& work) {
  Share& share = work.share_;
  const MonotonicTime now = share.clock_.now();
  work.worker_.set_wait(WaitPlace::cpu, now);
  share.line_.push(work);
  if (!share.in_waiting_.linked()) waiting_.push_back(share.in_waiting_);
  if (!share.may_compute(now)) return share.clock_.arm(share.refill_, share.period_end());
  cut_long_works(now);
}

Cores::Share* Cores::next() {
  Share* best = nullptr;
  Wide least = 0;
  ListLink* link = waiting_.empty() ? nullptr : waiting_.front();
  while (link != nullptr) {
    Share& share = static_cast<Share::InList*>(link)->share();
    ListLink* const after = waiting_.after(link);
    const MonotonicTime now = share.clock_.now();
    if (share.line_.empty()) {
      link->unlink();
    } else if (!share.may_compute(now)) {
      share.clock_.arm(share.refill_, share.period_end());
    } else if (best == nullptr || share.had(now) < least) {
      best = &share;
      least = share.had(now);
    }
    link = after;
  }
  return best;
}

void Cores::dispatch() {
  while (free_ > 0) {
    Share* const share = next();
    if (share == nullptr) return;
    Work& work = static_cast<Work&>(share->line_.front());
    work.place().unlink();
    if (share->line_.empty()) share->in_waiting_.unlink();
    begin(work);
  }
}

void Cores::cut_long_works(MonotonicTime now) {
  ListLink* link = long_.empty() ? nullptr : long_.front();
  for (; link != nullptr; link = long_.after(link)) {
    Work& work = static_cast<Work::InList*>(link)->work();
    const MonotonicTime at = std::max(now, work.began_ + slice_);
    const bool sooner = work.granted_to_ < work.end_ && work.granted_to_ <= at;
    if (!sooner && at < work.end_) work.share_.clock_.arm(work.cut_, at);
  }
}

void Cores::Work::cut() {
  if (!waiting()) return;  // Cancelled: on its way to say so.
  unlink();
  leave_core();
  Cores& cores = share_.cores_;
  ++cores.free_;
  cores.wait_in_line(*this);
  cores.dispatch();
}

void Cores::Share::limit(CpuShare limits) {
  ENSURE(works_.empty());
  ENSURE(limits.weight >= 1);
  ENSURE(limits.weight <= 10'000);
  ENSURE(limits.quota >= Duration());
  ENSURE(limits.period > Duration());
  limits_ = limits;
  per_ns_ = kScale / limits.weight;
}

// It is not owed the time in which it had no work, if there was such a time.
void Cores::Share::activate() {
  const MonotonicTime now = clock_.now();
  const bool went_on = idle_since_ == now;
  if (!went_on) catch_up(now);
  cores_.active_.push_back(in_active_);
}

void Cores::Share::catch_up(MonotonicTime now) {
  std::optional<Wide> least;
  ListLink* link = cores_.active_.empty() ? nullptr : cores_.active_.front();
  for (; link != nullptr; link = cores_.active_.after(link)) {
    const Wide had = static_cast<InList*>(link)->share().had(now);
    if (!least || had < *least) least = had;
  }
  if (least) cores_.floor_ = std::max(cores_.floor_, *least);
  had_ = std::max(had_, cores_.floor_);
}

void Cores::Share::work_is_over() {
  idle_since_ = clock_.now();
  in_active_.unlink();
  in_waiting_.unlink();
  refill_.unlink();
  if (cores_.active_.empty()) cores_.floor_ = std::max(cores_.floor_, had_);
}

void Cores::Share::roll(MonotonicTime now) {
  if (now < period_end()) return;
  const std::int64_t periods = (now - period_begin_) / limits_.period;
  period_begin_ = period_begin_ + limits_.period * periods;
  used_ = Duration();
}

bool Cores::Share::may_compute(MonotonicTime now) {
  if (limits_.quota == Duration()) return true;
  roll(now);
  return used_ < limits_.quota;
}

Duration Cores::Share::grant(Duration wanted, MonotonicTime now) {
  const Duration granted =
      std::min({wanted, limits_.quota - used_, kQuotaSlice, period_end() - now});
  used_ += granted;
  return granted;
}

template <class Visit>
void Cores::Share::for_each(Visit visit) {
  ListLink* link = works_.empty() ? nullptr : works_.front();
  for (; link != nullptr; link = works_.after(link)) {
    visit(static_cast<Work::InList*>(link)->work());
  }
}

void Cores::Share::halt() {
  int given_back = 0;
  for_each([&given_back](Work& work) {
    work.place().unlink();
    if (!work.leave_core()) return;
    ++given_back;
    if (work.waiting()) work.unlink();  // Else cancelled: on its way to say so.
  });
  if (in_active_.linked()) work_is_over();
  cores_.give_back(given_back);
}

void Cores::Share::proceed() {
  if (works_.empty()) return;
  if (!in_active_.linked()) activate();
  for_each([this](Work& work) {
    if (work.waiting()) cores_.enter(work);
  });
}

}  // namespace drydock::sim
