// Pure: bytes on the HA port (HA reference, 1.2). Everything is big-endian.
//
//   slave → master   report := offset:i64            how far the slave's log goes
//   master → slave   frame  := offset:i64 size:i32 body     size 0: a heartbeat
#pragma once

#include <cstdint>
#include <optional>

#include "engine/types/bytes.hpp"
#include "engine/types/ids.hpp"

namespace drydock {

inline constexpr std::size_t kHaReportBytes = 8;
inline constexpr std::size_t kHaHeaderBytes = 12;
// RocketMQ's slave reads into a buffer of 4 MiB: a larger frame never becomes complete there.
inline constexpr std::int32_t kHaBodyBytesMax = 4 * 1024 * 1024 - 12;

SharedBytes encode_ha_report(PhysicalOffset offset);
SharedBytes encode_ha_header(PhysicalOffset offset, std::int32_t body_bytes);

// Reports as a master takes them in: of what has arrived, only the last complete one counts.
class HaReportReader {
 public:
  // The last report that is complete now, if there is a new one.
  std::optional<PhysicalOffset> feed(const ByteChain& bytes);

 private:
  std::byte partial_[kHaReportBytes];
  std::size_t filled_ = 0;
};

struct HaFrame {
  PhysicalOffset offset;
  SharedBytes body;  // Empty: a heartbeat.
};

// Frames as a slave takes them in.
class HaFrameReader {
 public:
  enum class Step : std::uint8_t { need_more, frame, fault };

  void feed(ByteChain bytes);
  // `fault`: a size that no master sends; the connection is of no more use.
  Step next(HaFrame& frame);

 private:
  ByteChain bytes_;
  std::size_t at_ = 0;  // Bytes of the chain that frames have used up.
};

}  // namespace drydock
