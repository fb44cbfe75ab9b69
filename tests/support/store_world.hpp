// A host with files in memory and processes that hold a message store and do what the test tells
// them from outside. Files are small, so that logs roll after a few messages.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/message_store.hpp"
#include "engine/wire/message_properties.hpp"
#include "tests/support/bytes_text.hpp"
#include "tests/support/memory_files.hpp"
#include "tests/support/world.hpp"

namespace drydock::test {

inline constexpr std::int64_t kFileBytes = 4096;
inline constexpr std::int64_t kUnitsPerFile = 10;
inline constexpr std::string_view kCommitLog = "/store/commitlog/";

inline std::string log_file(std::int64_t start) {
  return std::string(kCommitLog) + queue_file_name(PhysicalOffset(start));
}

// The file of a queue of topic T that starts with the unit `first`.
inline std::string queue_file(std::int64_t first, std::int32_t queue_id = 0) {
  return "/store/consumequeue/T/" + std::to_string(queue_id) + "/" +
         queue_file_name(first * kUnitBytes);
}

inline StoreConfiguration small_store(FlushDiskType flush = FlushDiskType::sync_flush) {
  StoreConfiguration configuration;
  configuration.mapped_file_size_commit_log = kFileBytes;
  configuration.mapped_file_size_consume_queue = kUnitsPerFile * kUnitBytes;
  configuration.flush_disk_type = flush;
  configuration.message_index_enable = false;  // Its tests switch it on.
  return configuration;
}

inline IncomingMessage message(std::string_view body, std::int32_t queue_id = 0) {
  IncomingMessage made;
  made.topic = SharedBytes::copy_of("T");
  made.body = SharedBytes::copy_of(body);
  made.queue_id = queue_id;
  made.born_host = {0x0a000001, 1};
  return made;
}
inline IncomingMessage message_of(std::size_t body_bytes, std::int32_t queue_id = 0) {
  return message(std::string(body_bytes, 'b'), queue_id);
}
// Length of the record of message_of(body_bytes).
constexpr std::int64_t record_of(std::int64_t body_bytes) {
  return static_cast<std::int64_t>(kRecordBytesMin) + 1 + body_bytes;
}

// A put that is under way or done.
struct Put {
  std::optional<PutResult> result;
  Duration at;
  bool done() const { return result.has_value(); }
  // What it ended in, or nothing yet.
  std::optional<PutStatus> status() const {
    if (!result) return std::nullopt;
    return result->status;
  }
};
using PendingPut = std::shared_ptr<Put>;

class StoreWorld : public World {
 public:
  explicit StoreWorld(StoreConfiguration store = small_store()) : configuration(std::move(store)) {
    add_host({.wall_offset_ns = 1'700'000'000'000'000'000});
    files.clock = &host().clock();
  }
  virtual ~StoreWorld() = default;
  MemoryFiles files;
  StoreConfiguration configuration;

  // The files of the host as a process sees them.
  virtual std::unique_ptr<FileSystem> attach(sim::SimProcess&) { return files.attach(); }

  void run_for(Duration length) { run_to(now() + length); }
  std::uint64_t count(EventName name) { return kernel.triggers().occurrences(name); }

  // The host loses its power and gets it back; its files keep what is durable.
  virtual void power_cycle() {
    host().lose_power();
    run_for(Duration());
    files.lose_power();
    host().restore_power();
    run_for(Duration());
  }
};

// A process that loads and starts a store. Time passes only while the test lets the world run.
class StoreProcess {
 public:
  explicit StoreProcess(StoreWorld& world)
      : world_(world), process_(world.host().spawn("store" + std::to_string(number(world)))) {
    process_.attach(std::make_unique<NoNetwork>(), world.attach(process_));
    process_.start([this](Context& context) { return hold(context); });
    world.run_for(Duration());
  }
  StoreProcess(const StoreProcess&) = delete;
  StoreProcess& operator=(const StoreProcess&) = delete;

