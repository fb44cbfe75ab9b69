// Pure: times of a disk that profiles and faults may make as slow as they like. They end at
// kSlowest instead of running over, where a slow disk would become a fast one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace drydock::sim {

// ns: 146 years, also of a moment of virtual time.
inline constexpr std::int64_t kSlowest = std::numeric_limits<std::int64_t>::max() / 2;

// value * factor / divisor; at most kSlowest. None is negative.
inline std::int64_t scaled(std::int64_t value, std::int64_t factor, std::int64_t divisor) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(value, factor, &product)) [[likely]]
    return std::min(product / divisor, kSlowest);
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(std::min<Wide>(Wide{value} * factor / divisor, kSlowest));
}

// time + more; at most kSlowest. None is negative.
inline std::int64_t added(std::int64_t time, std::int64_t more) {
  return time > kSlowest - more ? kSlowest : time + more;
}

}  // namespace drydock::sim
