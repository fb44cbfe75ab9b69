// load/writers, load/readers and load/standbys: programs that use files without a broker.
#include <algorithm>
#include <array>

#include "scenarios/loader/did_you_mean.hpp"
#include "scenarios/loader/sections.hpp"
#include "scenarios/loader/word.hpp"

namespace drydock::scenarios {
namespace {

constexpr std::size_t kNameBytesMax = 255;  // Of a file, in ext4 and XFS.
constexpr std::array<Word<FileAccess>, 3> kAccess = {
    {{"mmap", FileAccess::mmap}, {"write", FileAccess::write}, {"direct", FileAccess::direct}}};
constexpr std::array<Word<Prepared>, 3> kPrepared = {{{"sparse", Prepared::sparse},
                                                      {"allocated", Prepared::allocated},
                                                      {"written", Prepared::written}}};
constexpr std::array<Word<SyncCall>, 3> kSyncs = {
    {{"msync", SyncCall::msync}, {"fsync", SyncCall::fsync}, {"fdatasync", SyncCall::fdatasync}}};
constexpr std::array<Word<AckedWhen>, 2> kAcked = {
    {{"stored", AckedWhen::stored}, {"synced", AckedWhen::synced}}};
constexpr std::array<Word<AfterError>, 2> kAfterError = {
    {{"stop", AfterError::stop}, {"go-on", AfterError::go_on}}};
constexpr std::array<Word<ReadPattern>, 2> kPatterns = {
    {{"random", ReadPattern::random}, {"sequential", ReadPattern::sequential}}};

constexpr std::int64_t kDirectAlignment = 4'096;
constexpr std::int64_t kPieceBytesMax = 64 << 20;

std::string read_host_with_disk(const JsonAt& json, const Drill& drill) {
  const std::string name = read_host_name(json, drill);
  if (disk_of(drill, name) == nullptr) json.refuse("has no disk");
  const SharedDiskSpec* const shared = shared_disk_of(drill, name);
  if (shared != nullptr && shared->mounted_by != name) {
    json.refuse("mounts no disk: '" + shared->name + "' is mounted by " + shared->mounted_by);
  }
  return name;
}

std::int64_t read_piece(const JsonAt& json, std::int64_t low) {
  const std::int64_t bytes = json.size();
  if (bytes < low || bytes > kPieceBytesMax) {
    json.refuse("must be " + std::to_string(low) + " B to 64 MiB");
  }
  return bytes;
}

// Of a file that holds at least one piece. Whether its disk does is known when that is laid out.
std::int64_t read_file_size(const JsonAt& json, std::int64_t piece) {
  const std::int64_t bytes = json.size();
  if (bytes < piece) json.refuse("must hold at least one piece");
  return bytes;
}

std::int64_t read_bytes_per_second(const JsonAt& json, std::int64_t piece) {
  const std::int64_t rate = json.bytes_per_second();
  if (rate < 1 || rate / piece > 10'000'000) json.refuse("must be at most 10,000,000 pieces/s");
  return rate;
}

void refuse_other_user(const JsonAt& json, const std::string& host, const std::string& file,
                       const Drill& drill) {
  for (const WriterSpec& other : drill.writers) {
    if (other.host == host && other.file == file) {
      json.refuse("is the file of writer '" + other.name + "'");
    }
  }
  for (const ReaderSpec& other : drill.readers) {
    if (other.host == host && other.file == file && other.follows.empty()) {
      json.refuse("is the file of reader '" + other.name + "'");
    }
  }
}

void refuse_name_in_use(const JsonAt& json, const std::string& name, const Drill& drill) {
  const auto same = [&](const auto& specs) {
    return std::ranges::any_of(specs, [&](const auto& spec) { return spec.name == name; });
  };
  if (same(drill.brokers) || same(drill.name_servers) || same(drill.producers) ||
      same(drill.consumers) || same(drill.writers) || same(drill.readers) || same(drill.standbys)) {
    json.refuse("something else has that name, too");
  }
}

void read_sync(const JsonAt& json, WriterSpec& writer) {
  json.allow_only({"call", "every"});
  writer.sync = read_word(json.at("call"), kSyncs);
  if ((writer.sync == SyncCall::msync) != (writer.access == FileAccess::mmap)) {
    json.at("call").refuse("msync goes with access mmap, fsync and fdatasync with the others");
  }
  if (!json.has("every")) return;
  writer.sync_every = json.at("every").duration();
  if (writer.sync_every < Duration::ms(1)) json.at("every").refuse("must be at least 1 ms");
}

void read_jvm_of(const JsonAt& json, const Drill& drill, WriterSpec& writer) {
  writer.jvm = read_jvm(json, *std::ranges::find(drill.hosts, writer.host, &HostSpec::name));
  if (json.has("direct") && !json.has("transient_pool")) {
    json.at("direct").refuse("without transient_pool nothing takes of it");
  }
  for (const char* key : {"gc_log", "perf_data"}) {
    if (json.has(key)) refuse_other_user(json.at(key), writer.host, json.at(key).text(), drill);
    const bool own = json.has(key) && json.at(key).text() == writer.file;
    if (own) json.at(key).refuse("is the writer's own file");
  }
}

WriterSpec read_writer(const std::string& name, const JsonAt& json, const Drill& drill) {
  json.allow_only({"host", "file", "size", "prepared", "access", "record", "rate", "sync", "acked",
                   "after_error", "timeout", "jvm", "heartbeat"});
  refuse_name_in_use(json, name, drill);
  WriterSpec writer;
  writer.name = name;
  writer.host = read_host_with_disk(json.at("host"), drill);
  writer.file = read_path(json.at("file"));
  refuse_other_user(json.at("file"), writer.host, writer.file, drill);
  writer.access = read_word(json.at("access"), kAccess);
  writer.record_bytes = read_piece(json.at("record"), kRecordBytesMin);
  const bool direct = writer.access == FileAccess::direct;
  if (direct && writer.record_bytes % kDirectAlignment != 0) {
    json.at("record").refuse("must be a multiple of 4 KiB: direct I/O is aligned");
  }
  const bool shared = shared_disk_of(drill, writer.host) != nullptr;
  if (shared && writer.record_bytes % kDirectAlignment != 0) {
    json.at("record").refuse("must be a multiple of 4 KiB: a shared disk is judged by direct I/O");
  }
  writer.file_bytes = read_file_size(json.at("size"), writer.record_bytes);
  writer.bytes_per_second = read_bytes_per_second(json.at("rate"), writer.record_bytes);
  if (json.has("prepared")) writer.prepared = read_word(json.at("prepared"), kPrepared);
  if (json.has("sync")) read_sync(json.at("sync"), writer);
  if (json.has("acked")) writer.acked = read_word(json.at("acked"), kAcked);
  if (writer.acked == AckedWhen::synced && writer.sync == SyncCall::none) {
    json.refuse("must have sync: nothing is acknowledged without one");
  }
  if (json.has("after_error")) writer.after_error = read_word(json.at("after_error"), kAfterError);
  writer.timeout = json.has("timeout") ? json.at("timeout").duration() : Duration::s(3);
  if (writer.timeout < Duration::ms(1)) json.at("timeout").refuse("must be at least 1 ms");
  if (json.has("jvm")) read_jvm_of(json.at("jvm"), drill, writer);
  if (!json.has("heartbeat")) return writer;
  if (!writer.jvm) json.at("heartbeat").refuse("without jvm nothing stops it");
  writer.heartbeat = json.at("heartbeat").duration();
  if (writer.heartbeat < Duration::ms(1)) json.at("heartbeat").refuse("must be at least 1 ms");
  return writer;
}

// A reader of what a writer has written: behind it by what is written in the time `after`.
ReaderSpec read_follower(const JsonAt& json, const Drill& drill) {
  json.allow_only({"follows", "block", "rate", "after"});
  const std::string name = json.at("follows").name();
  const auto writer = std::ranges::find(drill.writers, name, &WriterSpec::name);
  if (writer == drill.writers.end()) {
    json.at("follows").refuse("there is no writer '" + name + "'" +
                              did_you_mean(name, names_of(drill.writers)));
  }
  ReaderSpec reader;
  reader.follows = name;
  reader.host = writer->host;
  reader.file = writer->file;
  reader.file_bytes = writer->file_bytes;
  reader.pattern = ReadPattern::sequential;
  reader.block_bytes = read_piece(json.at("block"), 512);
  reader.bytes_per_second = read_bytes_per_second(json.at("rate"), reader.block_bytes);
  reader.after = json.at("after").duration();
  return reader;
}

ReaderSpec read_reader(const std::string& name, const JsonAt& json, const Drill& drill) {
  refuse_name_in_use(json, name, drill);
  ReaderSpec reader;
  if (json.has("follows")) {
    reader = read_follower(json, drill);
    reader.name = name;
    return reader;
  }
  json.allow_only(
      {"follows", "host", "file", "size", "pattern", "block", "rate", "threads", "after"});
  reader.name = name;
  reader.host = read_host_with_disk(json.at("host"), drill);
  reader.file = read_path(json.at("file"));
  refuse_other_user(json.at("file"), reader.host, reader.file, drill);
  reader.block_bytes = read_piece(json.at("block"), 512);
  reader.file_bytes = read_file_size(json.at("size"), reader.block_bytes);
  if (reader.file_bytes % kDirectAlignment != 0) {
    json.at("size").refuse("must be a multiple of 4 KiB");
  }
  reader.bytes_per_second = read_bytes_per_second(json.at("rate"), reader.block_bytes);
  if (json.has("pattern")) reader.pattern = read_word(json.at("pattern"), kPatterns);
  if (json.has("threads")) reader.threads = static_cast<int>(json.at("threads").count(1, 1'024));
  if (json.has("after")) reader.after = json.at("after").duration();
  return reader;
}

constexpr std::array<Word<Purges>, 4> kPurges = {{{"none", Purges::none},
                                                  {"before-claim", Purges::before_claim},
                                                  {"after-confirm", Purges::after_confirm},
                                                  {"two", Purges::two}}};
// Enough for any mechanism, and little of a cache.
constexpr std::int64_t kDirtiedBytesMax = 64 << 20;

// Whole pages inside of the disk. The members have been named.
DeviceRange read_range(const JsonAt& json, std::int64_t disk_bytes) {
  const DeviceRange range{.from = json.at("from").size(), .bytes = json.at("size").size()};
  if (range.from % kDirectAlignment != 0) json.at("from").refuse("must be a multiple of 4 KiB");
  if (range.bytes < kDirectAlignment || range.bytes % kDirectAlignment != 0) {
    json.at("size").refuse("must be a multiple of 4 KiB, and at least that");
  }
  if (range.from > disk_bytes || range.bytes > disk_bytes - range.from) {
    json.refuse("ends behind the end of the disk");
  }
  return range;
}

void read_takeover(const JsonAt& json, StandbySpec& standby) {
  json.allow_only({"after", "purge", "pause"});
  standby.takeover_after = json.at("after").duration();
  if (standby.takeover_after <= standby.after) {
    json.at("after").refuse("must be later than the standby's own after");
  }
  standby.purges = read_word(json.at("purge"), kPurges);
  if (json.has("pause")) standby.pause = json.at("pause").duration();
}

StandbySpec read_standby(const std::string& name, const JsonAt& json, const Drill& drill) {
  json.allow_only({"host", "after", "reads", "dirties", "takeover"});
  refuse_name_in_use(json, name, drill);
  StandbySpec standby;
  standby.name = name;
  standby.host = read_host_name(json.at("host"), drill);
  const SharedDiskSpec* const shared = shared_disk_of(drill, standby.host);
  if (shared == nullptr) json.at("host").refuse("attaches no disk of /topology/disks");
  if (shared->mounted_by == standby.host) {
    json.at("host").refuse("mounts '" + shared->name + "' from the start; a standby takes it over");
  }
  standby.disk = shared->name;
  for (const StandbySpec& other : drill.standbys) {
    if (other.disk != standby.disk) continue;
    json.refuse("'" + standby.disk + "' has the standby '" + other.name + "' already");
  }
  if (json.has("after")) standby.after = json.at("after").duration();
  if (json.has("reads")) {
    const JsonAt reads = json.at("reads");
    reads.allow_only({"from", "size", "block", "rate"});
    standby.reads = read_range(reads, shared->disk.bytes);
    standby.read_bytes = read_piece(reads.at("block"), kDirectAlignment);
    if (standby.reads->bytes % standby.read_bytes != 0) {
      reads.at("block").refuse("must divide size");
    }
    standby.bytes_per_second = read_bytes_per_second(reads.at("rate"), standby.read_bytes);
  }
  if (json.has("dirties")) {
    const JsonAt dirties = json.at("dirties");
    dirties.allow_only({"from", "size"});
    standby.dirties = read_range(dirties, shared->disk.bytes);
    if (standby.dirties->bytes > kDirtiedBytesMax) {
      dirties.at("size").refuse("must be at most 64 MiB");
    }
  }
  read_takeover(json.at("takeover"), standby);
  return standby;
}

}  // namespace

std::string read_path(const JsonAt& json) {
  const std::string path = json.text();
  const bool plain = path.size() > 1 && path.front() == '/' && path.back() != '/' &&
                     path.find('/', 1) == std::string::npos && path != "/." && path != "/..";
  if (!plain) json.refuse("must be an absolute path of one name, such as \"/log\"");
  if (path.size() > kNameBytesMax + 1) json.refuse("its name must have at most 255 bytes");
  return path;
}

void read_bare_programs(const JsonAt& load, Drill& drill) {
  if (load.has("writers")) {
    const JsonAt writers = load.at("writers");
    for (const std::string& name : writers.keys()) {
      drill.writers.push_back(read_writer(name, writers.at(name), drill));
    }
    if (drill.writers.empty()) writers.refuse("must name a writer");
  }
  if (load.has("readers")) {
    const JsonAt readers = load.at("readers");
    for (const std::string& name : readers.keys()) {
      drill.readers.push_back(read_reader(name, readers.at(name), drill));
    }
  }
  if (!load.has("standbys")) return;
  const JsonAt standbys = load.at("standbys");
  for (const std::string& name : standbys.keys()) {
    drill.standbys.push_back(read_standby(name, standbys.at(name), drill));
  }
}

}  // namespace drydock::scenarios
