// Ranges of pages.
#pragma once

#include <cstdint>

#include "sim/disk/sparse_table.hpp"

namespace drydock::sim {

// Pages [first, end).
struct PageRange {
  std::int64_t first = 0;
  std::int64_t end = INT64_MAX;
  friend bool operator==(PageRange, PageRange) = default;
};

// The pages that the bytes [offset, offset + length) touch.
inline PageRange pages_of(std::int64_t offset, std::int64_t length) {
  return {offset / kPageBytes, (offset + length + kPageBytes - 1) / kPageBytes};
}

}  // namespace drydock::sim
