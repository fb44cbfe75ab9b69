// Random steps on files, with kills, panics and losses of power, taken by a simulated host and by
// the model at the same time. tests/property/file_laws.cpp draws the steps.
#pragma once

#include "tests/support/file_model.hpp"
#include "tests/support/file_world.hpp"

namespace drydock::test {

inline constexpr std::int64_t kBytesMax = 6 * 4096;

enum class Act {
  create,
  write,
  append,
  write_direct,
  read_direct,
  store,
  sync_all,
  sync_data,
  sync_map,
  begin_sync,
  sync_range,
  truncate,
  allocate,
  rename,
  remove,
  sync_directory,
  wait_us,
  wait_6_s,
  wait_40_s,
  touch_others,
  evict,
  look,
  count_
};
inline constexpr const char* kActs[] = {"create",      "write",      "append",     "write_direct",
                                        "read_direct", "store",      "sync_all",   "sync_data",
                                        "sync_map",    "begin_sync", "sync_range", "truncate",
                                        "allocate",    "rename",     "remove",     "sync_directory",
                                        "wait_us",     "wait_6_s",   "wait_40_s",  "touch_others",
                                        "evict",       "look"};

// What befalls the process, the host or the disk while the operation is under way, or what goes on
// after it: any number of the kernel's events later.
enum class Blow {
  none,
  kill,
  power_cut,   // Of the host; a local disk goes with it.
  both,        // Host and disk lose their power, wherever the disk is.
  disk_first,  // The disk does, and later the host, having seen errors meanwhile.
  panic,       // The host's kernel stops; the disk keeps its power.
};
inline constexpr const char* kBlows[] = {"",           "KILL", "POWER CUT", "POWER CUT OF BOTH",
                                         "DISK FIRST", "PANIC"};

struct Step {
  Act act = Act::look;
  int file = 0;
  int other = 0;
  int offset = 0;
  int length = 0;
  Blow blow = Blow::none;
  int events = 0;  // Run before the blow.
};

// Calls on a file that is open for their duration only. `bytes`: what is written, or what a direct
// read has to find.
inline Task<Result<void>> on_file(FileActor& actor, std::string path, Step step,
                                  SharedBytes bytes) {
  const bool direct = step.act == Act::write_direct || step.act == Act::read_direct;
  const Caching caching = direct ? Caching::direct : Caching::buffered;
  // A sync is begun at whatever state the journal is in: no handle before it.
  const Create create = step.act == Act::look ? Create::if_missing : Create::never;
  const OpenOptions options{.create = create, .caching = caching};
  Result<std::unique_ptr<File>> opened = co_await actor.files().open(actor.worker(), path, options);
  if (!opened) co_return opened.error();
  File& file = **opened;
  Worker& worker = actor.worker();
  switch (step.act) {
    case Act::write:
    case Act::append:
    case Act::write_direct: {
      Result<void> done = co_await file.write_at(worker, step.offset, bytes);
      co_return done;
    }
    case Act::read_direct: {
      Result<ByteChain> read = co_await file.read_at(worker, step.offset, step.length);
      if (!read) co_return read.error();
      const bool same = text_of(*read) == text_of(ByteChain(bytes));
      if (!same) co_return ErrorCode::io_error;
      co_return Result<void>();
    }
    case Act::sync_all: {
      Result<void> done = co_await file.sync_all(worker);
      co_return done;
    }
    case Act::sync_data: {
      Result<void> done = co_await file.sync_data(worker);
      co_return done;
    }
    case Act::sync_range: {
      Result<void> done = co_await file.sync_range(worker, step.offset, step.length);
      co_return done;
    }
    case Act::truncate: {
      Result<void> done = co_await file.truncate(worker, step.offset);
      co_return done;
    }
    case Act::allocate: {
      Result<void> done = co_await file.allocate(worker, step.offset, step.length);
      co_return done;
    }
    default: co_return Result<void>();
  }
}

inline Task<Result<void>> sync_and_close(FileActor& actor, std::unique_ptr<File> file) {
  Result<void> done = co_await file->sync_all(actor.worker());
  co_return done;
}

inline Task<Result<void>> on_map(FileActor& actor, std::string path, std::int64_t size, Step step,
                                 SharedBytes bytes) {
  Result<std::unique_ptr<MappedFile>> mapped =
      co_await actor.files().map(actor.worker(), path, size);
  if (!mapped) co_return mapped.error();
  MappedFile& map = **mapped;
  if (step.act == Act::store) {
    if (map.try_store(actor.worker(), step.offset, bytes.span())) co_return Result<void>();
    Result<void> stored = co_await map.store(actor.worker(), step.offset, bytes);
    co_return stored;
  }
  Result<void> synced = co_await map.sync(actor.worker(), step.offset, step.length);
  co_return synced;
}

inline SharedBytes filled(std::size_t length, char value) {
  return SharedBytes::copy_of(std::string(length, value));
}

// Of an ext4 that orders or journals data: see ModelDirectory.
inline bool rename_over_flushes(const sim::FileSystemOptions& files) {
  return files.kind == sim::FsKind::ext4 && files.data != sim::DataMode::writeback;
}
inline OldBlocks old_blocks(const sim::FileSystemOptions& files) {
  if (files.kind == sim::FsKind::xfs || files.data != sim::DataMode::writeback) {
    return OldBlocks::never_seen;
  }
  return files.dioread_nolock ? OldBlocks::behind_old_ends : OldBlocks::in_written_pages;
}

// Others have files of which the model knows nothing, each in a block of inodes of its own: who
// touches them fills a transaction. They are in a directory.
enum class Others { none, some };
inline constexpr int kOthers = 8;
inline constexpr int kInodesPerBlock = 16;
inline constexpr const char* kOthersName = "others";
inline std::string path_of_other(int number) {
  return "/" + std::string(kOthersName) + "/" + std::to_string(number);
}
inline Task<Result<void>> make_others(FileActor& actor) {
  const std::string directory = "/" + std::string(kOthersName);
  Result<void> made = co_await actor.files().create_directories(actor.worker(), directory);
  if (!made) co_return made;
  const OpenOptions options{.create = Create::must_be_new};
  for (int number = 0; number < kOthers * kInodesPerBlock; ++number) {
    const std::string path = path_of_other(number);
    Result<std::unique_ptr<File>> file = co_await actor.files().open(actor.worker(), path, options);
    if (!file) co_return file.error();
  }
  co_return Result<void>();
}
// Makes the first `count` of them as long as that, or fewer if those fill the transaction.
inline Task<Result<void>> touch_files_of_others(FileActor& actor, const sim::Journal& journal,
                                                int count, std::int64_t size) {
  for (int number = 0; number < count; ++number) {
    const std::string path = path_of_other(number * kInodesPerBlock);
    Result<std::unique_ptr<File>> file =
        co_await actor.files().open(actor.worker(), path, OpenOptions());
    if (!file) co_return file.error();
    Result<void> longer = co_await (*file)->truncate(actor.worker(), size);
    if (!longer) co_return longer;
    if (journal.must_wait(0) == sim::HandleWait::locked) break;
  }
  co_return Result<void>();
}

// Of the disk: whether it does what a flush asks for.
enum class Flushes { obeyed, acknowledged_only };

// Of the model: whether a sync of a file makes names durable, or that of the directory alone.
enum class NamesLaw { with_any_sync, with_directory_sync };
inline NamesLaw names_law(const sim::FileSystemOptions& files) {
  const bool any = files.names == sim::NamesDurable::with_any_commit;
  return any ? NamesLaw::with_any_sync : NamesLaw::with_directory_sync;
}

// The world, the model, and one step of both.
class Trial {
 public:
  explicit Trial(const FileWorldOptions& options, Flushes flushes = Flushes::obeyed,
                 Others others = Others::none)
      : Trial(options, flushes, others, names_law(options.files)) {}
  Trial(const FileWorldOptions& options, Flushes flushes, Others others, NamesLaw names)
      : world_(options),
        directory_(rename_over_flushes(options.files), old_blocks(options.files)),
        others_(others),
        names_(names),
        commits_are_proven_(options.files.barrier && flushes == Flushes::obeyed) {
    if (others_ == Others::some) {
      ENSURE(world_->now(make_others(world_.actor())).has_value());
      world_.settle();
    }
    if (flushes == Flushes::acknowledged_only) {
      world_.disk.begin({.commands = {}, .effect = sim::FlushLie()});
    }
  }

