#include "engine/types/behaviour.hpp"

#include <array>

namespace drydock {

namespace {

constexpr std::array<std::string_view, 2> kPresets = {"rocketmq-5.3.3", "hardened"};

}  // namespace

std::string_view name_of(BehaviourSwitch which) {
  switch (which) {
    case BehaviourSwitch::flush_error_advances_position: return "flush.error-advances-position";
    case BehaviourSwitch::queue_write_error_advances_position:
      return "queue.write-error-advances-position";
    case BehaviourSwitch::recovery_skips_record_at_queue_end:
      return "recovery.skips-record-at-queue-end";
    case BehaviourSwitch::config_rewritten_in_place: return "config.rewritten-in-place";
    case BehaviourSwitch::jvm_safepoint_coupling: return "jvm.safepoint-coupling";
    case BehaviourSwitch::ha_slave_acks_before_flush: return "ha.slave-acks-before-flush";
    case BehaviourSwitch::ha_report_beyond_end_counts: return "ha.report-beyond-end-counts";
    case BehaviourSwitch::count_: break;
  }
  return "unnamed";
}

std::optional<BehaviourSwitch> behaviour_switch_named(std::string_view name) {
  for (std::uint16_t i = 0; i < static_cast<std::uint16_t>(BehaviourSwitch::count_); ++i) {
    const auto which = static_cast<BehaviourSwitch>(i);
    if (name_of(which) == name) return which;
  }
  return std::nullopt;
}

std::optional<Behaviour> Behaviour::preset(std::string_view name) {
  Behaviour behaviour;
  if (name == kPresets[0]) return behaviour;
  if (name != kPresets[1]) return std::nullopt;
  behaviour.hardened_.set();
  return behaviour;
}

std::span<const std::string_view> Behaviour::preset_names() { return kPresets; }

}  // namespace drydock
