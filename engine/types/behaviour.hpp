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

// What each one does, and which test shows both of its sides: `describe`.
enum class BehaviourSwitch : std::uint16_t {
  flush_error_advances_position,
  queue_write_error_advances_position,
  queue_keeps_unit_of_zeros,
  queue_dropped_on_full_disk,
  queue_counts_filler,
  queue_gap_shifts_numbers,
  abort_not_synced,
  files_names_not_synced,
  recovery_skips_record_at_queue_end,
  recovery_counts_tail_as_flushed,
  recovery_leaves_old_records,
  checkpoint_ahead_of_queues,
  index_forgets_unfinished_file,
  config_rewritten_in_place,
  offsets_may_exceed_queue,
  internal_writes_not_awaited,
  registration_waits_for_files,
  topic_numbers_start_again,
  ha_sync_waits_for_nobody,
  ha_slave_acks_before_flush,
  ha_report_beyond_end_counts,
  ha_ships_nothing_deleted,
  jvm_safepoint_coupling,
  count_,
};

enum class BehaviourValue : std::uint8_t { faithful, hardened };

// A switch in words.
struct BehaviourText {
  std::string_view name;      // "flush.error-advances-position" and so on.
  std::string_view faithful;  // What RocketMQ 5.3.3 does.
  std::string_view hardened;  // The repaired variant.
  // Tests that show both sides, with commas between: "Suite.Name" of GoogleTest, or the path of a
  // scenario.
  std::string_view shown_by;
  std::string_view source;  // Where the hazard is described: S storage reference, H its twin about
                            // replication, B incidents.
};
const BehaviourText& describe(BehaviourSwitch which);
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
