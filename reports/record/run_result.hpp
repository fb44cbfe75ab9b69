// What one run, (drill, cell, seed), has shown.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/types/wait_place.hpp"
#include "reports/record/operations.hpp"

namespace drydock::reports {

// Design, section 0.
enum class Verdict : std::uint8_t {
  pass,
  safety,        // Damage: a loss that nobody expected, or an expected one that did not come.
  slo,           // A bound on time is exceeded.
  liveness,      // After everything was healed the cluster still took no writes.
  inconclusive,  // A fault that never fired, a judge that could not read.
  harness,       // The simulator itself failed.
};
std::string_view name_of(Verdict verdict);

// One fault of the plan, as it came about.
struct FaultFact {
  std::string kind;  // "host.power-loss".
  std::string target;
  std::int64_t began_ns = -1;  // -1: it never fired.
  std::int64_t ended_ns = -1;
  bool breaks = true;                        // Or else what an operator does about another one.
  std::optional<std::int64_t> rto_fault_ns;  // Of one that breaks something; none: never.
  std::string detail = {};                   // "data-writes": what of the target, or how.
  // Of a disk's: what is on it, "ext4", "ext4, data=journal", "xfs". Empty: not known.
  std::string file_system = {};

  // "disk.hang (data-writes)"
  std::string what() const { return detail.empty() ? kind : kind + " (" + detail + ")"; }
  // Whether it took effect, and its outage was the longer one.
  bool outlasts(const FaultFact& other) const {
    if (began_ns < 0 || other.began_ns < 0) return other.began_ns < 0 && began_ns >= 0;
    if (!other.rto_fault_ns || !rto_fault_ns) return other.rto_fault_ns.has_value();
    return *rto_fault_ns > *other.rto_fault_ns;
  }

  friend bool operator==(const FaultFact&, const FaultFact&) = default;
};

// Where a broker's log stood when the fault took effect, and what recovery made of it: the
// mechanism behind a loss. Offsets are physical; -1: unknown or did not happen.
struct StoreFacts {
  std::int64_t fault_ns = -1;       // The moment that they describe.
  std::int64_t appended_to = -1;    // End of the log in memory.
  std::int64_t flushed_to = -1;     // End of what a flush had covered.
  std::int64_t last_flush_ns = -1;  // When that flush had completed.
  std::int64_t recovered_to = -1;   // What the restarted broker accepted.
  // End of what was in the page cache; -1 without the transient pool: what was appended was there.
  std::int64_t committed_to = -1;

  friend bool operator==(const StoreFacts&, const StoreFacts&) = default;
};

// One broker's copy of the log. The first one is that of the master.
struct ReplicaFacts {
  std::string broker;
  std::string role;  // At the start of the run.
  StoreFacts store;
  bool destroyed = false;  // With its host and disks.
  std::string host = {};   // On which it runs.
  bool read = false;       // Readers have this one: the judge read it.

  friend bool operator==(const ReplicaFacts&, const ReplicaFacts&) = default;
};

// What became of a message in one broker's log.
enum class CopyFate : std::uint8_t {
  not_received,       // The log had not come that far when the fault came.
  destroyed,          // With its host and disks.
  behind_last_flush,  // In memory only: no flush had covered it.
  flushed,
  in_pool,  // In memory of the process only: no commit had brought it to the page cache.
  count_,
};
std::string_view name_of(CopyFate fate);

// How a copy ended, as told by a run that was made again to trace it.
enum class CopyEnd : std::uint8_t {
  not_received,
  kept,             // It did not end.
  page_cache_lost,  // With its host's power or kernel; no flush had covered it.
  destroyed,        // With its host and disks.
  cut_by_recovery,  // The log was cut before it.
  // With the power, from the volatile cache of its disk, which had confirmed a flush and not done
  // it (disk.flush-lie).
  disk_cache_lost,
  file_system_lost,  // Its file system could not be mounted any more.
  pool_lost,         // With the process, from its transient pool.
  count_,
};
std::string_view name_of(CopyEnd end);

// One broker's copy of a lost message. Times: -1 if it did not happen.
struct CopyHistory {
  CopyEnd end = CopyEnd::not_received;
  std::int64_t appended_ns = -1;  // To its log.
  std::int64_t flushed_ns = -1;   // The first flush that covered it was complete.
  std::int64_t ended_ns = -1;
  std::int32_t fault = -1;  // That ended it: an index of RunResult::faults; -1: none did.

