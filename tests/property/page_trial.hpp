// Random steps on the pages of three files on two devices, taken by the page cache and by a model
// that knows single pages only. After each step every page and every counter is compared: what the
// cache says must be what a scan over all pages finds. tests/property/page_laws.cpp draws the
// steps.
#pragma once

#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sim/host/services.hpp"
#include "sim/pagecache/memory_domain.hpp"
#include "sim/pagecache/page_cache.hpp"
#include "tests/property/page_model.hpp"

namespace drydock::test {

enum class PageAct : std::uint8_t {
  insert,
  dirty,
  store,
  start_writeback,
  end_writeback,
  fail_writeback,
  cut,  // Truncate: everything from `first` on.
  drop,
  drop_clean,
  drop_caches,
  map,
  touch,
  unmap,
  pin,
  unpin,
  access,
  reclaim,
  forget,  // The file's mount is gone.
  crash,   // All files are.
  wait_6_s,
  wait_40_s,
  count_
};
inline constexpr const char* kPageActs[] = {
    "insert", "dirty",    "store",      "start_writeback", "end_writeback", "fail_writeback",
    "cut",    "drop",     "drop_clean", "drop_caches",     "map",           "touch",
    "unmap",  "pin",      "unpin",      "access",          "reclaim",       "forget",
    "crash",  "wait_6_s", "wait_40_s"};

struct PageStep {
  PageAct act = PageAct::insert;
  int file = 0;
  int first = 0;  // Of the pages that exist for the trial.
  int count = 1;
};

class PageTrial {
 public:
  static constexpr int kFiles = 3;
  // The pages lie where chunks begin and end.
  static constexpr int kPagesPerStretch = 24;
  static constexpr std::array<std::int64_t, 3> kStretches = {0, 500, 1015};
  static constexpr int kPages = kPagesPerStretch * static_cast<int>(kStretches.size());

  PageTrial(sim::MemoryOptions memory, std::uint64_t seed)
      : kernel_({.seed = seed}),
        host_(kernel_, HostId(1), {.name = "h1", .memory = memory}),
        cache_(host_, {.dirty_bytes = std::int64_t{1} << 30,
                       .dirty_background_bytes = std::int64_t{1} << 29}),
        model_(memory.bytes > 0) {
    for (int file = 0; file < kFiles; ++file) make(file);
  }
  ~PageTrial() {
    for (auto& file : files_) cache_.forget(*file);
  }

  // What the model does not hear of: as if the cache did it by mistake.
  void drop_unseen(int number, std::int64_t page) { file(number).drop({page, page + 1}); }
  void dirty_unseen(int number, std::int64_t page) {
    cache_.mark_dirty(file(number), page, worker_);
  }

  // Empty, or what broke a law.
  std::string take(const PageStep& step) {
    act(step);
    compare();
    return trouble_;
  }

 private:
  struct OnTheWay {
    int file;
    std::int64_t first;
    std::vector<SharedBytes> pages;
    std::string contents;
  };

  class Backing final : public sim::PageBacking {
   public:
    Backing(PageTrial& trial, sim::PageCache& cache) : trial_(trial), device_(cache) {}
    sim::WritebackDevice& device() override { return device_; }
    void dirtier_slept() override {}
    void write_pages(sim::CachedFile& file, std::int64_t first, std::vector<SharedBytes> pages,
                     sim::WrittenFor) override {
      file.cache().begin_writeback(file, first, static_cast<std::int64_t>(pages.size()));
      trial_.written(trial_.number_of(file), first, std::move(pages));
    }

   private:
    PageTrial& trial_;
    sim::WritebackDevice device_;
  };

  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  static std::int64_t page_at(int index) {
    return kStretches[at(index / kPagesPerStretch)] + index % kPagesPerStretch;
  }
  sim::CachedFile& file(int number) { return *files_[at(number)]; }
  int number_of(const sim::CachedFile& file) const {
    for (int number = 0; number < kFiles; ++number) {
      if (files_[at(number)].get() == &file) return number;
    }
    return -1;
  }
  void make(int number) {
    Backing& backing = number == 0 ? first_device_ : second_device_;
    files_[at(number)] = std::make_unique<sim::CachedFile>(cache_, backing);
  }
  void complain(const std::string& what) { trouble_ += what + "; "; }

