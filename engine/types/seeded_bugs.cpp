#include "engine/types/seeded_bugs.hpp"

namespace drydock {

std::string_view name_of(SeededBug bug) {
  switch (bug) {
    case SeededBug::ack_before_flush: return "ack-before-flush";
    case SeededBug::ack_before_copy: return "ack-before-copy";
    case SeededBug::ack_before_append: return "ack-before-append";
    case SeededBug::recovery_keeps_torn_record: return "recovery-keeps-torn-record";
    case SeededBug::dispatch_skips_tail: return "dispatch-skips-tail";
    case SeededBug::promotion_keeps_half_message: return "promotion-keeps-half-message";
    case SeededBug::count_: break;
  }
  return "unnamed";
}

std::optional<SeededBug> seeded_bug_named(std::string_view name) {
  for (std::uint16_t i = 0; i < static_cast<std::uint16_t>(SeededBug::count_); ++i) {
    const auto bug = static_cast<SeededBug>(i);
    if (name_of(bug) == name) return bug;
  }
  return std::nullopt;
}

}  // namespace drydock
