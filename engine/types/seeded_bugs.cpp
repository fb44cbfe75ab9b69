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
    case SeededBug::recovery_starts_at_newest_file: return "recovery-starts-at-newest-file";
    case SeededBug::recovery_appends_behind_hole: return "recovery-appends-behind-hole";
    case SeededBug::load_refuses_unfinished_file: return "load-refuses-unfinished-file";
    case SeededBug::replica_checkpoint_stays: return "replica-checkpoint-stays";
    case SeededBug::copy_wait_counts_wakeups: return "copy-wait-counts-wakeups";
    case SeededBug::slave_pulls_no_offsets: return "slave-pulls-no-offsets";
    case SeededBug::disk_stays_full: return "disk-stays-full";
    case SeededBug::index_chain_loops: return "index-chain-loops";
    case SeededBug::load_refuses_short_queue: return "load-refuses-short-queue";
    case SeededBug::pull_answers_backwards: return "pull-answers-backwards";
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