  friend bool operator==(const CopyHistory&, const CopyHistory&) = default;
};

struct LostMessage {
  std::uint64_t key = 0;
  std::int64_t physical_offset = -1;
  std::int64_t acked_ns = 0;
  bool behind_last_flush = false;  // Acknowledged, but no flush of the master had covered it.
  std::vector<CopyFate> copies;    // In the order of the run's replicas.
  // The same copies, traced. Of the first messages of a run only (reports/loss/provenance.hpp).
  std::vector<CopyHistory> histories = {};
  std::int32_t last_copy_fault = -1;  // Of RunResult::faults the one that took the last copy.
  // It is whole in the log of the final broker, at this physical offset, but the queue of which it
  // is a message, "TOPIC/3", does not lead to it. -1: the log has not got it either.
  std::int64_t in_log_at = -1;
  std::string queue = {};
  std::int64_t queue_offset = -1;

  friend bool operator==(const LostMessage&, const LostMessage&) = default;
};

// "message 5 is in the log at 4660, not in drill/3 at 7". `message.in_log_at` >= 0.
std::string text_of_unread(const LostMessage& message);

// So many findings of a run are put into words.
inline constexpr std::size_t kDamageNamed = 10;

struct LossReport {
  // The judge has read the final store. Without that `acked` and `failed`, which the clients tell,
  // are all that is known.
  bool read = true;
  std::int64_t acked = 0;
  std::vector<LostMessage> lost;  // Acknowledged and not returned by its queue.
  // Acknowledged, and deleted since with its file of the log: too old, or in the way.
  std::int64_t expired = 0;
  std::int64_t at_risk = 0;  // Acknowledged before the fault, covered by no flush then.
  std::int64_t unknown_stored = 0;
  std::int64_t unknown_absent = 0;
  std::int64_t failed = 0;         // Definite refusals, stored or not.
  std::int64_t failed_stored = 0;  // Refused, and stored all the same.
  std::int64_t duplicates = 0;     // Copies beyond the first of a key.
  // Copies whose bytes differ from what was sent, damaged ranges of the log, and damaged entries of
  // queues.
  std::int64_t corrupt = 0;
  std::vector<std::string> damage;  // The first kDamageNamed of them, in words.
  std::int64_t phantoms = 0;        // Stored messages that nobody sent.
  // Stored messages to which the index does not lead by their keys, and those whose chain there
  // never ends; 0 if no expectation speaks of the index.
  std::int64_t index_missed = 0;
  std::int64_t index_endless = 0;

  // Lost, although the log has it: its queue does not lead to it.
  std::int64_t lost_in_log() const {
    return std::ranges::count_if(lost,
                                 [](const LostMessage& message) { return message.in_log_at >= 0; });
  }

  friend bool operator==(const LossReport&, const LossReport&) = default;
};

// A message that comes in its queue after one that was sent later.
struct OrderViolation {
  std::uint64_t key = 0;
  std::uint64_t later_key = 0;  // Invoked after `key` was acknowledged, and yet before it.
  std::int32_t queue_id = 0;
  std::int64_t queue_offset = 0;
  std::int64_t later_queue_offset = 0;

  friend bool operator==(const OrderViolation&, const OrderViolation&) = default;
};

struct OrderReport {
  std::int64_t violations = 0;           // Messages, not pairs.
  std::vector<OrderViolation> examples;  // The first of them, by queue and place in it.

  friend bool operator==(const OrderReport&, const OrderReport&) = default;
};

// What consumers were given (reports/delivery). Messages of all consumers together.
struct DeliveryReport {
  std::int64_t delivered = 0;  // Different messages, each counted once per consumer.
  std::int64_t again = 0;      // Deliveries of a message that this consumer had been given before.
  std::int64_t skipped = 0;    // In the final queues, passed over, and never delivered.
  std::int64_t gone = 0;       // Delivered, not expired, but no reader finds them any more.
  std::int64_t undelivered = 0;   // In the final queues, and never delivered: the skipped ones, and
                                  // those to which the consumer had not come yet.
  std::int64_t out_of_order = 0;  // First given after a later one of their queue.

