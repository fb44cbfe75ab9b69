// Nodes with a disk each: a log that is appended to and synced, a mapped table, a checkpoint that
// is replaced by rename. A new life first reads what the last one left. Disks hang, slow down, fail
// commands, and lose their power with their host.
#include "engine/runtime/context.hpp"
#include "sim/fs/host_files.hpp"
#include "tests/fingerprint/crowd.hpp"

namespace drydock::fingerprint {
namespace {

constexpr std::int64_t kTableBytes = 64 << 10;
constexpr const char* kFolder = "/data";
constexpr const char* kLog = "/data/log";
constexpr const char* kTable = "/data/table";
constexpr const char* kCheckpoint = "/data/checkpoint";
constexpr const char* kNewCheckpoint = "/data/checkpoint.new";

SharedBytes filled(std::size_t size, std::uint64_t value) {
  SharedBytes bytes = SharedBytes::allocate(size);
  for (std::byte& byte : bytes.writable()) {
    byte = static_cast<std::byte>(value >> 56);
    value = value * 6364136223846793005 + 1442695040888963407;
  }
  return bytes;
}

std::int64_t sum_of(const ByteChain& chain) {
  std::uint64_t sum = 0;
  for (const SharedBytes& piece : chain.pieces()) {
    for (const std::byte byte : piece.span()) sum = sum * 31 + std::to_integer<std::uint64_t>(byte);
  }
  return static_cast<std::int64_t>(sum >> 1);
}

class FileCrowd final : public Crowd {
 public:
  explicit FileCrowd(CrowdOptions options) : Crowd(options) { assemble(); }
  ~FileCrowd() override { disperse(); }

 private:
  struct Storage {
    Storage(sim::Kernel& kernel, sim::Host& host, sim::DiskOptions disk_options)
        : disk(kernel, DiskId(host.id().value()), std::move(disk_options)),
          files(kernel, host, disk, sim::FileSystemOptions{}) {}
    sim::SimDisk disk;
    sim::HostFiles files;
  };

  void equip(sim::Host& host) override {
    sim::DiskOptions disk;
    disk.name = host.name() + "/disk";
    disk.capacity_bytes = 64 << 20;
    disk.profile = host.id().value() % 2 == 0 ? sim::sata_ssd() : sim::local_nvme();
    if (host.id().value() % 5 == 0) disk.placement = sim::DiskPlacement::remote;
    storage_.push_back(std::make_unique<Storage>(kernel(), host, std::move(disk)));
  }
  void attach(sim::Host& host, sim::SimProcess& process) override {
    process.attach(std::make_unique<test::NoNetwork>(),
                   storage_[host.id().value()]->files.attach(process));
  }
  void more_trouble(RandomStream& random) override {
    const std::uint64_t kind = random.below(8);
    const std::uint64_t whose = random.below(storage_.size());
    sim::SimDisk& disk = storage_[whose]->disk;
    if (kind == 0) {
      disk.hang(sim::DiskHang::all);
      hung_.push_back(&disk);
    }
    if (kind == 1) disk.set_slowness(1'000 + static_cast<std::int64_t>(random.below(20'000)));
    if (kind == 2) disk.fail_next(sim::DiskCommand::Kind::write, 1);
    if (kind >= 5 && !hung_.empty()) {
      hung_.front()->release(sim::DiskHang::all);
      hung_.erase(hung_.begin());
    }
  }

  // What the tasks of one life share.
  struct Life {
    explicit Life(Context& process) : context(process), stopping() {}
    Context& context;
    std::unique_ptr<File> log;
    std::unique_ptr<MappedFile> table;
    std::int64_t end = 0;
    Event stopping;
  };

  static void tell(Context& context, EventName name, const Error& error) {
    context.observer.event(name, static_cast<std::int64_t>(error.code()), error.status());
  }

  Task<Result<void>> recover(Life& life, Worker& worker) {
    Context& context = life.context;
    Result<void> made = co_await context.files.create_directories(worker, kFolder);
    if (!made) co_return made;
    const OpenOptions create{.create = Create::if_missing};
    Result<std::unique_ptr<File>> log = co_await context.files.open(worker, kLog, create);
    if (!log) co_return log.error();
    const std::int64_t size = (*log)->size().value_or(0);
    Result<ByteChain> bytes = co_await (*log)->read_at(worker, 0, size);
    if (!bytes) co_return bytes.error();
    context.observer.event(EventName::store_recovery_finished, size, sum_of(*bytes));
    Result<std::vector<FileInfo>> names = co_await context.files.list(worker, kFolder);
    if (!names) co_return names.error();
    for (const FileInfo& info : *names) {
      context.observer.event(EventName::store_recovery_started, info.size,
                             static_cast<std::int64_t>(info.name.size()));
    }
    Result<std::unique_ptr<MappedFile>> table =
        co_await context.files.map(worker, kTable, kTableBytes);
    if (!table) co_return table.error();
    Result<ByteChain> cells = co_await (*table)->load(worker, 0, kTableBytes);
    if (!cells) co_return cells.error();
    context.observer.event(EventName::store_recovery_finished, kTableBytes, sum_of(*cells));
    life.log = std::move(*log);
    life.table = std::move(*table);
    life.end = size;
    if (size < 512 << 10) co_return Result<void>();
    life.end = size / 2;
    Result<void> cut = co_await life.log->truncate(worker, life.end);
    co_return cut;
  }

