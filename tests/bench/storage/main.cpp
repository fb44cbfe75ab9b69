// bench-storage: the contestants `storage` (page cache, file system and disk of a simulated host)
// and `bare-array` (an array of pages and a memcpy). Workloads; `messages` says what is counted:
//
//   mapped-stores   stores of 256 bytes, one behind the other, into dirty pages of a mapped file:
//                   the path without a fault.
//   page-faults     first stores into pages of a mapped file that is not in memory: allocation of a
//                   page, reservation of a block, throttle accounting.
//   fsyncs          an append of 4 KiB and a sync of the file, on a local NVMe disk. The events of
//                   commits and commands are the most of it.
//   stored-blocks   blocks of 4 KiB, all distinct, written and synced: they are in the page cache
//                   and on the disk. Its memory is what counts.
//   dirty-pages     pages of a host of 256 GiB that become dirty, one behind the other, and hold
//                   the same bytes. Its memory is the state that the simulator keeps of a page.
//   dirty-runs      the same for pages that lie so far apart that each is a run of its own in a
//                   part of the file that nothing else is known of: the state of a run.
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "sim/host/services.hpp"
#include "sim/pagecache/memory_domain.hpp"
#include "tests/bench/workloads/harness.hpp"
#include "tests/support/file_world.hpp"

namespace drydock::bench {
namespace {

using test::FileWorld;
using test::FileWorldOptions;

constexpr std::int64_t kStoreBytes = 256;
constexpr std::int64_t kMapBytes = 64 << 20;
constexpr std::int64_t kGib = std::int64_t{1} << 30;

FileWorldOptions options_with(std::int64_t disk_bytes) {
  return {.disk = {.name = "d0", .capacity_bytes = disk_bytes},
          .files = {.page_cache = {.dirty_bytes = 64 * kGib, .dirty_background_bytes = 32 * kGib}}};
}

std::array<std::byte, kStoreBytes> payload() {
  std::array<std::byte, kStoreBytes> bytes;
  bytes.fill(std::byte{'m'});
  return bytes;
}

void mapped_stores(std::uint64_t count, Record& record) {
  Stopwatch watch;
  FileWorld world(options_with(kGib));
  MappedFile& map = world->map("/log", kMapBytes);
  const auto bytes = payload();
  for (std::int64_t at = 0; at < kMapBytes; at += sim::kPageBytes) {
    ENSURE(map.try_store(world->worker(), at, bytes));
  }
  Worker& worker = world->worker();
  watch.started();
  std::int64_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    record.messages += map.try_store(worker, at, bytes) ? 1 : 0;
    at = (at + kStoreBytes) % kMapBytes;
  }
  watch.finish(record);
}

void array_stores(std::uint64_t count, Record& record) {
  using Page = std::array<std::byte, sim::kPageBytes>;
  Stopwatch watch;
  std::vector<std::unique_ptr<Page>> pages;
  for (std::int64_t i = 0; i < kMapBytes / sim::kPageBytes; ++i) {
    pages.push_back(std::make_unique<Page>());
  }
  const auto bytes = payload();
  watch.started();
  std::int64_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Page& page = *pages[static_cast<std::size_t>(at / sim::kPageBytes)];
    std::memcpy(page.data() + at % sim::kPageBytes, bytes.data(), bytes.size());
    asm volatile("" : : "r"(page.data()) : "memory");  // Is not to be left out.
    ++record.messages;
    at = (at + kStoreBytes) % kMapBytes;
  }
  watch.finish(record);
}

void page_faults(std::uint64_t count, Record& record) {
  const auto pages = static_cast<std::int64_t>(count);
  Stopwatch watch;
  FileWorld world(options_with(2 * pages * sim::kPageBytes + kGib));
  MappedFile& map = world->map("/log", pages * sim::kPageBytes);
  const auto bytes = payload();
  Worker& worker = world->worker();
  watch.started();
  for (std::int64_t page = 0; page < pages; ++page) {
    record.messages += map.try_store(worker, page * sim::kPageBytes, bytes) ? 1 : 0;
  }
  watch.finish(record);
}