  // Visits the step's pages.
  template <class Visit>
  void each(const PageStep& step, Visit visit) {
    const int end = std::min(step.first + step.count, kPages);
    for (int index = step.first; index < end; ++index) visit(PageName(step.file, page_at(index)));
  }
  // As few ranges as cover them.
  template <class Visit>
  void each_range(const PageStep& step, Visit visit) {
    const int end = std::min(step.first + step.count, kPages);
    for (int index = step.first; index < end;) {
      const int stretch_end = (index / kPagesPerStretch + 1) * kPagesPerStretch;
      const int last = std::min(stretch_end, end) - 1;
      visit(sim::PageRange{page_at(index), page_at(last) + 1});
      index = last + 1;
    }
  }

  void act(const PageStep& step) {
    sim::CachedFile& file = this->file(step.file);
    switch (step.act) {
      case PageAct::insert: return each(step, [this](PageName name) { insert(name); });
      case PageAct::dirty: return each(step, [this](PageName name) { dirty(name); });
      case PageAct::store: return each(step, [this](PageName name) { store(name); });
      case PageAct::start_writeback: return start_writeback(step);
      case PageAct::end_writeback: return end_writeback(step.first, Result<void>());
      case PageAct::fail_writeback: return end_writeback(step.first, ErrorCode::io_error);
      case PageAct::cut: return drop(step.file, {page_at(step.first), INT64_MAX});
      case PageAct::drop:
        return each_range(step, [&](sim::PageRange range) { drop(step.file, range); });
      case PageAct::drop_clean:
        return each_range(step, [&](sim::PageRange range) { drop_clean(step, range); });
      case PageAct::drop_caches: return drop_caches();
      case PageAct::map: return map(step);
      case PageAct::touch: return each(step, [this](PageName name) { touch(name); });
      case PageAct::unmap:
        file.unmap();
        for (const PageName& name : names_of(step.file)) model_.find(name)->state.mapped = false;
        return;
      case PageAct::pin:
      case PageAct::unpin:
        file.set_pinned(step.act == PageAct::pin);
        return model_.set_pinned(step.file, step.act == PageAct::pin);
      case PageAct::access: return access(step);
      case PageAct::reclaim: return reclaim(step.count);
      case PageAct::forget: return forget(step.file);
      case PageAct::crash:
        for (int number = 0; number < kFiles; ++number) forget(number);
        return;
      case PageAct::wait_6_s: return wait(Duration::s(6));
      case PageAct::wait_40_s: return wait(Duration::s(40));
      case PageAct::count_: return;
    }
  }

  std::vector<PageName> names_of(int file) const {
    std::vector<PageName> names;
    for (const auto& [name, page] : model_.pages()) {
      if (name.first == file) names.push_back(name);
    }
    return names;
  }

  void insert(PageName name) {
    if (model_.find(name) != nullptr) return;
    const char content = next_content();
    file(name.first)
        .insert(name.second, SharedBytes::copy_of(std::string(at(sim::kPageBytes), content)));
    model_.insert(name, content);
  }
  void dirty(PageName name) {
    insert(name);
    cache_.mark_dirty(file(name.first), name.second, worker_);
    model_.find(name)->state.dirty = true;
  }
  // In place, if the page's block is its own.
  void store(PageName name) {
    dirty(name);
    ModelPage& page = *model_.find(name);
    page.content = next_content();
    std::memset(file(name.first).writable(name.second), page.content, at(sim::kPageBytes));
  }
  char next_content() { return content_ = static_cast<char>(content_ % 120 + 1); }

