// "At the n-th occurrence of this event, run that."
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/runtime/wakeup.hpp"
#include "engine/types/events.hpp"

namespace drydock::sim {

class Triggers {
 public:
  // Runs `wakeup`, before anything else that is due, at the `occurrence`-th (from 1) event `name`
  // counted from the start of the run. It must stay alive until then. Each trigger is pulled once.
  void add(EventName name, std::uint64_t occurrence, Wakeup& wakeup) {
    waiting_.push_back({name, occurrence, &wakeup});
    watched_[index(name)] = true;
  }

  // Counts an occurrence; calls `pull(Wakeup&)` for every entry that it pulls, in the order in
  // which they were added. `pull` adds no trigger.
  template <class Pull>
  void count(EventName name, Pull pull) {
    const std::uint64_t occurrence = ++counts_[index(name)];
    if (!watched_[index(name)]) return;
    std::erase_if(waiting_, [&](const Entry& entry) {
      if (entry.name != name || entry.occurrence != occurrence) return false;
      pull(*entry.wakeup);
      return true;
    });
  }

  std::uint64_t occurrences(EventName name) const { return counts_[index(name)]; }

 private:
  static constexpr std::size_t kNames = static_cast<std::size_t>(EventName::count_);
  static constexpr std::size_t index(EventName name) { return static_cast<std::size_t>(name); }
  struct Entry {
    EventName name;
    std::uint64_t occurrence;
    Wakeup* wakeup;
  };

  std::vector<Entry> waiting_;
  std::array<bool, kNames> watched_{};
  std::array<std::uint64_t, kNames> counts_{};
};

}  // namespace drydock::sim