  // What load, or start, came to.
  bool started() const { return outcome_ && outcome_->has_value(); }
  std::optional<ErrorCode> error() const {
    if (!outcome_ || outcome_->has_value()) return std::nullopt;
    return outcome_->error().code();
  }
  MessageStore& store() { return *store_; }
  sim::SimProcess& process() { return process_; }
  std::int64_t end() { return store_->commit_log().max_offset().value(); }

  PendingPut put(IncomingMessage what) {
    auto pending = std::make_shared<Put>();
    process_.context().scope.spawn(put_task(std::move(what), pending));
    return pending;
  }
  // A put that is expected to be over within a second.
  PutResult put_now(IncomingMessage what) {
    const PendingPut pending = put(std::move(what));
    world_.run_for(Duration::s(1));
    ENSURE(pending->done());
    return *pending->result;
  }
  // A lookup; nothing in memory waits.
  GetResult get(GetRequest request) {
    auto result = std::make_shared<std::optional<Result<GetResult>>>();
    process_.context().scope.spawn(get_task(request, result));
    world_.run_for(Duration());
    ENSURE(result->has_value());
    ENSURE((*result)->has_value());
    return std::move(***result);
  }
  GetResult get(std::int64_t offset, std::int32_t count_max = 32, std::int32_t queue_id = 0) {
    return get(GetRequest{
        .topic = "T", .queue_id = queue_id, .offset = QueueOffset(offset), .count_max = count_max});
  }
  ConsumeQueue* queue(std::int32_t queue_id = 0) {
    return store_->consume_queues().find("T", queue_id);
  }
  // The units of a queue of topic T, from its minimum to its maximum.
  std::vector<ConsumeQueueUnit> units(std::int32_t queue_id = 0) {
    auto found = std::make_shared<std::vector<ConsumeQueueUnit>>();
    if (queue(queue_id) != nullptr) {
      process_.context().scope.spawn(read_task(*queue(queue_id), found));
      world_.run_for(Duration());
    }
    return *found;
  }
  void kill() {
    process_.kill();
    world_.run_for(Duration());
  }
  void stop() {
    process_.terminate();
    world_.run_for(Duration::s(1));
  }

