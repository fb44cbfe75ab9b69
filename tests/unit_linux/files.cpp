// Files by ring and by lanes: bytes, errors, locks, and that syncs reach the kernel.
#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>

#include "engine/linux/errors.hpp"
#include "tests/unit_linux/linux_test.hpp"

namespace drydock::on_linux::test {
namespace {

class Files : public FileIoTest {};
INSTANTIATE_FOR_BOTH(Files);

SharedBytes pattern(std::size_t size, std::uint8_t first) {
  SharedBytes bytes = SharedBytes::allocate(size);
  std::uint8_t next = first;
  for (std::byte& byte : bytes.writable()) byte = std::byte{next++};
  return bytes;
}

bool same_bytes(const SharedBytes& a, const SharedBytes& b) {
  return std::ranges::equal(a.span(), b.span());
}

const OpenOptions kNewFile{.create = Create::must_be_new};
const OpenOptions kNewDirectFile{.create = Create::must_be_new, .caching = Caching::direct};

TEST_P(Files, ReadWhatWasWritten) {
  run([](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    Result<std::unique_ptr<File>> opened = co_await context.files.open(worker, "/a", kNewFile);
    EXPECT_TRUE(opened);
    File& file = **opened;
    const SharedBytes bytes = pattern(100'000, 7);
    Result<void> written = co_await file.write_at(worker, 50, bytes);
    EXPECT_TRUE(written);
    EXPECT_EQ(file.size().value(), 100'050);
    Result<ByteChain> read = co_await file.read_at(worker, 50, 1 << 20);
    EXPECT_TRUE(same_bytes(read.value().flatten(), bytes));
    Result<ByteChain> hole = co_await file.read_at(worker, 0, 50);
    EXPECT_TRUE(same_bytes(hole.value().flatten(), SharedBytes::zeros(50)));
    Result<ByteChain> behind = co_await file.read_at(worker, 100'050, 10);
    EXPECT_TRUE(behind.value().empty());
    Result<void> synced = co_await file.sync_data(worker);
    EXPECT_TRUE(synced);
    Result<void> synced_all = co_await file.sync_all(worker);
    EXPECT_TRUE(synced_all);
    Result<void> synced_range = co_await file.sync_range(worker, 0, 100'050);
    EXPECT_TRUE(synced_range);
  });
}

// Dropping the page cache sends the read past the inline attempt.
TEST_P(Files, ReadsWhatIsNotCached) {
  const SharedBytes bytes = pattern(3 << 20, 1);
  run([&](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    Result<std::unique_ptr<File>> file = co_await context.files.open(worker, "/a", kNewFile);
    Result<void> written = co_await (*file)->write_at(worker, 0, bytes);
    EXPECT_TRUE(written);
    Result<void> synced = co_await (*file)->sync_all(worker);
    EXPECT_TRUE(synced);
    const OwnedDescriptor descriptor(::open(on_disk("/a").c_str(), O_RDONLY));
    EXPECT_EQ(::posix_fadvise(descriptor.get(), 0, 0, POSIX_FADV_DONTNEED), 0);
    const auto size = static_cast<std::int64_t>(bytes.size());
    Result<ByteChain> read = co_await (*file)->read_at(worker, 0, size);
    EXPECT_TRUE(same_bytes(read.value().flatten(), bytes));
  });
}

TEST_P(Files, DirectReadsAndWritesAreAligned) {
  run([](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    Result<std::unique_ptr<File>> opened =
        co_await context.files.open(worker, "/a", kNewDirectFile);
    File& file = **opened;
    const std::int64_t unit = file.direct_alignment();
    EXPECT_TRUE(unit == 512 || unit == 4096);
    const SharedBytes bytes = pattern(static_cast<std::size_t>(unit) * 3, 9);
    Result<void> written = co_await file.write_at(worker, unit, bytes);
    EXPECT_TRUE(written);
    Result<ByteChain> read = co_await file.read_at(worker, unit, unit * 8);
    EXPECT_TRUE(same_bytes(read.value().flatten(), bytes));
    Result<void> misplaced = co_await file.write_at(worker, 1, bytes);
    EXPECT_EQ(code_of(misplaced), ErrorCode::invalid_argument);
    Result<ByteChain> misread = co_await file.read_at(worker, 0, 100);
    EXPECT_EQ(code_of(misread), ErrorCode::invalid_argument);
    Result<void> cut = co_await file.truncate(worker, unit + 100);  // An end off the alignment.
    EXPECT_TRUE(cut);
    Result<ByteChain> tail = co_await file.read_at(worker, 0, unit * 8);
    EXPECT_EQ(tail.value().size(), static_cast<std::size_t>(unit + 100));
  });
}

// A device that can't be synced says EINVAL: had the call been left out, it would have succeeded.
TEST_P(Files, SyncsReachTheKernel) {
  LinuxProcess& process = world.spawn("outside the directory");
  process.start([](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    const OpenOptions existing;
    Result<std::unique_ptr<File>> null = co_await context.files.open(worker, "/dev/null", existing);
    Result<void> synced = co_await (*null)->sync_data(worker);
    EXPECT_EQ(code_of(synced), ErrorCode::invalid_argument);
    Result<void> all = co_await (*null)->sync_all(worker);
    EXPECT_EQ(code_of(all), ErrorCode::invalid_argument);
    Result<void> range = co_await (*null)->sync_range(worker, 0, 4096);
    EXPECT_EQ(code_of(range), ErrorCode::invalid_argument);
    Result<void> proc = co_await context.files.sync_directory(worker, "/proc");
    EXPECT_EQ(code_of(proc), ErrorCode::invalid_argument);
    Result<void> tmp = co_await context.files.sync_directory(worker, "/tmp");
    EXPECT_TRUE(tmp);
  });
  run_until_dead(process);
}

TEST_P(Files, AllocateAndTruncateChangeTheSize) {
  run([](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    Result<std::unique_ptr<File>> opened = co_await context.files.open(worker, "/a", kNewFile);
    File& file = **opened;
    Result<void> done = co_await file.allocate(worker, 4096, 8192);
    EXPECT_TRUE(done);
    EXPECT_EQ(file.size().value(), 12'288);
    Result<void> cut = co_await file.truncate(worker, 100);
    EXPECT_TRUE(cut);
    EXPECT_EQ(file.size().value(), 100);
    Result<void> negative = co_await file.allocate(worker, -1, 10);
    EXPECT_EQ(code_of(negative), ErrorCode::invalid_argument);
  });
}

Task<void> write_block(Context& context, File& file, int number) {
  Worker& worker = context.workers.add("w" + std::to_string(number));
  Result<void> written =
      co_await file.write_at(worker, number * 512, pattern(512, static_cast<std::uint8_t>(number)));
  EXPECT_TRUE(written);
}

// More operations than the ring takes in one go.
TEST_P(Files, ManyOperationsAtOnce) {
  constexpr int kWrites = 700;
  run([&](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    Result<std::unique_ptr<File>> file = co_await context.files.open(worker, "/a", kNewFile);
    TaskScope scope(context.scope);
    const int writes = GetParam() == FileIo::lanes_only ? 40 : kWrites;  // A thread each.
    for (int i = 0; i < writes; ++i) scope.spawn(write_block(context, **file, i));
    co_await scope.join();
    for (int i = 0; i < writes; ++i) {
      Result<ByteChain> read = co_await (*file)->read_at(worker, i * 512, 512);
      EXPECT_TRUE(same_bytes(read.value().flatten(), pattern(512, static_cast<std::uint8_t>(i))));
    }
  });
}

TEST_P(Files, NamesAndTheirErrors) {
  run([](Context& context) -> Task<void> {
    FileSystem& files = context.files;
    Worker& worker = context.workers.add("w");
    const OpenOptions existing;
    Result<std::unique_ptr<File>> file = co_await files.open(worker, "/d/b", existing);
    EXPECT_EQ(code_of(file), ErrorCode::not_found);
    Result<void> done = co_await files.create_directories(worker, "/d/e");
    EXPECT_TRUE(done);
    Result<void> made_again = co_await files.create_directories(worker, "/d/e");
    EXPECT_TRUE(made_again);
    Result<std::unique_ptr<File>> created = co_await files.open(worker, "/d/b", kNewFile);
    EXPECT_TRUE(created);
    Result<std::unique_ptr<File>> created_again = co_await files.open(worker, "/d/b", kNewFile);
    EXPECT_EQ(code_of(created_again), ErrorCode::exists);
    Result<void> renamed = co_await files.rename(worker, "/d/b", "/d/a");
    EXPECT_TRUE(renamed);
    Result<void> renamed_again = co_await files.rename(worker, "/d/b", "/d/a");
    EXPECT_EQ(code_of(renamed_again), ErrorCode::not_found);
    Result<std::vector<FileInfo>> listed = co_await files.list(worker, "/d");
    EXPECT_EQ(listed.value().size(), 2u);
    EXPECT_EQ(listed.value().at(0).name, "a");
    EXPECT_TRUE(listed.value().at(1).is_directory);
    Result<std::vector<FileInfo>> none = co_await files.list(worker, "/none");
    EXPECT_EQ(code_of(none), ErrorCode::not_found);
    Result<void> full_removed = co_await files.remove(worker, "/d");
    EXPECT_EQ(code_of(full_removed), ErrorCode::not_empty);
    Result<void> file_removed = co_await files.remove(worker, "/d/a");
    EXPECT_TRUE(file_removed);
    Result<void> removed = co_await files.remove(worker, "/d/e");
    EXPECT_TRUE(removed);
    Result<void> removed_again = co_await files.remove(worker, "/d/e");
    EXPECT_EQ(code_of(removed_again), ErrorCode::not_found);
    Result<SpaceInfo> space = co_await files.space(worker, "/d");
    EXPECT_GE(space.value().total_bytes, space.value().free_bytes);
    Result<SpaceInfo> missing = co_await files.space(worker, "/none");
    EXPECT_EQ(code_of(missing), ErrorCode::not_found);
  });
}

TEST_P(Files, RunningOutOfDescriptorsIsAnErrorOfItsOwn) {
  run([](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    const OpenOptions options{.create = Create::if_missing};
    {
      const NoMoreDescriptors limit;
      Result<std::unique_ptr<File>> file = co_await context.files.open(worker, "/a", options);
      EXPECT_EQ(code_of(file), ErrorCode::too_many_open_files);
      EXPECT_EQ(file.error().status(), EMFILE);
      EXPECT_EQ(code_of(context.network.listen(0)), ErrorCode::too_many_open_files);
    }
    Result<std::unique_ptr<File>> file = co_await context.files.open(worker, "/a", options);
    EXPECT_TRUE(file);
  });
}

// Two processes of one operating-system process: F_SETLK would give the lock to both.
TEST_P(Files, ALockKeepsTheOtherProcessOutUntilItsHolderDies) {
  bool held = false;
  const Program holds = [&](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    Result<std::unique_ptr<FileLock>> lock = co_await context.files.lock(worker, "/lock");
    EXPECT_TRUE(lock);
    held = true;
    Result<void> never = co_await context.terminate.wait();
    EXPECT_TRUE(never);
  };
  LinuxProcess& holder = start("holder", holds);
  ASSERT_TRUE(world.run_until([&] { return held; }, kHangLimit));
  run([](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    Result<std::unique_ptr<FileLock>> lock = co_await context.files.lock(worker, "/lock");
    EXPECT_EQ(code_of(lock), ErrorCode::busy);
  });
  holder.kill();
  run_until_dead(holder);
  run([](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    Result<std::unique_ptr<FileLock>> lock = co_await context.files.lock(worker, "/lock");
    EXPECT_TRUE(lock);
  });
}

// A record lock as a JVM takes it, in a process of its own.
TEST_P(Files, ALockOfAnotherOperatingSystemProcessIsSeen) {
  const std::string path = on_disk("/lock");
  const pid_t child = ::fork();
  if (child == 0) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
    struct flock lock{};
    lock.l_type = F_WRLCK;
    const bool locked = ::fcntl(descriptor, F_SETLK, &lock) == 0;
    std::ofstream(path + ".taken") << locked;
    ::pause();
    ::_exit(0);
  }
  struct stat status{};
  const std::string taken = path + ".taken";
  while (::stat(taken.c_str(), &status) != 0 || status.st_size == 0) {
  }
  run([](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    Result<std::unique_ptr<FileLock>> lock = co_await context.files.lock(worker, "/lock");
    EXPECT_EQ(code_of(lock), ErrorCode::busy);
  });
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

// The descriptor stays while an operation may use its number, and the operation its bytes.
TEST_P(Files, AFileMayGoBeforeItsOperations) {
  LinuxProcess& process = start("writes", [](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    Result<std::unique_ptr<File>> file = co_await context.files.open(worker, "/a", kNewFile);
    for (int i = 0; i < 100; ++i) {
      Result<void> written = co_await (*file)->write_at(worker, 0, pattern(1 << 20, 3));
      EXPECT_TRUE(written);
    }
  });
  ASSERT_TRUE(world.run_until([&] { return world.operations().in_flight() > 0; }, kHangLimit));
  process.kill();
  run_until_dead(process);
  EXPECT_TRUE(world.run_until([&] { return world.operations().in_flight() == 0; }, kHangLimit));
}

TEST_P(Files, TheRingIsUsedWhereItIsWantedAndAllowed) {
  EXPECT_EQ(world.uses_ring(),
            GetParam() == FileIo::ring_if_allowed && world.operations().ring_refusal() == 0);
}

}  // namespace
}  // namespace drydock::on_linux::test
