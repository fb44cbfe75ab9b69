#include "tools/fidelity/actor.hpp"

#include <algorithm>

namespace drydock::fidelity {

Actor::Actor(StorageWorld& world, std::string name) : world_(world) {
  world_.start(std::move(name), [this](Context& context) { return live(context); });
  const std::int64_t now = world_.kernel().now();
  ENSURE(world_.kernel().run_while_not([this] { return open_ != nullptr; }, now));
}

Task<void> Actor::live(Context& context) {
  Open open(context);
  open_ = &open;
  Result<void> told = co_await context.terminate.wait();
  ENSURE(told.has_value());
}

Worker& Actor::worker(const std::string& name) {
  Worker*& worker = open_->workers[name];
  if (worker == nullptr) worker = &open_->context.workers.add(name);
  return *worker;
}

File& Actor::file(const std::string& path) {
  auto& entry = open_->files[path];
  const OpenOptions options{.create = Create::if_missing};
  if (entry == nullptr) entry = must(files().open(worker(), path, options));
  return *entry;
}

MappedFile& Actor::map(const std::string& path, std::int64_t bytes) {
  auto& entry = open_->maps[path];
  if (entry == nullptr) entry = must(files().map(worker(), path, bytes));
  return *entry;
}

File& Actor::filled(const std::string& path, std::int64_t bytes) {
  File& made = file(path);
  write(made, 0, bytes);
  must(made.sync_all(worker()));
  return made;
}

void Actor::write(File& file, std::int64_t offset, std::int64_t bytes) {
  const std::int64_t end = offset + bytes;
  while (offset < end) {
    const std::int64_t part = std::min<std::int64_t>(1 << 20, end - offset);
    must(file.write_at(worker(), offset, SharedBytes::zeros(static_cast<std::size_t>(part))));
    offset += part;
  }
}

}  // namespace drydock::fidelity
