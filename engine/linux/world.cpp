#include "engine/linux/world.hpp"

#include <string.h>

namespace drydock::on_linux {

LinuxWorld::LinuxWorld(LinuxOptions options)
    : options_(std::move(options)),
      seed_(options_.seed ? *options_.seed : draw_seed()),
      operations_(std::make_unique<Operations>(executor_, options_.file_io)) {
  if (!options_.log_sink) options_.log_sink = standard_error_log();
  if (!options_.seed) log("world", LogLevel::info, "seed " + std::to_string(seed_));
  if (const int refusal = operations_->ring_refusal(); refusal != 0) {
    log("world", LogLevel::warning,
        std::string("io_uring is not available (") + ::strerrordesc_np(refusal) +
            "): reads, writes and syncs run on threads instead");
  }
}

LinuxWorld::~LinuxWorld() {
  for (auto& process : processes_) process->begin_dying();
  drain();
  processes_.clear();  // Hands unmappings and the like to the world's own lane.
  drain();
}

void LinuxWorld::drain() noexcept {
  const auto drained = [this] { return operations_->in_flight() == 0; };
  while (!drained()) {
    try {
      executor_.run_until(drained, kNever);
    } catch (...) {  // NOLINT: a task's exception that no run is left to report.
    }
  }
}

LinuxProcess& LinuxWorld::spawn(std::string name, LinuxProcessOptions options) {
  const ProcessId id(static_cast<std::uint32_t>(processes_.size()) + 1);
  processes_.push_back(std::make_unique<LinuxProcess>(
      *this, id, std::move(name), std::move(options), options_.log_sink, options_.event_sink));
  return *processes_.back();
}

bool LinuxWorld::run_until(const std::function<bool()>& predicate, Duration real_time_limit) {
  return executor_.run_until(predicate, executor_.now() + real_time_limit);
}

void LinuxWorld::run() {
  executor_.run_until([] { return false; }, kNever);
}

void LinuxWorld::log(std::string_view process, LogLevel level, const std::string& line) {
  options_.log_sink(process, level, line);
}

}  // namespace drydock::on_linux
