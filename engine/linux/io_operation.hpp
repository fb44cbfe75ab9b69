// Reads, writes, syncs and allocations: steps that a system call or a ring entry can do alike.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "engine/linux/operation.hpp"
#include "engine/linux/shared_descriptor.hpp"
#include "engine/types/bytes.hpp"

struct io_uring_sqe;

namespace drydock::on_linux {

// Memory that direct I/O takes: aligned to 4096, the largest alignment that devices ask for.
class AlignedMemory {
 public:
  AlignedMemory() = default;
  explicit AlignedMemory(std::size_t size);
  std::byte* data() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
};

// One step asks the kernel for what is left; `advance` takes its answer. Short reads and writes go
// on where they stopped; a read ends early at the end of the file.
class IoOperation : public Operation {
 public:
  enum class Kind : std::uint8_t { read, write, sync_data, sync_all, sync_range, allocate };

  // Up to `length` bytes from `offset`; `direct`: through aligned memory.
  static std::shared_ptr<IoOperation> read(SharedDescriptor file, std::int64_t offset,
                                           std::size_t length, bool direct);
  // All of `bytes`; `flags` as of pwritev2 (RWF_DSYNC).
  static std::shared_ptr<IoOperation> write(SharedDescriptor file, std::int64_t offset,
                                            SharedBytes bytes, bool direct, int flags = 0);
  static std::shared_ptr<IoOperation> sync(SharedDescriptor file, Kind kind);
  // `kind`: sync_range or allocate. Null if no file has such a range, or it is empty.
  static std::shared_ptr<IoOperation> range(SharedDescriptor file, Kind kind, std::int64_t offset,
                                            std::int64_t length);

  IoOperation(SharedDescriptor file, Kind kind, std::int64_t offset, std::size_t length)
      : file_(std::move(file)), offset_(offset), length_(length), kind_(kind) {}

  void run() noexcept override;
  IoOperation* as_io() override { return this; }

  // For the ring: describes the next step; takes its answer (bytes, or a negative errno value) and
  // says whether that was the last.
  void prepare(io_uring_sqe& entry) const;
  bool advance(std::int64_t answer);

  // For a read, on the executor's thread, before it is submitted: takes what is in the page cache,
  // without waiting. True: that was all; otherwise the operation goes on behind it.
  // Source: preadv2(2), RWF_NOWAIT.
  bool finish_from_cache();

  // Afterwards, on the executor's thread: 0 or an errno value; what a read gave, once.
  int error_number() const { return error_number_; }
  SharedBytes take_bytes();

 private:
  // More than this per step is cut by the kernel or by 32-bit lengths of ring entries.
  static constexpr std::size_t kStepMax = std::size_t{1} << 30;

  bool direct() const { return aligned_.data() != nullptr; }
  std::size_t step_length() const { return std::min(length_ - done_, kStepMax); }
  std::int64_t step_offset() const { return offset_ + static_cast<std::int64_t>(done_); }
  std::byte* step_memory() const { return memory_ + done_; }
  std::int64_t perform() const;

  SharedDescriptor file_;
  SharedBytes bytes_;  // Owner of `memory_`, unless that is aligned.
  AlignedMemory aligned_;
  std::byte* memory_ = nullptr;
  std::int64_t offset_;
  std::size_t length_;
  std::size_t done_ = 0;
  int flags_ = 0;
  int error_number_ = 0;
  Kind kind_;
};

}  // namespace drydock::on_linux
