// faults/on_sim carries out plans in the simulated world: kills and power losses at a virtual time,
// at the n-th event, or at a crash point. It breaks things through the simulation's own means only
// (SimProcess::kill, Host::lose_power, SimNetwork::cut), as events of their own, never from inside
// the victim.
//
// What it does not do: know what a cluster is made of. It asks `Targets`, which the composition
// root implements.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "faults/plan/injector.hpp"
#include "sim/disk/sim_disk.hpp"
#include "sim/host/host.hpp"

namespace drydock::faults {

// The cluster as an injector needs it.
class Targets {
 public:
  virtual ~Targets() = default;
  // The name of the process that is meant now, or empty if the topology has none.
  virtual std::string process_meant(const Selector& selector) = 0;
  // The name of the host that is meant now: by its own name, or as the host of the process meant.
  virtual std::string host_meant(const Selector& selector) = 0;
  // The present life of a process of the topology; null while it has none.
  virtual sim::SimProcess* process(const std::string& name) = 0;
  virtual sim::Host& host(const std::string& name) = 0;
  // The disk of a host; null if it has none, or has lost it for good.
  virtual sim::SimDisk* disk(const std::string& host) = 0;
  // The bytes of the host's disk that a range means now; none if there are none.
  virtual std::vector<sim::CommandSet::Range> bytes_of(const std::string& host,
                                                       const DiskRange& range) = 0;
  // Somebody else takes room of the file system on the host's disk until `used_percent` of it are
  // in use; nothing if they are already. `fault` is the number by which `empty` gives it back. The
  // host has power.
  virtual void fill(const std::string& host, std::size_t fault, std::int32_t used_percent) = 0;
  virtual void empty(const std::string& host, std::size_t fault) = 0;
  // The host will never have power again, and its disks are gone, also if it is dark already.
  virtual void destroy(const std::string& host) = 0;
  virtual bool destroyed(const std::string& host) const = 0;
  // Makes a slave the master of its group. False if it is none, or does not run.
  virtual bool promote(const std::string& name) = 0;
  // Makes a broker a slave of its group, now if it runs, else in its next life. False if it is one
  // already, or gone for good.
  virtual bool demote(const std::string& name) = 0;
  // Starts a program on `host` that asks the replication port of a broker for a web page, and stays
  // connected. Null if the host is dark.
  virtual sim::SimProcess* stray_client(const std::string& host, const std::string& broker) = 0;
  // Starts a program that removes a file of the host. False if there is no such file with blocks on
  // its disk, or the host is dark.
  virtual bool remove_file(const std::string& host, const std::string& path) = 0;
  // Starts a program that syncs a file of the host. False as of `remove_file`.
  virtual bool sync_file(const std::string& host, const std::string& path) = 0;
  // A program of the host locks a directory; `fault` is the number by which `unlock_directory`
  // gives it back. False if there is no such directory, or the host is dark.
  virtual bool lock_directory(const std::string& host, std::size_t fault,
                              const std::string& path) = 0;
  virtual void unlock_directory(const std::string& host, std::size_t fault) = 0;
  // Stops what travels between the host and another one (empty: all others). Returns what `mend`
  // takes.
  virtual std::uint32_t cut(const std::string& host, const std::string& from,
                            CutDirection direction) = 0;
  virtual void mend(std::uint32_t cut) = 0;
  // Starts a process again, as its supervisor would. No effect if it runs or its host is dark.
  virtual void restart(const std::string& name) = 0;
};

class SimInjector : public Injector {
 public:
  SimInjector(sim::Kernel& kernel, Targets& targets) : kernel_(kernel), targets_(targets) {}

  std::optional<std::string> arm(const Plan& plan) override;
  void heal() override;
  const std::vector<FaultStatus>& statuses() const override { return statuses_; }

  // When the latest fault so far took effect; -1: none has.
  std::int64_t latest_began_ns() const { return latest_began_ns_; }

  // Nothing fires any more; what is active stays.
  void disarm();

  // Told by the world before a process's first step, also after a restart: crash points are armed
  // in each life of the process that a fault selects.
  void process_starting(const std::string& name, sim::SimProcess& process);

 private:
  // One end of a fault as an event of its own.
  class Moment : public Wakeup {
   public:
    using Action = void (SimInjector::*)(std::size_t index);
    Moment(SimInjector& injector, std::size_t index, Action action)
        : Wakeup(&Moment::on_run, EventKind::fault, static_cast<std::uint32_t>(index)),
          injector_(injector),
          index_(index),
          action_(action) {}

   private:
    static void on_run(Wakeup& wakeup) {
      auto& self = static_cast<Moment&>(wakeup);
      (self.injector_.*self.action_)(self.index_);
    }
    SimInjector& injector_;
    std::size_t index_;
    Action action_;
  };
  struct Armed {
    Armed(SimInjector& injector, std::size_t index)
        : begin(injector, index, &SimInjector::on_begin),
          end(injector, index, &SimInjector::on_end) {}
    Moment begin;
    Moment end;
    std::uint32_t cut = 0;              // Of an active net.partition.
    sim::DiskFaultId trouble{};         // Of an active fault of a disk,
    int link = 0;                       // but for disk.cut.
    sim::SimProcess* client = nullptr;  // Of an active net.stray-client.
  };

  std::optional<std::string> refuse(const Fault& fault);
  void arm_trigger(std::size_t index);
  void arm_crash_point(std::size_t index, sim::SimProcess& process);
  void on_begin(std::size_t index);
  void on_end(std::size_t index);
  // Each is false if there was nothing to break.
  bool begin(std::size_t index);
  bool begin_on_process(const Fault& fault, FaultStatus& status);
  bool begin_on_host(const Fault& fault, FaultStatus& status);
  bool begin_partition(std::size_t index);
  bool begin_stray_client(std::size_t index);
  bool begin_on_disk(std::size_t index);
  bool begin_cut_of_disk(std::size_t index);
  bool begin_fill(std::size_t index);
  void end_on_disk(std::size_t index);

  sim::Kernel& kernel_;
  Targets& targets_;
  Plan plan_;
  bool disarmed_ = false;
  std::int64_t latest_began_ns_ = -1;
  std::vector<FaultStatus> statuses_;
  std::vector<std::unique_ptr<Armed>> armed_;
};

}  // namespace drydock::faults
