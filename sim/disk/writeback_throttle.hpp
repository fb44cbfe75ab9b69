// The kernel's writeback throttling (wbt). It keeps buffered writes from filling the queue of
// a device that somebody reads from.
//
// At most `depth` buffered writes are at the device, half of it if they are not urgent, a quarter
// if somebody has read a moment ago. Reads are watched in windows: one whose fastest read took
// longer than the target halves the depth, others let it grow again, up to where it began.
//
// Not modelled: a depth beyond the base for devices that nobody reads from; reads that have not
// come back at the end of a window; discards.
//
// Source: Linux I/O model, section 5.
#pragma once

#include <cstdint>

#include "engine/types/time.hpp"
#include "sim/disk/disk_command.hpp"

namespace drydock::sim {

class WritebackThrottle {
 public:
  // `target`: 0 switches it off. `requests`: of the queue.
  WritebackThrottle(Duration target, int requests);

  bool on() const { return target_ns_ > 0; }
  // Direct writes and the journal's are exempt.
  bool counts(const DiskCommand& command) const {
    return on() && command.kind() == DiskCommand::Kind::write &&
           command.urgency() != DiskCommand::Urgency::exempt;
  }
  int limit(DiskCommand::Urgency urgency, std::int64_t now);
  bool has_room(DiskCommand::Urgency urgency, std::int64_t now) {
    return in_flight_ < limit(urgency, now);
  }
  int in_flight() const { return in_flight_; }

  void write_started() { ++in_flight_; }
  void write_ended(std::int64_t now);
  void read_started(std::int64_t now) { last_read_ = now; }
  void read_ended(std::int64_t started, std::int64_t now) {
    close_windows(now);
    last_read_ = now;
    const std::int64_t latency = now - started;
    if (reads_ == 0 || latency < fastest_read_) fastest_read_ = latency;
    ++reads_;
  }
  // A task sleeps in the dirty throttle: it waits for these writes.
  void dirtier_slept(std::int64_t now) { last_dirtier_ = now; }

 private:
  int depth() const;
  void set_halvings(int halvings);
  void close_windows(std::int64_t now) {
    if (now - window_start_ >= window_) [[unlikely]]
      close_past_windows(now);
  }
  void close_past_windows(std::int64_t now);
  void close_window();

  static constexpr std::int64_t kNever = -1'000'000'000'000;

  std::int64_t target_ns_;
  int base_depth_;
  int in_flight_ = 0;
  int halvings_ = 0;
  std::int64_t window_ = 0;  // Its length, ns.
  std::int64_t last_read_ = kNever;
  std::int64_t last_dirtier_ = kNever;
  std::int64_t window_start_ = 0;
  std::int64_t fastest_read_ = 0;
  int reads_ = 0;   // That ended in this window.
  int writes_ = 0;  // The same.
  int empty_windows_ = 0;
};

}  // namespace drydock::sim
