// The page cache page by page, as simple as can be: a map of pages and two lists of them. Written
// from what cached_file.hpp and memory_domain.hpp say, without chunks, bits, runs and stamps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <utility>

#include "sim/pagecache/cached_file.hpp"

namespace drydock::test {

// (file, page)
using PageName = std::pair<int, std::int64_t>;

struct ModelPage {
  char content = 0;
  sim::CachedFile::PageState state;
};

class PageModel {
 public:
  explicit PageModel(bool has_memory) : has_memory_(has_memory) {}

  const std::map<PageName, ModelPage>& pages() const { return pages_; }
  ModelPage* find(PageName name) {
    const auto entry = pages_.find(name);
    return entry == pages_.end() ? nullptr : &entry->second;
  }
  bool pinned(int file) const { return pinned_.contains(file); }
  std::int64_t count(bool sim::CachedFile::PageState::* flag, std::optional<int> file = {}) const {
    return std::ranges::count_if(pages_, [flag, file](const auto& entry) {
      return entry.second.state.*flag && (!file || entry.first.first == *file);
    });
  }
  std::int64_t refaults() const { return refaults_; }

  void insert(PageName name, char content) {
    ModelPage& page = pages_[name];
    page.content = content;
    page.state.resident = true;
    if (!has_memory_) return;
    const auto shadow = evicted_.find(name);
    const std::optional<std::int64_t> then =
        shadow == evicted_.end() ? std::nullopt : std::optional(shadow->second);
    evicted_.erase(name);
    if (pinned(name.first)) return;
    if (then) ++refaults_;
    const bool soon = then && age_ - *then <= static_cast<std::int64_t>(active_.size());
    if (soon) ++refaults_activated_;
    list(name, soon, true);
  }
  void remove(PageName name) {
    take_off(name);
    pages_.erase(name);
  }
  // Nobody will ask when its pages were evicted.
  void forget_evictions(int file, sim::PageRange range) {
    std::erase_if(evicted_, [file, range](const auto& entry) {
      const std::int64_t page = entry.first.second;
      return entry.first.first == file && range.first <= page && page < range.end;
    });
  }
  void set_pinned(int file, bool pinned) {
    if (pinned == this->pinned(file)) return;
    if (pinned) pinned_[file] = true;
    if (!pinned) pinned_.erase(file);
    if (!has_memory_) return;
    for (auto& [name, page] : pages_) {
      if (name.first != file) continue;
      if (pinned) {
        take_off(name);
      } else {
        list(name, false, true);
      }
    }
  }
  void accessed(PageName name) {
    ModelPage* const page = find(name);
    if (page == nullptr || !has_memory_) return;
    sim::CachedFile::PageState& state = page->state;
    if (state.listed && !state.active && state.referenced) {
      state.referenced = false;
      take_off(name);
      list(name, true, true);
    } else {
      state.referenced = true;
    }
  }
  void writeback_ended(PageName name) {
    sim::CachedFile::PageState& state = pages_.at(name).state;
    state.writeback = false;
    const bool aside = std::exchange(state.aside, false);
    if (!aside || state.dirty || !state.listed) return;
    take_off(name);
    list(name, false, false);
  }

  // Pages of the oldest, as reclaim takes them when a process needs memory.
  std::int64_t give_back(std::int64_t pages) {
    std::int64_t given = 0;
    while (given < pages) {
      const std::int64_t freed = reclaim(std::max<std::int64_t>(pages - given, 32));
      if (freed == 0) break;
      given += freed;
    }
    return given;
  }

 private:
  using Order = std::list<PageName>;

  // Young pages are at the back.
  void list(PageName name, bool active, bool young) {
    sim::CachedFile::PageState& state = pages_.at(name).state;
    state.listed = true;
    state.active = active;
    Order& order = active ? active_ : inactive_;
    places_[name] = order.insert(young ? order.end() : order.begin(), name);
    if (active) ++age_;
  }
  void take_off(PageName name) {
    sim::CachedFile::PageState& state = pages_.at(name).state;
    if (state.listed) (state.active ? active_ : inactive_).erase(places_.at(name));
    places_.erase(name);
    state.listed = false;
    state.active = false;
  }

  static std::int64_t size(const Order& order) { return static_cast<std::int64_t>(order.size()); }

  std::int64_t reclaim(std::int64_t wanted) {
    std::int64_t freed = 0;
    for (int priority = 12; priority >= 0 && freed < wanted; --priority) {
      const std::int64_t scan =
          std::max(size(inactive_) >> priority, std::min<std::int64_t>(size(inactive_), 32));
      // So few pages are listed that as many may be active as are inactive.
      const bool refaulted = refaults_activated_ != refaults_seen_;
      if (!active_.empty() && (size(inactive_) < size(active_) || refaulted)) {
        const std::int64_t part =
            scan == 0 ? 32 : scan * size(active_) / std::max(size(inactive_), scan);
        deactivate(std::max<std::int64_t>(part, 1));
      }
      look(std::max(scan, std::min<std::int64_t>(size(inactive_), 32)), wanted, freed);
    }
    refaults_seen_ = refaults_activated_;
    return freed;
  }
  void deactivate(std::int64_t count) {
    for (; count > 0 && !active_.empty(); --count) {
      const PageName name = active_.front();
      take_off(name);
      pages_.at(name).state.young = false;
      list(name, false, true);
    }
  }
  void look(std::int64_t scan, std::int64_t wanted, std::int64_t& freed) {
    for (; scan > 0 && freed < wanted && !inactive_.empty(); --scan) {
      const PageName name = inactive_.front();
      sim::CachedFile::PageState& state = pages_.at(name).state;
      take_off(name);
      if (!state.writeback) {
        const bool young = std::exchange(state.young, false) && state.mapped;
        const bool referenced = std::exchange(state.referenced, false);
        if (young) {
          state.referenced = !referenced;
          list(name, referenced, true);
          continue;
        }
      }
      if (state.writeback || state.dirty) {
        state.aside = true;
        list(name, true, true);
        continue;
      }
      evicted_[name] = ++age_;
      pages_.erase(name);
      ++freed;
    }
  }

  bool has_memory_;
  std::map<PageName, ModelPage> pages_;  // The resident ones.
  std::map<int, bool> pinned_;
  std::map<PageName, Order::iterator> places_;
  Order inactive_;
  Order active_;
  std::map<PageName, std::int64_t> evicted_;  // When.
  std::int64_t age_ = 0;
  std::int64_t refaults_ = 0;
  std::int64_t refaults_activated_ = 0;
  std::int64_t refaults_seen_ = 0;
};

}  // namespace drydock::test
