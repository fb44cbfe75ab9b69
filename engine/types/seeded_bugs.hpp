// Mistakes that are planted on purpose, to show that a checker finds them.
//
// A checker that has never failed proves nothing. Each of these is a mistake that somebody could
// make in this engine; a test plants it, runs a drill, and demands that the drill fails. None is
// ever there unless a scenario asks for it by name (`behaviour.bugs`), and the report says so.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>

namespace drydock {

enum class SeededBug : std::uint16_t {
  ack_before_flush,  // SYNC_FLUSH answers SEND_OK without waiting for the flush.
  ack_before_copy,   // A SYNC_MASTER answers SEND_OK without waiting for its slaves.
  // Half of the sends are answered with SEND_OK at once and stored up to half a second later: what
  // their producer sends next may be stored before them.
  ack_before_append,
  // Recovery believes the total of a record, whatever the checksum of its body and the lengths
  // inside it say.
  recovery_keeps_torn_record,
  // Recovery takes what the queues know for everything that the log has: nothing is dispatched
  // again.
  dispatch_skips_tail,
  // Recovery cuts the log behind the record that it refuses, not in front of it: half a message,
  // which is how the log of a slave ends when its master goes, becomes a part of the log.
  promotion_keeps_half_message,
  // After a crash recovery begins at the newest file of the log, whatever the checkpoint says: what
  // was not dispatched of the file before never comes to its queue (apache/rocketmq#1434).
  recovery_starts_at_newest_file,
  // After a crash the next record goes to the next page of 4 KiB, not to the end of the last
  // record: the recovery after that ends at the zeros between (cloudamqp/lavinmq#384).
  recovery_appends_behind_hole,
  // A last file of the log in which nothing is written yet counts as damaged, and the store does
  // not start (logcabin/logcabin#221).
  load_refuses_unfinished_file,
  // A replica does not write down how far its log has come: after a crash it reads all of it
  // (apache/rocketmq#1456).
  replica_checkpoint_stays,
  // Who waits for a copy gives up after five wake-ups, whoever caused them, not at its deadline
  // (apache/rocketmq#1244).
  copy_wait_counts_wakeups,
  // A slave asks its master for everything but the offsets of consumers (alibaba/rocketmq#28).
  slave_pulls_no_offsets,
  // A disk that was too full once stays so for the broker, whatever is freed
  // (alibaba/rocketmq#331).
  disk_stays_full,
  // Entries of an index file link to each other by twos, not to the one before in their chain: who
  // follows it never comes to an end (apache/rocketmq PR #8018).
  index_chain_loops,
  // A queue that is found shorter than its minimum refuses the start, not that it is corrected
  // (apache/rocketmq#10108).
  load_refuses_short_queue,
  // The answer to a pull has its messages in the wrong order.
  pull_answers_backwards,
  count_,
};

std::string_view name_of(SeededBug bug);
std::optional<SeededBug> seeded_bug_named(std::string_view name);

class SeededBugs {
 public:
  void plant(SeededBug bug) { planted_.set(static_cast<std::size_t>(bug)); }
  bool has(SeededBug bug) const { return planted_.test(static_cast<std::size_t>(bug)); }

 private:
  std::bitset<static_cast<std::size_t>(SeededBug::count_)> planted_;
};

}  // namespace drydock
