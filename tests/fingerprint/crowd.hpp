// tests/fingerprint runs a hundred nodes through everything that can happen to them and prints what
// came of it as one number per workload. The numbers are equal for g++ and clang, with and without
// optimisation and sanitizers, for one job and many; tools/test compares them.
//
//   crowd        hosts, lives of their processes, and the nemesis that troubles them
//   mail_node    nodes on the bare kernel: mailboxes, timers, locks, scopes, crash points
//   stream_node  nodes that talk through streams, with partitions and resets
//   file_node    nodes with a disk each: files, maps, syncs, recovery after a crash
//   main         the list of workloads; one process or several
//
// This file: the crowd.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/host/host.hpp"
#include "sim/kernel/verify.hpp"
#include "tests/support/no_services.hpp"

namespace drydock::fingerprint {

struct CrowdOptions {
  std::uint64_t seed = 1;
  bool perturb = false;
  int nodes = 100;
  Duration length = Duration::s(2);    // Virtual time.
  Duration trouble = Duration::ms(2);  // The nemesis acts this often on average.
};

// Calls a member function of its owner as an event.
template <class Owner>
class Appointment : public Wakeup {
 public:
  using Action = void (Owner::*)();
  Appointment(Owner& owner, EventKind kind, std::uint32_t subject, Action action)
      : Wakeup(&Appointment::on_run, kind, subject), owner_(owner), action_(action) {}

 private:
  static void on_run(Wakeup& wakeup) {
    auto& self = static_cast<Appointment&>(wakeup);
    (self.owner_.*self.action_)();
  }
  Owner& owner_;
  Action action_;
};

class Crowd : public sim::Verifiable {
 public:
  explicit Crowd(CrowdOptions options);
  ~Crowd() override;

  sim::Kernel& kernel() override { return kernel_; }
  bool advance() override { return kernel_.step(options_.length.count_ns()); }

 protected:
  // To be called by the constructor of the derived class, when its services are there.
  void assemble();

  // What the derived class adds to a host, to a process, and what a node runs.
  virtual void equip(sim::Host&) {}
  virtual void attach(sim::Host&, sim::SimProcess& process);
  virtual Task<void> node(Context& context, int index) = 0;
  // Trouble of its own, beside what happens to hosts and processes.
  virtual void more_trouble(RandomStream&) {}

  const CrowdOptions& options() const { return options_; }
  sim::Host& host(int index) { return *nodes_[static_cast<std::size_t>(index)]->host; }
  sim::SimProcess* process(int index) { return nodes_[static_cast<std::size_t>(index)]->process; }
  // Ends every process and takes the hosts down, while the derived class's services still live. To
  // be called by its destructor.
  void disperse();

 private:
  struct Node {
    Node(Crowd& crowd, int index);
    void revive();

    Crowd& crowd;
    int index;
    int lives = 0;
    std::unique_ptr<sim::Host> host;
    sim::SimProcess* process = nullptr;
    Appointment<Node> revival;
    Appointment<Node> relief;  // Ends a pause, a stop or a drift.
    void relieve();
  };

  void make_trouble();
  void trouble(Node& node);

  CrowdOptions options_;
  sim::Kernel kernel_;
  RandomStream nemesis_;
  std::vector<std::unique_ptr<Node>> nodes_;
  Appointment<Crowd> next_trouble_;
};

// The workloads; see their files.
std::unique_ptr<sim::Verifiable> make_mail_crowd(CrowdOptions options);
std::unique_ptr<sim::Verifiable> make_stream_crowd(CrowdOptions options);
std::unique_ptr<sim::Verifiable> make_file_crowd(CrowdOptions options);

}  // namespace drydock::fingerprint
