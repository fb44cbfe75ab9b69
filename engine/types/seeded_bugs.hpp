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
