// An open file on Linux.
#pragma once

#include "engine/linux/io_operation.hpp"
#include "engine/linux/operations.hpp"
#include "engine/runtime/file_system.hpp"

namespace drydock::on_linux {

class LinuxFile : public File {
 public:
  LinuxFile(Operations& operations, SharedDescriptor descriptor, Caching caching,
            std::int64_t alignment)
      : operations_(operations),
        descriptor_(std::move(descriptor)),
        alignment_(alignment),
        direct_(caching == Caching::direct) {}

  // Buffered: from the page cache at once if everything is there.
  Task<Result<ByteChain>> read_at(Worker& worker, std::int64_t offset,
                                  std::int64_t length) override;
  Task<Result<void>> write_at(Worker& worker, std::int64_t offset, SharedBytes bytes) override;
  Task<Result<void>> sync_data(Worker& worker) override;
  Task<Result<void>> sync_all(Worker& worker) override;
  Task<Result<void>> sync_range(Worker& worker, std::int64_t offset, std::int64_t length) override;
  Task<Result<void>> allocate(Worker& worker, std::int64_t offset, std::int64_t length) override;
  Task<Result<void>> truncate(Worker& worker, std::int64_t size) override;
  Result<std::int64_t> size() const override;
  std::int64_t direct_alignment() const override { return alignment_; }

 private:
  bool acceptable(std::int64_t offset, std::int64_t length) const;
  std::size_t readable_length(std::int64_t offset, std::int64_t length) const;
  Task<Result<void>> run(Worker& worker, std::shared_ptr<IoOperation> operation, WaitPlace place);

  Operations& operations_;
  SharedDescriptor descriptor_;
  std::int64_t alignment_;
  bool direct_;
};

// What direct I/O on this file demands of offsets and lengths: 512 or 4096. Blocks briefly at most.
// Source: statx(2), STATX_DIOALIGN (since 6.1; 4096 where the kernel does not say).
std::int64_t direct_alignment_of(int descriptor);

}  // namespace drydock::on_linux
