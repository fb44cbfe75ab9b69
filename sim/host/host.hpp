// A machine: power, clock, cores, and its processes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/host/cores.hpp"
#include "sim/host/host_clock.hpp"
#include "sim/host/host_memory.hpp"
#include "sim/host/process.hpp"

namespace drydock::sim {

class Host;

// What other parts of the world want to know of a host, in the order in which they registered.
class HostListener {
 public:
  virtual ~HostListener() = default;
  // Power is gone: forget what was volatile. The host's processes are destroyed right after this
  // call, so sockets and files of theirs must stay silent in their destructors.
  virtual void power_lost(Host& host) = 0;
  // The kernel has stopped: the same for everything in the host's memory, but its devices keep
  // their power, and so what their caches hold.
  virtual void panicked(Host& host) { power_lost(host); }
  // The host boots: after a loss of power, or reset after a panic.
  virtual void power_restored(Host& host) = 0;
  // Every frame of the process is gone.
  virtual void process_ended(Host& host, SimProcess& process) = 0;
  // Memory has run out: the kernel is about to kill that process.
  virtual void out_of_memory(Host&, SimProcess&) {}
};

struct HostOptions {
  std::string name;
  std::uint32_t address = 0;  // IPv4, host byte order.
  int cores = 8;
  bool cpu_priced = false;  // Whether charged CPU time takes time.
  // Work that computes for so long gives its core to others that wait; 0: never. Linux: about 3 ms
  // with 8 cores (kernel/sched/fair.c, the base slice or minimal granularity).
  Duration cpu_slice;
  // RLIMIT_NOFILE of each process: files, mappings and sockets together. RocketMQ's bin/os.sh sets
  // it. A login has 1,024 unless told otherwise; a Java virtual machine raises that to the hard
  // limit, 4,096 or since systemd 240 524,288.
  int open_files_max = 655'350;
  std::int64_t wall_offset_ns = 0;
  MemoryOptions memory;
};

class Host {
 public:
  Host(Kernel& kernel, HostId id, HostOptions options);
  ~Host();

  Kernel& kernel() const { return kernel_; }
  HostId id() const { return id_; }
  const HostOptions& options() const { return options_; }
  const std::string& name() const { return options_.name; }
  std::uint32_t address() const { return options_.address; }
  HostClock& clock() { return clock_; }
  Cores& cores() { return cores_; }
  // Null: memory never runs out.
  HostMemory* memory() const { return memory_.get(); }
  // False after a loss of power or a panic, until the host boots again.
  bool powered() const { return powered_; }

  // A process that does not run yet: attach its network and files, then start it. Only while the
  // host is powered. `name` names its random streams: a restarted process takes a new name or
  // draws the same numbers again.
  SimProcess& spawn(std::string name);
  // Null if there never was such a process.
  SimProcess* find(ProcessId id);

  // Power, as events: both only schedule, and run before anything else that is due.
  void lose_power();
  void restore_power();
  // The kernel stops, as an event. It ends with `restore_power`: a watchdog or an operator resets
  // the host, and it boots. (A crash kernel that writes a dump first is not modelled.)
  void panic();
  // Stops or continues every process, as a frozen cgroup does. The host's kernel and its clocks go
  // on: sockets acknowledge what arrives and accept connections, dirty pages are written back. (In
  // a paused virtual machine all of that stands still, too: that is not modelled.)
  void pause();
  void resume();

  // From HostMemory.
  void out_of_memory(SimProcess& victim);

  void add_listener(HostListener& listener) { listeners_.push_back(&listener); }
  void remove_listener(HostListener& listener) { std::erase(listeners_, &listener); }
  // Log lines of the host's processes.
  using LogSink = std::function<void(const std::string& process, LogLevel, const std::string&)>;
  void set_log_sink(LogSink sink) { log_sink_ = std::move(sink); }
  void log(const std::string& process, LogLevel level, const std::string& line) {
    if (log_sink_) log_sink_(process, level, line);
  }

 private:
  friend class SimProcess;
  class PowerEvent : public Wakeup {
   public:
    PowerEvent(Host& host, void (Host::*action)())
        : Wakeup(&PowerEvent::on_run, EventKind::host, host.id().value()),
          host_(host),
          action_(action) {}

   private:
    static void on_run(Wakeup& wakeup) {
      auto& self = static_cast<PowerEvent&>(wakeup);
      (self.host_.*self.action_)();
    }
    Host& host_;
    void (Host::*action_)();
  };

  void on_power_lost();
  void on_panic();
  void go_down(EventName cause, void (HostListener::*told)(Host&));
  void on_power_restored();
  void process_ended(SimProcess& process);
  bool has(std::uint32_t process_id) const;

  Kernel& kernel_;
  HostId id_;
  HostOptions options_;
  HostClock clock_;
  Cores cores_;
  std::unique_ptr<HostMemory> memory_;
  bool powered_ = true;
  bool dark_ = false;  // Not powered for want of power, not of a kernel.
  bool paused_ = false;
  std::vector<HostListener*> listeners_;
  std::vector<std::unique_ptr<SimProcess>> processes_;
  LogSink log_sink_;
  PowerEvent power_lost_event_{*this, &Host::on_power_lost};
  PowerEvent panic_event_{*this, &Host::on_panic};
  PowerEvent power_restored_event_{*this, &Host::on_power_restored};
};

}  // namespace drydock::sim
