// Runs a random program on the simulation and notes what happens.
#pragma once

#include <array>
#include <memory>
#include <utility>

#include "engine/runtime/channel.hpp"
#include "engine/runtime/context.hpp"
#include "tests/property/scope_history.hpp"
#include "tests/property/scope_program.hpp"
#include "tests/support/device_wait.hpp"
#include "tests/support/world.hpp"

namespace drydock::test {

class ScopeRun {
 public:
  explicit ScopeRun(const Program& program, bool perturb = false)
      : program_(program), world_({.seed = 1, .perturb_schedule = perturb}) {
    process_ = &world_.start([this](Context& context) { return main(context); });
    for (const Action& action : program_.actions) {
      world_.at(Duration::ns(action.time), [this, action] { act(action); });
    }
  }

  History run() {
    world_.run();
    history_.ended = world_.kernel.now();
    history_.running_at_end = process_->running();
    if (stopped_since_ >= 0) history_.stops.emplace_back(stopped_since_, kNoTime);
    history_.units = kUnits;
    history_.free_units = units_.free();
    history_.capacity = kCapacity;
    history_.queued = channel_.size();
    History noted = history_;
    while (std::optional<int> value = channel_.try_receive()) noted.received.push_back(*value);
    return noted;
  }

 private:
  static constexpr std::size_t kCapacity = 2;

  Moment now() { return {world_.kernel.now(), order_++}; }
  TaskNote& task(int id) { return history_.tasks[static_cast<std::size_t>(id)]; }
  WaitNote& wait(int id) { return history_.waits[static_cast<std::size_t>(id)]; }
  ScopeNote& scope_note(int id) { return history_.scopes[static_cast<std::size_t>(id)]; }

  // Lives in a task's frame as its parameter, from before its start to its end.
  class TaskMark {
   public:
    TaskMark(ScopeRun& run, int scope, int parent)
        : run_(&run), id_(static_cast<int>(run.history_.tasks.size())) {
      run.history_.tasks.push_back({scope, parent, {}, {}, 0});
    }
    TaskMark(TaskMark&& other) noexcept
        : run_(std::exchange(other.run_, nullptr)), id_(other.id_) {}
    TaskMark& operator=(TaskMark&&) = delete;
    ~TaskMark() {
      if (run_ == nullptr) return;
      TaskNote& note = run_->task(id_);
      if (note.gone.happened()) run_->history_.violations.push_back("a task was destroyed twice");
      note.gone = run_->now();
      note.gone_event = run_->world_.kernel.events();
    }
    int id() const { return id_; }

   private:
    ScopeRun* run_;
    int id_;
  };

  // A scope and its entry among those that live.
  class ScopeMark {
   public:
    ScopeMark(ScopeRun& run, int parent, TaskScope& above) : run_(run), scope_(above) {
      id_ = run.add_scope(parent, scope_);
    }
    ~ScopeMark() { run_.remove_scope(id_); }
    ScopeMark(const ScopeMark&) = delete;
    ScopeMark& operator=(const ScopeMark&) = delete;
    int id() const { return id_; }
    TaskScope& scope() { return scope_; }

   private:
    ScopeRun& run_;
    TaskScope scope_;
    int id_;
  };

  int add_scope(int parent, TaskScope& scope) {
    const int id = static_cast<int>(history_.scopes.size());
    history_.scopes.push_back({parent, kNoTime, {}, {}});
    living_.emplace_back(id, &scope);
    return id;
  }
  void remove_scope(int id) {
    scope_note(id).ended = now();
    std::erase_if(living_, [id](const auto& entry) { return entry.first == id; });
  }
  void cancel_scope(int object) {
    if (living_.empty()) return;
    const auto [id, scope] = living_[static_cast<std::size_t>(object) % living_.size()];
    ScopeNote& note = scope_note(id);
    if (!note.cancelled.happened()) note.cancelled = now();
    scope->cancel();
  }

  // The next tick that lies `ticks` after the present one; -1: never.
  Deadline tick(int ticks) const {
    if (ticks < 0) return kNever;
    const std::int64_t present = (world_.kernel.now() + kTick - 1) / kTick;
    return MonotonicTime::at_ns((present + ticks) * kTick);
  }

  int begin(int task_id, WaitNote::On on, int object, Deadline deadline, bool ready = false) {
    WaitNote note;
    note.on = on;
    note.object = object;
    note.task = task_id;
    note.began = now();
    note.ready = ready;
    if (deadline != kNever) note.deadline = deadline.count_ns();
    history_.waits.push_back(note);
    return static_cast<int>(history_.waits.size()) - 1;
  }
  void end(int id, std::optional<ErrorCode> error = std::nullopt) {
    WaitNote& note = wait(id);
    ++note.resumptions;
    note.resumed = now();
    note.error = error;
  }
  template <class T>
  void end_with(int id, const Result<T>& result) {
    end(id, result ? std::nullopt : std::optional<ErrorCode>(result.error().code()));
  }

  void pulse(int object) {
    history_.signals.push_back({WaitNote::On::event, object, now()});
    const bool was_set = event(object).is_set();
    event(object).set();
    if (!was_set) event(object).reset();
  }
  Event& event(int object) { return events_[static_cast<std::size_t>(object % kEvents)]; }
  Device& device(int object) { return devices_[static_cast<std::size_t>(object % kDevices)]; }

