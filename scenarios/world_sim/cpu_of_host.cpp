#include "scenarios/world_sim/cpu_of_host.hpp"

#include <expected>

#include "engine/types/nearest_name.hpp"
#include "scenarios/drill/disk_profile.hpp"
#include "scenarios/drill/units.hpp"
#include "sim/profiles/cpu_profile.hpp"

namespace drydock::scenarios {
namespace {

// Linux's base slice with 8 cores (kernel/sched/fair.c).
constexpr Duration kSlice = Duration::ms(3);

// The error is what to say after the place of the profile in the scenario.
std::expected<sim::CpuProfile, std::string> profile_of(const CpuSpec& cpu) {
  if (is_profile_text(cpu.profile)) return sim::read_cpu_profile("this profile", cpu.profile);
  if (const sim::CpuProfile* profile = sim::builtin_cpu_profile(cpu.profile)) return *profile;
  NearestName nearest(cpu.profile);
  std::string known;
  const std::vector<std::string> names = sim::builtin_cpu_profile_names();
  for (const std::string& name : names) {
    nearest.consider(name);
    known += name + ", ";
  }
  std::string why = "there is no '" + cpu.profile + "'; ";
  if (!nearest.name().empty()) why += "did you mean '" + std::string(nearest.name()) + "'? ";
  return std::unexpected(why + "known here: " + known + "or a profile in place of its name");
}

sim::CpuProfile checked_profile_of(const CpuSpec& cpu) {
  auto profile = profile_of(cpu);
  ENSURE(profile.has_value());
  return std::move(*profile);
}

}  // namespace

void check_cpu(const Drill& drill, const HostSpec& host) {
  const auto profile = profile_of(*host.cpu);
  if (profile) return;
  throw InputError(drill.source.at("/topology/hosts/" + host.name + "/cpu/profile") + ": " +
                   profile.error());
}

void set_cores(const CpuSpec& cpu, sim::HostOptions& options) {
  options.cores = cpu.cores;
  options.cpu_priced = true;
  options.cpu_slice = kSlice;
}

CpuPrices cpu_prices(const CpuSpec& cpu) {
  const sim::CpuProfile profile = checked_profile_of(cpu);
  return {.send = {profile.send.time, profile.send_per_kib.time},
          .dispatch = {profile.dispatch.time, profile.dispatch_per_kib.time}};
}

std::string cpu_assumption(const CpuSpec& cpu) {
  const sim::CpuProfile profile = checked_profile_of(cpu);
  std::string line =
      std::to_string(cpu.cores) + " cores; by profile " + profile.name + " they take ";
  line += text_of(profile.send.time) + " and " + text_of(profile.send_per_kib.time) +
          "/KiB for a send, ";
  line += text_of(profile.dispatch.time) + " and " + text_of(profile.dispatch_per_kib.time) +
          "/KiB for its dispatch";
  std::string assumed;
  for (const sim::CpuCost* cost : profile.costs()) {
    if (cost->stamp.evidence != sim::Evidence::assumed) continue;
    assumed += (assumed.empty() ? "" : ", ") + std::string(cost->name);
  }
  if (!assumed.empty()) line += " (assumed: " + assumed + ")";
  return line + "; all other work takes no time";
}

}  // namespace drydock::scenarios