  // Empty, or what broke the law.
  std::string take(Step step) {
    clamp(step);
    stamp_ = static_cast<char>(stamp_ % 120 + 1);
    std::string trouble = act(step);
    collect_syncs();
    return trouble;
  }
  std::string finally() {
    std::string trouble = directory_.accept_alive(look());
    if (!trouble.empty()) return "at the end: " + trouble;
    trouble = cut_power(Blow::power_cut, 0);
    return trouble.empty() && commits_are_proven_ ? count_blocks() : trouble;
  }

 private:
  struct PendingSync {
    Asked<void> asked;
    std::shared_ptr<ModelFile> file;
    std::size_t position;
    std::size_t state;
  };

  static std::string path_of(int file) { return "/" + std::to_string(file); }
  static std::string name_of(int file) { return std::to_string(file); }

  static void clamp(Step& step) {
    if (step.act == Act::write_direct || step.act == Act::read_direct) {
      step.offset = step.offset / 512 * 512;
      step.length = (step.length / 512 + 1) * 512;
    }
    step.length = std::max(step.length, 1);
  }

  std::string act(Step step) {
    switch (step.act) {
      case Act::create:
      case Act::write:
      case Act::append:
      case Act::write_direct:
      case Act::read_direct:
      case Act::sync_all:
      case Act::sync_data:
      case Act::sync_range:
      case Act::truncate:
      case Act::allocate:
      case Act::begin_sync: return act_on_file(step);
      case Act::store:
      case Act::sync_map: return act_on_map(step);
      case Act::rename:
      case Act::remove:
      case Act::sync_directory: return act_on_names(step);
      case Act::wait_us: return wait(step, Duration::us(step.offset));
      case Act::wait_6_s: return wait(step, Duration::s(6));
      case Act::wait_40_s: return wait(step, Duration::s(40));
      case Act::touch_others: return touch_others(step);
      case Act::evict: world_.drop_clean_pages(); break;
      case Act::look: return directory_.accept_alive(look());
      case Act::count_: break;
    }
    if (step.blow == Blow::none) return "";
    return strike(step, nullptr, "");
  }

