// scenarios/world_sim is the composition root of the simulated world: the only folder of scenarios
// that knows in which world it is.
//
//   sim_world   kernel, hosts, network, disks and processes of one drill, and their supervisors; by
//               subject in world_hosts, world_programs, world_lives, world_faults, world_facts
//   stray_programs  programs that only faults start
//   modelled    what the simulation lacks, takes for granted and leaves out
//   event_log   what the engine told of its store
//   sim_run     one (drill, cell, seed), phase by phase
//   runner      from that to a judged result
//
// This file: the cluster. A supervisor here is what systemd is on a real host: it starts a program
// when its host has booted, and again when it is told to.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "engine/store/store_stats.hpp"
#include "faults/on_sim/sim_injector.hpp"
#include "scenarios/drill/cells.hpp"
#include "scenarios/workload/destination.hpp"
#include "scenarios/workload/recorder.hpp"
#include "scenarios/world_sim/event_log.hpp"
#include "sim/disk/sim_disk.hpp"
#include "sim/fs/node_control.hpp"
#include "sim/net/network.hpp"

namespace drydock::scenarios {

class SimWorld : public faults::Targets, public sim::HostListener {
 public:
  SimWorld(const Experiment& experiment, const Cell& cell, std::uint64_t seed,
           Provenance provenance = Provenance::latest);
  ~SimWorld() override;

  sim::Kernel& kernel() { return kernel_; }
  faults::SimInjector& injector() { return injector_; }
  const faults::SimInjector& injector() const { return injector_; }
  const Recorder& recorder() const { return recorder_; }
  const EventLog& events() const { return events_; }

  // Name servers and brokers.
  void start_services();
  // Producers and bare writers.
  void start_producers();
  // Who owns a shared disk from the start has mounted it, or never will.
  bool shared_disks_mounted() const;
  // SIGTERM: they end their open sends and stop.
  void stop_producers();
  bool producers_running() const;
  // They, bare readers and standbys run from the start of the load on.
  void start_consumers();
  void stop_consumers();
  // Every broker that is not gone for good runs and has told that it serves, and is known to the
  // name servers, if there are any.
  bool brokers_serving() const;
  // ... and every slave's log goes as far as its master's.
  bool slaves_caught_up() const;
  // Whether the broker lives and has a round of its dispatch under way.
  bool dispatching(std::size_t broker) const;
  // The brokers that take writes now, by their places in the topology: those that are masters and
  // serve; the one that was promoted last first.
  std::vector<std::size_t> writable_brokers() const;
  // The first of them, to which clients go.
  std::optional<std::size_t> writable_broker() const;
  // The host was destroyed.
  bool destroyed(const std::string& host) const override;
  // Runs a program of the judge on a broker's host, next to the broker. Null if the host is dark.
  sim::SimProcess* start_judge(std::size_t broker, sim::Program program);
  // The same on any host.
  sim::SimProcess* start_judge(const std::string& host, sim::Program program);
  // What the programs of the topology waited for inside the kernel, until now.
  std::vector<reports::WaitFact> waits() const;
  const std::vector<reports::OomKill>& oom_kills() const { return oom_kills_; }
  // What each host with a disk has done to it since it began: `began_ns` 0, `ended_ns` now.
  std::vector<reports::DiskUse> disk_use();
  // What brokers have counted, all of their lives together.
  std::vector<reports::BrokerCounts> broker_counts(std::int64_t load_end_ns) const;
  // Lines that they wrote about trouble, as operators look for them; at most kBrokerLinesMax.
  const std::vector<reports::BrokerLine>& broker_lines() const { return broker_lines_; }
  // File systems that have stopped themselves, in order of time.
  const std::vector<reports::StoppedFileSystem>& stopped_file_systems() const {
    return stopped_file_systems_;
  }
  // Programs of the topology that had as many files and sockets open as they may, until now.
  std::vector<reports::RefusedOpens> refused_opens() const;
  // What became of shared disks.
  reports::OwnershipReport ownership() const;
  const std::vector<reports::TakeoverFacts>& takeovers() const { return takeovers_; }
  // The file system of the host, on a disk of its own, can never be mounted again.
  bool files_damaged(const std::string& host) const;
  bool shares_disk(const std::string& host) { return machine(host).shared != nullptr; }
  // Which host has mounted by now what this one mounted at the start.
  std::string final_owner(const std::string& host) const;
  // The last error line that a process wrote, or empty.
  const std::string& last_error() const { return last_error_; }

