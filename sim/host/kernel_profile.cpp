#include "sim/host/kernel_profile.hpp"

namespace drydock::sim {
namespace {

constexpr KernelProfile::ReclaimWaits kCongestionWait{.congested = Duration::ms(100),
                                                      .writeback = Duration::ms(100),
                                                      .no_progress = Duration::ms(100)};

}  // namespace

KernelProfile kernel_el7() {
  return {.name = "el7",
          .hz = 1000,
          .sleeps_round_up = false,
          .estimate_sees_syncs = false,
          .file_lists = KernelProfile::FileLists::one_to_one,
          .reclaim_waits = kCongestionWait,
          .min_free_max_kib = 65'536,
          .watermarks_by_size = false,
          .victims_give_up_at_once = false,
          .refaults_count = false,
          .errors_reach_all = false,
          .shadow_wait = KernelProfile::ShadowWait::whole_commit,
          .dioread_nolock = false};
}

KernelProfile kernel_el8() {
  return {.name = "el8",
          .hz = 1000,
          .estimate_sees_syncs = false,
          .reclaim_waits = kCongestionWait,
          .min_free_max_kib = 65'536,
          .dioread_nolock = false};
}

KernelProfile kernel_el9() {
  return {.name = "el9",
          .hz = 1000,
          .estimate_sees_syncs = false,
          .reclaim_waits = kCongestionWait,
          .min_free_max_kib = 65'536};
}

KernelProfile kernel_6x() { return {}; }

std::optional<KernelProfile> kernel_named(std::string_view name) {
  for (const KernelProfile& profile : {kernel_el7(), kernel_el8(), kernel_el9(), kernel_6x()}) {
    if (profile.name == name) return profile;
  }
  return std::nullopt;
}

}  // namespace drydock::sim
