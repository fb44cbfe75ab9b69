// A table of 4 KiB pages or blocks by number, most of which are absent.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/types/ensure.hpp"

namespace drydock::sim {

inline constexpr std::int64_t kPageBytes = 4096;

// Two levels: a vector of chunks of 512 entries (2 MiB of pages), made when first touched. Finding
// an entry is two loads; a file or disk costs memory only where it was used. Entries are visited in
// the order of their numbers. Copying the table copies its entries.
template <class T>
class SparseTable {
 public:
  static constexpr std::int64_t kChunk = 512;
  using Chunk = std::array<T, kChunk>;

  SparseTable() = default;
  SparseTable(SparseTable&&) noexcept = default;
  SparseTable& operator=(SparseTable&&) noexcept = default;
  SparseTable(const SparseTable& other) {
    chunks_.reserve(other.chunks_.size());
    for (const auto& chunk : other.chunks_) {
      chunks_.push_back(chunk == nullptr ? nullptr : std::make_unique<Chunk>(*chunk));
    }
  }
  SparseTable& operator=(const SparseTable& other) {
    SparseTable copy(other);
    return *this = std::move(copy);
  }

  // The entry, or null if nothing near it was ever touched.
  const T* find(std::int64_t index) const {
    const auto chunk = static_cast<std::size_t>(index / kChunk);
    if (chunk >= chunks_.size() || chunks_[chunk] == nullptr) return nullptr;
    return &(*chunks_[chunk])[static_cast<std::size_t>(index % kChunk)];
  }
  T* find(std::int64_t index) {
    return const_cast<T*>(static_cast<const SparseTable*>(this)->find(index));
  }

  // The entry, made with its default value if it was absent.
  T& at(std::int64_t index) {
    ENSURE(index >= 0);
    const auto chunk = static_cast<std::size_t>(index / kChunk);
    if (chunk >= chunks_.size()) chunks_.resize(chunk + 1);
    if (chunks_[chunk] == nullptr) chunks_[chunk] = std::make_unique<Chunk>();
    return (*chunks_[chunk])[static_cast<std::size_t>(index % kChunk)];
  }

  // Calls `visit(index, entry)` for the entries of every touched chunk from `first` on.
  template <class Visit>
  void for_each_from(std::int64_t first, Visit visit) {
    for (std::int64_t index = first; index < end();) {
      const auto chunk = static_cast<std::size_t>(index / kChunk);
      if (chunks_[chunk] == nullptr) {
        index = (index / kChunk + 1) * kChunk;
        continue;
      }
      visit(index, (*chunks_[chunk])[static_cast<std::size_t>(index % kChunk)]);
      ++index;
    }
  }

  // Gives back the chunks that lie wholly at or behind `first`.
  void release_chunks_from(std::int64_t first) {
    const auto keep = static_cast<std::size_t>((first + kChunk - 1) / kChunk);
    if (keep < chunks_.size()) chunks_.resize(keep);
  }

  // No entry at or behind this number was ever touched.
  std::int64_t end() const { return static_cast<std::int64_t>(chunks_.size()) * kChunk; }

 private:
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

}  // namespace drydock::sim