  friend bool operator==(const DeliveryReport&, const DeliveryReport&) = default;
};

// The parts of `rto.fault`, in their order; design, section 0. What did not take place takes 0.
enum class Stage : std::uint8_t {
  detect,  // Until somebody acts: starts the process, gives power back, promotes a slave.
  decide,  // Between noticing and acting. Nobody says when an operator noticed: his is in `detect`.
  fence,   // The old writer is kept from writing.
  attach,  // A disk comes to its new host.
  check,   // fsck.
  mount,   // From power to a host with its file system: booting, replay of the journal.
  recover,  // From the start of the broker's process until it serves.
  resync,   // Until a slave has acknowledged again, if sends wait for one.
  route,    // Until the client's route leads to the broker that serves.
  client,   // The rest: back-off, connecting, the send itself.
  count_,
};
std::string_view name_of(Stage stage);
inline constexpr std::size_t kStages = static_cast<std::size_t>(Stage::count_);
// One time per stage. As ends: the moment at which a stage was over, -1 if it did not take place.
// As spans: how long it took.
using StageTimes = std::array<std::int64_t, kStages>;

// What became of `rto.steady`.
enum class Steady : std::uint8_t {
  reached,
  no_baseline,     // Nothing was acknowledged before the fault, or there was no time to.
  load_too_short,  // When writes had resumed, less than the window was left of the load.
  not_reached,     // Not before the load ended.
  count_,
};
std::string_view name_of(Steady steady);

// Design, section 0: `rto.fault`, `rto.client`, `rto.steady`. None: never, which fails any bound.
struct RtoReport {
  std::optional<std::int64_t> fault_ns;
  std::optional<StageTimes> stages_ns;  // Spans; their sum is exactly `fault_ns`.
  std::optional<std::int64_t> client_ns;
  std::optional<std::int64_t> steady_ns;
  Steady steady = Steady::no_baseline;  // Why `steady_ns` is there, or is not.
  std::int64_t longest_stall_ns = 0;    // The longest send after the fault.

  friend bool operator==(const RtoReport&, const RtoReport&) = default;
};

// Acknowledged sends of the phase `warm`, before any fault.
struct BaselineReport {
  std::int64_t acked = 0;
  std::int64_t latency_p50_ns = 0;
  std::int64_t latency_p99_ns = 0;
  // Of its last seconds, at most five: those that `rto.steady` is measured against.
  std::int64_t window_acked = 0;
  std::int64_t window_ns = 0;

  friend bool operator==(const BaselineReport&, const BaselineReport&) = default;
};

// How long sends took that were invoked after the faults had been armed (reports/latency).
struct SendsReport {
  std::string producer;  // Empty: of all together.
  std::int64_t sends = 0;
  std::int64_t acked = 0;
  std::int64_t busy = 0;  // Attempts that a broker refused as SYSTEM_BUSY.
  std::int64_t p50_ns = 0;
  std::int64_t p99_ns = 0;
  std::int64_t longest_ns = 0;

  friend bool operator==(const SendsReport&, const SendsReport&) = default;
};

// What the threads of one name of a process waited for at one place inside the kernel, over all
// lives of the process.
struct WaitFact {
  std::string process;
  std::string worker;
  WaitPlace place = WaitPlace::none;
  std::int64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t longest_ns = 0;
  std::int64_t longest_began_ns = 0;

  friend bool operator==(const WaitFact&, const WaitFact&) = default;
};

// A process that the OOM killer has ended.
struct OomKill {
  std::string process;
  std::int64_t time_ns = 0;

  friend bool operator==(const OomKill&, const OomKill&) = default;
};

// A process that had as many files and sockets open as it may, all of its lives together.
struct RefusedOpens {
  std::string process;
  std::int64_t count = 0;  // Opens, accepts and connects that failed for that (EMFILE).

