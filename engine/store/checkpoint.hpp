// The checkpoint file: how far recovery may trust what was written before (storage reference, 5.1).
//
//   offset 0   physicMsgTimestamp    store time of the newest message that a flush has covered
//   offset 8   logicsMsgTimestamp    … that was dispatched to its queue      (0 in this version)
//   offset 16  indexMsgTimestamp     … whose index file is flushed           (0 in this version)
//   offset 24  masterFlushedOffset   on slaves                               (0 in this version)
//   offset 32  confirmPhyOffset                                              (0 in this version)
//   up to 4096 zeros
//
// All i64, times in ms. The file is written every 1000 ms and at an orderly stop. Difference:
// RocketMQ writes it each second even if nothing has changed; we skip that.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "engine/runtime/context.hpp"

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

  // Takes effect in memory; 0 is "unknown" and changes nothing.
  void set_physical_ms(std::int64_t ms) {
    if (ms <= 0 || ms == fields_.physical_ms) return;
    fields_.physical_ms = ms;
    changed_.set();
  }

  // Writes the file on a grid of 1000 ms, whenever a field has changed. Until cancelled.
  Task<void> run();
  // Writes the file now if a field has changed. One caller at a time.
  Task<Result<void>> flush();

 private:
  Context& context_;
  std::string path_;
  Worker& worker_;
  std::unique_ptr<MappedFile> map_;
  CheckpointFields fields_;
  CheckpointFields written_;
  Event changed_;
};

}  // namespace drydock
