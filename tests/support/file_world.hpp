// One host, one disk, a file system on it, and processes that do what the test tells them from
// outside: every call becomes a task of the process.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/fs/host_files.hpp"
#include "tests/support/no_services.hpp"

namespace drydock::test {

// What came of a call: nothing yet, or a result and when.
template <class T>
struct Answer {
  std::optional<Result<T>> result;
  std::int64_t at_ns = 0;
  bool done() const { return result.has_value(); }
};
template <class T>
using Asked = std::shared_ptr<Answer<T>>;

template <class T>
Task<void> answer(Task<Result<T>> call, Asked<T> asked, const sim::Kernel& kernel) {
  Result<T> result = co_await std::move(call);
  asked->result.emplace(std::move(result));
  asked->at_ns = kernel.now();
}

inline std::string text_of(const ByteChain& chain) {
  const SharedBytes whole = chain.flatten();
  return std::string(reinterpret_cast<const char*>(whole.data()), whole.size());
}
inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// A process whose open files and mappings are locals of its main coroutine.
class FileActor {
 public:
  FileActor(sim::HostFiles& files, sim::Host& host, std::string name,
            std::optional<sim::JvmOptions> jvm = std::nullopt)
      : host_(host), process_(host.spawn(std::move(name))) {
    process_.attach(std::make_unique<NoNetwork>(), files.attach(process_));
    if (jvm) process_.use_jvm(*jvm);
    process_.start([this](Context& context) { return hold(context); });
    host_.kernel().run_while_not([this] { return holding_ != nullptr; }, host_.kernel().now());
  }
  FileActor(const FileActor&) = delete;
  FileActor& operator=(const FileActor&) = delete;

  sim::SimProcess& process() { return process_; }
  FileSystem& files() { return process_.context().files; }
  Worker& worker() { return *holding_->worker; }

  // Starts a call.
  template <class T>
  Asked<T> start(Task<Result<T>> call) {
    auto asked = std::make_shared<Answer<T>>();
    holding_->tasks.spawn(answer(std::move(call), asked, host_.kernel()));
    return asked;
  }
  // Runs the world until the call has returned.
  template <class T>
  Result<T> finish(const Asked<T>& asked) {
    sim::Kernel& kernel = host_.kernel();
    const std::int64_t limit = kernel.now() + Duration::s(600).count_ns();
    ENSURE(kernel.run_while_not([&asked] { return asked->done(); }, limit));
    return std::move(*asked->result);
  }
  template <class T>
  Result<T> now(Task<Result<T>> call) {
    return finish(start(std::move(call)));
  }

  // The file, opened (and made) when it is first asked for.
  File& file(const std::string& path, OpenOptions options = {.create = Create::if_missing}) {
    auto& entry = holding_->files[path];
    if (entry == nullptr) entry = must(now(files().open(worker(), path, options)));
    return *entry;
  }
  MappedFile& map(const std::string& path, std::int64_t size) {
    auto& entry = holding_->maps[path];
    if (entry == nullptr) entry = must(now(files().map(worker(), path, size)));
    return *entry;
  }
  void close(const std::string& path) {
    holding_->files.erase(path);
    holding_->maps.erase(path);
  }

  Result<void> write(const std::string& path, std::int64_t offset, std::string_view text) {
    return now(file(path).write_at(worker(), offset, SharedBytes::copy_of(text)));
  }
  // Everything from `offset`, at most `length` bytes; "<absent>" if there is no such file.
  std::string read(const std::string& path, std::int64_t offset = 0,
                   std::int64_t length = 1 << 30) {
    const OpenOptions options{.mode = OpenMode::read_only};
    Result<std::unique_ptr<File>> opened = now(files().open(worker(), path, options));
    if (!opened) return "<absent>";
    Result<ByteChain> bytes = now((*opened)->read_at(worker(), offset, length));
    if (!bytes) return "<" + std::string(name_of(bytes.error().code())) + ">";
    return text_of(*bytes);
  }
  // Of the whole file system.
  // What a process may use of it.
  std::int64_t free_bytes() { return must(now(files().space(worker(), "/"))).usable_bytes; }
  Result<void> sync(const std::string& path) { return now(file(path).sync_all(worker())); }
  Result<void> sync_data(const std::string& path) { return now(file(path).sync_data(worker())); }

 private:
  template <class T>
  static T must(Result<T> result) {
    ENSURE(result.has_value());
    return std::move(*result);
  }
  struct Holding {
    explicit Holding(TaskScope& root) : tasks(root) {}
    Worker* worker = nullptr;
    std::map<std::string, std::unique_ptr<File>> files;
    std::map<std::string, std::unique_ptr<MappedFile>> maps;
    TaskScope tasks;  // Last: they use the others.
  };

  Task<void> hold(Context& context) {
    Holding holding(context.scope);
    holding.worker = &context.workers.add("worker");
    holding_ = &holding;
    Result<void> told = co_await context.terminate.wait();
    ENSURE(told.has_value());
  }

  sim::Host& host_;
  sim::SimProcess& process_;
  Holding* holding_ = nullptr;
};

struct FileWorldOptions {
  sim::KernelOptions kernel{.seed = 1};
  sim::DiskOptions disk{.name = "d0", .capacity_bytes = 256 << 20};
  sim::FileSystemOptions files;
  int cores = 8;
  sim::MemoryOptions memory;
  int open_files_max = sim::HostOptions().open_files_max;
};

class FileWorld {
 public:
  explicit FileWorld(FileWorldOptions options = {})
      : kernel(options.kernel),
        disk(kernel, DiskId(1), options.disk),
        host(kernel, HostId(1),
             {.name = "h1",
              .cores = options.cores,
              .open_files_max = options.open_files_max,
              .memory = options.memory}),
        files(kernel, host, disk, options.files) {
    actor_ = std::make_unique<FileActor>(files, host, "p0");
  }

  sim::Kernel kernel;
  sim::SimDisk disk;
  sim::Host host;
  sim::HostFiles files;

  // The process in use.
  FileActor& actor() { return *actor_; }
  FileActor* operator->() { return actor_.get(); }

  void run_for(Duration time) { kernel.run_until(kernel.now() + time.count_ns()); }
  // Until nothing is dirty and nothing is to be committed.
  void settle() { run_for(Duration::s(60)); }

  // The power fails, at this very moment, and comes back; a new process is there afterwards.
  void power_cut() {
    host.lose_power();
    run_for(Duration());
    host.restore_power();
    run_for(Duration::s(1));
    replace_actor();
  }
  // The kernel panics and the host is reset, with its devices powered throughout.
  void panic() {
    host.panic();
    run_for(Duration());
    host.restore_power();
    run_for(Duration::s(1));
    replace_actor();
  }
  // kill -9, and a new process.
  void kill() {
    actor_->process().kill();
    run_for(Duration());
    replace_actor();
  }
  // Nothing stays in memory but what is dirty or pinned.
  void drop_clean_pages() { files.cache().drop_clean(); }

 private:
  void replace_actor() {
    actor_ = std::make_unique<FileActor>(files, host, "p" + std::to_string(++processes_));
  }

  int processes_ = 0;
  std::unique_ptr<FileActor> actor_;
};

}  // namespace drydock::test