  void start_writeback(const PageStep& step) {
    each_range(step, [&](sim::PageRange range) {
      std::int64_t dirty = 0;
      std::int64_t busy = 0;
      for (const PageName& name : names_of(step.file)) {
        const bool inside = range.first <= name.second && name.second < range.end;
        const sim::CachedFile::PageState& state = model_.find(name)->state;
        if (!inside || !state.dirty) continue;
        ++(state.writeback ? busy : dirty);
      }
      const std::int64_t before = cache_.writeback_pages();
      const bool complete = cache_.start_writeback(file(step.file), range, sim::WrittenFor::sync);
      if (complete != (busy == 0)) complain("start_writeback told the wrong thing");
      if (cache_.writeback_pages() - before != dirty) complain("start_writeback left pages out");
    });
  }
  // Also by a flusher.
  void written(int number, std::int64_t first, std::vector<SharedBytes> pages) {
    OnTheWay on_the_way{number, first, std::move(pages), ""};
    std::int64_t page = first;
    for (const SharedBytes& bytes : on_the_way.pages) {
      const PageName name(number, page++);
      ModelPage* const model = model_.find(name);
      const bool may = model != nullptr && model->state.dirty && !model->state.writeback;
      if (!may) return complain("a page is written that is not dirty, or is on its way");
      model->state.dirty = false;
      model->state.writeback = true;
      if (content_of(bytes) != model->content) complain("something else is written");
      on_the_way.contents += model->content;
    }
    on_the_way_.push_back(std::move(on_the_way));
  }
  static char content_of(const SharedBytes& bytes) { return static_cast<char>(bytes.data()[0]); }

  void end_writeback(int which, Result<void> outcome) {
    if (on_the_way_.empty()) return;
    const auto entry = on_the_way_.begin() + which % static_cast<int>(on_the_way_.size());
    const OnTheWay ended = std::move(*entry);
    on_the_way_.erase(entry);
    sim::CachedFile& file = this->file(ended.file);
    sim::ErrorSequence::Cursor cursor = file.errors().cursor();
    const bool told_before = !file.errors().check(cursor).has_value();
    cache_.end_writeback(file, ended.first, outcome);
    const bool failed = !file.errors().check(cursor).has_value();
    if (told_before || failed == outcome.has_value()) {
      complain("an error was not kept, or made up");
    }
    for (std::size_t i = ended.pages.size(); i-- > 0;) {
      model_.writeback_ended({ended.file, ended.first + static_cast<std::int64_t>(i)});
      if (content_of(ended.pages[i]) != ended.contents[i]) complain("a snapshot has changed");
    }
  }

  void drop(int number, sim::PageRange range) {
    // As the file system does: not before what is on its way has arrived.
    for (int i = static_cast<int>(on_the_way_.size()); i-- > 0;) {
      if (on_the_way_[at(i)].file == number) end_writeback(i, Result<void>());
    }
    file(number).drop(range);
    for (const PageName& name : names_of(number)) {
      if (range.first <= name.second && name.second < range.end) model_.remove(name);
    }
    model_.forget_evictions(number, range);
  }
  void drop_clean(const PageStep& step, sim::PageRange range) {
    using Mapped = sim::CachedFile::Mapped;
    const Mapped mapped = step.count % 2 == 0 ? Mapped::kept : Mapped::dropped;
    file(step.file).drop_clean(range, mapped);
    model_drop_clean(step.file, range, mapped);
  }
  void model_drop_clean(int number, sim::PageRange range, sim::CachedFile::Mapped mapped) {
    for (const PageName& name : names_of(number)) {
      if (name.second < range.first || name.second >= range.end) continue;
      const sim::CachedFile::PageState& state = model_.find(name)->state;
      const bool kept = state.mapped && mapped == sim::CachedFile::Mapped::kept;
      if (!state.dirty && !state.writeback && !kept) model_.remove(name);
    }
    model_.forget_evictions(number, range);
  }
  void drop_caches() {
    cache_.drop_clean();
    for (int number = 0; number < kFiles; ++number) {
      if (model_.pinned(number)) continue;
      model_drop_clean(number, sim::PageRange(), sim::CachedFile::Mapped::kept);
    }
  }

  void map(const PageStep& step) {
    each(step, [this](PageName name) {
      ModelPage* const page = model_.find(name);
      const bool maps = page != nullptr && !page->state.mapped;
      const std::int64_t mapped =
          file(name.first).map_resident({name.second, name.second + 1}, true);
      if (mapped != (maps ? 1 : 0)) complain("map_resident counted wrongly");
      if (maps) page->state.mapped = page->state.young = true;
    });
  }
  void touch(PageName name) {
    ModelPage* const page = model_.find(name);
    const SharedBytes* const bytes = file(name.first).touch(name.second, true);
    const bool reached = page != nullptr && page->state.mapped;
    if ((bytes != nullptr) != reached) complain("touch reached a page that is not mapped");
    if (reached) page->state.young = true;
  }

