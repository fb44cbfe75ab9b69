// Reservations of a namespace a second time, as simple as can be: a list of (host, key), a type, a
// holder, a generation. Written from the reference's tables alone; it shares no code with the
// simulated device, and knows the three targets by name instead of by options.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace drydock::test {

enum class Target : std::uint8_t { spec, nvmet, spdk };

// Statuses as on the wire.
inline constexpr int kOk = 0x00;
inline constexpr int kOpcode = 0x01;
inline constexpr int kField = 0x02;
inline constexpr int kConflict = 0x83;

struct ReservationModel {
  struct Entry {
    int host;
    std::uint64_t key;
  };
  using Told = std::vector<std::pair<int, int>>;  // Host and kind of notice.

  Target target = Target::spec;
  std::vector<Entry> list;  // The eldest first.
  int type = 0;
  int holder = -1;  // Under types 5 and 6 the one that acquired, or the eldest that is left.
  std::uint64_t taken_with = 0;  // The holder's key when it became that.
  std::uint32_t generation = 0;
  bool persists = false;

  // Of the last command.
  Told told;
  std::vector<int> preempted;

  bool spdk() const { return target == Target::spdk; }
  bool shared() const { return type == 5 || type == 6; }
  const Entry* entry(int host) const {
    for (const Entry& one : list) {
      if (one.host == host) return &one;
    }
    return nullptr;
  }
  bool registered(int host) const { return entry(host) != nullptr; }
  bool has_key(int host, std::uint64_t key) const {
    return registered(host) && entry(host)->key == key;
  }

  // Section 5. Action: 0 register, 1 unregister, 2 replace; cptpl as on the wire.
  int register_command(int host, int action, std::uint64_t current, std::uint64_t next, bool ignore,
                       int cptpl) {
    forget_answers();
    const int status = register_action(host, action, current, next, ignore);
    if (status == kOk && target != Target::nvmet) {
      if (cptpl == 3) persists = true;
      if (cptpl == 2) persists = false;
    }
    return status;
  }

  // Section 6. Action: 0 acquire, 1 preempt, 2 preempt and abort.
  int acquire_command(int host, int action, std::uint64_t current, std::uint64_t victim, int wanted,
                      bool ignore) {
    forget_answers();
    if (ignore || wanted < 1 || wanted > 6) return kField;
    if (!has_key(host, current)) return kConflict;
    if (action > 2) return target == Target::nvmet ? kOpcode : kField;
    if (action > 0) return preempt(host, victim, wanted);
    if (type == 0) {
      hold(host, wanted);
      return kOk;
    }
    const bool mine = host == holder || (shared() && target != Target::nvmet);
    return mine && type == wanted ? kOk : kConflict;
  }

  // Section 7. Action: 0 release, 1 clear.
  int release_command(int host, int action, std::uint64_t current, int released, bool ignore) {
    forget_answers();
    if (ignore) return kField;
    if (!has_key(host, current)) return kConflict;
    if (action > 1) return target == Target::nvmet ? kOpcode : kField;
    if (action == 1) {
      tell_all_but(host, 3);
      generation += spdk() ? static_cast<std::uint32_t>(list.size()) : 1;
      list.clear();
      type = 0;
      holder = -1;
      return kOk;
    }
    if (type == 0) return kOk;
    const bool mine = host == holder || (shared() && target != Target::nvmet);
    if (spdk() && released != type) return kField;
    if (!mine) return kOk;
    if (released != type) return target == Target::nvmet ? kConflict : kField;
    if (type >= 3) tell_all_but(host, 2);
    type = 0;
    holder = -1;
    return kOk;
  }

  // Section 10.
  void power_loss() {
    forget_answers();
    if (persists) return;
    list.clear();
    type = 0;
    holder = -1;
    generation = 0;
  }

