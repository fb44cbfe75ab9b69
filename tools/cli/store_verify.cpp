// drydock store verify: whether a store is in order, and what recovery would make of it.
//
// What it looks at: names, sizes and order of the log's files; every byte of them; the checkpoint
// and the abort file; whether the index agrees with the log. What it does not: consume queues
// beyond how far they know the log, which decides where recovery begins; a broker makes them again
// from the log.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "scenarios/drill/drill.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/store_files.hpp"
#include "tools/cli/store_index_check.hpp"
#include "tools/cli/store_start.hpp"
#include "tools/cli/store_walk.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {
namespace {

using Kind = LogPiece::Kind;
using PropertyChecksum = scenarios::DecodedRecord::PropertyChecksum;

constexpr std::size_t kFindingsShown = 20;
constexpr std::int64_t kCheckpointFileBytes = 4096;  // Storage reference, 5.1.
constexpr std::size_t kCheckpointFieldBytes = 40;

// How many findings there are; the first ones are printed as they come.
class Findings {
 public:
  void add(const std::string& line) {
    if (++count_ <= kFindingsShown) std::printf("damage: %s\n", printable(line).c_str());
  }
  std::size_t count() const { return count_; }
  void finish() const {
    if (count_ > kFindingsShown) std::printf("damage: and %zu more\n", count_ - kFindingsShown);
  }

 private:
  std::size_t count_ = 0;
};

// What is known of the log after the walk.
struct LogState {
  std::int64_t messages = 0;         // In front of `end`.
  std::int64_t end = 0;              // Where the next start ends it.
  bool ended = false;                // Something that is no record has been met.
  std::string end_why;               // What.
  std::int64_t last_used = 0;        // End of the last byte that is not zero, blanks left out.
  std::int64_t messages_behind = 0;  // Behind `end`.
  std::int64_t newest_ms = 0;        // The newest store time in front of `end`.
  std::int64_t property_crcs = 0;    // Messages that have one, right or wrong.
  std::int64_t begin = 0;            // Of the file at which the next start begins to read.
  bool damage_in_front = false;      // Of that file: it stays.
};

class LogCheck {
 public:
  // `start`: the file at which recovery begins.
  LogCheck(const StoreFiles& store, std::size_t start, IndexCheck& index, Findings& findings)
      : store_(store), start_(start), index_(index), findings_(findings) {}

  LogState run() {
    for (const std::string& path : store_.blocked) {
      findings_.add(path + " is a directory: a broker can't put the file of the log there");
    }
    for (std::size_t i = 0; i < store_.files.size(); ++i) {
      const LogFile& file = store_.files[i];
      const bool last = i + 1 == store_.files.size();
      if (last && file.bytes == 0) {
        std::printf("note: %s is empty: a broker removes it at start\n", file.path.c_str());
        break;
      }
      if (!check_name(file)) continue;
      check_size(file);
      check_order(file);
      if (i == start_) begin_recovery(file);
      const MappedInput input(file.path);
      walk_pieces(*file.begin, input.bytes(), [this](const LogPiece& piece) { take(piece); });
      if (!last) check_closed(file);
      next_ = *file.begin + store_.file_bytes;
    }
    note_records_behind();
    return state_;
  }

 private:
  // What has been met so far is in front of what recovery reads.
  void begin_recovery(const LogFile& file) {
    note_records_behind();
    state_.damage_in_front = state_.ended || damage_seen_;
    state_.begin = state_.end = *file.begin;
    state_.messages += state_.messages_behind;
    state_.messages_behind = 0;
    state_.ended = false;
    damage_seen_ = false;
    recovering_ = true;
  }
  void note_records_behind() {
    if (state_.messages_behind == 0 || damage_seen_) return;
    findings_.add("at " + std::to_string(state_.end) + ": " + state_.end_why +
                  ", but there are records behind it");
  }
  bool check_name(const LogFile& file) {
    if (!file.begin) {
      findings_.add(file.path + " is not named by an offset: a broker refuses to start");
      return false;
    }
    // Numbers of another length sort to another place.
    if (file.name.size() != 20) findings_.add(file.path + ": a name has 20 digits");
    return true;
  }
  void check_size(const LogFile& file) {
    if (file.bytes == store_.file_bytes) return;
    findings_.add(file.path + " has " + std::to_string(file.bytes) + " bytes, not " +
                  std::to_string(store_.file_bytes) + ": a broker refuses to start");
  }
  void check_order(const LogFile& file) {
    if (next_ < 0) {
      state_.end = *file.begin;
    } else if (*file.begin != next_) {
      findings_.add("the file at " + std::to_string(next_) + " is missing in front of " +
                    file.path);
    }
  }

