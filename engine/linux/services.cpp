#include "engine/linux/services.hpp"

#include <sys/random.h>

#include <cstdio>

namespace drydock::on_linux {
namespace {

const char* level_name(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return "debug";
    case LogLevel::info: return "info";
    case LogLevel::warning: return "warning";
    case LogLevel::error: return "error";
  }
  return "";
}

}  // namespace

Worker& LinuxWorkers::add(std::string name) {
  const auto index = static_cast<std::uint32_t>(workers_.size());
  const WorkerId id((std::uint64_t{process_.value()} << 32) | index);
  workers_.push_back(std::make_unique<LinuxWorker>(id, std::move(name), mailbox_, clock_));
  return *workers_.back();
}

void LinuxWorkers::close_lanes() {
  for (auto& worker : workers_) worker->lane().close();
}

Task<Result<void>> LinuxCompute::charge(Worker&, Duration) { co_return Result<void>(); }

void LinuxObserver::event(EventName name, std::int64_t a, std::int64_t b) {
  ++counts_[static_cast<std::size_t>(name)];
  if (event_sink_) event_sink_(process_, name, a, b);
}

LogSink standard_error_log() {
  return [](std::string_view process, LogLevel level, const std::string& line) {
    std::string text(process);
    text.append(" ").append(level_name(level)).append(": ").append(line).append("\n");
    std::fwrite(text.data(), 1, text.size(), stderr);
  };
}

std::uint64_t draw_seed() {
  std::uint64_t seed = 0;
  ENSURE(::getrandom(&seed, sizeof seed, 0) == sizeof seed);
  return seed;
}

}  // namespace drydock::on_linux