  // A blow falls in the middle of it.
  std::string wait(const Step& step, Duration length) {
    if (step.blow == Blow::none) {
      world_.run_for(length);
      return "";
    }
    run_events(step.events, length);
    return strike(step, nullptr, "");
  }

  std::string touch_others(const Step& step) {
    if (others_ == Others::none) return "";
    const int count = 1 + step.length % kOthers;
    const sim::Journal& journal = world_.files.mount().journal();
    const Asked<void> touched =
        world_->start(touch_files_of_others(world_.actor(), journal, count, ++size_of_others_));
    if (step.blow != Blow::none) {
      run_events(step.events);
      return strike(step, nullptr, "");
    }
    return world_->finish(touched) ? "" : "others cannot touch their files";
  }

  std::string act_on_file(Step step) {
    const std::string name = name_of(step.file);
    const std::string path = path_of(step.file);
    if (directory_.find(name) == nullptr) {
      Step create = step;
      create.act = Act::look;
      const Asked<void> made = world_->start(on_file(world_.actor(), path, create, SharedBytes()));
      directory_.create(name);
      if (step.act == Act::create && ends_the_host(step.blow)) {
        run_events(step.events);
        return strike(step, nullptr, "");
      }
      if (!world_->finish(made)) return "create failed";
    }
    const std::shared_ptr<ModelFile> file = directory_.find(name);
    const std::string before = file->now();
    if (step.act == Act::append) {
      step.offset = std::min(static_cast<int>(before.size()), static_cast<int>(2 * kBytesMax));
    }
    const auto offset = static_cast<std::size_t>(step.offset);
    const auto length = static_cast<std::size_t>(step.length);
    if (step.act == Act::write || step.act == Act::append || step.act == Act::write_direct) {
      file->write(offset, length, stamp_);
    }
    if (step.act == Act::truncate) file->resize(offset);
    if (step.act == Act::allocate) file->extend(offset + length);
    if (step.act == Act::begin_sync) return begin_sync(step, path, file);
    const SharedBytes bytes =
        step.act == Act::read_direct
            ? SharedBytes::copy_of(offset < before.size() ? before.substr(offset, length) : "")
            : filled(length, stamp_);
    const Asked<void> asked = world_->start(on_file(world_.actor(), path, step, bytes));
    return follow(step, asked, file, before);
  }

