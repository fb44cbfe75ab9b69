// engine/linux is the seam on Linux: real sockets, files, block devices and child processes behind
// the interfaces of engine/runtime. It is thin and holds no policy. Clocks, threads, descriptors
// and randomness of the operating system are allowed in this folder and nowhere else in the engine.
//
//   world          LinuxWorld: the run loop and the processes in it; the only door for callers
//   process        a "process": one engine program with its own context, scope and kill
//   executor       the run loop: ready list, timers, readiness of descriptors (the Asio file)
//   clock          CLOCK_MONOTONIC and CLOCK_REALTIME
//   operation      a call that may block, its bytes and its descriptor; who waits for it
//   lane           one thread and its queue; every worker that blocks has one of its own
//   mailbox        how threads hand finished operations back: a list and an eventfd
//   io_operation   read, write, sync, allocate: by a ring or by a lane, the same steps
//   ring           io_uring
//   operations     chooses between ring, lane and the loop's own thread, counts what is in flight
//   stand_in       the thread that runs the loop when the loop's own is stuck; thread_setup
//   descriptor     owned descriptors; shared_descriptor: those that operations hold, too
//   errors         errno values as ErrorCodes
//   file, mapped_file (with guarded_copy), file_system (with path_calls), block_device
//   stream, network, processes, services
//
// One thread at a time runs everything that the engine can see: coroutines, destructors, counts of
// shared bytes. Whatever may block (page faults included) is an operation: it sees raw memory and
// plain numbers only, and belongs to an object that stays with the run loop. So an operation
// outlives the coroutine that asked for it: killing a process does not stop a write.
//
// Where operations run. What is likely to block (opening, syncing, reading what is not cached) runs
// in the ring or on a lane. What seldom does, a store into a mapping, is done by the loop's own
// thread between two wake-ups, since two thread switches cost ten times a store; if it blocks after
// all, another thread runs the loop within four milliseconds (stand_in).
//
// A lane per worker, not a shared pool: a Worker stands for a thread of the real broker, so its
// calls hang on a thread that carries its name, as the loop's own does while it is stuck; one hung
// disk holds up nobody who doesn't use it, and /proc shows who waits where. One thing waits for a
// stuck store: the end of a run (LinuxWorld::stop, and with it SIGTERM).
//
// A "process" here lives inside the operating-system process that runs the world; several may (a
// broker and a producer in one test). What belongs to an operating-system process as a whole is
// therefore arranged so that two of ours see each other: file locks are open-file-description
// locks, and each process may have a loopback address of its own.
//
// What it does not do: reservations and host control (a later issue), IPv6, TLS, detaching from
// the terminal. Death of the whole operating-system process is the kernel's business.
//
// This file: the world.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/linux/clock.hpp"
#include "engine/linux/executor.hpp"
#include "engine/linux/operations.hpp"
#include "engine/linux/process.hpp"

namespace drydock::on_linux {

struct LinuxOptions {
  FileIo file_io = FileIo::ring_if_allowed;
  // Seed of every process's random streams; none: drawn from the operating system and logged.
  std::optional<std::uint64_t> seed;
  // Where log lines go; none: the standard error stream. Called on the world's thread and may
  // block it: log lines are rare.
  LogSink log_sink;
  // Called for every event of an observer, for metrics and tests. None: counted only.
  EventSink event_sink;
};

class LinuxWorld {
 public:
  explicit LinuxWorld(LinuxOptions options = {});
  // Ends every process as a kill does, and waits for the operations in flight: a device that does
  // not answer holds this up, as it would hold up the exit of an operating-system process.
  ~LinuxWorld();
  LinuxWorld(const LinuxWorld&) = delete;
  LinuxWorld& operator=(const LinuxWorld&) = delete;

  // A process that does not run yet. `name` goes before its log lines and names its random streams.
  // The reference is good until the world ends.
  LinuxProcess& spawn(std::string name, LinuxProcessOptions options = {});

  // Runs until `predicate()` holds, which is asked first and then after every event. False: the
  // limit of real time has passed, or `stop` was called. Throws what a task threw.
  bool run_until(const std::function<bool()>& predicate, Duration real_time_limit);
  // Runs until `stop`. Throws what a task threw.
  void run();
  // Makes the run in progress (or the next one) return. From any thread and from signal handlers.
  void stop() { executor_.stop(); }

  LinuxExecutor& executor() { return executor_; }
  LinuxClock& clock() { return clock_; }
  Operations& operations() { return *operations_; }
  std::uint64_t seed() const { return seed_; }
  // False: io_uring is not allowed or not wanted, lanes do all file operations.
  bool uses_ring() const { return operations_->uses_ring(); }

  void log(std::string_view process, LogLevel level, const std::string& line);

 private:
  // Waits until no operation is in flight.
  void drain() noexcept;

  LinuxOptions options_;
  std::uint64_t seed_;
  LinuxExecutor executor_;
  LinuxClock clock_{executor_};
  std::unique_ptr<Operations> operations_;
  std::vector<std::unique_ptr<LinuxProcess>> processes_;
};

}  // namespace drydock::on_linux