 private:
  static int number(StoreWorld& world) {
    return static_cast<int>(world.count(EventName::process_started));
  }
  Task<void> hold(Context& context) {
    MessageStore store(context, world_.configuration, Endpoint{0x0a000001, 10'911});
    store_ = &store;
    worker_ = &context.workers.add("SendMessageThread_1");
    Result<void> ready = co_await store.load();
    if (ready) {
      Result<void> begun = co_await store.start();
      ready = begun;
    }
    outcome_ = ready;
    Result<void> told = co_await context.terminate.wait();
    ENSURE(told.has_value());
    co_await store.shutdown();
  }
  Task<void> put_task(IncomingMessage what, PendingPut pending) {
    PutResult result = co_await store_->put_message(*worker_, std::move(what));
    pending->at = world_.now();
    pending->result = result;
  }

  Task<void> get_task(GetRequest request,
                      std::shared_ptr<std::optional<Result<GetResult>>> result) {
    Result<GetResult> got = co_await store_->get_message(*worker_, request);
    result->emplace(std::move(got));
  }
  Task<void> read_task(ConsumeQueue& queue, std::shared_ptr<std::vector<ConsumeQueueUnit>> found) {
    QueueOffset at = queue.min_offset();
    while (at < queue.max_offset()) {
      Result<ByteChain> bytes = co_await queue.read(*worker_, at, queue.max_offset() - at);
      ENSURE(bytes.has_value());
      ENSURE(!bytes->empty());
      const SharedBytes units = bytes->flatten();
      for (std::size_t i = 0; i < units.size(); i += kUnitBytes) {
        found->push_back(decode_unit(units.span().subspan(i)));
        at = at + 1;
      }
    }
  }

  StoreWorld& world_;
  sim::SimProcess& process_;
  MessageStore* store_ = nullptr;
  Worker* worker_ = nullptr;
  std::optional<Result<void>> outcome_;
};

// Builds the commit log that a broker left behind, record by record.
class LogBuilder {
 public:
  explicit LogBuilder(MemoryFiles& files, PropertyCrc crc = PropertyCrc::none)
      : files_(files), crc_(crc) {}

  // A record of message_of(body_bytes) at the end; gives its place.
  std::int64_t add(std::size_t body_bytes, std::int64_t queue_offset = 0,
                   std::int64_t store_ms = 1000) {
    const std::string body(body_bytes, 'b');
    const RecordContent content{.born_host = {0x0a000001, 1},
                                .store_host = {0x0a000001, 10'911},
                                .body = as_byte_span(body),
                                .topic = as_byte_span("T"),
                                .property_crc = crc_};
    SharedBytes record = encode_record(content);
    const std::int64_t at = end_;
    const RecordPlace place{QueueOffset(queue_offset), PhysicalOffset(at), store_ms};
    place_record(record.writable(), place, crc_);
    write(at, record.span());
    end_ += static_cast<std::int64_t>(record.size());
    return at;
  }
  // The unit of a record that was added, in its queue of topic T.
  void add_unit(std::int64_t at, std::int64_t queue_offset, std::int64_t bytes) {
    const std::int64_t first = queue_offset - queue_offset % kUnitsPerFile;
    const std::string path = queue_file(first);
    if (!files_.exists(path)) files_.put(path, Bytes(kUnitsPerFile * kUnitBytes));
    const UnitBytes unit = encode_unit({PhysicalOffset(at), static_cast<std::int32_t>(bytes), 0});
    for (Bytes* const copy : {&files_.at(path).cached, &files_.at(path).durable}) {
      std::ranges::copy(unit, copy->begin() + (queue_offset - first) * kUnitBytes);
    }
  }
  // Closes the present file with a blank record.
  void blank() {
    const std::int64_t remaining = kFileBytes - end_ % kFileBytes;
    write(end_, encode_blank(static_cast<std::int32_t>(remaining)));
    end_ += remaining;
  }
  // Makes the file at the end, as zeros, if there is none.
  void preallocate() { file_at(end_); }
  // Overwrites bytes anywhere.
  void write(std::int64_t at, std::span<const std::byte> bytes) {
    MemoryFiles::Node& file = file_at(at);
    for (Bytes* const copy : {&file.cached, &file.durable}) {
      std::ranges::copy(bytes, copy->begin() + at % kFileBytes);
    }
  }
  void damage(std::int64_t at) {
    const std::byte wrong[] = {std::byte{0x5a}};
    write(at, wrong);
  }
  std::int64_t end() const { return end_; }
  // Length of the record of message_of(body_bytes).
  std::int64_t bytes_of(std::size_t body_bytes) const {
    return record_of(static_cast<std::int64_t>(body_bytes)) +
           static_cast<std::int64_t>(stored_properties_bytes({}, crc_));
  }

  // The broker that wrote it did not stop in an orderly way.
  void crashed(std::int64_t checkpoint_ms) {
    files_.put("/store/abort", Bytes(1, std::byte{'1'}));
    Bytes checkpoint(kCheckpointBytes);
    write_big_endian(checkpoint.data(), checkpoint_ms);      // physicMsgTimestamp
    write_big_endian(checkpoint.data() + 8, checkpoint_ms);  // logicsMsgTimestamp
    files_.put("/store/checkpoint", std::move(checkpoint));
  }

 private:
  MemoryFiles::Node& file_at(std::int64_t at) {
    const std::string path = log_file(at - at % kFileBytes);
    if (!files_.exists(path)) files_.put(path, Bytes(kFileBytes));
    return files_.at(path);
  }
  MemoryFiles& files_;
  PropertyCrc crc_;
  std::int64_t end_ = 0;
};

}  // namespace drydock::test