  // The sync goes on while the next steps are taken.
  std::string begin_sync(const Step& step, const std::string& path,
                         const std::shared_ptr<ModelFile>& file) {
    Result<std::unique_ptr<File>> opened =
        world_->now(world_->files().open(world_->worker(), path, OpenOptions()));
    if (!opened) return "open failed";
    const Asked<void> asked = world_->start(sync_and_close(world_.actor(), std::move(*opened)));
    syncs_.push_back({asked, file, file->position(), directory_.changed(*file)});
    return step.blow == Blow::none ? "" : strike(step, nullptr, "");
  }

  std::string act_on_map(Step step) {
    const std::string name = name_of(step.file);
    const std::shared_ptr<ModelFile> file = directory_.find(name);
    if (file == nullptr || file->now().empty()) return "";
    const auto size = static_cast<int>(file->now().size());
    step.offset %= size;
    step.length = std::min(step.length, size - step.offset);
    const std::string before = file->now();
    const auto length = static_cast<std::size_t>(step.length);
    if (step.act == Act::store) {
      file->write(static_cast<std::size_t>(step.offset), length, stamp_);
    }
    const Asked<void> asked = world_->start(
        on_map(world_.actor(), path_of(step.file), size, step, filled(length, stamp_)));
    return follow(step, asked, file, before);
  }

  std::string act_on_names(const Step& step) {
    FileSystem& files = world_->files();
    Worker& worker = world_->worker();
    const std::string name = name_of(step.file);
    const std::string other = name_of(step.other);
    const bool exists = directory_.find(name) != nullptr;
    if (step.act == Act::sync_directory) {
      const std::size_t state = directory_.state();
      const Asked<void> asked = world_->start(files.sync_directory(worker, "/"));
      if (step.blow != Blow::none) {
        run_events(step.events);
        if (asked->done()) directory_.names_are_durable(state);
        return strike(step, nullptr, "");
      }
      if (!world_->finish(asked)) return "sync_directory failed";
      directory_.names_are_durable(state);
      return "";
    }
    if (!exists || (step.act == Act::rename && name == other)) return "";
    const Asked<void> asked = step.act == Act::remove
                                  ? world_->start(files.remove(worker, "/" + name))
                                  : world_->start(files.rename(worker, "/" + name, "/" + other));
    if (step.act == Act::remove) directory_.remove(name);
    if (step.act == Act::rename) directory_.rename(name, other);
    if (!ends_the_host(step.blow) && !world_->finish(asked)) return "a change of names failed";
    if (step.blow == Blow::none) return "";
    run_events(step.events);
    return strike(step, nullptr, "");
  }

  // Lets the call return, or lets the blow fall on it.
  std::string follow(const Step& step, const Asked<void>& asked,
                     const std::shared_ptr<ModelFile>& file, const std::string& before) {
    const std::size_t position = file->position();
    if (step.blow != Blow::none) {
      run_events(step.events);
      if (!asked->done()) return strike(step, file, before);
    }
    Result<void> done = world_->finish(asked);
    if (!done) return std::string("failed: ") + std::string(drydock::name_of(done.error().code()));
    completed(step, file, position);
    return step.blow == Blow::none ? "" : strike(step, nullptr, "");
  }

  void completed(const Step& step, const std::shared_ptr<ModelFile>& file, std::size_t position) {
    if (step.act == Act::sync_all || step.act == Act::sync_data) file->add_floor(position);
    if (step.act == Act::sync_all) file_is_synced(directory_.changed(*file));
    if (step.act == Act::sync_data) file_is_synced(directory_.born(*file));
    if (step.act == Act::sync_map) {
      const auto from = static_cast<std::size_t>(step.offset);
      file->add_floor_of_range(position, from, from + static_cast<std::size_t>(step.length));
    }
  }

  // Names up to that state are durable if a sync of a file sees to it.
  void file_is_synced(std::size_t state) {
    if (names_ == NamesLaw::with_any_sync) directory_.names_are_durable(state);
  }

  void collect_syncs() {
    for (const PendingSync& sync : syncs_) {
      if (!sync.asked->done() || !sync.asked->result->has_value()) continue;
      sync.file->add_floor(sync.position);
      file_is_synced(sync.state);
    }
    std::erase_if(syncs_, [](const PendingSync& sync) { return sync.asked->done(); });
  }

