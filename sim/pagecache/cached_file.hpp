// sim/pagecache models a host's page cache: which pages of which files are in memory, which of them
// are dirty, when they are written back, and who has to wait for that.
//
//   cached_file         the pages of one file, their states, its writeback in flight
//   error_sequence      what is left of a failed writeback: reported once per descriptor
//   page_cache          the host's counters, dirtying, writing back
//   writeback_device    what it keeps per device: counters, estimate, flusher
//   dirty_domain        limits on dirty pages
//   completion_share    each device's part of them
//   throttle_law        when a task that dirties pages sleeps, and for how long
//   bandwidth_estimate  how fast a device writes
//   dirty_throttle      the law applied to the workers of a host
//   kernel_profile      what differs between kernels
//   read_ahead          what a read of an open file brings in besides what it asked for
//   page_faults         the same for a touched page of a mapping
//   page_range          ranges of pages
//   memory_domain       which pages go when memory runs out, and who waits meanwhile
//   page_list           an LRU list as runs of pages
//   stall               who waited where, for how long
//   stuck_wait          how a worker waits inside the kernel
//   tick_sleep          how it sleeps there
//
// It knows nothing of extents, journals and names: the file system above implements PageBacking.
//
// On a host whose memory has no size nothing is evicted unless `drop_clean` is called.
//
// This file: one file's pages. A page is in one of these states:
//
//   absent       not in memory.
//   clean        as on the device, or a hole's zeros, or a page whose writeback failed.
//   dirty        stored into since its last writeback began.
//   writeback    a snapshot of it is on its way to the device. It can be dirty again meanwhile.
//   locked       under writeback, and whoever writes it back still waits for the block layer or the
//                journal to take it: nobody dirties it meanwhile (W3).
//
// A resident page is mapped if some mapping of the file reaches it without a fault, and young if it
// was reached that way since somebody looked. All mappings of a file share these two bits: Linux
// has them per page table.
//
// States are kept as bits, in chunks of 512 pages, and not as runs of pages of one state. Of the 29
// bytes of a page 24 name its block, which a run would have to name, too: every page has bytes of
// its own (or shares those of an equal page), and is copied and evicted alone. The states are 5
// bits, and what reclaim knows 4.4 bytes, of a page: no more than that could be saved, and stores
// and faults would have to search for their run. Drawback: a page that is alone in its chunk costs
// 15 KiB. (`tools/bench storage`, dirty-pages and dirty-runs.)
//
// Invariants:
//   - A page under writeback is not written a second time until that writeback has ended.
//   - Bytes are stored in place only into a page whose block nobody else holds; otherwise the page
//     gets a copy first. So snapshots, chains given to readers and the disk's own blocks share
//     memory with the cache and never change.
//   - `dirty_pages` and `writeback_pages` count bits that are set.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "engine/runtime/waiter.hpp"
#include "engine/types/bytes.hpp"
#include "engine/types/wait_place.hpp"
#include "sim/disk/sparse_table.hpp"
#include "sim/pagecache/error_sequence.hpp"
#include "sim/pagecache/page_list.hpp"
#include "sim/pagecache/page_range.hpp"

namespace drydock::sim {

class CachedFile;
class MemoryDomain;
class PageCache;
class WritebackDevice;

// Whom pages are written for: nobody waits for the flusher's.
enum class WrittenFor : std::uint8_t { flusher, sync };

// What the page cache asks of the file system.
class PageBacking {
 public:
  // Whether it can be given pages of the file now. If not, it sees to it by itself that they become
  // clean.
  virtual bool takes_pages(CachedFile&) { return true; }
  // Sends the snapshots of consecutive pages to the device, in one or several parts. For each part
  // it calls PageCache::begin_writeback now, and end_writeback when it has ended.
  virtual void write_pages(CachedFile& file, std::int64_t first, std::vector<SharedBytes> pages,
                           WrittenFor whom) = 0;
  // A worker that dirtied pages of it had to sleep: the block layer lets more of its writes
  // through.
  virtual void dirtier_slept() = 0;
  // The device that they are written to.
  virtual WritebackDevice& device() = 0;

 protected:
  ~PageBacking() = default;
};

class CachedFile : public ListLink {  // Its place in the cache's list of dirty files.
 public:
  // Pages that are under writeback together.
  struct Writeback {
    std::int64_t count = 0;
    std::uint64_t number = 0;
    WaitList waiters;
    // Why whoever writes them cannot go on: so often. While it waits, they are locked.
    int blocked = 0;
    WaitPlace blocked_at = WaitPlace::none;
    WrittenFor whom = WrittenFor::flusher;
    WaitList lock_waiters;  // Until they are unlocked.
  };

