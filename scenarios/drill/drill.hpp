// scenarios turns a file into runs: what a drill says, which cells it has, what its clients send,
// and how the final store is read back.
//
//   drill      the drill as plain data, its units, and its expansion into cells (this folder)
//   loader     the file format: JSON with comments in, a Drill or one clear refusal out
//   workload   the producer program, and the bodies that it sends
//   audit      reads a CommitLog and its consume queues with decoders of its own
//   world_sim  assembles the simulated cluster and runs one (drill, cell, seed)
//
// Only what exists is accepted. A field, fault or unit that this version does not implement is
// refused by name, because a drill that silently skips what it asks for proves nothing.
//
// This file: the drill as data. The format is described in docs/scenarios.md.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/types/events.hpp"
#include "engine/types/time.hpp"
#include "faults/plan/fault.hpp"
#include "reports/record/drill_result.hpp"

namespace drydock::scenarios {

// The input is wrong: a file, an option, a value. `what()` is one line for the user; exit status 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What the command line puts in the place of a value of the scenario: --set PATH=TEXT.
struct PathSetting {
  std::string path;  // "load/producers/p/rate"
  std::string text;
};

// A scenario file as it was read.
struct Source {
  std::string file;
  std::string text;
  std::vector<PathSetting> set = {};  // On top of the text.
  // "FILE:LINE:COLUMN: PATH", for messages about the value with that path; "--set PATH" if the
  // command line gave it.
  std::string at(std::string_view path) const;
};

struct SeedRange {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
  std::uint64_t count() const { return last - first + 1; }
};

// What a host's block layer lets through to a disk, as cgroup's io.max. 0: everything.
struct DiskThrottle {
  std::int64_t read_bytes_per_second = 0;
  std::int64_t write_bytes_per_second = 0;
  std::int64_t reads_per_second = 0;
  std::int64_t writes_per_second = 0;
};

enum class FileSystemType : std::uint8_t { ext4, xfs };
enum class DataOption : std::uint8_t { ordered, writeback, journal };
enum class ErrorsOption : std::uint8_t { go_on, remount_ro, panic };

// How the file system on a disk is made and mounted. The defaults are Linux's.
struct MountSpec {
  FileSystemType type = FileSystemType::ext4;
  std::int64_t journal_bytes = 0;  // 0: as mkfs chooses it.
  bool barrier = true;
  bool lazytime = false;
  bool names_with_directory = false;  // Of no real mount: sim/fs/options.hpp, NamesDurable.
  // ext4 alone:
  DataOption data = DataOption::ordered;
  std::optional<bool> dioread_nolock = std::nullopt;  // None: as the host's kernel does.
  bool abort_on_data_error = false;                   // data_err=abort
  ErrorsOption errors = ErrorsOption::go_on;
  Duration commit = Duration::s(5);
  friend bool operator==(const MountSpec&, const MountSpec&) = default;
};

struct DiskSpec {
  std::string profile;  // A name, a file or a text: see disk_profile.hpp.
  std::int64_t bytes = 0;
  DiskThrottle throttle;
  // The host's driver: after this time it aborts a command. 0: never. None: as the profile says.
  std::optional<Duration> io_timeout = std::nullopt;
  int links = 1;  // Between host and disk; one is used at a time.
  // After this time a link that stays down is removed. None: never.
  std::optional<Duration> link_loss_timeout = std::nullopt;
  MountSpec mount = {};
};

// A disk that several hosts attach, as /dev/NAME. Quotas and reservations are the disk's, path,
// block queue and page cache each host's own.
struct SharedDiskSpec {
  std::string name;
  DiskSpec disk;
  std::vector<std::string> attached_to;  // At least two hosts.
  std::string mounted_by;                // Holds the reservation from the start, and mounts it.
};

// The kernel's vm.dirty_*: what it writes back by itself, and when writers wait.
struct DirtyLimits {
  // vm.dirty_bytes and vm.dirty_background_bytes; or, where one is 0, the ratio below.
  std::int64_t bytes = 0;
  std::int64_t background_bytes = 0;
  std::int64_t percent = 0;             // vm.dirty_ratio
  std::int64_t background_percent = 0;  // vm.dirty_background_ratio
  Duration expire;                      // vm.dirty_expire_centisecs
  Duration writeback;                   // vm.dirty_writeback_centisecs
};

// The RAM of a host, and what is to be kept in it.
struct MemorySpec {
  std::int64_t bytes = 0;
  std::int64_t group_limit_bytes = 0;  // Of a memory control group of its programs; 0: none.
  std::int64_t swap_bytes = 0;
  std::int64_t min_free_bytes = 0;  // vm.min_free_kbytes; 0: the kernel's default.
  bool group_limits_dirty = false;  // cgroup v2: the group has dirty limits of its own.
};

// The cores of a host, and what a broker's work costs on them.
struct CpuSpec {
  int cores = 0;
  std::string profile;  // A name, or the text of one: sim/profiles/cpu_profile.hpp.
};

struct HostSpec {
  std::string name;
  std::map<std::string, std::string> labels;
  std::optional<DiskSpec> disk;
  Duration boot;  // From power to the start of its programs.
  std::optional<DirtyLimits> dirty;
  std::string kernel = "6.x";        // Which Linux: sim/host/kernel_profile.hpp.
  std::optional<MemorySpec> memory;  // None: it never runs out.
  int open_files_max = 655'350;      // Of each process: that of RocketMQ's bin/os.sh.
  std::optional<CpuSpec> cpu;        // None: work takes no time.
};

// From each of these hosts to each of those, one way; a later one counts. What is not given stays
// as it is: at first that of two machines of one zone.
struct LinkSpec {
  std::vector<std::string> from;
  std::vector<std::string> to;
  std::optional<Duration> latency;                   // The same for every segment.
  std::optional<std::int64_t> bandwidth_per_second;  // Bytes.
  std::optional<std::uint32_t> loss_ppm;             // Lost segments per million.
};

struct NameServerSpec {
  std::string name;
  std::string host;
};

// The Java virtual machine of a program: sim/host/jvm.hpp. The values here are those of RocketMQ's
// own script, where it has one.
struct JvmSpec {
  std::int64_t heap_bytes = std::int64_t{8} << 30;
  std::int64_t young_bytes = std::int64_t{4} << 30;
  std::int64_t direct_bytes = std::int64_t{15} << 30;
  std::int64_t transient_pool_bytes = 0;  // Direct memory that is locked; at most direct_bytes.
  bool pre_touch = true;
  std::int64_t allocated_per_second = std::int64_t{64} << 20;  // Bytes; assumed.
  Duration young_pause = Duration::ms(20);                     // Assumed.
  Duration safepoint_interval = Duration::s(1);                // 0: none.
  std::string gc_log;                                          // Files; empty: not on the disk.
  std::string perf_data;
};

struct BrokerSpec {
  std::string name;
  std::string host;
  std::string role;
  JvmSpec jvm;
  // Keys of broker.conf that the drill sets on top of the user's file.
  std::vector<std::pair<std::string, std::string>> set;
};

// A producer. With a rate it is an open loop: sends are due at fixed times whether or not earlier
// ones were answered, as long as fewer than `in_flight` wait. Without one it is a closed loop.
struct ProducerSpec {
  std::string name;
  std::string host;
  std::string broker;  // Sends there, without asking anybody. Empty: where the name servers say.
  std::string topic;
  int queues = 1;
  std::int64_t body_bytes = 0;
  std::int64_t rate_per_second = 0;  // 0: a closed loop.
  int in_flight = 1;
  Duration timeout;
  int retries = 0;
  bool wait_store_ok = true;  // Property WAIT: false asks for an answer before flush.
};

// A consumer: reads every queue of a topic from the beginning, as messages come.
struct ConsumerSpec {
  std::string name;  // Of its group, too.
  std::string host;
  std::string broker;  // As of a producer.
  std::string topic;
  int batch = 32;        // Messages per pull, at most.
  bool ordered = false;  // It reads a queue only while the master says that it is its own.
  Duration after;        // From the start of the load to its own.
  Duration pause =
      Duration::ms(100);  // Before it asks again where an answer brought it no further.
};

// The key and some body: see scenarios/workload/records.hpp.
inline constexpr std::int64_t kRecordBytesMin = 16;
// How a bare writer stores.
enum class FileAccess : std::uint8_t { mmap, write, direct };
// What its file is before the first record, as far as blocks go.
enum class Prepared : std::uint8_t { sparse, allocated, written };
enum class SyncCall : std::uint8_t { none, msync, fsync, fdatasync };
enum class AckedWhen : std::uint8_t { stored, synced };
// A store or sync that failed: it gives up, or goes on and trusts the next one that succeeds.
enum class AfterError : std::uint8_t { stop, go_on };

// A writer without a broker: records of one size, one behind the other in one file.
struct WriterSpec {
  std::string name;
  std::string host;
  std::string file;
  std::int64_t file_bytes = 0;
  Prepared prepared = Prepared::sparse;
  FileAccess access = FileAccess::mmap;
  std::int64_t record_bytes = 0;
  std::int64_t bytes_per_second = 0;  // An open loop: after a stall it catches up.
  SyncCall sync = SyncCall::none;
  Duration sync_every;  // 0: after each record, by the writer itself.
  AckedWhen acked = AckedWhen::stored;
  AfterError after_error = AfterError::stop;
  Duration timeout;            // A record that takes longer counts as stalled.
  std::optional<JvmSpec> jvm;  // None: it is no program of Java.
  Duration heartbeat;          // A thread that only wakes up so often; 0: none.
};

enum class ReadPattern : std::uint8_t { random, sequential };

// A reader without a broker, of a file that is cold at first.
struct ReaderSpec {
  std::string name;
  std::string host;
  std::string file;
  std::int64_t file_bytes = 0;
  ReadPattern pattern = ReadPattern::random;
  std::int64_t block_bytes = 0;
  std::int64_t bytes_per_second = 0;  // An open loop, of all threads together.
  int threads = 1;
  Duration after;       // From the start of the load, and its file, to the first read.
  std::string follows;  // A writer whose file it reads, from the begin; empty: a file of its own.
};

// When a standby purges its cache of the device: around the claim, which makes it the owner.
enum class Purges : std::uint8_t { none, before_claim, after_confirm, two };

// A part of a device.
struct DeviceRange {
  std::int64_t from = 0;
  std::int64_t bytes = 0;
};

// A standby without a broker, on a host that attaches a disk which another one mounts: it takes the
// disk over. Until then something on its host uses the device through the page cache: scans it over
// and over, or has written to it and not synced.
struct StandbySpec {
  std::string name;
  std::string host;
  std::string disk;
  Duration after;  // From the start of the load to the first use of the device.
  std::optional<DeviceRange> reads;
  std::int64_t read_bytes = 0;         // At once.
  std::int64_t bytes_per_second = 0;   // Of the reads.
  std::optional<DeviceRange> dirties;  // Written once.
  Duration takeover_after;             // From the start of the load.
  Purges purges = Purges::two;
  Duration pause;  // Before the claim and after it: what a node agent takes from step to step.
};

// What ends a phase before its time.
enum class PhaseEnd : std::uint8_t {
  time,              // Nothing does.
  writes_resume,     // A SEND_OK of a send that was invoked after the latest fault took effect.
  brokers_serving,   // Every broker that is not gone for good serves.
  slaves_caught_up,  // ... and every slave's log is as long as its master's.
  event,             // The n-th occurrence of an event since the phase began.
};

// How a phase ends: by time, or earlier, `then` after what it waits for.
struct PhaseSpec {
  Duration at_most;
  PhaseEnd until = PhaseEnd::time;
  EventName event = EventName::count_;  // With PhaseEnd::event.
  std::uint64_t occurrence = 1;
  Duration then;
};

// In this order; the load runs from the start of `warm` to the end of `heal`.
struct Phases {
  PhaseSpec warm;    // No fault yet: the baseline.
  PhaseSpec inject;  // Faults fire.
  PhaseSpec hold;    // Faults go on, and are taken back by their own spans.
  PhaseSpec heal;    // What is still active is taken back at its start.
  PhaseSpec settle;  // No new sends; the open ones end.
  PhaseSpec judge;   // Everything is read back.
  // Of all of them together, in virtual time.
  Duration at_most() const {
    return warm.at_most + inject.at_most + hold.at_most + heal.at_most + settle.at_most +
           judge.at_most;
  }
};

// A time that each seed draws for itself, uniformly, both ends included.
struct BetweenTimes {
  Duration low;
  Duration high;
};
// Instead of a name: from whom a partition separates a host.
inline constexpr const char* kAllOthers = "others";
struct FaultSpec {
  faults::FaultKind kind = faults::FaultKind::count_;
  faults::Selector on;
  std::variant<BetweenTimes, faults::AtEvent, faults::AtCrashPoint> when;
  std::optional<Duration> lasts;
  faults::Separation separation = {};  // Of net.partition; its `from` of net.stray-client, too.
  faults::DiskTrouble trouble = {};    // Of disk.*.
  std::string file = {};               // Of fs.remove and fs.sync; of fs.lock: the directory.
};

// One dimension of the matrix: a key of broker.conf, or a place of the scenario (it has a slash),
// or a name of the drill's own whose values stand for several of both, or "fault" with names of
// fault sets.
struct Axis {
  std::string key;
  std::vector<std::string> values;
  // What each value of a name stands for; empty if the axis is a key itself.
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> variants;
};
inline constexpr const char* kFaultAxis = "fault";
inline bool is_scenario_path(std::string_view key) { return key.find('/') != key.npos; }
// Values of a configuration axis that refer to the user's file.
inline constexpr const char* kAsInFile = "as-in-file";
inline constexpr const char* kTheOther = "the-other";  // Of a key with two values.

struct BehaviourSpec {
  std::string preset = "rocketmq-5.3.3";
  std::vector<std::pair<std::string, std::string>> set;  // Switch, "faithful" or "hardened".
  std::vector<std::string> bugs;                         // Planted on purpose.
  std::map<BuggifySite, std::int64_t> buggify;           // How often a site fires, in percent.
};

struct Drill {
  Source source;
  std::string id;
  std::string title;
  std::vector<std::string> why;
  SeedRange seeds;
  std::vector<HostSpec> hosts;  // By name.
  std::vector<SharedDiskSpec> shared_disks;
  std::vector<LinkSpec> links;
  std::vector<NameServerSpec> name_servers;
  std::vector<BrokerSpec> brokers;
  BehaviourSpec behaviour;
  std::vector<ProducerSpec> producers;
  std::vector<ConsumerSpec> consumers;
  std::vector<WriterSpec> writers;
  std::vector<ReaderSpec> readers;
  std::vector<StandbySpec> standbys;
  Phases phases;
  std::map<std::string, std::vector<FaultSpec>> fault_sets;
  std::vector<Axis> matrix;
  // The same drill with what the axes that concern places of the scenario put there, by the values
  // of those axes. Of the base drill only.
  std::map<reports::CellId, std::shared_ptr<const Drill>> variants;
  std::vector<reports::Expectation> expectations;
  std::string canonical;  // The file without comments, keys sorted: equal text, equal drill.
};

// The host of a process of the topology, or the host itself; empty if there is none of that name.
std::string host_named(const Drill& drill, const std::string& name);
// The host of what a selector means at the start; empty if there is none.
std::string host_at_start(const Drill& drill, const faults::Selector& selector);

// The disk that a host attaches together with others; null if it attaches none.
const SharedDiskSpec* shared_disk_of(const Drill& drill, const std::string& host);
// Its own, or that one; null if it has none. The host exists.
const DiskSpec* disk_of(const Drill& drill, const std::string& host);

}  // namespace drydock::scenarios
