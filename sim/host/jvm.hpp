// The Java virtual machine of a process, as far as it stops the process and takes memory for it.
//
// A *safepoint* is a moment at which no thread runs Java code: the machine needs one for each
// collection, and asks for one every so often for its own housekeeping. States:
//
//   running   threads run.
//   stopping  a safepoint was asked for. Threads that run stop at once. One inside a system call or
//             another native call may finish it, and stops when it comes back. One inside an access
//             to a mapped file runs Java code for the machine, whatever the kernel does with it: it
//             is waited for, and everybody else stands still until it has come back.
//   stopped   the machine works, then lets all threads go.
//
// Invariants:
//   - While stopping or stopped the process computes nothing and its timers fire late; what the
//     kernel does for it goes on, calls that it is in included.
//   - At the begin of `stopped` no thread is inside an access to a mapped file, unless the machine
//     does not wait for them (jvm.safepoint-coupling hardened).
//
// What it is not: a heap. Collections come at the pace at which a constant rate of allocation fills
// the young generation, and each takes the same time; full collections do not happen.
//
// Sources: a time to stop of 37.6 s in a stop of 37.6 s, apache/rocketmq#2387; the same in #2431,
// with an eden that is the young generation less one region of 16 MiB; a stop about every second
// that lasts 0.4 ms, #8752; -Xms8g -Xmx8g -Xmn4g -XX:MaxDirectMemorySize=15g -XX:+AlwaysPreTouch
// and a log of collections on /dev/shm, RocketMQ's bin/runbroker.sh; GuaranteedSafepointInterval =
// 1000 (ms), HotSpot's globals.hpp of JDK 8 to 11; performance data in a file that is mapped from
// /tmp and stored into at each safepoint, the OpenJDK list hotspot-runtime-dev, March 2015.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/runtime/file_system.hpp"
#include "engine/runtime/sync.hpp"
#include "sim/host/kernel_call.hpp"
#include "sim/host/services.hpp"

namespace drydock::sim {

class SimProcess;

struct JvmOptions {
  std::int64_t heap_bytes = std::int64_t{8} << 30;     // -Xms and -Xmx
  std::int64_t young_bytes = std::int64_t{4} << 30;    // -Xmn; at most the heap.
  std::int64_t direct_bytes = std::int64_t{15} << 30;  // -XX:MaxDirectMemorySize
  // transientStorePoolEnable: direct memory that is taken, touched and locked at the start. One
  // that does not fit into it ends the process, as it ends RocketMQ's broker.
  std::int64_t transient_pool_bytes = 0;
  // -XX:+AlwaysPreTouch: the heap is touched at the start, not when it is first allocated from.
  bool pre_touch = true;
  // What all threads allocate, bytes per second in which they run. 0: no collections.
  std::int64_t allocated_per_second = std::int64_t{64} << 20;
  Duration young_pause = Duration::ms(20);  // Of a collection of the young generation.
  // -XX:GuaranteedSafepointInterval: a safepoint so long after the last one. 0: none.
  Duration guaranteed_interval = Duration::s(1);
  Duration cleanup_pause = Duration::us(400);  // Of a safepoint without a collection.
  bool waits_for_mapped = true;                // See the invariants.
  std::string gc_log;     // Its file, if it is on a disk of the host; written in each collection.
  std::string perf_data;  // The same of performance data, stored into at each safepoint. Empty also
                          // with -XX:+PerfDisableSharedMem.
};

struct JvmCounters {
  std::int64_t collections = 0;
  std::int64_t safepoints = 0;  // Those of collections, too.
  Duration stopping_longest;    // Until every thread had stopped.
};

class Jvm {
 public:
  // Of the process, which outlives it. `files`: the process's, without the machine.
  Jvm(SimProcess& process, SimWorkers& workers, FileSystem& files, JvmOptions options);
  ~Jvm();

  const JvmOptions& options() const { return options_; }
  const JvmCounters& counters() const { return counters_; }
  // The files as Java code sees them.
  FileSystem& files() { return *java_files_; }

  // The machine's own thread, until the process ends.
  Task<void> run();
  // The process has ended.
  void close_files();

  // Java's direct memory, touched at once. False: an OutOfMemoryError ("Direct buffer memory"),
  // nothing was taken.
  bool take_direct(std::int64_t bytes);
  void give_direct(std::int64_t bytes);
  std::int64_t direct_bytes() const { return direct_; }

  // A native call of a Java thread: it goes on through safepoints and stops on its way back.
  template <class T>
  Task<T> native(Worker& worker, Task<T> call) {
    const StopCauses before = co_await PassStops(StopCauses::all());
    T answer = co_await std::move(call);
    comes_back(worker);
    co_await ReturnFromKernel(before);
    co_return answer;
  }
  // An access of a Java thread to a mapped file, which safepoints wait for.
  template <class T>
  Task<T> mapped(Worker& worker, Task<T> access) {
    const StopCauses before = co_await PassStops(StopCauses::all());
    ++in_mapped_;
    T answer = co_await std::move(access);
    if (--in_mapped_ == 0) nobody_in_mapped_.set();
    comes_back(worker);
    co_await ReturnFromKernel(before);
    co_return answer;
  }

 private:
  struct Next {
    MonotonicTime at;
    bool collects;
  };
  Next next() const;
  Task<bool> safepoint(bool collects);
  Task<bool> stop_threads();
  Task<void> open_files();
  Task<void> write_files(bool collects);
  void let_threads_go();
  void allocate(Duration time);
  void comes_back(Worker& worker);
  bool take_transient_pool();
  // What is touched of the heap grows to that many bytes.
  void touch(std::int64_t bytes);

  SimProcess& process_;
  SimWorkers& workers_;
  FileSystem& files_;
  JvmOptions options_;
  std::unique_ptr<FileSystem> java_files_;
  Worker* thread_ = nullptr;
  std::unique_ptr<File> gc_log_;
  std::unique_ptr<MappedFile> perf_data_;
  std::int64_t gc_log_end_ = 0;
  MonotonicTime running_since_;
  std::int64_t eden_used_ = 0;  // Bytes, as of `running_since_`.
  std::int64_t touched_ = 0;    // Bytes of the heap.
  std::int64_t direct_ = 0;
  int in_mapped_ = 0;  // Threads inside an access to a mapped file.
  Event nobody_in_mapped_;
  JvmCounters counters_;
};

}  // namespace drydock::sim
