// Mapped files: stores on the loop's thread, SIGBUS as an error.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <fstream>

#include "engine/linux/guarded_copy.hpp"
#include "tests/unit_linux/linux_test.hpp"

namespace drydock::on_linux::test {
namespace {

constexpr std::int64_t kPage = 4096;

TEST_F(LinuxTest, StoredBytesAreInTheFileAndAreLoaded) {
  run([&](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    Result<std::unique_ptr<MappedFile>> mapped =
        co_await context.files.map(worker, "/m", 16 * kPage);
    MappedFile& map = **mapped;
    EXPECT_EQ(map.size(), 16 * kPage);
    const SharedBytes bytes = SharedBytes::copy_of("over the border");
    EXPECT_FALSE(map.try_store(worker, kPage - 5, bytes.span()));
    Result<void> stored = co_await map.store(worker, kPage - 5, bytes);
    EXPECT_TRUE(stored);
    const ByteChain cached = map.try_load(kPage - 5, 15);
    EXPECT_EQ(text_of(cached), "over the border");
    Result<ByteChain> loaded = co_await map.load(worker, kPage - 5, 15);
    EXPECT_EQ(text_of(loaded.value()), "over the border");
    Result<void> synced = co_await map.sync(worker, kPage - 5, 15);
    EXPECT_TRUE(synced);
    EXPECT_TRUE(map.advise(Advice::will_need));
    Result<void> locked = co_await map.lock_memory(worker);
    EXPECT_TRUE(locked);
    Result<std::unique_ptr<MappedFile>> smaller = co_await context.files.map(worker, "/m", kPage);
    EXPECT_EQ(code_of(smaller), ErrorCode::invalid_argument);
  });
}

TEST_F(LinuxTest, LoadsWhatIsNotCachedThroughTheMapping) {
  run([&](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    {
      std::ofstream file(on_disk("/m"));
      file << std::string(2 * kPage, 'x');
    }
    {
      const OwnedDescriptor descriptor(::open(on_disk("/m").c_str(), O_RDWR));
      EXPECT_EQ(::fsync(descriptor.get()), 0);
      EXPECT_EQ(::posix_fadvise(descriptor.get(), 0, 0, POSIX_FADV_DONTNEED), 0);
    }
    Result<std::unique_ptr<MappedFile>> map = co_await context.files.map(worker, "/m", 2 * kPage);
    Result<ByteChain> loaded = co_await (*map)->load(worker, 100, 2 * kPage - 100);
    EXPECT_EQ(text_of(loaded.value()), std::string(2 * kPage - 100, 'x'));
  });
}

// The file is cut under the mapping: the access raises SIGBUS, the call says io_error, and the
// program lives on.
TEST_F(LinuxTest, ATruncatedMappingIsAnInputOutputError) {
  run([&](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    Result<std::unique_ptr<MappedFile>> opened =
        co_await context.files.map(worker, "/m", 4 * kPage);
    MappedFile& map = **opened;
    EXPECT_EQ(::truncate(on_disk("/m").c_str(), kPage), 0);
    const SharedBytes bytes = SharedBytes::copy_of("x");
    for (int i = 0; i < 3; ++i) {  // Again and again: the handler stays.
      Result<void> stored = co_await map.store(worker, 2 * kPage, bytes);
      EXPECT_EQ(code_of(stored), ErrorCode::io_error);
      Result<ByteChain> loaded = co_await map.load(worker, 2 * kPage, 1);
      EXPECT_EQ(code_of(loaded), ErrorCode::io_error);
    }
    EXPECT_TRUE(map.try_load(2 * kPage, 1).empty());
    Result<void> stored = co_await map.store(worker, 0, bytes);
    EXPECT_TRUE(stored);
  });
}

TEST(GuardedCopy, StoresAPrefixAndSaysSo) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/m";
  const OwnedDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT, 0600));
  ASSERT_EQ(::ftruncate(file.get(), 2 * kPage), 0);
  void* const address =
      ::mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  ASSERT_NE(address, MAP_FAILED);
  auto* const bytes = static_cast<std::byte*>(address);
  const std::string text(2 * kPage, 'y');
  const auto* const from = reinterpret_cast<const std::byte*>(text.data());
  EXPECT_TRUE(guarded_copy(bytes, from, text.size()));
  ASSERT_EQ(::ftruncate(file.get(), kPage), 0);
  EXPECT_FALSE(guarded_copy(bytes, from, text.size()));
  EXPECT_FALSE(guarded_copy(bytes + kPage, from, 1));
  EXPECT_TRUE(guarded_copy(bytes, from, kPage));
  ::munmap(address, 2 * kPage);
}

// A bus error that is not ours still ends the program.
TEST(GuardedCopyDeathTest, LeavesOtherBusErrorsAlone) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/m";
  const OwnedDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT, 0600));
  ASSERT_EQ(::ftruncate(file.get(), kPage), 0);
  void* const address = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  ASSERT_NE(address, MAP_FAILED);
  const auto* const bytes = static_cast<volatile char*>(address);
  EXPECT_DEATH(
      {
        std::byte copied;
        (void)guarded_copy(&copied, static_cast<const std::byte*>(address), 1);
        (void)::ftruncate(file.get(), 0);
        std::fputc(bytes[0], stderr);
      },
      "");
  ::munmap(address, kPage);
}