  std::string process_meant(const faults::Selector& selector) override;
  std::string host_meant(const faults::Selector& selector) override;
  sim::SimProcess* process(const std::string& name) override;
  sim::Host& host(const std::string& name) override;
  sim::SimDisk* disk(const std::string& host) override;
  std::vector<sim::CommandSet::Range> bytes_of(const std::string& host,
                                               const faults::DiskRange& range) override;
  void fill(const std::string& host, std::size_t fault, std::int32_t used_percent) override;
  void empty(const std::string& host, std::size_t fault) override;
  void destroy(const std::string& host) override;
  bool promote(const std::string& name) override;
  bool demote(const std::string& name) override;
  sim::SimProcess* stray_client(const std::string& host, const std::string& broker) override;
  bool remove_file(const std::string& host, const std::string& path) override;
  bool sync_file(const std::string& host, const std::string& path) override;
  bool lock_directory(const std::string& host, std::size_t fault, const std::string& path) override;
  void unlock_directory(const std::string& host, std::size_t fault) override;
  std::uint32_t cut(const std::string& host, const std::string& from,
                    faults::CutDirection direction) override;
  void mend(std::uint32_t cut) override { network_.heal(sim::CutId(cut)); }
  void restart(const std::string& name) override;

 private:
  struct Machine {
    std::unique_ptr<sim::SimDisk> disk;  // Its own.
    sim::SimDisk* shared = nullptr;      // Or one that others attach, too.
    std::unique_ptr<sim::Host> host;
    std::unique_ptr<sim::HostFiles> files;
    std::unique_ptr<sim::SimHostControl> control;  // Of a host that attaches a shared disk.
    Duration boot;
    CpuPrices prices;               // Of its broker's work, where that takes time.
    std::int64_t memory_bytes = 0;  // 0: it never runs out.
    std::int64_t up_at_ns = 0;      // When it has booted, or will have.
    bool destroyed = false;
  };
  static bool has_files(const Machine& machine);
  // A program of the topology with the life that it leads at present.
  class Service : public Wakeup {
   public:
    Service(SimWorld& world, std::string name, std::string role, Machine& machine,
            sim::Program program)
        : Wakeup(&Service::on_run, EventKind::host, machine.host->id().value()),
          world(world),
          name(std::move(name)),
          role(std::move(role)),
          machine(machine),
          program(std::move(program)) {}

    SimWorld& world;
    std::string name;
    std::string role;  // What it is now.
    int master_since =
        0;  // The number of its promotion; 0: it has been so from the start, or never.
    Machine& machine;
    sim::Program program;
    std::optional<BrokerConfiguration> configuration;  // Of a broker's next life.
    std::vector<std::shared_ptr<StoreStats>> stats;    // Of its lives.
    bool start_when_ended = false;
    std::optional<sim::JvmOptions> jvm;  // Of each of its lives; none: no program of Java.
    int lives = 0;
    sim::SimProcess* process = nullptr;  // The present life, or the last one.

   private:
    static void on_run(Wakeup& wakeup) {
      auto& self = static_cast<Service&>(wakeup);
      self.world.start(self);
    }
  };

  using Services = std::vector<std::unique_ptr<Service>>;
  // By process, worker and place.
  using WaitLedger = std::map<std::tuple<std::string, std::string, WaitPlace>, reports::WaitFact>;

