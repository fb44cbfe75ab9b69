// sim/kernel is the heart of the simulated world: one queue of wake-ups ordered by (virtual time,
// insertion), the virtual clock, the fingerprint of everything that happened, named random streams,
// and triggers on named events. It knows nothing of hosts, networks or disks; those sit on top, in
// sim/host, sim/net, sim/disk, sim/pagecache, sim/fs.
//
//   fingerprint     hash of all events; ring of the latest ones
//   kernel          queue, clock, run loop
//   quantile_table  times drawn from a table of quantiles
//   triggers        "at the n-th occurrence of this event, run that"
//   verify          two runs side by side; names the first event that differs
//
// This file: the fingerprint. Every event appends one 16-byte record to a ring; a full ring is
// hashed in bulk together with the digest so far (XXH3, 128 bits). Equal inputs give equal
// fingerprints on every machine, compiler and level of optimisation; design, section 9.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "engine/runtime/wakeup.hpp"

namespace drydock::sim {

struct Digest {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const Digest&, const Digest&) = default;
  // 32 hexadecimal digits, the high half first.
  std::string hex() const;
};

// What is kept of an event. Hashed as bytes: no padding, little-endian hosts only.
struct EventRecord {
  std::int64_t time_ns;
  std::uint32_t subject;
  std::uint16_t kind;
  std::uint16_t detail;
  friend bool operator==(const EventRecord&, const EventRecord&) = default;
};
static_assert(sizeof(EventRecord) == 16);
static_assert(std::endian::native == std::endian::little);

class Fingerprint {
 public:
  // Number of records hashed at a time.
  static constexpr std::size_t kRing = 1024;

  void record(std::int64_t time_ns, EventKind kind, std::uint32_t subject, std::uint16_t detail) {
    ring_[filled_++] = {time_ns, subject, static_cast<std::uint16_t>(kind), detail};
    if (filled_ == kRing) [[unlikely]]
      flush();
  }

  // Events with values of their own take further records, whose `time` field carries the value.
  void record_value(std::int64_t value) { record(value, EventKind::none, 0, 0); }

  // The digest of everything recorded so far.
  Digest digest() const;
  std::uint64_t count() const { return flushed_ + filled_; }

  // Called with every full ring before it is hashed, and the index of its first record. For
  // `--verify` and traces.
  using Sink = std::function<void(std::span<const EventRecord> records, std::uint64_t first)>;
  void set_sink(Sink sink) { sink_ = std::move(sink); }
  // The records of the ring that is not full yet.
  std::span<const EventRecord> pending() const { return {ring_.data(), filled_}; }

  // Switches recording off, to measure what it costs. The digest then stays what it was.
  void disable() { enabled_ = false; }
  bool enabled() const { return enabled_; }

 private:
  void flush();

  Digest digest_;
  std::size_t filled_ = 0;
  std::uint64_t flushed_ = 0;
  bool enabled_ = true;
  Sink sink_;
  std::array<EventRecord, kRing> ring_;
};

}  // namespace drydock::sim
