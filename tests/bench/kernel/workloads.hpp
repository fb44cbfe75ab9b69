// The kernel's workloads. Contestants: kernel, as every run uses it, and kernel-no-fingerprint,
// which only shows what the fingerprint costs.
#pragma once

#include "sim/kernel/kernel.hpp"
#include "tests/bench/workloads/harness.hpp"

namespace drydock::bench {

inline constexpr const char* kKernel = "kernel";
inline constexpr const char* kKernelStream = "kernel-stream";
inline constexpr const char* kKernelNoFingerprint = "kernel-no-fingerprint";

Record kernel_pp_timers(const Options& options);
Record kernel_raft_hb(const Options& options);
Record kernel_timers_only(const Options& options);
Record kernel_bulk_link(const Options& options);
Record stream_raft_hb(const Options& options);

// Switches the fingerprint off where the contestant says so.
inline void prepare(sim::Kernel& kernel, const Options& options) {
  if (options.contestant == kKernelNoFingerprint) kernel.fingerprint().disable();
}

inline void take_totals(const sim::Kernel& kernel, Record& record) {
  record.events = kernel.events();
  record.virtual_s = static_cast<double>(kernel.now()) * 1e-9;
  if (kernel.fingerprint().enabled()) record.fingerprint = kernel.fingerprint().digest().hex();
}

}  // namespace drydock::bench
