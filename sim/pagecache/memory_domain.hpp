// Which pages of the cache go when memory runs out, and who waits meanwhile.
//
// A resident page is in one of these states:
//
//   inactive     on the inactive list: the oldest of it is reclaimed first.
//   active       on the active list: no page of it is reclaimed, but the oldest become inactive.
//   unevictable  its file is locked in memory.
//
// and may be *referenced* (read once), *young* (reached through a mapping since somebody looked)
// and *set aside* (reclaim found it dirty or under writeback; it becomes the oldest inactive page
// when its writeback ends).
//
// Reclaim looks at the oldest inactive pages. A young page stays for one more round, or becomes
// active if it was referenced or young at the last look, too; a page that is dirty or under
// writeback is set aside, among the active, and the flusher is woken; any other page goes, and
// leaves behind when that was, in evictions and activations of the host. If it comes back before as
// many of these have passed as there are active pages, it had been active with a little more
// memory, and becomes active at once. While inactive pages are too few (by the size of the lists,
// see `inactive_ratio`), or refaults of that kind are seen, active pages become inactive, as many
// parts of their list as of the other.
//
// Three places reclaim: kswapd, from below the low mark until free memory is above the high one; a
// worker that needs pages below the min mark, or beyond the group's limit (W5); a charge of a
// process. Dirty pages are never written by reclaim.
//
// Invariants:
//   - pages() = inactive + active + unevictable = the resident pages of all files.
//   - A page that is dirty or under writeback is never evicted.
//   - cached memory of the host = pages() + reserved().
//
// Source: Linux I/O model, section 2. The group of MemoryOptions has these lists for itself, which
// is right as long as nothing outside of it uses memory.
#pragma once

#include <vector>

#include "sim/host/host.hpp"
#include "sim/pagecache/cached_file.hpp"
#include "sim/pagecache/dirty_domain.hpp"
#include "sim/pagecache/page_list.hpp"

namespace drydock::sim {

struct ReclaimCounters {
  std::int64_t scanned_kswapd = 0;  // Pages looked at on the inactive list, by whom.
  std::int64_t scanned_direct = 0;
  std::int64_t evicted = 0;
  std::int64_t activated = 0;
  std::int64_t deactivated = 0;
  std::int64_t refaulted = 0;          // Evicted pages that came back.
  std::int64_t refault_activated = 0;  // Of these, at once active.
  std::int64_t set_aside = 0;          // Dirty or under writeback.
  std::int64_t direct_rounds = 0;
  Duration direct_wait;  // Of all workers (W5).
};

// How many times more pages may be active than inactive: as many, or the square root of 10 times
// the lists' GiB, at least 1.
std::int64_t inactive_ratio(std::int64_t pages, KernelProfile::FileLists lists);

// Host and page cache outlive it.
class MemoryDomain final : public MemoryUser, public DirtyableMemory {
 public:
  MemoryDomain(Kernel& kernel, Host& host, PageCache& cache);
  ~MemoryDomain();
  MemoryDomain(const MemoryDomain&) = delete;
  MemoryDomain& operator=(const MemoryDomain&) = delete;

  HostMemory& memory() const { return memory_; }
  std::int64_t inactive() const { return inactive_; }
  std::int64_t active() const { return active_; }
  std::int64_t unevictable() const { return unevictable_; }
  std::int64_t pages() const { return inactive_ + active_ + unevictable_; }
  std::int64_t reserved() const { return reserved_; }
  std::int64_t dirtyable() const override;
  std::int64_t dirtyable_in_group() const override;
  const ReclaimCounters& counters() const { return counters_; }
  // Entries of the lists: what they cost.
  std::size_t runs() const { return inactive_list_.runs() + active_list_.runs(); }

  // Whether pages can be taken now, without reclaim by whoever takes them.
  bool has_room(std::int64_t pages) const { return memory_.has(pages); }
  // The same after reclaiming what can go at once: for read-ahead, which rather does without.
  bool squeeze(std::int64_t pages);
  // `co_await domain.make_room(worker, pages)`: reclaims until there is room. The worker waits in
  // WaitPlace::memory as long as the reclaiming takes. If nothing can be reclaimed for long, a
  // process is killed, perhaps its own. Killable.
  Task<void> make_room(Worker& worker, std::int64_t pages);
  // Pages that are on their way into the cache take memory, too.
  void reserve(std::int64_t pages);
  void unreserve(std::int64_t pages);

  // From CachedFile.
  void added(CachedFile& file, std::int64_t page);
  void removed(CachedFile& file, std::int64_t page);
  void set_pinned(CachedFile& file, bool pinned);
  void cleaned(CachedFile& file, std::int64_t page);  // Its writeback has ended.
  void forget(CachedFile& file);
  // Read or written by a call, not through a mapping.
  void accessed(CachedFile& file, PageRange range);

  // From PageCache: a writeback has ended.
  void writeback_ended() { wake_all_waiting(); }

  std::int64_t give_back(std::int64_t pages) override;
  void check_invariants() const;

 private:
  // A batch of reclaim.
  static constexpr std::int64_t kBatch = 32;
  // Rounds of nothing in a row after which memory has run out.
  static constexpr int kFruitlessMax = 16;

  enum class By : std::uint8_t { kswapd, worker };
  struct Round {
    std::int64_t freed = 0;
    std::int64_t scanned = 0;
    std::int64_t mapped = 0;  // Of the scanned ones.
    std::int64_t dirty = 0;
    std::int64_t writeback = 0;
  };
  class Kswapd : public Wakeup {
   public:
    Kswapd(MemoryDomain& domain, std::uint32_t host)
        : Wakeup(&Kswapd::on_run, EventKind::writeback, host), domain_(domain) {}

   private:
    static void on_run(Wakeup& wakeup) { static_cast<Kswapd&>(wakeup).domain_.run_kswapd(); }
    MemoryDomain& domain_;
  };

  Round reclaim(std::int64_t wanted, By by);
  void shrink_inactive(std::int64_t scan, std::int64_t wanted, Round& round);
  void look_at(CachedFile& file, std::int64_t page, Round& round);
  void shrink_active(std::int64_t scan, Round& round);
  bool active_should_shrink();
  static Duration cost_of(const Round& round);
  Duration pause_after(const Round& round) const;
  void run_kswapd();
  void wake_kswapd();
  void wake_all_waiting();

  void make_inactive(CachedFile& file, std::int64_t page);
  void make_active(CachedFile& file, std::int64_t page);
  // Off its list, whichever that is.
  void take_off(CachedFile& file, std::int64_t page);
  CachedFile* file_of(const PageList::Place& place) const;
  std::uint32_t number_of(CachedFile& file);
  void compact_if_stale(PageList& list, std::int64_t pages);

  Kernel& kernel_;
  Host& host_;
  HostMemory& memory_;
  PageCache& cache_;
  KernelProfile kernel_profile_;
  PageList inactive_list_;
  PageList active_list_;
  PageStamp next_stamp_ = 0;
  std::int64_t inactive_ = 0;
  std::int64_t active_ = 0;
  std::int64_t unevictable_ = 0;
  std::int64_t reserved_ = 0;
  std::uint32_t age_ = 0;  // Evictions and activations so far: the clock of refaults.
  std::int64_t refaults_seen_ = 0;
  std::vector<CachedFile*> files_{nullptr};  // By number, from 1; null: gone.
  WaitList waiting_;
  int kswapd_failures_ = 0;
  ReclaimCounters counters_;
  Kswapd kswapd_;
};

}  // namespace drydock::sim