  CachedFile(PageCache& cache, PageBacking& backing);
  ~CachedFile();

  // The page's block, null or empty if it is absent. Holders of the pointer must not wait.
  SharedBytes* find(std::int64_t page) {
    Chunk* const chunk = chunk_of(page);
    return chunk == nullptr ? nullptr : &chunk->bytes[index_of(page)];
  }
  bool resident(std::int64_t page) {
    const SharedBytes* const bytes = find(page);
    return bytes != nullptr && !bytes->empty();
  }
  bool dirty(std::int64_t page) const { return test(page, &Chunk::dirty); }
  bool under_writeback(std::int64_t page) const { return test(page, &Chunk::writeback); }

  // The memory of a dirty page, for storing. Copies the page first if somebody shares it.
  std::byte* writable(std::int64_t page) {
    SharedBytes& bytes = *find(page);
    if (!bytes.sole_holder()) [[unlikely]]
      bytes = SharedBytes::copy_of(bytes.span());
    return bytes.writable().data();
  }
  // As `writable`, but null unless the page is resident and dirty: the fast path of a store.
  std::byte* writable_if_dirty(std::int64_t page) {
    Chunk* const chunk = chunk_of(page);
    if (chunk == nullptr) return nullptr;
    const std::size_t index = index_of(page);
    if ((chunk->dirty[index / 64] >> (index % 64) & 1) == 0) return nullptr;
    chunk->young[index / 64] |= std::uint64_t{1} << (index % 64);
    SharedBytes& bytes = chunk->bytes[index];
    if (!bytes.sole_holder()) [[unlikely]]
      bytes = SharedBytes::copy_of(bytes.span());
    return bytes.writable().data();
  }

  // An access through a mapping: the page's block, now young (unless the mapping's accesses do not
  // count); null if it takes a fault.
  const SharedBytes* touch(std::int64_t page, bool young) {
    Chunk* const chunk = chunk_of(page);
    if (chunk == nullptr) return nullptr;
    const std::size_t index = index_of(page);
    const std::uint64_t bit = std::uint64_t{1} << (index % 64);
    if ((chunk->mapped[index / 64] & bit) == 0) return nullptr;
    if (young) chunk->young[index / 64] |= bit;
    return &chunk->bytes[index];
  }
  bool mapped(std::int64_t page) const { return test(page, &Chunk::mapped); }
  // Maps the resident pages of the range; the number of those that were not mapped. `young`: as the
  // processor marks them.
  std::int64_t map_resident(PageRange range, bool young);
  void map_page(std::int64_t page) { map_resident({page, page + 1}, true); }
  // The last mapping is gone.
  void unmap();

  // The mark of read-ahead: a flag of a page that is in memory or on its way.
  bool ahead_marked(std::int64_t page) const { return test(page, &Chunk::ahead); }
  void mark_ahead(std::int64_t page);
  // Whether the page was marked; it is no longer.
  bool take_ahead_mark(std::int64_t page);

  // Makes an absent page resident and clean.
  void insert(std::int64_t page, SharedBytes bytes);
  // The first dirty page in the range, or `range.end`.
  std::int64_t first_dirty(PageRange range) const;
  // The dirty pages of the range, as few ranges as there can be.
  std::vector<PageRange> dirty_runs(PageRange range) const;
  // Forgets the pages of the range, dirty or not. None may be under writeback.
  void drop(PageRange range);
  // Forgets those pages of the range that are neither dirty nor under writeback.
  enum class Mapped : std::uint8_t { kept, dropped };
  void drop_clean(PageRange range, Mapped mapped = Mapped::dropped);

  // Everything that is known of a page, for checks: page by page, so slow.
  struct PageState {
    bool resident = false;
    bool dirty = false;
    bool writeback = false;
    bool mapped = false;
    bool young = false;
    // Where memory has a size.
    bool listed = false;  // Not unevictable.
    bool active = false;
    bool referenced = false;
    bool aside = false;
    friend bool operator==(const PageState&, const PageState&) = default;
  };
  PageState state_of(std::int64_t page) const;

  std::int64_t dirty_pages() const { return dirty_pages_; }
  std::int64_t writeback_pages() const { return writeback_pages_; }
  // Time at which the file became dirty; redirtying does not move it.
  std::int64_t dirtied_at() const { return dirtied_at_; }

