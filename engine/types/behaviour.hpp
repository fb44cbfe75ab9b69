// Switches between what RocketMQ does and what would be safe.
//
// Each hazardous default or quirk of RocketMQ that the engine models has a switch named
// `area.what-it-does`. `faithful` is what RocketMQ 5.3.3 does, `hardened` is the repaired variant.
// A preset sets all of them; single ones can be set on top.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace drydock {

enum class BehaviourSwitch : std::uint16_t {
  // faithful: an fsync that fails is logged, the flushed position moves on and waiting sends are
  // answered with success (RocketMQ 5.3.x). hardened: the position stays, waiting sends get
  // FLUSH_DISK_TIMEOUT (outcome unknown) and the store takes no further message.
  flush_error_advances_position,
  // faithful: a unit that could not be written into its consume queue counts as written and leaves
  // a hole (5.3.x). hardened: it is tried again, 30 times a second apart, then the store takes no
  // further message.
  queue_write_error_advances_position,
  // faithful: after an orderly stop recovery dispatches only records that start behind the largest
  // end that a consume queue knows, so one that starts exactly there gets no unit (5.3.2, 5.3.3).
  // hardened: that one too.
  recovery_skips_record_at_queue_end,
  // faithful: config/*.json is cut to nothing and written again, without a sync; its former content
  // is in X.bak, written in the same way just before. hardened: a new file is synced and renamed
  // over the old one, so that one of the two contents is always there.
  config_rewritten_in_place,
  // faithful: a safepoint of the broker's Java virtual machine waits for a thread that is stuck in
  // a store into, or a load from, a mapped file, and every other thread stands still until it comes
  // back. hardened: it does not wait, as if such accesses were native calls.
  jvm_safepoint_coupling,
  // faithful: a slave acknowledges what it has in memory (HA reference, 1.4). hardened: what it has
  // flushed; with ASYNC_FLUSH, whose flushes come every 500 ms, it flushes before it reports.
  ha_slave_acks_before_flush,
  // faithful: a report of a slave beyond the end of its master's log counts, and releases every
  // send
  // up to there (HA reference, 1.5). hardened: the master ends the connection, and takes none from
  // that address in the rest of its life: such a slave follows another history.
  ha_report_beyond_end_counts,
  count_,
};

enum class BehaviourValue : std::uint8_t { faithful, hardened };

// "flush.error-advances-position" and so on.
std::string_view name_of(BehaviourSwitch which);
std::optional<BehaviourSwitch> behaviour_switch_named(std::string_view name);

class Behaviour {
 public:
  // The preset "rocketmq-5.3.3": everything faithful.
  Behaviour() = default;

  // A preset by name, or none if there is no such preset.
  static std::optional<Behaviour> preset(std::string_view name);
  static std::span<const std::string_view> preset_names();

  void set(BehaviourSwitch which, BehaviourValue value) {
    hardened_.set(static_cast<std::size_t>(which), value == BehaviourValue::hardened);
  }
  bool hardened(BehaviourSwitch which) const {
    return hardened_.test(static_cast<std::size_t>(which));
  }
  bool faithful(BehaviourSwitch which) const { return !hardened(which); }

 private:
  std::bitset<static_cast<std::size_t>(BehaviourSwitch::count_)> hardened_;
};

}  // namespace drydock
