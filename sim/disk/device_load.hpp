// Pure: how the load of a device changes the time of a command.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/types/random_stream.hpp"
#include "engine/types/time.hpp"

namespace drydock::sim {

// Transfers of one direction, one after the other.
class TransferPipe {
 public:
  // Limits; 0: none.
  TransferPipe(std::int64_t bytes_per_s, std::int64_t commands_per_s)
      : bytes_per_s_(bytes_per_s),
        command_ns_(commands_per_s == 0 ? 0 : 1'000'000'000 / commands_per_s) {}

  // When the turn of a command that comes at `now` ends. Times do not fall.
  std::int64_t turn(std::int64_t now, std::int64_t bytes, std::int64_t slowness_per_mille);
  // The share of the last 10 to 20 ms that moving bytes took at full bandwidth, in thousandths.
  // `now` is not before the last turn.
  std::int64_t utilisation(std::int64_t now) const;

 private:
  // How long bytes had moved until a time.
  struct Sample {
    std::int64_t time = 0;
    std::int64_t busy = 0;
  };
  Sample sample_at(std::int64_t time) const;

  std::int64_t bytes_per_s_;
  std::int64_t command_ns_;
  std::int64_t free_at_ = 0;
  std::int64_t bytes_until_ = 0;  // When the last byte would have moved without other limits.
  std::int64_t busy_ = 0;         // All turns of bytes so far, also those to come.
  std::int64_t last_turn_ = 0;
  Sample older_;  // Two samples, at least a window apart: the share is taken since the older one.
  Sample newer_;
};

// Bounds of the times between which a garbage collection is drawn; all 0: there is none.
struct CollectionTimes {
  Duration pause_min;
  Duration pause_max;
  Duration period_min;
  Duration period_max;
  bool any() const { return pause_max > Duration(); }
};

// Garbage collection of a flash device: under sustained writes it pauses, again and again.
class GarbageCollector {
 public:
  GarbageCollector(CollectionTimes times, RandomStream stream);

  // When a command that comes at `now` can begin.
  std::int64_t begin_of(std::int64_t now, const TransferPipe& writes) {
    if (now >= next_) [[unlikely]]
      choose_next(now, writes.utilisation(now));
    return now > pause_end_ ? now : pause_end_;
  }

 private:
  void choose_next(std::int64_t now, std::int64_t utilisation);
  std::int64_t drawn(Duration least, Duration most);

  CollectionTimes times_;
  RandomStream stream_;
  std::int64_t next_;
  std::int64_t pause_end_ = 0;
};

// What commands at a device at the same time get of each other's way. Some devices do more at once
// the more they are given, but not as much more: with `depth` commands they are as fast as
// 1 + per_doubling * log2(depth) servers.
class Parallelism {
 public:
  // `per_doubling` in thousandths; 0: as many as there are servers.
  explicit Parallelism(std::int64_t per_doubling);

  // The factor, in thousandths and at least 1000, on the service time of a command that begins when
  // `busy` are served, itself among them, and `depth` are there.
  std::int64_t stretch(std::int64_t busy, std::int64_t depth) const {
    return servers_.empty() ? 1000 : stretch_by_depth(busy, depth);
  }

 private:
  std::int64_t stretch_by_depth(std::int64_t busy, std::int64_t depth) const;

  std::vector<std::int64_t> servers_;  // Thousandths, by depth.
};

}  // namespace drydock::sim