  static bool ends_the_host(Blow blow) { return blow != Blow::none && blow != Blow::kill; }

  void run_events(int count, Duration at_most = Duration::s(60)) {
    const std::int64_t limit = world_.kernel.now() + at_most.count_ns();
    for (int i = 0; i < count && world_.kernel.step(limit); ++i) {
    }
  }

  // `in_doubt`: the file that the interrupted call was changing, or null.
  std::string strike(const Step& step, const std::shared_ptr<ModelFile>& in_doubt,
                     const std::string& before) {
    collect_syncs();
    if (ends_the_host(step.blow)) return cut_power(step.blow, step.events);
    syncs_.clear();
    sim::SimProcess& killed = world_->process();
    world_.kill();
    const std::int64_t limit = world_.kernel.now() + Duration::s(60).count_ns();
    if (!world_.kernel.run_while_not([&killed] { return !killed.alive(); }, limit)) {
      return "the killed process does not end";
    }
    const ModelDirectory::Found found = look();
    if (in_doubt != nullptr) {
      for (const auto& [name, file] : directory_.now()) {
        if (file != in_doubt || !found.contains(name)) continue;
        std::string trouble = file->accept_in_doubt(before, found.at(name));
        if (!trouble.empty()) return "after a kill: " + name + " " + trouble;
      }
    }
    std::string trouble = directory_.accept_alive(found);
    return trouble.empty() ? "" : "after a kill: " + trouble;
  }

  std::string cut_power(Blow blow, int events) {
    switch (blow) {
      case Blow::panic: world_.panic(); break;
      case Blow::both:
        world_.disk.lose_power();
        world_.disk.restore_power();
        world_.power_cut();
        break;
      case Blow::disk_first:
        world_.disk.lose_power();
        run_events(events);
        collect_syncs();  // One that succeeds all the same has promised something.
        world_.disk.restore_power();
        world_.power_cut();
        break;
      default: world_.power_cut(); break;
    }
    syncs_.clear();
    std::string trouble = directory_.accept_after_power_cut(look(), device_cache_after(blow));
    if (trouble.empty()) return "";
    return std::string("after ") + kBlows[static_cast<int>(blow)] + ": " + trouble;
  }

  // Every block is free, or of one inode, or kept for trees: 2 % of ext4, 5 % of xfs. What was
  // committed without a flush is not in the image yet.
  std::string count_blocks() {
    world_.run_for(Duration::s(60));
    auto& image = static_cast<sim::VolumeImage&>(*world_.disk.format());
    const std::int64_t blocks = image.data_end() - image.data_begin();
    std::int64_t free = blocks - blocks / (image.kind() == sim::FsKind::xfs ? 20 : 50);
    for (auto& [number, record] : image.metadata().inodes()) {
      free -= std::ssize(record.own_blocks);
      record.blocks.for_each_from(0, [&free](std::int64_t, const sim::BlockRef& ref) {
        if (!ref.hole()) --free;
      });
    }
    const std::int64_t told = world_->free_bytes() / 4096;
    if (told == free) return "";
    return std::to_string(told) + " blocks are free, counted " + std::to_string(free);
  }

  DeviceCache device_cache_after(Blow blow) const {
    const sim::DiskOptions& disk = world_.disk.options();
    const bool host_alone = blow == Blow::panic || (blow == Blow::power_cut &&
                                                    disk.placement == sim::DiskPlacement::remote);
    return host_alone && disk.profile.volatile_cache ? DeviceCache::kept : DeviceCache::lost;
  }

  ModelDirectory::Found look() {
    ModelDirectory::Found found;
    Result<std::vector<FileInfo>> entries =
        world_->now(world_->files().list(world_->worker(), "/"));
    ENSURE(entries.has_value());
    for (const FileInfo& entry : *entries) {
      if (entry.name == kOthersName) continue;
      found[entry.name] = world_->read("/" + entry.name);
      if (static_cast<std::int64_t>(found[entry.name].size()) != entry.size) {
        found[entry.name] += "<size differs>";
      }
    }
    return found;
  }

  FileWorld world_;
  ModelDirectory directory_;
  std::vector<PendingSync> syncs_;
  Others others_;
  NamesLaw names_;
  bool commits_are_proven_;
  std::int64_t size_of_others_ = 0;
  char stamp_ = 0;
};

}  // namespace drydock::test
