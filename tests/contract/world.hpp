// tests/contract states what the interfaces of engine/runtime promise, once, and asks both worlds:
// the simulation and Linux (loopback sockets, a temporary directory). Every contract is a typed
// test that sees its world only through `World` below; what can be asked of one world only says so.
//
//   world, sim_world, linux_world    the two worlds behind one face
//   contract                         the fixture
//   answers, explained_divergences   what is unspecified is asked, noted and compared
//   clock, waits, network, files, names, processes, reservations, host_control    the contracts
//
// This file: a world as the contracts see it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/runtime/context.hpp"
#include "engine/runtime/processes.hpp"

namespace drydock::contract {

using Program = std::function<Task<void>(Context&)>;

// One process of a world. Good until the world ends.
class Guest {
 public:
  virtual ~Guest() = default;
  virtual ProcessState& state() = 0;
  virtual void kill() = 0;
  virtual void terminate() = 0;
  virtual bool exited_by_itself() const = 0;
  // Starting and ending other processes from inside this one.
  virtual Processes& processes() = 0;
  bool alive() { return state().phase() != ProcessState::Phase::dead; }
};

class World {
 public:
  virtual ~World() = default;
  // "simulation" or "linux".
  virtual std::string_view name() const = 0;

  // A process on the `host`-th host, from 0. Processes of one host share files and an address.
  virtual Guest& start(int host, std::string name, Program program) = 0;
  // The address of a host.
  virtual std::uint32_t address(int host) const = 0;
  // Runs until the condition holds. The limit only turns a hang into `false`: a thousand virtual
  // seconds, or a minute of real time.
  virtual bool run_until(const std::function<bool()>& condition) = 0;

  // The host loses its power and gets it back. False if this world cannot do that.
  virtual bool power_cut(int host) = 0;

  // Programs for Processes::start: one that ends by itself with status 0, and one that never does.
  virtual ProcessSpec ends_at_once() const = 0;
  virtual ProcessSpec never_ends() const = 0;
};

struct Simulation {
  static constexpr const char* kName = "Simulation";
  static std::unique_ptr<World> make();
};
struct Linux {
  static constexpr const char* kName = "Linux";
  static std::unique_ptr<World> make();
};

}  // namespace drydock::contract
