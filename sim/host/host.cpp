#include "sim/host/host.hpp"

namespace drydock::sim {

Host::Host(Kernel& kernel, HostId id, HostOptions options)
    : kernel_(kernel),
      id_(id),
      options_(std::move(options)),
      clock_(kernel, [this](std::uint32_t process_id) { return has(process_id); }),
      cores_(kernel, id.value(), options_.cores, options_.cpu_slice) {
  clock_.set_wall_offset(options_.wall_offset_ns);
  if (options_.memory.bytes > 0) memory_ = std::make_unique<HostMemory>(*this, options_.memory);
}

Host::~Host() {
  while (!processes_.empty()) processes_.pop_back();
}

SimProcess& Host::spawn(std::string name) {
  ENSURE(powered_);
  // Ids are unique in the world: host in the upper half, number of the process in the lower.
  const auto number = static_cast<std::uint32_t>(processes_.size());
  ENSURE(number < 0x10000);
  const ProcessId id((id_.value() << 16) | number);
  processes_.push_back(std::make_unique<SimProcess>(*this, id, std::move(name)));
  if (paused_) processes_.back()->stop(StopCause::host);
  return *processes_.back();
}

SimProcess* Host::find(ProcessId id) {
  if (!has(id.value())) return nullptr;
  return processes_[id.value() & 0xffff].get();
}

bool Host::has(std::uint32_t process_id) const {
  return (process_id >> 16) == id_.value() && (process_id & 0xffff) < processes_.size();
}

void Host::lose_power() { kernel_.post_urgent(power_lost_event_); }
void Host::restore_power() { kernel_.post_urgent(power_restored_event_); }

void Host::panic() { kernel_.post_urgent(panic_event_); }

void Host::on_power_lost() {
  if (dark_) return;
  dark_ = true;  // Also after a panic: the devices still had power.
  go_down(EventName::host_power_lost, &HostListener::power_lost);
}

void Host::on_panic() {
  if (powered_) go_down(EventName::host_panicked, &HostListener::panicked);
}

void Host::go_down(EventName cause, void (HostListener::*told)(Host&)) {
  powered_ = false;
  paused_ = false;
  kernel_.engine_event(id_.value(), cause, id_.value(), 0);
  for (HostListener* listener : listeners_) (listener->*told)(*this);
  for (auto& process : processes_) process->host_lost();
}

void Host::on_power_restored() {
  if (powered_) return;
  powered_ = true;
  dark_ = false;
  clock_.restart();
  kernel_.engine_event(id_.value(), EventName::host_power_restored, id_.value(), 0);
  for (HostListener* listener : listeners_) listener->power_restored(*this);
}

void Host::pause() {
  paused_ = true;
  for (auto& process : processes_) process->stop(StopCause::host);
}

void Host::resume() {
  paused_ = false;
  for (auto& process : processes_) process->proceed(StopCause::host);
}

void Host::process_ended(SimProcess& process) {
  if (memory_ != nullptr) memory_->process_ended(process);
  for (HostListener* listener : listeners_) listener->process_ended(*this, process);
}

void Host::out_of_memory(SimProcess& victim) {
  for (HostListener* listener : listeners_) listener->out_of_memory(*this, victim);
}

}  // namespace drydock::sim