  // Recovery goes on to the next file only at a blank.
  void check_closed(const LogFile& file) {
    if (state_.ended || file.bytes == 0 || state_.end != *file.begin + file.bytes) return;
    damage_seen_ = true;
    findings_.add(file.path + " ends without a blank record");
    end_at(state_.end, "a file ends without a blank record");
  }

  void take(const LogPiece& piece) {
    switch (piece.kind) {
      case Kind::message: take_message(piece); break;
      case Kind::blank:
        if (!state_.ended) state_.end_why = "a blank";
        break;
      case Kind::zeros: end_at(piece.offset, "zeros to the end of the file"); break;
      case Kind::damage:
        damage_seen_ = true;
        end_at(piece.offset, piece.why);
        findings_.add("at " + std::to_string(piece.offset) + ": " + piece.why + " (" +
                      std::to_string(piece.bytes) + " bytes)");
        state_.last_used = piece.offset + piece.bytes;
        break;
    }
  }
  // Recovery compares the property CRC only if the broker.conf says so; then it ends the log at a
  // record without it, too. False: it refuses this one.
  bool check_property_crc(const LogPiece& piece) {
    const PropertyChecksum checksum = piece.record.property_checksum;
    if (checksum != PropertyChecksum::absent) ++state_.property_crcs;
    const bool wanted = store_.wants_property_crc;
    if (checksum == PropertyChecksum::right) return true;
    const bool missed = wanted && recovering_ && !state_.ended;
    if (checksum == PropertyChecksum::absent && !missed) return true;
    const std::string why = checksum == PropertyChecksum::wrong
                                ? "a record whose property CRC is wrong"
                                : "a record without a property CRC, which forceVerifyPropCRC wants";
    const char* const kept = wanted ? "" : ": recovery compares that of the body alone";
    findings_.add("at " + std::to_string(piece.offset) + ": " + why + kept);
    if (!wanted) return true;
    damage_seen_ = true;
    end_at(piece.offset, why);
    return false;
  }

  void take_message(const LogPiece& piece) {
    const bool good = check_property_crc(piece);
    state_.last_used = piece.offset + piece.bytes;
    const scenarios::DecodedRecord& record = piece.record;
    index_.take({.offset = piece.offset,
                 .store_ms = record.store_ms,
                 .topic = record.topic,
                 .properties = record.properties,
                 .may_lack = !record.has_queue_entry});
    if (!good) return;
    if (state_.ended) {
      ++state_.messages_behind;
      return;
    }
    ++state_.messages;
    state_.end = piece.offset + piece.bytes;
    state_.newest_ms = std::max(state_.newest_ms, piece.record.store_ms);
  }
  void end_at(std::int64_t offset, const std::string& why) {
    if (state_.ended) return;
    state_.ended = true;
    state_.end = offset;
    state_.end_why = why;
  }

