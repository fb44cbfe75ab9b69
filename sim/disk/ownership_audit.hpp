// What has broken the rules of a disk that changes hands: design, section 5, I1 and I2. Told by the
// disk and by the caches in front of it; the owner is the holder of the reservation.
#pragma once

#include <cstdint>
#include <set>

namespace drydock::sim {

// Counts blocks, each once.
class OwnershipAudit {
 public:
  // I2: the owner was given the block from a cache, and the media hold something else.
  void read_stale(std::int64_t block) { stale_.insert(block); }
  // I1: bytes have landed on the block that are older than the ownership in which they did, or that
  // come from another host than the owner.
  void written_against_rules(std::int64_t block) { foreign_.insert(block); }

  std::int64_t stale_reads() const { return static_cast<std::int64_t>(stale_.size()); }
  std::int64_t foreign_writes() const { return static_cast<std::int64_t>(foreign_.size()); }

 private:
  std::set<std::int64_t> stale_;
  std::set<std::int64_t> foreign_;
};

}  // namespace drydock::sim