  void access(const PageStep& step) {
    if (cache_.memory() == nullptr) return;
    each(step, [this](PageName name) { model_.accessed(name); });
    each_range(step,
               [&](sim::PageRange range) { cache_.memory()->accessed(file(step.file), range); });
  }
  void reclaim(int pages) {
    if (cache_.memory() == nullptr) return;
    const std::int64_t expected = model_.give_back(pages);
    const std::int64_t given = cache_.memory()->give_back(pages);
    if (given != expected) {
      complain("reclaimed " + std::to_string(given) + " instead of " + std::to_string(expected));
    }
  }

  void forget(int number) {
    cache_.forget(file(number));
    std::erase_if(on_the_way_, [number](const OnTheWay& one) { return one.file == number; });
    for (const PageName& name : names_of(number)) model_.remove(name);
    model_.forget_evictions(number, sim::PageRange());
    model_.set_pinned(number, false);
    make(number);
  }
  void wait(Duration length) { kernel_.run_until(kernel_.now() + length.count_ns()); }

  // --- The laws.

  void compare() {
    using State = sim::CachedFile::PageState;
    State none;
    for (int number = 0; number < kFiles; ++number) {
      for (int index = 0; index < kPages; ++index) {
        const PageName name(number, page_at(index));
        const ModelPage* const page = model_.find(name);
        const State expected = page == nullptr ? none : page->state;
        const std::string where =
            "page " + std::to_string(name.second) + " of file " + std::to_string(number);
        if (file(number).state_of(name.second) != expected) complain(where + " differs");
        if (page == nullptr || !file(number).resident(name.second)) continue;
        if (content_of(*file(number).find(name.second)) != page->content) {
          complain(where + " holds something else");
        }
      }
      equal("dirty pages of a file", file(number).dirty_pages(),
            model_.count(&State::dirty, number));
      equal("writeback pages of a file", file(number).writeback_pages(),
            model_.count(&State::writeback, number));
      compare_first_dirty(number);
    }
    const auto others = [this](bool State::* flag) {
      return model_.count(flag, 1) + model_.count(flag, 2);
    };
    equal("D", cache_.dirty_pages(), model_.count(&State::dirty));
    equal("W", cache_.writeback_pages(), model_.count(&State::writeback));
    equal("D of a device", first_device_.device().dirty_pages(), model_.count(&State::dirty, 0));
    equal("W of a device", first_device_.device().writeback_pages(),
          model_.count(&State::writeback, 0));
    equal("D of the other", second_device_.device().dirty_pages(), others(&State::dirty));
    equal("W of the other", second_device_.device().writeback_pages(), others(&State::writeback));
    if (cache_.memory() != nullptr) compare_memory(*cache_.memory());
  }
  void compare_memory(const sim::MemoryDomain& memory) {
    using State = sim::CachedFile::PageState;
    const std::int64_t resident = model_.count(&State::resident);
    const std::int64_t listed = model_.count(&State::listed);
    const std::int64_t active = model_.count(&State::active);
    equal("active", memory.active(), active);
    equal("inactive", memory.inactive(), listed - active);
    equal("unevictable", memory.unevictable(), resident - listed);
    equal("cached memory of the host", host_.memory()->cached(), resident);
    memory.check_invariants();
  }
  void compare_first_dirty(int number) {
    for (const std::int64_t from : {std::int64_t{0}, std::int64_t{7}, std::int64_t{511},
                                    std::int64_t{512}, std::int64_t{1030}}) {
      std::int64_t expected = 2000;
      for (const PageName& name : names_of(number)) {
        if (name.second >= from && model_.find(name)->state.dirty) {
          expected = std::min(expected, name.second);
        }
      }
      equal("the first dirty page", file(number).first_dirty({from, 2000}), expected);
    }
  }
  void equal(const char* what, std::int64_t found, std::int64_t expected) {
    if (found == expected) return;
    complain(std::string(what) + ": " + std::to_string(found) + " instead of " +
             std::to_string(expected));
  }

  sim::Kernel kernel_;
  sim::Host host_;
  sim::PageCache cache_;
  PageModel model_;
  Backing first_device_{*this, cache_};
  Backing second_device_{*this, cache_};
  sim::SimWorker worker_{WorkerId(1), "worker"};
  std::array<std::unique_ptr<sim::CachedFile>, kFiles> files_;
  std::deque<OnTheWay> on_the_way_;
  char content_ = 0;
  std::string trouble_;
};

}  // namespace drydock::test
