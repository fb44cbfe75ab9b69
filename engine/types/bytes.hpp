// Bytes that several parts of the system hold at once.
//
// SharedBytes is an immutable slice of a counted block: copying it copies no byte. An operation
// that hands memory to a device or a socket keeps a SharedBytes by value, so killing the process
// that issued it does not pull the memory away. Counts are plain integers: a block is shared inside
// the one thread that runs the engine; helper threads of the Linux arm see raw spans whose owner
// stays with the operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/types/ensure.hpp"
#include "engine/types/memory_pool.hpp"

namespace drydock {

class SharedBytes {
 public:
  SharedBytes() = default;
  SharedBytes(const SharedBytes& other)
      : block_(other.block_), data_(other.data_), size_(other.size_) {
    if (block_ != nullptr) ++block_->references;
  }
  SharedBytes(SharedBytes&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  SharedBytes& operator=(SharedBytes other) noexcept {
    std::swap(block_, other.block_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~SharedBytes() { release(); }

  // A block of its own holding a copy of `bytes`.
  static SharedBytes copy_of(std::span<const std::byte> bytes) {
    SharedBytes result = allocate(bytes.size());
    if (!bytes.empty()) std::memcpy(result.writable().data(), bytes.data(), bytes.size());
    return result;
  }
  static SharedBytes copy_of(std::string_view text) {
    return copy_of(std::as_bytes(std::span(text.data(), text.size())));
  }

  // A fresh block of `size` bytes with unspecified content, to be filled through `writable()`
  // before the first copy is made.
  static SharedBytes allocate(std::size_t size) {
    SharedBytes result;
    if (size == 0) return result;
    void* memory = pool_allocate(sizeof(Block) + size);
    result.block_ = new (memory) Block{1, size};
    result.data_ = static_cast<std::byte*>(memory) + sizeof(Block);
    result.size_ = size;
    return result;
  }
  static SharedBytes zeros(std::size_t size) {
    SharedBytes result = allocate(size);
    if (size > 0) std::memset(result.data_, 0, size);
    return result;
  }

  // The bytes, for filling. Only while this is the only holder of the block.
  std::span<std::byte> writable() {
    ENSURE(block_ == nullptr || block_->references == 1);
    return {data_, size_};
  }
  bool sole_holder() const { return block_ != nullptr && block_->references == 1; }

  std::span<const std::byte> span() const { return {data_, size_}; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // A part of the same block. `offset` + `length` <= size().
  SharedBytes slice(std::size_t offset, std::size_t length) const {
    ENSURE(offset <= size_);
    ENSURE(length <= size_ - offset);
    SharedBytes part(*this);
    part.data_ += offset;
    part.size_ = length;
    return part;
  }

 private:
  struct Block {
    std::uint64_t references;
    std::size_t bytes;
  };

  void release() noexcept {
    if (block_ == nullptr || --block_->references > 0) return;
    pool_free(block_, sizeof(Block) + block_->bytes);
    block_ = nullptr;
  }

  Block* block_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Bytes in several pieces, as a read returns them. Pieces are never empty.
class ByteChain {
 public:
  ByteChain() = default;
  explicit ByteChain(SharedBytes piece) { append(std::move(piece)); }
  ByteChain(const ByteChain&) = default;
  ByteChain(ByteChain&& other) noexcept  // Leaves an empty chain, which buffers go on using.
      : pieces_(std::exchange(other.pieces_, {})), size_(std::exchange(other.size_, 0)) {}
  ByteChain& operator=(ByteChain other) noexcept {
    pieces_.swap(other.pieces_);
    std::swap(size_, other.size_);
    return *this;
  }

  void append(SharedBytes piece) {
    if (piece.empty()) return;
    size_ += piece.size();
    pieces_.push_back(std::move(piece));
  }
  void append(ByteChain other) {
    for (SharedBytes& piece : other.pieces_) append(std::move(piece));
  }

  std::span<const SharedBytes> pieces() const { return pieces_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Copies the bytes [offset, offset + into.size()) out. The range must lie inside.
  void copy_to(std::size_t offset, std::span<std::byte> into) const;
  // All bytes in one block: shares the block if there is only one piece.
  SharedBytes flatten() const;

 private:
  std::vector<SharedBytes> pieces_;
  std::size_t size_ = 0;
};

}  // namespace drydock
