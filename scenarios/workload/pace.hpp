// When the bytes of an open loop are due.
#pragma once

#include <cstdint>

#include "engine/types/time.hpp"

namespace drydock::scenarios {

// How long `bytes` take at that rate, which is more than 0; rounded down to a nanosecond.
constexpr Duration pace(std::int64_t bytes, std::int64_t bytes_per_second) {
  __extension__ using Wide = __int128;
  return Duration::ns(
      static_cast<std::int64_t>(static_cast<Wide>(bytes) * 1'000'000'000 / bytes_per_second));
}

// Further than 64 bits would carry the product.
static_assert(pace(3'000'000'000'000, 20'000'000) == Duration::s(150'000));
static_assert(pace(10'000'000, 20'000'000) == Duration::ms(500));

}  // namespace drydock::scenarios
