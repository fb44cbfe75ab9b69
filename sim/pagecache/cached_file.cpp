#include "sim/pagecache/cached_file.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "sim/pagecache/memory_domain.hpp"
#include "sim/pagecache/page_cache.hpp"

namespace drydock::sim {

CachedFile::CachedFile(PageCache& cache, PageBacking& backing)
    : cache_(cache), backing_(backing), device_(backing.device()), domain_(cache.memory()) {
  cache.files_.push_back(registration_);
}

CachedFile::~CachedFile() { cache_.forget(*this); }

CachedFile::Chunk& CachedFile::make_chunk(std::int64_t page) {
  const auto chunk = static_cast<std::size_t>(page / kChunk);
  if (chunk >= chunks_.size()) {
    chunks_.resize(chunk + 1);
    dirty_chunks_.resize(chunk / 64 + 1);
  }
  if (chunks_[chunk] == nullptr) chunks_[chunk] = std::make_unique<Chunk>();
  return *chunks_[chunk];
}

void CachedFile::insert(std::int64_t page, SharedBytes bytes) {
  ENSURE(bytes.size() == static_cast<std::size_t>(kPageBytes));
  SharedBytes& entry = make_chunk(page).bytes[index_of(page)];
  ENSURE(entry.empty());
  entry = std::move(bytes);
  if (domain_ != nullptr) domain_->added(*this, page);
}

template <class Words>
std::int64_t CachedFile::first_set(const Words& words, std::int64_t from) {
  auto word = static_cast<std::size_t>(from / 64);
  if (word >= words.size()) return static_cast<std::int64_t>(words.size()) * 64;
  std::uint64_t bits = words[word] >> (from % 64) << (from % 64);
  while (bits == 0) {
    if (++word == words.size()) return static_cast<std::int64_t>(words.size()) * 64;
    bits = words[word];
  }
  return static_cast<std::int64_t>(word) * 64 + std::countr_zero(bits);
}

std::int64_t CachedFile::first_dirty(PageRange range) const {
  std::int64_t page = range.first;
  while (page < range.end) {
    const std::int64_t chunk = first_set(dirty_chunks_, page / kChunk);
    if (chunk >= static_cast<std::int64_t>(chunks_.size())) return range.end;
    if (chunk > page / kChunk) page = chunk * kChunk;
    const Chunk& found = *chunks_[static_cast<std::size_t>(chunk)];
    const std::int64_t index = first_set(found.dirty, page % kChunk);
    page = chunk * kChunk + index;
    if (index < kChunk) return std::min(page, range.end);
  }
  return range.end;
}

std::vector<PageRange> CachedFile::dirty_runs(PageRange range) const {
  std::vector<PageRange> runs;
  std::int64_t page = first_dirty(range);
  while (page < range.end) {
    PageRange run{page, page + 1};
    while (run.end < range.end && dirty(run.end)) ++run.end;
    runs.push_back(run);
    page = first_dirty({run.end, range.end});
  }
  return runs;
}

void CachedFile::set_dirty(std::int64_t page) {
  const auto number = static_cast<std::size_t>(page / kChunk);
  Chunk& chunk = *chunks_[number];
  const std::size_t index = index_of(page);
  chunk.dirty[index / 64] |= std::uint64_t{1} << (index % 64);
  ++chunk.dirty_pages;
  ++dirty_pages_;
  dirty_chunks_[number / 64] |= std::uint64_t{1} << (number % 64);
}

void CachedFile::clear_dirty(std::int64_t page) {
  const auto number = static_cast<std::size_t>(page / kChunk);
  Chunk& chunk = *chunks_[number];
  const std::size_t index = index_of(page);
  chunk.dirty[index / 64] &= ~(std::uint64_t{1} << (index % 64));
  --dirty_pages_;
  if (--chunk.dirty_pages == 0) {
    dirty_chunks_[number / 64] &= ~(std::uint64_t{1} << (number % 64));
  }
}

void CachedFile::set_writeback(std::int64_t page) {
  const std::size_t index = index_of(page);
  chunk_of(page)->writeback[index / 64] |= std::uint64_t{1} << (index % 64);
  ++writeback_pages_;
}

void CachedFile::clear_writeback(std::int64_t page) {
  ENSURE(under_writeback(page));
  const std::size_t index = index_of(page);
  chunk_of(page)->writeback[index / 64] &= ~(std::uint64_t{1} << (index % 64));
  --writeback_pages_;
  if (domain_ != nullptr) domain_->cleaned(*this, page);
}

void CachedFile::drop(PageRange range) {
  ENSURE(in_flight(range, started_) == nullptr);
  std::int64_t dropped = 0;
  for (std::int64_t page = first_dirty(range); page < range.end; page = first_dirty(range)) {
    clear_dirty(page);
    ++dropped;
  }
  if (dropped > 0) cache_.forget_dirty(*this, dropped);
  const auto end = std::min(range.end, static_cast<std::int64_t>(chunks_.size()) * kChunk);
  for (std::int64_t page = range.first; page < end;) {
    const auto chunk = static_cast<std::size_t>(page / kChunk);
    const std::int64_t next = (page / kChunk + 1) * kChunk;
    if (chunks_[chunk] == nullptr) {
      page = next;
      continue;
    }
    const bool whole = page % kChunk == 0 && next <= end;
    if (!whole || domain_ != nullptr) {
      for (std::int64_t each = page; each < std::min(next, end); ++each) {
        clear(*chunks_[chunk], each);
      }
    }
    if (whole) chunks_[chunk].reset();
    page = next;
  }
}

void CachedFile::set_pinned(bool pinned) {
  const bool changes = std::exchange(pinned_, pinned) != pinned;
  if (changes && domain_ != nullptr) domain_->set_pinned(*this, pinned);
}

void CachedFile::evict(std::int64_t page) {
  ENSURE(!dirty(page));
  ENSURE(!under_writeback(page));
  release(*chunk_of(page), index_of(page));
}

void CachedFile::clear(Chunk& chunk, std::int64_t page) {
  const std::size_t index = index_of(page);
  if (domain_ != nullptr && chunk.lists != nullptr) {
    if (!chunk.bytes[index].empty()) domain_->removed(*this, page);
    chunk.lists->stamps[index] = 0;  // Nobody will ask when it was evicted.
  }
  release(chunk, index);
}

void CachedFile::release(Chunk& chunk, std::size_t index) {
  const std::uint64_t others = ~(std::uint64_t{1} << (index % 64));
  chunk.bytes[index] = SharedBytes();
  chunk.mapped[index / 64] &= others;
  chunk.young[index / 64] &= others;
  chunk.ahead[index / 64] &= others;
}

void CachedFile::mark_ahead(std::int64_t page) {
  const std::size_t index = index_of(page);
  make_chunk(page).ahead[index / 64] |= std::uint64_t{1} << (index % 64);
}

bool CachedFile::take_ahead_mark(std::int64_t page) {
  if (!ahead_marked(page)) return false;
  const std::size_t index = index_of(page);
  chunk_of(page)->ahead[index / 64] &= ~(std::uint64_t{1} << (index % 64));
  return true;
}

CachedFile::PageState CachedFile::state_of(std::int64_t page) const {
  const Chunk* const chunk = chunk_of(page);
  if (chunk == nullptr) return {};
  const std::size_t index = index_of(page);
  const auto has = [index](const Bits& bits) {
    return (bits[index / 64] >> (index % 64) & 1) != 0;
  };
  PageState state{.resident = !chunk->bytes[index].empty(),
                  .dirty = has(chunk->dirty),
                  .writeback = has(chunk->writeback),
                  .mapped = has(chunk->mapped),
                  .young = has(chunk->young)};
  const Lists* const lists = chunk->lists.get();
  if (lists == nullptr || !state.resident) return state;
  state.listed = lists->stamps[index] != 0;
  state.active = has(lists->active);
  state.referenced = has(lists->referenced);
  state.aside = has(lists->aside);
  return state;
}

std::int64_t CachedFile::map_resident(PageRange range, bool young) {
  std::int64_t count = 0;
  for (std::int64_t page = range.first; page < range.end; ++page) {
    Chunk* const chunk = chunk_of(page);
    if (chunk == nullptr) return count;  // The caller's ranges lie inside one chunk.
    const std::size_t index = index_of(page);
    const std::uint64_t bit = std::uint64_t{1} << (index % 64);
    if (chunk->bytes[index].empty() || (chunk->mapped[index / 64] & bit) != 0) continue;
    chunk->mapped[index / 64] |= bit;
    if (young) chunk->young[index / 64] |= bit;
    ++count;
  }
  return count;
}

void CachedFile::unmap() {
  for (const auto& chunk : chunks_) {
    if (chunk != nullptr) chunk->mapped.fill(0);
  }
}

void CachedFile::drop_clean(PageRange range, Mapped mapped) {
  const auto end = std::min(range.end, static_cast<std::int64_t>(chunks_.size()) * kChunk);
  for (std::int64_t page = range.first; page < end;) {
    Chunk* const chunk = chunk_of(page);
    if (chunk == nullptr) {
      page = (page / kChunk + 1) * kChunk;
      continue;
    }
    const std::size_t index = index_of(page);
    std::uint64_t busy = chunk->dirty[index / 64] | chunk->writeback[index / 64];
    if (mapped == Mapped::kept) busy |= chunk->mapped[index / 64];
    if ((busy >> (index % 64) & 1) == 0) clear(*chunk, page);
    ++page;
  }
}

std::map<std::int64_t, CachedFile::Writeback>::iterator CachedFile::writeback_at(
    std::int64_t page) {
  const auto entry = writebacks_.upper_bound(page);
  return entry == writebacks_.begin() ? entry : std::prev(entry);
}

CachedFile::Writeback* CachedFile::find_locked_batch(PageRange range) {
  for (auto entry = writeback_at(range.first);
       entry != writebacks_.end() && entry->first < range.end; ++entry) {
    Writeback& writeback = entry->second;
    if (writeback.blocked > 0 && entry->first + writeback.count > range.first) return &writeback;
  }
  return nullptr;
}

WaitList* CachedFile::write_wait(PageRange range) {
  Writeback* const held = locked_batch(range);
  if (held != nullptr) return &held->lock_waiters;
  if (writeback_pages_ == 0 || !cache_.options().kernel.stable_pages) return nullptr;
  Writeback* const writeback = in_flight(range, started_);
  return writeback == nullptr ? nullptr : &writeback->waiters;
}

CachedFile::Writeback* CachedFile::in_flight(PageRange range, std::uint64_t up_to) {
  Writeback* youngest = nullptr;
  auto entry = writeback_at(range.first);
  for (; entry != writebacks_.end() && entry->first < range.end; ++entry) {
    Writeback& writeback = entry->second;
    if (entry->first + writeback.count <= range.first || writeback.number > up_to) continue;
    if (youngest == nullptr || writeback.number > youngest->number) youngest = &writeback;
  }
  return youngest;
}

}  // namespace drydock::sim
