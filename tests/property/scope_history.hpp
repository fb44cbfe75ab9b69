// What a run of a random program left behind, and the laws that it has to obey. The laws know
// nothing of how scopes and waiters are made: they follow from times and from who belongs to whom.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/types/result.hpp"

namespace drydock::test {

constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::max();

// A moment: virtual time, and the place in the order of everything that was noted.
struct Moment {
  std::int64_t time = kNoTime;
  std::uint64_t order = std::numeric_limits<std::uint64_t>::max();
  bool happened() const { return time != kNoTime; }
  friend auto operator<=>(const Moment&, const Moment&) = default;
};

struct ScopeNote {
  int parent = -1;
  std::int64_t deadline = kNoTime;
  Moment cancelled;  // By a call; deadlines are worked out.
  Moment ended;
};

struct TaskNote {
  int scope = 0;
  int parent = -1;  // The task that owns the scope.
  Moment finished;
  Moment gone;
  std::uint64_t gone_event = 0;  // Number of kernel events before it went.
};

struct WaitNote {
  enum class On { sleep, event, units, device, send, receive, join };
  On on = On::sleep;
  int object = 0;
  std::uint64_t units = 0;
  int task = 0;
  Moment began;
  bool ready = false;  // Fulfilled without waiting.
  std::int64_t deadline = kNoTime;
  Moment resumed;
  int resumptions = 0;
  std::optional<ErrorCode> error;  // How it ended, if not well.
};

struct Signal {
  WaitNote::On on = WaitNote::On::event;
  int object = 0;
  Moment moment;
};

struct History {
  std::vector<ScopeNote> scopes;
  std::vector<TaskNote> tasks;
  std::vector<WaitNote> waits;
  std::vector<Signal> signals;
  std::vector<std::pair<std::int64_t, std::int64_t>> stops;  // [from, to)
  Moment killed;
  Moment power_lost;
  std::int64_t ended = 0;       // Virtual time at which nothing was left to run.
  bool running_at_end = false;  // The process lives and is not stopped.
  std::uint64_t units = 0;      // In all.
  std::uint64_t free_units = 0;
  std::size_t queued = 0;
  std::size_t capacity = 0;
  std::vector<int> sent;                // By sends that returned well,
  std::vector<int> refused;             // and by those that did not.
  std::vector<int> received;            // What is still queued at the end included.
  std::vector<std::string> violations;  // Seen while it ran.
};

class Laws {
 public:
  explicit Laws(const History& history) : history_(history) {}

  // Empty if all laws hold, else what is wrong.
  std::string check() {
    for (const std::string& violation : history_.violations) complain(violation);
    nothing_runs_after_its_end();
    children_go_before_parents();
    the_youngest_goes_first();
    for (std::size_t i = 0; i < history_.waits.size(); ++i) wait_ends_by_its_first_cause(i);
    kills_take_effect();
    joins_see_every_task_gone();
    units_are_granted_in_order();
    nothing_waits_in_vain();
    no_value_is_lost();
    return complaints_;
  }

 private:
  using On = WaitNote::On;
  void complain(const std::string& text) { complaints_ += text + "\n"; }
  static std::string name(std::size_t wait) { return "wait " + std::to_string(wait); }
  Moment end_of_running() const { return std::min(history_.killed, history_.power_lost); }

  // When something that comes due at `time` gets to run.
  std::int64_t runs_at(std::int64_t time) const {
    for (const auto& [from, to] : history_.stops) {
      if (time >= from && time < to) time = to;
    }
    return time >= end_of_running().time ? kNoTime : time;
  }

  void nothing_runs_after_its_end() {
    for (std::size_t i = 0; i < history_.waits.size(); ++i) {
      const WaitNote& wait = history_.waits[i];
      if (wait.resumptions > 1) complain(name(i) + " was resumed more than once");
      if (!wait.resumed.happened()) continue;
      if (wait.resumed > history_.tasks[static_cast<std::size_t>(wait.task)].gone) {
        complain(name(i) + " was resumed after its task was destroyed");
      }
      if (wait.resumed > end_of_running()) complain(name(i) + " was resumed after a kill");
    }
  }

