// A process that does what an experiment tells it from outside, one call after another or several
// at a time: every call becomes a task of the process.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tools/fidelity/storage_world.hpp"

namespace drydock::fidelity {

// What came of a call: nothing yet, or a result and when.
template <class T>
struct Answer {
  std::optional<Result<T>> result;
  Duration asked_at;
  Duration at;
  bool done() const { return result.has_value(); }
  Duration took() const { return at - asked_at; }
};
template <class T>
using Asked = std::shared_ptr<Answer<T>>;

template <class T>
Task<void> answer(Task<Result<T>> call, Asked<T> asked, const sim::Kernel& kernel) {
  Result<T> result = co_await std::move(call);
  asked->result.emplace(std::move(result));
  asked->at = Duration::ns(kernel.now());
}

// What it has open goes with its process: after a loss of power there has to be another one.
class Actor {
 public:
  Actor(StorageWorld& world, std::string name);
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;

  FileSystem& files() { return open_->context.files; }
  // Of calls that run at the same time each has one of its own.
  Worker& worker(const std::string& name = "main");

  // Starts a call with the next event.
  template <class T>
  Asked<T> start(Task<Result<T>> call) {
    auto asked = std::make_shared<Answer<T>>();
    asked->asked_at = world_.now();
    open_->context.scope.spawn(answer(std::move(call), asked, world_.kernel()));
    return asked;
  }
  // Runs the world until the call has returned, an hour at most. How long it took.
  template <class T>
  Duration wait(const Asked<T>& asked) {
    const std::int64_t limit = (world_.now() + Duration::s(3600)).count_ns();
    ENSURE(world_.kernel().run_while_not([&asked] { return asked->done(); }, limit));
    return asked->took();
  }
  // The result of a call that must succeed.
  template <class T>
  T must(Task<Result<T>> call) {
    const Asked<T> asked = start(std::move(call));
    wait(asked);
    ENSURE(asked->result->has_value());
    if constexpr (!std::is_void_v<T>) return std::move(**asked->result);
  }
  template <class T>
  Duration time_of(Task<Result<T>> call) {
    const Asked<T> asked = start(std::move(call));
    const Duration took = wait(asked);
    ENSURE(asked->result->has_value());
    return took;
  }

  // Opened and made when it is first asked for.
  File& file(const std::string& path);
  // With `bytes` bytes.
  MappedFile& map(const std::string& path, std::int64_t bytes);
  // Its first `bytes` bytes are written and durable, and clean in the page cache.
  File& filled(const std::string& path, std::int64_t bytes);
  // Writes into the page cache, a MiB at a time.
  void write(File& file, std::int64_t offset, std::int64_t bytes);

 private:
  // A local of the process's main coroutine.
  struct Open {
    explicit Open(Context& its_context) : context(its_context) {}
    Context& context;
    std::map<std::string, Worker*> workers;
    std::map<std::string, std::unique_ptr<File>> files;
    std::map<std::string, std::unique_ptr<MappedFile>> maps;
  };

  Task<void> live(Context& context);

  StorageWorld& world_;
  Open* open_ = nullptr;
};

}  // namespace drydock::fidelity
