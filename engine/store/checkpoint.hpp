// The checkpoint file: how far recovery may trust what was written before (storage reference, 5.1).
//
//   offset 0   physicMsgTimestamp    store time of the newest message that a flush has covered
//   offset 8   logicsMsgTimestamp    … that was dispatched to its queue, whether flushed or not
//                                    (with the hardened checkpoint.ahead-of-queues: flushed)
//   offset 16  indexMsgTimestamp     … whose index file is full and flushed
//   offset 24  masterFlushedOffset   on slaves                               (0 in this version)
//   offset 32  confirmPhyOffset      start of the last record that recovery accepted
//   up to 4096 zeros
//
// All i64, times in ms. The file is written every 1000 ms, after each thorough flush of the consume
// queues and at an orderly stop. Difference: RocketMQ writes it each second even if nothing has
// changed; we skip that.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "engine/runtime/context.hpp"
#include "engine/types/ids.hpp"

namespace drydock {

inline constexpr std::int64_t kCheckpointBytes = 4096;

struct CheckpointFields {
  std::int64_t physical_ms = 0;
  std::int64_t logics_ms = 0;
  std::int64_t index_ms = 0;
  std::int64_t master_flushed_offset = 0;
  std::int64_t confirm_offset = 0;
  friend bool operator==(const CheckpointFields&, const CheckpointFields&) = default;
};
inline constexpr std::size_t kCheckpointFieldBytes = 40;
std::array<std::byte, kCheckpointFieldBytes> encode_checkpoint(const CheckpointFields& fields);
CheckpointFields decode_checkpoint(std::span<const std::byte, kCheckpointFieldBytes> bytes);

class Checkpoint {
 public:
  Checkpoint(Context& context, std::string path);

  // Maps the file, making it if it is missing, and reads it. Errors: what the file system says.
  Task<Result<void>> load();
  const CheckpointFields& fields() const { return fields_; }

  // These take effect in memory. A time of 0 is "unknown" and changes nothing.
  void set_physical_ms(std::int64_t ms) { set(fields_.physical_ms, ms > 0 ? ms : 0); }
  void set_logics_ms(std::int64_t ms) { set(fields_.logics_ms, ms > 0 ? ms : 0); }
  void set_index_ms(std::int64_t ms) { set(fields_.index_ms, ms > 0 ? ms : 0); }
  // A message of that store time has its unit, in the page cache at least.
  void note_dispatched(std::int64_t ms) {
    if (ms > 0) dispatched_ms_ = ms;
  }
  std::int64_t dispatched_ms() const { return dispatched_ms_; }
  void set_confirm_offset(PhysicalOffset offset) { set(fields_.confirm_offset, offset.value()); }

  // Writes the file on a grid of 1000 ms, whenever a field has changed. Until cancelled.
  Task<void> run();
  // Writes the file now, on behalf of `worker`, if a field has changed.
  Task<Result<void>> flush(Worker& worker);

 private:
  void set(std::int64_t& field, std::int64_t value) {
    if (value == 0 || value == field) return;
    field = value;
    changed_.set();
  }

  Context& context_;
  std::string path_;
  Worker& worker_;
  std::unique_ptr<MappedFile> map_;
  CheckpointFields fields_;
  CheckpointFields written_;
  std::int64_t dispatched_ms_ = 0;
  Event changed_;
  Mutex writing_;
};

}  // namespace drydock
