#include "engine/linux/clock.hpp"

#include <time.h>

namespace drydock::on_linux {

WallTime LinuxClock::wall_now() const {
  timespec time{};
  ENSURE(::clock_gettime(CLOCK_REALTIME, &time) == 0);
  return WallTime::at_ns(std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec);
}

}  // namespace drydock::on_linux