  const StoreFiles& store_;
  std::size_t start_;
  IndexCheck& index_;
  Findings& findings_;
  LogState state_;
  std::int64_t next_ = -1;  // Where the next file should begin.
  bool damage_seen_ = false;
  bool recovering_ = false;  // The present file is one that recovery reads.
};

// Storage reference, 5.1: what a checkpoint says was flushed or confirmed lies in the log.
void check_checkpoint(const StoreFiles& store, const LogState& log, Findings& findings) {
  const std::string path = store.root + "/checkpoint";
  std::error_code missing;
  if (!std::filesystem::exists(path, missing)) {
    std::printf("checkpoint: none\n");
    return;
  }
  const MappedInput input(path);
  const auto bytes = static_cast<std::int64_t>(input.bytes().size());
  if (bytes != kCheckpointFileBytes) {
    findings.add(path + " has " + std::to_string(bytes) + " bytes, not " +
                 std::to_string(kCheckpointFileBytes));
  }
  if (input.bytes().size() < kCheckpointFieldBytes) return;
  const std::int64_t flushed_ms = integer_at(input.bytes(), 0);
  const std::int64_t confirmed = integer_at(input.bytes(), 32);
  std::printf("checkpoint: flushed up to store time %lld ms\n", static_cast<long long>(flushed_ms));
  if (flushed_ms < 0 || flushed_ms > log.newest_ms) {
    findings.add(path + " says that a message stored at " + std::to_string(flushed_ms) +
                 " ms was flushed; the newest one that recovery finds is of " +
                 std::to_string(log.newest_ms) + " ms");
  }
  if (confirmed < 0 || confirmed > log.end) {
    findings.add(path + " says that the log is confirmed up to " + std::to_string(confirmed) +
                 "; it ends at " + std::to_string(log.end));
  }
}

IndexCheck::Options index_options(const StoreFiles& store, const std::optional<std::string>& conf,
                                  bool crashed) {
  IndexCheck::Options options{.sizes = index_sizes(conf),
                              .sizes_given = conf.has_value(),
                              .being_written = store_is_locked(store.root),
                              .kept_up_to_ms = std::nullopt};
  const std::string path = store.root + "/checkpoint";
  std::error_code missing;
  if (!crashed) return options;
  options.kept_up_to_ms = 0;
  if (!std::filesystem::exists(path, missing)) return options;
  const MappedInput input(path);
  if (input.bytes().size() >= kCheckpointFieldBytes) {
    options.kept_up_to_ms = integer_at(input.bytes(), 16);
  }
  return options;
}

// `present`: the last stop was no orderly one.
void print_abort(const StoreFiles& store, bool present) {
  if (store_is_locked(store.root)) {
    std::printf("lock: held: a broker runs on this store and may write while this reads\n");
  } else if (present) {
    std::printf("abort file: there: the last stop was a crash; the next start recovers from it\n");
  } else {
    std::printf("abort file: none: the last stop was an orderly one, or no broker has run here\n");
  }
}

void print_front(const LogState& log) {
  std::printf("recovery would begin to read at %lld: the damage in front of it stays in the log\n",
              static_cast<long long>(log.begin));
  if (log.last_used <= log.end) std::printf("recovery would cut nothing\n");
}

void print_cut(const LogState& log, bool crashed) {
  std::printf("recovery would cut the log at %lld (%s): %lld bytes behind it",
              static_cast<long long>(log.end), log.end_why.c_str(),
              static_cast<long long>(std::max<std::int64_t>(log.last_used - log.end, 0)));
  if (log.messages_behind > 0) {
    std::printf(", %lld whole records among them", static_cast<long long>(log.messages_behind));
  }
  std::printf("%s\n", crashed ? ""
                              : "; no crash explains them: damage since the last stop, or"
                                " what an earlier recovery has cut and left there");
}

}  // namespace

int store_verify(const StoreOptions& options) {
  const StoreFiles store = list_store(options.directory, options.conf);
  Findings findings;
  std::error_code unknown;
  const bool crashed = std::filesystem::exists(store.root + "/abort", unknown);
  IndexCheck index(store.root, index_options(store, options.conf, crashed),
                   [&findings](const std::string& line) { findings.add(line); });
  const LogState log = LogCheck(store, recovery_start(store, crashed), index, findings).run();
  std::printf("log: %zu files of %lld bytes, %lld messages, ends at %lld\n", store.files.size(),
              static_cast<long long>(store.file_bytes), static_cast<long long>(log.messages),
              static_cast<long long>(log.end));
  print_abort(store, crashed);
  if (log.property_crcs > 0) {
    std::printf("property CRC: %lld messages have one\n",
                static_cast<long long>(log.property_crcs));
  }
  check_checkpoint(store, log, findings);
  index.finish();
  if (log.damage_in_front) print_front(log);
  if (log.last_used > log.end) print_cut(log, crashed);
  findings.finish();
  if (findings.count() > 0) {
    std::printf("%s: damaged\n", store.root.c_str());
    return kDamageFound;
  }
  std::printf("%s: clean\n", store.root.c_str());
  return 0;
}

}  // namespace drydock::cli