void fsyncs(std::uint64_t count, Record& record) {
  Stopwatch watch;
  FileWorld world(options_with(static_cast<std::int64_t>(count) * sim::kPageBytes + kGib));
  const std::string page(sim::kPageBytes, 'f');
  ENSURE(world->write("/f", 0, page).has_value());
  watch.started();
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool written =
        world->write("/f", static_cast<std::int64_t>(i) * sim::kPageBytes, page).has_value();
    const bool synced = written && world->sync("/f").has_value();
    record.messages += synced ? 1 : 0;
  }
  watch.finish(record);
  record.virtual_s = static_cast<double>(world.kernel.now()) * 1e-9;
  record.events = world.kernel.events();
  record.fingerprint = world.kernel.fingerprint().digest().hex();
}

void stored_blocks(std::uint64_t count, Record& record) {
  constexpr std::int64_t kStepBlocks = 256;
  const auto blocks = static_cast<std::int64_t>(count) / kStepBlocks * kStepBlocks;
  Stopwatch watch;
  FileWorld world(options_with(blocks * sim::kPageBytes + kGib));
  watch.started();
  std::string bytes(kStepBlocks * sim::kPageBytes, 'b');
  for (std::int64_t block = 0; block < blocks; block += kStepBlocks) {
    for (std::int64_t i = 0; i < kStepBlocks; ++i) {
      const std::int64_t name = block + i;
      std::memcpy(bytes.data() + i * sim::kPageBytes, &name, sizeof name);
    }
    ENSURE(world->write("/f", block * sim::kPageBytes, bytes).has_value());
  }
  ENSURE(world->sync("/f").has_value());
  watch.finish(record);
  record.messages = static_cast<std::uint64_t>(blocks);
}

// A file system that is never asked to write.
class NoBacking final : public sim::PageBacking {
 public:
  explicit NoBacking(sim::PageCache& cache) : device_(cache) {}
  sim::WritebackDevice& device() override { return device_; }
  void write_pages(sim::CachedFile&, std::int64_t, std::vector<SharedBytes>,
                   sim::WrittenFor) override {
    ENSURE(false);
  }
  void dirtier_slept() override {}

 private:
  sim::WritebackDevice device_;
};

constexpr std::int64_t kApartPages = 512;

void dirty_pages(std::uint64_t count, std::int64_t distance, Record& record) {
  Stopwatch watch;
  sim::Kernel kernel({.seed = 1});
  sim::Host host(kernel, HostId(1), {.name = "h1", .memory = {.bytes = 256 * kGib}});
  sim::PageCache cache(host, options_with(kGib).files.page_cache);
  NoBacking backing(cache);
  sim::CachedFile file(cache, backing);
  sim::SimWorker worker{WorkerId(1), "worker"};
  watch.started();
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i) {
    const std::int64_t page = i * distance;
    file.insert(page, cache.zero_page());
    cache.mark_dirty(file, page, worker);
  }
  watch.finish(record);
  record.messages = static_cast<std::uint64_t>(cache.dirty_pages());
}

}  // namespace
}  // namespace drydock::bench

int main(int argc, char** argv) {
  using namespace drydock::bench;
  const Options options = parse_options(argc, argv);
  const bool bare = options.contestant == "bare-array";
  if (!bare && options.contestant != "storage") return unknown_workload("bench-storage", options);
  Record record;
  record.version = "g++ " __VERSION__;
  if (options.workload == "mapped-stores") {
    (bare ? array_stores : mapped_stores)(options.messages, record);
  } else if (options.workload == "page-faults" && !bare) {
    page_faults(options.messages, record);
  } else if (options.workload == "fsyncs" && !bare) {
    fsyncs(options.messages, record);
  } else if (options.workload == "stored-blocks" && !bare) {
    stored_blocks(options.messages, record);
  } else if (options.workload == "dirty-pages" && !bare) {
    dirty_pages(options.messages, 1, record);
  } else if (options.workload == "dirty-runs" && !bare) {
    dirty_pages(options.messages, kApartPages, record);
  } else {
    return unknown_workload("bench-storage", options);
  }
  print_record(options, record);
  return 0;
}