  void children_go_before_parents() {
    for (std::size_t i = 0; i < history_.tasks.size(); ++i) {
      const TaskNote& task = history_.tasks[i];
      if (task.parent < 0) continue;
      const TaskNote& parent = history_.tasks[static_cast<std::size_t>(task.parent)];
      if (parent.gone < task.gone) complain("task " + std::to_string(i) + " outlived its parent");
    }
  }

  void the_youngest_goes_first() {
    for (std::size_t younger = 0; younger < history_.tasks.size(); ++younger) {
      for (std::size_t older = 0; older < younger; ++older) {
        const TaskNote& a = history_.tasks[older];
        const TaskNote& b = history_.tasks[younger];
        if (a.scope != b.scope || a.finished.happened() || b.finished.happened()) continue;
        if (a.gone_event == b.gone_event && a.gone < b.gone) {
          complain("task " + std::to_string(older) + " was destroyed before a younger one");
        }
      }
    }
  }

  // The first explicit cancellation at or after the wait began, and the first scope deadline.
  void causes_of_scopes(const WaitNote& wait, Moment& cancelled, std::int64_t& expired) const {
    int scope = history_.tasks[static_cast<std::size_t>(wait.task)].scope;
    for (; scope >= 0; scope = history_.scopes[static_cast<std::size_t>(scope)].parent) {
      const ScopeNote& note = history_.scopes[static_cast<std::size_t>(scope)];
      cancelled = std::min(cancelled, std::max(note.cancelled, wait.began));
      if (note.deadline == kNoTime) continue;
      expired = std::min(expired, std::max(runs_at(note.deadline), wait.began.time));
    }
  }
  Moment signal_of(const WaitNote& wait) const {
    Moment first;
    for (const Signal& signal : history_.signals) {
      if (signal.on != wait.on || signal.object != wait.object) continue;
      if (signal.moment > wait.began) first = std::min(first, signal.moment);
    }
    return first;
  }

  void wait_ends_by_its_first_cause(std::size_t index) {
    const WaitNote& wait = history_.waits[index];
    if (wait.on == On::join) return;
    if (wait.ready) {
      if (!wait.resumed.happened() || wait.error) complain(name(index) + " should not have waited");
      return;
    }
    Moment cancelled;
    std::int64_t expired = kNoTime;
    if (wait.on != On::device) causes_of_scopes(wait, cancelled, expired);
    const Moment signalled = signal_of(wait);
    const std::int64_t deadline =
        wait.deadline == kNoTime ? kNoTime : std::max(wait.deadline, wait.began.time);
    const std::int64_t first = std::min({cancelled.time, expired, signalled.time, deadline});
    const bool granted_by_others =
        wait.on == On::units || wait.on == On::send || wait.on == On::receive;

    if (!wait.resumed.happened()) {
      const Moment gone = history_.tasks[static_cast<std::size_t>(wait.task)].gone;
      const std::int64_t end = gone.happened() ? gone.time : history_.ended;
      if (runs_at(first) < end) complain(name(index) + " was never resumed");
      return;
    }
    if (granted_by_others && !wait.error) {
      if (wait.resumed.time > runs_at(first)) complain(name(index) + " was served too late");
      return;
    }
    if (wait.resumed.time != runs_at(first)) {
      complain(name(index) + " was resumed at " + std::to_string(wait.resumed.time) + ", not at " +
               std::to_string(runs_at(first)));
      return;
    }
    const bool by_signal = !wait.error && wait.on != On::sleep;
    const bool by_deadline =
        wait.on == On::sleep ? !wait.error : wait.error == ErrorCode::timed_out;
    bool possible = false;
    if (by_signal) possible = signalled.time == first && signalled < cancelled;
    if (by_deadline && deadline == first) possible = true;
    if (wait.error == ErrorCode::timed_out && expired == first) possible = true;
    if (wait.error == ErrorCode::cancelled) {
      possible = cancelled.time == first && cancelled < signalled;
    }
    if (!possible) complain(name(index) + " ended by another cause than its first");
  }