  // Section 4. Role: 0 holder, 1 registrant, 2 stranger.
  bool may(int host, bool writes) const {
    static constexpr const char* kRights[7][3] = {
        {"rw", "rw", "rw"}, {"rw", "r-", "r-"}, {"rw", "--", "--"}, {"rw", "rw", "r-"},
        {"rw", "rw", "--"}, {"rw", "rw", "r-"}, {"rw", "rw", "--"}};
    int role = 2;
    if (registered(host)) role = host == holder || shared() ? 0 : 1;
    return kRights[type][role][writes ? 1 : 0] != '-';
  }

  // Section 8.
  bool marked(int host) const {
    if (type == 0) return false;
    return host == holder || (shared() && !spdk());
  }

 private:
  void forget_answers() {
    told.clear();
    preempted.clear();
  }
  void tell_all_but(int host, int kind) {
    for (const Entry& one : list) {
      if (one.host != host) told.emplace_back(one.host, kind);
    }
  }
  void hold(int host, int wanted) {
    holder = host;
    type = wanted;
    taken_with = entry(host)->key;
  }

  int register_action(int host, int action, std::uint64_t current, std::uint64_t next,
                      bool ignore) {
    if (action > 2) return target == Target::nvmet ? kOpcode : kField;
    const bool known = registered(host);
    if (action == 0 && known) {
      if (!has_key(host, next)) return kConflict;
      if (!spdk()) ++generation;
      return kOk;
    }
    if (action == 0 || action == 2) {
      if (next == 0 && spdk()) return kField;
      if (action == 2 && !known && !ignore) return kConflict;
      if (!known) {
        list.push_back({host, next});
        ++generation;
        return kOk;
      }
      if (!ignore && !has_key(host, current)) return kConflict;
      for (Entry& one : list) {
        if (one.host == host) one.key = next;
      }
      if (!spdk()) ++generation;
      return kOk;
    }
    if (!known) return kConflict;
    if (!ignore && !has_key(host, current)) return kConflict;
    if (host == holder && (type == 3 || type == 4)) tell_all_but(host, 2);
    drop(host);
    ++generation;
    return kOk;
  }

  int preempt(int host, std::uint64_t victim, int wanted) {
    if (shared() && victim == 0) {
      const int kept = spdk() ? type : wanted;
      const std::uint32_t gone =
          drop_preempted(host, [host](const Entry& e) { return e.host != host; });
      hold(host, kept);
      generation += spdk() ? gone : 1;
      return kOk;
    }
    if (type != 0 && !shared()) {
      const std::uint64_t holders = spdk() ? taken_with : entry(holder)->key;
      if (victim == holders) return preempt_holder(host, victim, wanted);
      if (victim == 0) return spdk() ? kConflict : kField;
    }
    const bool conflicts = shared() || !spdk();
    const std::uint32_t gone =
        drop_preempted(host, [victim](const Entry& e) { return e.key == victim; });
    if (gone == 0) return conflicts ? kConflict : kOk;
    generation += spdk() ? gone : 1;
    return kOk;
  }

  int preempt_holder(int host, std::uint64_t victim, int wanted) {
    const int before = type;
    std::uint32_t gone = 0;
    if (host == holder && spdk()) {
      type = wanted;
    } else {
      hold(host, wanted);  // First, so that removing the old holder leaves the reservation.
      gone =
          drop_preempted(host, [&](const Entry& e) { return e.key == victim && e.host != host; });
    }
    generation += spdk() ? gone : 1;
    if (spdk() || before != type) tell_all_but(host, 2);
    return kOk;
  }

  template <class Which>
  std::uint32_t drop_preempted(int issuer, Which which) {
    std::vector<int> gone;
    for (const Entry& one : list) {
      if (which(one)) gone.push_back(one.host);
    }
    for (const int host : gone) {
      if (host != issuer) told.emplace_back(host, 1);
      if (host != issuer) preempted.push_back(host);
      drop(host);
    }
    return static_cast<std::uint32_t>(gone.size());
  }

  void drop(int host) {
    std::erase_if(list, [host](const Entry& one) { return one.host == host; });
    if (type == 0 || host != holder) return;
    if (shared() && !list.empty()) {
      holder = list.front().host;
    } else {
      type = 0;
      holder = -1;
    }
  }
};

}  // namespace drydock::test