  Task<void> append(Life& life) {
    Context& context = life.context;
    RandomStream random = context.random.stream("append");
    Worker& worker = context.workers.add("append");
    for (;;) {
      const Duration pause = Duration::us(random.between(100, 9'000));
      Result<void> slept = co_await sleep_for(context.clock, pause);
      if (!slept) co_return;
      const std::size_t size = 1 + random.below(9'000);
      const SharedBytes record = filled(size, random.next());
      const std::int64_t at = life.end;
      life.end += static_cast<std::int64_t>(record.size());
      Result<void> written = co_await life.log->write_at(worker, at, record);
      if (!written) co_return tell(context, EventName::store_flush_failed, written.error());
      co_await context.chaos.reach(CrashPoint::store_before_flush);
      if (random.chance(2, 3)) continue;
      Result<void> synced = co_await life.log->sync_data(worker);
      if (!synced) tell(context, EventName::store_flush_failed, synced.error());
      if (synced) context.observer.event(EventName::store_flushed, at);
    }
  }

  Task<void> fill_table(Life& life) {
    Context& context = life.context;
    RandomStream random = context.random.stream("table");
    Worker& worker = context.workers.add("table");
    for (;;) {
      const Duration pause = Duration::us(random.between(100, 9'000));
      Result<void> slept = co_await sleep_for(context.clock, pause);
      if (!slept) co_return;
      const SharedBytes cell = filled(64, random.next());
      const std::int64_t at = static_cast<std::int64_t>(random.below(kTableBytes / 64)) * 64;
      if (!life.table->try_store(worker, at, cell.span())) {
        Result<void> stored = co_await life.table->store(worker, at, cell);
        if (!stored) co_return tell(context, EventName::store_flush_failed, stored.error());
      }
      if (random.chance(7, 8)) continue;
      Result<void> synced = co_await life.table->sync(worker, 0, kTableBytes);
      if (!synced) tell(context, EventName::store_flush_failed, synced.error());
    }
  }

  Task<Result<void>> replace_checkpoint(Life& life, Worker& worker, RandomStream& random) {
    Context& context = life.context;
    const OpenOptions create{.create = Create::if_missing};
    Result<std::unique_ptr<File>> file =
        co_await context.files.open(worker, kNewCheckpoint, create);
    if (!file) co_return file.error();
    const SharedBytes content = filled(4'096, random.next());
    Result<void> written = co_await (*file)->write_at(worker, 0, content);
    if (!written) co_return written;
    Result<void> synced = co_await (*file)->sync_all(worker);
    if (!synced) co_return synced;
    Result<void> renamed = co_await context.files.rename(worker, kNewCheckpoint, kCheckpoint);
    if (!renamed) co_return renamed;
    Result<void> durable = co_await context.files.sync_directory(worker, kFolder);
    co_return durable;
  }

  Task<void> keep_checkpoint(Life& life) {
    RandomStream random = life.context.random.stream("checkpoint");
    Worker& worker = life.context.workers.add("checkpoint");
    for (;;) {
      const Duration pause = Duration::ms(random.between(5, 90));
      Result<void> slept = co_await sleep_for(life.context.clock, pause);
      if (!slept) co_return;
      Result<void> replaced = co_await replace_checkpoint(life, worker, random);
      if (!replaced) tell(life.context, EventName::store_flush_failed, replaced.error());
    }
  }

  Task<void> node(Context& context, int) override {
    Life life(context);
    Worker& worker = context.workers.add("main");
    Result<void> recovered = co_await recover(life, worker);
    if (!recovered) co_return tell(context, EventName::store_flush_failed, recovered.error());
    context.observer.event(EventName::serving_started, life.end);
    TaskScope scope(context.scope);
    scope.spawn(append(life));
    scope.spawn(fill_table(life));
    scope.spawn(keep_checkpoint(life));
    Result<void> told = co_await context.terminate.wait();
    ENSURE(told.has_value());
    scope.cancel();
    co_await scope.join();
    Result<void> synced = co_await life.log->sync_all(worker);
    if (!synced) tell(context, EventName::store_flush_failed, synced.error());
  }

  std::vector<std::unique_ptr<Storage>> storage_;
  std::vector<sim::SimDisk*> hung_;
};

}  // namespace

std::unique_ptr<sim::Verifiable> make_file_crowd(CrowdOptions options) {
  return std::make_unique<FileCrowd>(options);
}

}  // namespace drydock::fingerprint