// A small file system of the test's own; needs the right to mount.
TEST_F(LinuxTest, AHoleWithoutSpaceIsNoSpace) {
  ASSERT_EQ(::mkdir(on_disk("/small").c_str(), 0700), 0);
  if (::mount("drydock", on_disk("/small").c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "optional: not allowed to mount";
  }
  run([](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    Result<std::unique_ptr<MappedFile>> map =
        co_await context.files.map(worker, "/small/m", 64 * kPage);
    Result<void> stored = co_await (*map)->store(worker, 0, SharedBytes::zeros(64 * kPage));
    EXPECT_EQ(code_of(stored), ErrorCode::no_space);
  });
  EXPECT_EQ(::umount2(on_disk("/small").c_str(), MNT_DETACH), 0);
}

// tmpfs gives a hole a page when it is read through a mapping. Where its kernel answers the read
// without one, nothing fails.
TEST_F(LinuxTest, ALoadFromAHoleWithoutSpaceIsNoSpace) {
  ASSERT_EQ(::mkdir(on_disk("/small").c_str(), 0700), 0);
  if (::mount("drydock", on_disk("/small").c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "optional: not allowed to mount";
  }
  run([](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    Result<std::unique_ptr<MappedFile>> map =
        co_await context.files.map(worker, "/small/m", 64 * kPage);
    Result<ByteChain> loaded = co_await (*map)->load(worker, 0, 64 * kPage);
    const ErrorCode code = loaded ? ErrorCode::no_space : code_of(loaded);
    EXPECT_EQ(code, ErrorCode::no_space);
  });
  EXPECT_EQ(::umount2(on_disk("/small").c_str(), MNT_DETACH), 0);
}

// Many stores to one place, given without waiting in between: the last one given is the one that
// stays, so batches keep their order.
TEST_F(LinuxTest, StoresOfOneWorkerKeepTheirOrder) {
  run([](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    Result<std::unique_ptr<MappedFile>> opened = co_await context.files.map(worker, "/m", kPage);
    MappedFile& map = **opened;
    TaskScope scope(context.scope);
    int completed = 0;
    const auto store = [&](int number) -> Task<void> {
      Result<void> stored =
          co_await map.store(worker, 0, SharedBytes::copy_of(std::to_string(10'000 + number)));
      EXPECT_TRUE(stored);
      EXPECT_EQ(completed++, number);
    };
    for (int i = 0; i < 1000; ++i) scope.spawn(store(i));
    co_await scope.join();
    EXPECT_EQ(completed, 1000);
    Result<ByteChain> loaded = co_await map.load(worker, 0, 5);
    EXPECT_EQ(text_of(loaded.value()), "10999");
  });
}

// Kilobytes of the mapping of `path` that are dirty, as the kernel accounts them.
long dirty_kilobytes(const std::string& path) {
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  bool inside = false;
  long sum = 0;
  while (std::getline(maps, line)) {
    const bool is_field = !line.empty() && line[0] >= 'A' && line[0] <= 'Z';
    if (!is_field) inside = line.ends_with(path);
    if (inside && line.starts_with("Private_Dirty:")) sum += std::stol(line.substr(14));
    if (inside && line.starts_with("Shared_Dirty:")) sum += std::stol(line.substr(13));
  }
  return sum;
}

TEST_F(LinuxTest, SyncOfAMappingWritesItsPagesBack) {
  struct statfs file_system{};
  constexpr long kTmpfsMagic = 0x01021994;
  ASSERT_EQ(::statfs(directory.path().c_str(), &file_system), 0);
  if (file_system.f_type == kTmpfsMagic) GTEST_SKIP() << "tmpfs writes nothing back";
  run([&](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    Result<std::unique_ptr<MappedFile>> map = co_await context.files.map(worker, "/m", 4 * kPage);
    Result<void> done = co_await (*map)->store(worker, 0, SharedBytes::zeros(4 * kPage));
    EXPECT_TRUE(done);
    const long dirty_before = dirty_kilobytes(on_disk("/m"));
    EXPECT_GT(dirty_before, 0);
    Result<void> synced = co_await (*map)->sync(worker, 0, 4 * kPage);
    EXPECT_TRUE(synced);
    const long dirty_after = dirty_kilobytes(on_disk("/m"));
    EXPECT_EQ(dirty_after, 0);
  });
}

// The mapping may go before its store is done, and the world before the unmapping.
TEST_F(LinuxTest, AKilledStoreKeepsItsMappingAndItsBytes) {
  bool storing = false;
  LinuxProcess& process = start("stores", [&](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    Result<std::unique_ptr<MappedFile>> map =
        co_await context.files.map(worker, "/m", 4096 * kPage);
    storing = true;
    for (;;) {
      Result<void> stored = co_await (*map)->store(worker, 0, SharedBytes::zeros(4096 * kPage));
      EXPECT_TRUE(stored);
    }
  });
  ASSERT_TRUE(world.run_until([&] { return storing; }, kHangLimit));
  process.kill();
  run_until_dead(process);
}

}  // namespace
}  // namespace drydock::on_linux::test