  void kills_take_effect() {
    const Moment killed = history_.killed;
    if (!killed.happened() || history_.power_lost < killed) {
      check_burial(history_.power_lost);
      return;
    }
    std::int64_t burial = killed.time;
    for (const WaitNote& wait : history_.waits) {
      if (wait.on != On::device || wait.began > killed || wait.ready) continue;
      if (wait.resumed.happened() && wait.resumed < killed) continue;
      if (history_.tasks[static_cast<std::size_t>(wait.task)].gone < killed) continue;
      burial = std::max(burial, signal_of(wait).time);
    }
    Moment moment = killed;
    moment.time = std::min(burial, history_.power_lost.time);
    check_burial(moment);
  }
  void check_burial(Moment end) {
    for (std::size_t i = 0; i < history_.tasks.size(); ++i) {
      const TaskNote& task = history_.tasks[i];
      if (task.gone < std::min(history_.killed, history_.power_lost)) continue;
      if (task.gone.time != end.time) {
        complain("task " + std::to_string(i) + " went at " + std::to_string(task.gone.time) +
                 " instead of " + std::to_string(end.time));
      }
    }
  }

  void joins_see_every_task_gone() {
    for (std::size_t i = 0; i < history_.waits.size(); ++i) {
      const WaitNote& wait = history_.waits[i];
      if (wait.on != On::join) continue;
      Moment last = wait.began;
      for (const TaskNote& task : history_.tasks) {
        if (task.scope == wait.object) last = std::max(last, task.gone);
      }
      if (wait.resumed.happened()) {
        if (wait.resumed < last) complain(name(i) + ": a joined task was still there");
        if (wait.resumed.time != runs_at(last.time)) complain(name(i) + ": the join came late");
      } else if (runs_at(last.time) <
                 history_.tasks[static_cast<std::size_t>(wait.task)].gone.time) {
        complain(name(i) + ": the join never returned");
      }
    }
  }

  // Nobody overtakes. A grant may still be on its way when a later request is served at once.
  void units_are_granted_in_order() {
    for (const WaitNote& later : history_.waits) {
      if (later.on != On::units || !later.resumed.happened() || later.error) continue;
      for (const WaitNote& earlier : history_.waits) {
        if (earlier.on != On::units || earlier.began > later.began) continue;
        if (!earlier.resumed.happened() || earlier.error) continue;
        if (earlier.resumed.time > later.resumed.time)
          complain("a request for units was overtaken");
      }
    }
  }

  void nothing_waits_in_vain() {
    if (!history_.running_at_end) return;
    const WaitNote* first = nullptr;
    for (const WaitNote& wait : history_.waits) {
      if (wait.resumed.happened()) continue;
      if (history_.tasks[static_cast<std::size_t>(wait.task)].gone.happened()) continue;
      if (wait.on == On::units && (first == nullptr || wait.began < first->began)) first = &wait;
      if (wait.on == On::receive && history_.queued > 0)
        complain("a receiver waits for a value that is there");
      if (wait.on == On::send && history_.queued < history_.capacity)
        complain("a sender waits although there is room");
    }
    if (first != nullptr && first->units <= history_.free_units) {
      complain("units are free, but their first waiter waits");
    }
    if (history_.tasks.front().finished.happened() && history_.free_units != history_.units) {
      complain("units were lost");
    }
  }

  void no_value_is_lost() {
    if (end_of_running().happened()) return;
    std::vector<int> received = history_.received;
    std::ranges::sort(received);
    if (std::ranges::adjacent_find(received) != received.end()) complain("a value came twice");
    for (const int value : history_.sent) {
      if (!std::ranges::binary_search(received, value)) complain("a value was lost");
    }
    for (const int value : history_.refused) {
      if (std::ranges::binary_search(received, value)) complain("a refused value arrived");
    }
  }

  const History& history_;
  std::string complaints_;
};

}  // namespace drydock::test