  void power_lost(sim::Host&) override {}
  void power_restored(sim::Host& host) override;
  void process_ended(sim::Host& host, sim::SimProcess& process) override;
  void out_of_memory(sim::Host&, sim::SimProcess& victim) override {
    const std::string& life = victim.name();  // "broker-a#2"
    oom_kills_.push_back({life.substr(0, life.find('#')), kernel_.now()});
  }

  void add_shared_disk(const SharedDiskSpec& spec, const Drill& drill);
  void add_machine(const HostSpec& spec, const Drill& drill);
  void tell_stopped(Machine& machine);
  void take_line(const std::string& life, LogLevel level, const std::string& line);
  void set_link(const LinkSpec& spec);
  void add_name_server(const NameServerSpec& spec);
  void add_broker(const BrokerSpec& spec, const BrokerConfiguration& configuration);
  // What a slave's configuration says of its master, which only the topology knows.
  void follow_masters();
  void add_producer(const ProducerSpec& spec, const Drill& drill, const Cell& cell);
  void add_consumer(const ConsumerSpec& spec, const Drill& drill, const Cell& cell);
  void add_writer(const WriterSpec& spec);
  void add_reader(const ReaderSpec& spec);
  void add_owner(const SharedDiskSpec& spec);
  void add_standby(const StandbySpec& spec, const Drill& drill);
  // `broker`: a name, or empty.
  Destination destination_of(const std::string& broker, const Drill& drill, const Cell& cell);
  Machine& machine(const std::string& host_name);
  Service* service(const std::string& name);
  const Service* meant(const faults::Selector& selector) const;
  bool serving(const Service& broker) const;
  static void terminate(const std::vector<std::unique_ptr<Service>>& services);
  // Writes down what happened to a host, for the brokers on it.
  void log(const sim::Host& host, void (EventLog::*what)(std::size_t broker));
  std::array<const Services*, 8> all_services() const {
    return {&brokers_, &name_servers_, &producers_, &consumers_,
            &writers_, &readers_,      &owners_,    &standbys_};
  }
  // Adds what a life of a service has waited for.
  void count_waits(const Service& service, WaitLedger& ledger) const;
  void start(Service& service);
  sim::SimProcess& spawn(Machine& machine, const std::string& name);

  // Order matters: what is declared first outlives what follows.
  sim::Kernel kernel_;
  Recorder recorder_;
  EventLog events_;
  std::string last_error_;
  std::vector<reports::BrokerLine> broker_lines_;
  std::map<BuggifySite, std::int64_t> buggify_;  // Percent.
  Behaviour behaviour_;
  int promotions_ = 0;
  int strays_ = 0;            // Programs that only faults start.
  HaConfiguration promoted_;  // What an operator gives a slave that becomes the master.
  bool reading_ = false;      // The same of consumers.
  bool loading_ = false;      // Producers belong to what a host starts when it boots.
  faults::SimInjector injector_;
  sim::SimNetwork network_;
  std::vector<std::unique_ptr<sim::SimDisk>> shared_disks_;  // As in the topology.
  std::vector<reports::OomKill> oom_kills_;
  std::vector<reports::StoppedFileSystem> stopped_file_systems_;
  std::vector<reports::TakeoverFacts> takeovers_;  // As the standbys.
  std::vector<std::unique_ptr<Machine>> machines_;
  std::vector<Endpoint> name_server_endpoints_;
  std::vector<std::unique_ptr<Service>> name_servers_;
  std::vector<std::unique_ptr<Service>> brokers_;
  std::vector<std::unique_ptr<Service>> producers_;
  std::vector<std::unique_ptr<Service>> consumers_;
  std::vector<std::unique_ptr<Service>> writers_;
  std::vector<std::unique_ptr<Service>> readers_;
  std::vector<std::unique_ptr<Service>> owners_;
  std::vector<std::unique_ptr<Service>> standbys_;
  WaitLedger waits_;                                   // Of lives that have ended.
  std::map<std::string, std::int64_t> refused_opens_;  // The same, by process.
};

}  // namespace drydock::scenarios