  friend bool operator==(const RefusedOpens&, const RefusedOpens&) = default;
};

// How a file system stopped itself after an error of its own, beyond a file's data.
enum class FileSystemEnd : std::uint8_t {
  journal_aborted,      // ext4 with errors=continue: it can be read, and not changed any more.
  remounted_read_only,  // The same with errors=remount-ro.
  host_panicked,        // ext4 with errors=panic.
  shut_down,            // xfs: it is not even read.
  count_,
};
std::string_view name_of(FileSystemEnd end);

struct StoppedFileSystem {
  std::string host;
  FileSystemEnd how = FileSystemEnd::count_;
  std::int64_t time_ns = 0;

  friend bool operator==(const StoppedFileSystem&, const StoppedFileSystem&) = default;
};

// What has broken the rules of a disk that several hosts attach; design, section 5. Blocks, each
// counted once, as the disk itself saw them against its media.
struct OwnershipReport {
  std::int64_t stale_reads = 0;     // I2: the owner got them from a cache that was older.
  std::int64_t foreign_writes = 0;  // I1: older than the ownership, or another host's, and landed.

  friend bool operator==(const OwnershipReport&, const OwnershipReport&) = default;
};

// What a standby does to take a disk over, in this order; design, section 5.
enum class TakeoverStep : std::uint8_t {
  purge_before,  // Of its cache of the device, before the claim.
  claim,         // Report, preempt-and-abort, and the report that confirms it.
  purge_after,   // Again, once it is confirmed.
  check,
  mount,
  read_back,  // Of all records.
  count_,
};
std::string_view name_of(TakeoverStep step);
inline constexpr std::size_t kTakeoverSteps = static_cast<std::size_t>(TakeoverStep::count_);

struct TakeoverFacts {
  std::string standby;
  std::string disk;
  std::int64_t began_ns = -1;                           // -1: it never did.
  std::array<std::int64_t, kTakeoverSteps> steps_ns{};  // What is left out takes 0.
  std::int64_t records_read = 0;                        // Whole ones, by the new owner.
  bool completed = false;
  std::string failure = {};  // The step that failed, and how.

  friend bool operator==(const TakeoverFacts&, const TakeoverFacts&) = default;
};

struct RunResult {
  std::uint64_t seed = 0;
  std::string fingerprint;
  std::uint64_t events = 0;
  std::int64_t virtual_ns = 0;
  Verdict verdict = Verdict::inconclusive;
  std::string note;        // Why, if the verdict is not pass.
  std::string divergence;  // With --verify: the first event that differed.
  std::string plan;        // The faults with their drawn values, as canonical JSON.
  std::vector<FaultFact> faults;
  std::vector<ReplicaFacts> replicas;  // The master's first.
  LossReport loss;
  OrderReport order;
  DeliveryReport deliveries;
  RtoReport rto;
  BaselineReport baseline;
  std::vector<SendsReport> sends;     // Of all producers together, then of each.
  std::vector<DiskUse> disks;         // During the phase `hold`: of each host with a disk.
  std::vector<BrokerCounts> brokers;  // As in the topology.
  std::vector<ConsumerFacts> consumers;
  std::optional<Evidence> evidence;  // If it was asked for.
  std::vector<WaitFact> waits;       // Of what has a disk: by process, worker, place.
  std::vector<OomKill> oom_kills;
  std::vector<RefusedOpens> refused_opens;  // By process.
  std::vector<StoppedFileSystem> stopped_file_systems;
  OwnershipReport ownership;
  std::vector<TakeoverFacts> takeovers;  // One per standby.

  // Of the faults that broke something the one with the longest outage, to which `rto` and the
  // explanation of a loss refer; among equals the first. Null if there was none.
  const FaultFact* fault() const {
    const FaultFact* worst = nullptr;
    for (const FaultFact& each : faults) {
      if (each.breaks && (worst == nullptr || each.outlasts(*worst))) worst = &each;
    }
    return worst;
  }
  // Whether anything was broken, so that there is an outage to speak of.
  bool fault_took_effect() const { return fault() != nullptr && fault()->began_ns >= 0; }

  friend bool operator==(const RunResult&, const RunResult&) = default;
};

}  // namespace drydock::reports
