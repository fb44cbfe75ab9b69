// A shared mapping on Linux.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/linux/operations.hpp"
#include "engine/linux/shared_descriptor.hpp"
#include "engine/runtime/file_system.hpp"

namespace drydock::on_linux {

// Addresses that are mapped; unmaps when destroyed.
class Region {
 public:
  Region() = default;
  Region(std::byte* address, std::size_t size) : address_(address), size_(size) {}
  Region(Region&& other) noexcept
      : address_(std::exchange(other.address_, nullptr)), size_(other.size_) {}
  Region& operator=(Region other) noexcept {
    std::swap(address_, other.address_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Region() { unmap(); }

  std::byte* address() const { return address_; }
  std::size_t size() const { return size_; }
  void unmap() noexcept;

 private:
  std::byte* address_ = nullptr;
  std::size_t size_ = 0;
};

// A mapping, shared by its owner and by the operations in flight. Unmapped on the world's own lane:
// dropping the last reference to a removed file frees its blocks, and on kernels before 6.4 a
// change of the address space waits for every fault in progress.
struct Mapping {
  Mapping(Operations& world_operations, SharedDescriptor file, Region mapped)
      : operations(world_operations), descriptor(std::move(file)), region(std::move(mapped)) {}
  ~Mapping();

  Operations& operations;
  SharedDescriptor descriptor;
  Region region;
};

// Whether a store can be done without blocking is not knowable: the page may be under writeback,
// its fault may wait for the journal or be throttled. So `try_store` never stores, and `store`
// copies under watch (StandIn) on the run loop's thread, between two wake-ups. Reads ask the page
// cache through the descriptor, which can be done without waiting, and only then touch the mapping,
// also on the lane.
class LinuxMappedFile : public MappedFile {
 public:
  explicit LinuxMappedFile(std::shared_ptr<Mapping> mapping) : mapping_(std::move(mapping)) {}

  std::int64_t size() const override { return static_cast<std::int64_t>(mapping_->region.size()); }
  bool try_store(Worker&, std::int64_t, std::span<const std::byte>) override { return false; }
  Task<Result<void>> store(Worker& worker, std::int64_t offset, SharedBytes bytes) override;
  ByteChain try_load(std::int64_t offset, std::int64_t length) override;
  Task<Result<ByteChain>> load(Worker& worker, std::int64_t offset, std::int64_t length) override;
  // Waits for nobody but a change of the address space, which waits for no disk.
  bool resident(std::int64_t offset, std::int64_t length) const override;
  // msync of the range: the kernel syncs that part of the file as fdatasync would.
  Task<Result<void>> sync(Worker& worker, std::int64_t offset, std::int64_t length) override;
  Task<Result<void>> lock_memory(Worker& worker) override;
  // In the background, as advice is given.
  void unlock_memory() override;
  // Advice is given in the background (will_need reads); that it failed is not told.
  Result<void> advise(Advice advice) override;

 private:
  std::byte* range(std::int64_t offset, std::int64_t length) const;
  Task<Result<void>> run(Worker& worker, std::function<int()> work, WaitPlace place);

  std::shared_ptr<Mapping> mapping_;
};

}  // namespace drydock::on_linux
