// The one file that names Asio. Sockets use it through DescriptorWatch: readiness is all that is
// needed of it, since reads and writes are direct calls on non-blocking descriptors.
#include "engine/linux/executor.hpp"

#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

namespace drydock::on_linux {

namespace asio = boost::asio;

namespace {

constexpr int kRoundsUnlooked = 8;

}  // namespace

// Asio's context, a timer for the next deadline, and an eventfd that `nudge` writes to.
struct LinuxExecutor::Reactor {
  Reactor() : stop_event(context, ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) { await_stop(); }

  // Handles what is ready without waiting.
  void poll() { context.poll(); }

  // Waits until something is ready or the clock reaches `until`. May return early.
  void wait(MonotonicTime until) {
    if (until < timer_at) {
      timer_at = until;
      timer.expires_at(
          std::chrono::steady_clock::time_point(std::chrono::nanoseconds(until.count_ns())));
      timer.async_wait([this](const boost::system::error_code& error) {
        if (!error) timer_at = kNever;
      });
    }
    context.run_one();
    context.poll();
  }

  void await_stop() {
    stop_event.async_wait(asio::posix::descriptor_base::wait_read,
                          [this](const boost::system::error_code& error) {
                            if (error) return;
                            std::uint64_t count = 0;
                            (void)!::read(stop_event.native_handle(), &count, sizeof count);
                            await_stop();
                          });
  }

  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  asio::steady_timer timer{context};
  MonotonicTime timer_at = kNever;  // What the timer is set to.
  asio::posix::stream_descriptor stop_event;
};

LinuxExecutor::LinuxExecutor() : reactor_(std::make_unique<Reactor>()) {}
LinuxExecutor::~LinuxExecutor() = default;

void LinuxExecutor::post(Wakeup& wakeup) {
  wakeup.unlink();
  ready_.push_back(wakeup);
}

void LinuxExecutor::post_last(Wakeup& wakeup) {
  wakeup.unlink();
  last_.push_back(wakeup);
}

void LinuxExecutor::post_urgent(Wakeup& wakeup) {
  wakeup.unlink();
  urgent_.push_back(wakeup);
}

void LinuxExecutor::fail(std::exception_ptr exception) {
  if (failure_ == nullptr) failure_ = std::move(exception);
}

MonotonicTime LinuxExecutor::now() const {
  timespec time{};
  ENSURE(::clock_gettime(CLOCK_MONOTONIC, &time) == 0);
  return MonotonicTime::at_ns(std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec);
}

void LinuxExecutor::arm(Wakeup& wakeup, MonotonicTime at) { timers_.insert(wakeup, at.count_ns()); }

bool LinuxExecutor::run_until(const std::function<bool()>& predicate, MonotonicTime limit) {
  ENSURE(predicate_ == nullptr);
  struct Inside {
    Inside(LinuxExecutor& self, const std::function<bool()>& predicate) : self_(self) {
      self_.predicate_ = &predicate;
    }
    ~Inside() { self_.predicate_ = nullptr; }
    LinuxExecutor& self_;
  } const inside(*this, predicate);
  limit_ = limit;

  rethrow_failure();
  if (predicate()) return true;
  for (;;) {
    if (stop_wanted_.exchange(false)) return false;
    if (chores_pending()) {
      chores_->run();
      rethrow_failure();
      if (predicate()) return true;
    }
    collect_due();
    if (nothing_ready()) {
      if (now() >= limit) return false;
      sleep();
    } else {
      const Round round = run_round();
      if (round == Round::satisfied) return true;
      if (now() >= limit) return false;
      end_round();
    }
    if (predicate()) return true;  // A descriptor's event may have made it true.
  }
}

LinuxExecutor::Round LinuxExecutor::run_round() {
  round_.take_all(ready_);
  while (Wakeup* const wakeup = next_of_round()) {
    wakeup->unlink();
    wakeup->run();
    if (chores_pending()) chores_->run();
    rethrow_failure();
    if ((*predicate_)()) return Round::satisfied;
    if (stop_wanted_) return Round::stopped;
  }
  return Round::over;
}

bool LinuxExecutor::run_is_over() const {
  return stop_wanted_ || failure_ != nullptr || now() >= limit_ || (*predicate_)();
}

void LinuxExecutor::carry_on(const std::atomic<bool>& wanted_back) {
  const auto ends = [&] { return wanted_back || run_is_over(); };
  while (!ends()) {
    collect_due();
    if (nothing_ready()) {
      sleep();
      continue;
    }
    round_.take_all(ready_);
    for (Wakeup* wakeup = next_of_round(); wakeup != nullptr; wakeup = next_of_round()) {
      wakeup->unlink();
      wakeup->run();
      if (ends()) return;
    }
    end_round();
  }
}

void LinuxExecutor::end_round() {
  if (++rounds_unlooked_ < kRoundsUnlooked) return;
  rounds_unlooked_ = 0;
  ready_.take_all(last_);
  reactor_->poll();
}

void LinuxExecutor::sleep() {
  rounds_unlooked_ = 0;
  const MonotonicTime next = MonotonicTime::at_ns(timers_.next_time(kNever.count_ns()));
  reactor_->wait(std::min(next, limit_));
}

Wakeup* LinuxExecutor::next_of_round() {
  if (!urgent_.empty()) return static_cast<Wakeup*>(urgent_.front());
  if (!round_.empty()) return static_cast<Wakeup*>(round_.front());
  return nullptr;
}

void LinuxExecutor::collect_due() {
  const std::int64_t limit = now().count_ns();
  while (Wakeup* const wakeup = timers_.pop(limit)) ready_.push_back(*wakeup);
  if (nothing_ready()) ready_.take_all(last_);
}

void LinuxExecutor::rethrow_failure() {
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void LinuxExecutor::stop() noexcept {
  stop_wanted_ = true;
  nudge();
}

void LinuxExecutor::nudge() noexcept {
  const std::uint64_t one = 1;
  (void)!::write(reactor_->stop_event.native_handle(), &one, sizeof one);
}

// Shared with the handlers that Asio keeps, which may outlive the watch.
struct DescriptorWatch::State : std::enable_shared_from_this<State> {
  State(asio::io_context& context, ReadinessListener& told)
      : descriptor(context), listener(&told) {}

  void await(asio::posix::descriptor_base::wait_type direction, bool& requested,
             void (ReadinessListener::*report)()) {
    if (requested) return;
    requested = true;
    descriptor.async_wait(direction, [self = shared_from_this(), &requested,
                                      report](const boost::system::error_code& error) {
      if (error || self->listener == nullptr) return;
      requested = false;
      (self->listener->*report)();
    });
  }

  asio::posix::stream_descriptor descriptor;
  ReadinessListener* listener;  // Null once the watch is gone.
  bool read_requested = false;
  bool write_requested = false;
};

DescriptorWatch::DescriptorWatch(LinuxExecutor& executor, int descriptor,
                                 ReadinessListener& listener)
    : state_(std::make_shared<State>(executor.reactor_->context, listener)) {
  boost::system::error_code error;
  state_->descriptor.assign(descriptor, error);
  ENSURE(!error);
}

DescriptorWatch::~DescriptorWatch() {
  state_->listener = nullptr;
  state_->descriptor.release();
}

void DescriptorWatch::await_readable() {
  state_->await(asio::posix::descriptor_base::wait_read, state_->read_requested,
                &ReadinessListener::readable);
}

void DescriptorWatch::await_writable() {
  state_->await(asio::posix::descriptor_base::wait_write, state_->write_requested,
                &ReadinessListener::writable);
}

}  // namespace drydock::on_linux