  void act(const Action& action) {
    switch (action.kind) {
      case Action::Kind::pulse: return pulse(action.object % kEvents);
      case Action::Kind::set:
        history_.signals.push_back({WaitNote::On::event, action.object % kEvents, now()});
        return event(action.object).set();
      case Action::Kind::reset: return event(action.object).reset();
      case Action::Kind::device:
        history_.signals.push_back({WaitNote::On::device, action.object % kDevices, now()});
        while (!device(action.object).idle()) device(action.object).complete();
        return;
      case Action::Kind::cancel: return process_->ending() ? void() : cancel_scope(action.object);
      case Action::Kind::stop:
        if (process_->running()) stopped_since_ = world_.kernel.now();
        return process_->stop();
      case Action::Kind::proceed:
        if (stopped_since_ >= 0) history_.stops.emplace_back(stopped_since_, world_.kernel.now());
        stopped_since_ = -1;
        return process_->proceed();
      case Action::Kind::kill:
        if (!process_->ending()) history_.killed = now();
        return process_->kill();
      case Action::Kind::power:
        if (process_->alive()) history_.power_lost = now();
        return world_.host().lose_power();
    }
  }

  Task<void> main(Context& context) {
    add_scope(-1, context.scope);
    co_await run_script(program_.main, 0, context.scope, TaskMark(*this, 0, -1));
  }

  Task<void> run_script(const Script& script, int scope, TaskScope& own, TaskMark mark) {
    const int id = mark.id();
    for (const Step& step : script) co_await run_step(step, scope, own, id);
    task(id).finished = now();
  }

  Task<void> run_step(const Step& step, int scope, TaskScope& own, int id) {
    switch (step.kind) {
      case Step::Kind::sleep: co_await rest(step.ticks, id); break;
      case Step::Kind::wait: co_await wait_for(step, id); break;
      case Step::Kind::acquire: co_await acquire(step, id); break;
      case Step::Kind::device: co_await use_device(step, id); break;
      case Step::Kind::scope: co_await run_scope(step, scope, own, id); break;
      case Step::Kind::pulse: pulse(step.object % kEvents); break;
      case Step::Kind::send: co_await send(step, id); break;
      case Step::Kind::receive: co_await receive(step, id); break;
      case Step::Kind::cancel: cancel_scope(step.object); break;
    }
  }

  Task<void> rest(int ticks, int id) {
    const Deadline deadline = tick(ticks);
    const int wait = begin(id, WaitNote::On::sleep, 0, deadline);
    Result<void> slept = co_await sleep_until(deadline);
    end_with(wait, slept);
  }
  Task<void> wait_for(const Step& step, int id) {
    Event& waited = event(step.object);
    const Deadline deadline = tick(step.deadline);
    const int wait =
        begin(id, WaitNote::On::event, step.object % kEvents, deadline, waited.is_set());
    Result<void> woken = co_await waited.wait(deadline);
    end_with(wait, woken);
  }
  Task<void> acquire(const Step& step, int id) {
    const Deadline deadline = tick(step.deadline);
    const int wait = begin(id, WaitNote::On::units, 0, deadline);
    this->wait(wait).units = step.units;
    Result<Semaphore::Permit> permit = co_await units_.acquire(step.units, deadline);
    end_with(wait, permit);
    co_await rest(step.ticks, id);
  }
  Task<void> use_device(const Step& step, int id) {
    const int wait = begin(id, WaitNote::On::device, step.object % kDevices, kNever);
    co_await device(step.object).wait();
    end(wait);
  }
  Task<void> send(const Step& step, int id) {
    const int value = next_value_++;
    const Deadline deadline = tick(step.deadline);
    const int wait = begin(id, WaitNote::On::send, 0, deadline);
    Result<void> sent = co_await channel_.send(value, deadline);
    end_with(wait, sent);
    (sent ? history_.sent : history_.refused).push_back(value);
  }
  Task<void> receive(const Step& step, int id) {
    const Deadline deadline = tick(step.deadline);
    const int wait = begin(id, WaitNote::On::receive, 0, deadline);
    Result<int> value = co_await channel_.receive(deadline);
    end_with(wait, value);
    if (value) history_.received.push_back(*value);
  }
  Task<void> run_scope(const Step& step, int above, TaskScope& own, int id) {
    ScopeMark mark(*this, above, own);
    const Deadline deadline = tick(step.deadline);
    if (deadline != kNever) scope_note(mark.id()).deadline = deadline.count_ns();
    mark.scope().set_deadline(deadline);
    for (const Script& child : step.children) {
      mark.scope().spawn(
          run_script(child, mark.id(), mark.scope(), TaskMark(*this, mark.id(), id)));
    }
    if (step.then != Step::Then::join) co_await rest(step.ticks, id);
    if (step.then == Step::Then::leave) co_return;
    if (step.then == Step::Then::cancel) {
      ScopeNote& note = scope_note(mark.id());
      if (!note.cancelled.happened()) note.cancelled = now();
      mark.scope().cancel();
    }
    const int wait = begin(id, WaitNote::On::join, mark.id(), kNever);
    co_await mark.scope().join();
    end(wait);
  }

  const Program& program_;
  History history_;
  std::uint64_t order_ = 0;
  std::int64_t stopped_since_ = -1;
  int next_value_ = 0;
  std::vector<std::pair<int, TaskScope*>> living_;
  std::array<Event, kEvents> events_;
  std::array<Device, kDevices> devices_;
  Semaphore units_{kUnits};
  Channel<int> channel_{kCapacity};
  sim::SimProcess* process_ = nullptr;
  World world_;
};

}  // namespace drydock::test