  // The number of the writeback that was started last.
  std::uint64_t last_started() const { return started_; }
  // The youngest writeback numbered `up_to` or less that overlaps the range; null: none in flight.
  Writeback* in_flight(PageRange range, std::uint64_t up_to);
  // One with locked pages in the range, or null.
  Writeback* locked_batch(PageRange range) {
    return locked_ == 0 ? nullptr : find_locked_batch(range);
  }
  // Where to wait before a clean page of the range can be stored into: it is locked, or the kernel
  // keeps pages under writeback stable. Null: nowhere.
  WaitList* write_wait(PageRange range);

  ErrorSequence& errors() { return errors_; }
  PageCache& cache() const { return cache_; }
  WritebackDevice& device() const { return device_; }
  // Pinned (locked in memory): drop_clean and reclaim leave its pages alone.
  void set_pinned(bool pinned);
  bool pinned() const { return pinned_; }

 private:
  friend class MemoryDomain;
  friend class PageCache;
  static constexpr std::int64_t kChunk = 512;
  using Bits = std::array<std::uint64_t, kChunk / 64>;
  // What reclaim knows of a chunk's pages: see MemoryDomain. Only where memory has a size.
  struct Lists {
    // Of a resident page: its entry in a list, 0 if it is unevictable. Of an absent one: when it
    // was evicted, 0 if it was not.
    std::array<PageStamp, kChunk> stamps{};
    Bits active{};
    Bits referenced{};
    Bits aside{};
  };
  struct Chunk {
    std::array<SharedBytes, kChunk> bytes;
    Bits dirty{};
    Bits young{};
    Bits mapped{};
    Bits writeback{};
    Bits ahead{};
    int dirty_pages = 0;
    std::unique_ptr<Lists> lists;
  };

  static std::size_t index_of(std::int64_t page) { return static_cast<std::size_t>(page % kChunk); }
  Chunk* chunk_of(std::int64_t page) const {
    const auto chunk = static_cast<std::size_t>(page / kChunk);
    return chunk < chunks_.size() ? chunks_[chunk].get() : nullptr;
  }
  Chunk& make_chunk(std::int64_t page);
  // The page's block goes, and what was known of it.
  void clear(Chunk& chunk, std::int64_t page);
  static void release(Chunk& chunk, std::size_t index);
  // The same for a clean page that reclaim has taken off its list.
  void evict(std::int64_t page);
  template <class Visit>
  void for_each_resident(Visit visit) {
    for (std::size_t number = 0; number < chunks_.size(); ++number) {
      if (chunks_[number] == nullptr) continue;
      const std::int64_t first = static_cast<std::int64_t>(number) * kChunk;
      for (std::int64_t page = first; page < first + kChunk; ++page) {
        if (resident(page)) visit(page);
      }
    }
  }
  bool test(std::int64_t page, Bits Chunk::* bits) const {
    const Chunk* const chunk = chunk_of(page);
    if (chunk == nullptr) return false;
    const std::size_t index = index_of(page);
    return (chunk->*bits)[index / 64] >> (index % 64) & 1;
  }
  // The first set bit at or behind `from`, or the number of bits.
  template <class Words>
  static std::int64_t first_set(const Words& words, std::int64_t from);
  void set_dirty(std::int64_t page);
  void clear_dirty(std::int64_t page);
  void set_writeback(std::int64_t page);
  void clear_writeback(std::int64_t page);
  // The first writeback that may overlap the range.
  std::map<std::int64_t, Writeback>::iterator writeback_at(std::int64_t page);
  Writeback* find_locked_batch(PageRange range);

  class Registration : public ListLink {
   public:
    explicit Registration(CachedFile& file) : file_(file) {}
    CachedFile& file() const { return file_; }

   private:
    CachedFile& file_;
  };

  PageCache& cache_;
  PageBacking& backing_;
  WritebackDevice& device_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<std::uint64_t> dirty_chunks_;       // A bit per chunk: it has dirty pages.
  std::map<std::int64_t, Writeback> writebacks_;  // By first page; they do not overlap.
  int locked_ = 0;                                // Of these, with locked pages.
  std::int64_t dirty_pages_ = 0;
  std::int64_t writeback_pages_ = 0;
  std::int64_t dirtied_at_ = 0;
  std::int64_t chunk_end_ = 0;  // Where background writeback goes on.
  std::uint64_t started_ = 0;
  ErrorSequence errors_;
  bool pinned_ = false;
  MemoryDomain* domain_;              // Null: memory never runs out.
  std::uint32_t number_ = 0;          // In the domain; 0: none yet.
  Registration registration_{*this};  // In the cache's list of all files.
};

}  // namespace drydock::sim
