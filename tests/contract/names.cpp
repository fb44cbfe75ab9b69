// Names, directories and locks, in both worlds.
#include "tests/contract/contract.hpp"

namespace drydock::contract {
namespace {

constexpr OpenOptions kCreate{.create = Create::if_missing};

template <class Which>
class NameContract : public Contract<Which> {
 protected:
  using Work = std::function<Task<void>(Context&, Worker&)>;
  void run_work(Work work) {
    this->run([work](Context& context) -> Task<void> {
      co_await work(context, context.workers.add("worker"));
    });
  }
};
TYPED_TEST_SUITE(NameContract, Worlds, WorldNames);

// Makes a file with the given content.
Task<void> make_file(Context& context, Worker& worker, std::string path, std::string text) {
  Result<std::unique_ptr<File>> file = co_await context.files.open(worker, path, kCreate);
  EXPECT_TRUE(file) << path << ": " << text_of(file);
  if (!file) co_return;
  Result<void> written = co_await (*file)->write_at(worker, 0, bytes_of(text));
  EXPECT_TRUE(written);
}

Task<void> make_folder(Context& context, Worker& worker, std::string path) {
  Result<void> made = co_await context.files.create_directories(worker, path);
  EXPECT_TRUE(made) << path << ": " << text_of(made);
}

// The content of a file, or why there is none.
Task<std::string> content(Context& context, Worker& worker, std::string path) {
  const OpenOptions options{.mode = OpenMode::read_only};
  Result<std::unique_ptr<File>> file = co_await context.files.open(worker, path, options);
  if (!file) co_return "<" + text_of(file) + ">";
  Result<ByteChain> bytes = co_await (*file)->read_at(worker, 0, 1 << 20);
  EXPECT_TRUE(bytes);
  co_return text_of(*bytes);
}

// The entries of a directory: names with sizes, directories with a slash.
Task<std::string> listing(Context& context, Worker& worker, std::string path) {
  Result<std::vector<FileInfo>> entries = co_await context.files.list(worker, path);
  if (!entries) co_return "<" + text_of(entries) + ">";
  std::string text;
  for (const FileInfo& entry : *entries) {
    text += entry.name + (entry.is_directory ? "/" : ":" + std::to_string(entry.size)) + " ";
  }
  co_return text;
}

TYPED_TEST(NameContract, ListsAreSortedBytewiseAndTellSizes) {
  this->run_work([this](Context& context, Worker& worker) -> Task<void> {
    co_await make_folder(context, worker, "/d/sub");
    for (const char* name : {"b", "a", "B", "10", "9", "\xc3\xa9", "a.b"}) {
      co_await make_file(context, worker, std::string("/d/") + name, name);
    }
    std::string all = co_await listing(context, worker, "/d");
    EXPECT_EQ(all, "10:2 9:1 B:1 a:1 a.b:3 b:1 sub/ \xc3\xa9:2 ");
    std::string empty = co_await listing(context, worker, "/d/sub");
    EXPECT_EQ(empty, "");
    std::string missing = co_await listing(context, worker, "/missing");
    EXPECT_EQ(missing, "<not_found>");
    std::string file = co_await listing(context, worker, "/d/a");
    this->answer("list a file", file);
    std::string root = co_await listing(context, worker, "/");
    EXPECT_EQ(root, "d/ ");
  });
}

TYPED_TEST(NameContract, DirectoriesAreMadeWithThoseAboveThem) {
  this->run_work([this](Context& context, Worker& worker) -> Task<void> {
    co_await make_folder(context, worker, "/a/b/c");
    co_await make_folder(context, worker, "/a/b/c");
    co_await make_folder(context, worker, "/");
    std::string inner = co_await listing(context, worker, "/a/b");
    EXPECT_EQ(inner, "c/ ");
    co_await make_file(context, worker, "/f", "x");
    Result<void> over_a_file = co_await context.files.create_directories(worker, "/f");
    this->answer("create a directory where a file is", over_a_file);
    Result<void> below_a_file = co_await context.files.create_directories(worker, "/f/g");
    this->answer("create a directory below a file", below_a_file);
    Result<void> slash_at_end = co_await context.files.create_directories(worker, "/a/d/");
    this->answer("create a directory with a slash at the end", slash_at_end);
  });
}

TYPED_TEST(NameContract, RenameMovesAndReplaces) {
  this->run_work([this](Context& context, Worker& worker) -> Task<void> {
    co_await make_folder(context, worker, "/d");
    co_await make_file(context, worker, "/new", "new");
    co_await make_file(context, worker, "/d/old", "old");
    const OpenOptions read_only{.mode = OpenMode::read_only};
    Result<std::unique_ptr<File>> open = co_await context.files.open(worker, "/d/old", read_only);
    Result<void> replaced = co_await context.files.rename(worker, "/new", "/d/old");
    EXPECT_TRUE(replaced);
    std::string target = co_await content(context, worker, "/d/old");
    EXPECT_EQ(target, "new");
    std::string source = co_await content(context, worker, "/new");
    EXPECT_EQ(source, "<not_found>");
    Result<ByteChain> before = co_await (*open)->read_at(worker, 0, 10);
    EXPECT_EQ(text_of(before.value()), "old");  // Whoever has it open keeps the old file.
    Result<void> itself = co_await context.files.rename(worker, "/d/old", "/d/old");
    EXPECT_TRUE(itself);
    Result<void> missing = co_await context.files.rename(worker, "/missing", "/x");
    EXPECT_EQ(code_of(missing), ErrorCode::not_found);
    Result<void> no_folder = co_await context.files.rename(worker, "/d/old", "/no/x");
    EXPECT_EQ(code_of(no_folder), ErrorCode::not_found);
    std::string still = co_await content(context, worker, "/d/old");
    EXPECT_EQ(still, "new");
    (void)this;
  });
}

TYPED_TEST(NameContract, RenameOfDirectories) {
  this->run_work([this](Context& context, Worker& worker) -> Task<void> {
    co_await make_folder(context, worker, "/from/sub");
    co_await make_file(context, worker, "/from/sub/f", "x");
    Result<void> moved = co_await context.files.rename(worker, "/from", "/to");
    EXPECT_TRUE(moved);
    std::string inside = co_await content(context, worker, "/to/sub/f");
    EXPECT_EQ(inside, "x");
    co_await make_folder(context, worker, "/empty");
    co_await make_folder(context, worker, "/full/sub");
    co_await make_file(context, worker, "/file", "y");
    Result<void> over_full = co_await context.files.rename(worker, "/empty", "/full");
    this->answer("rename a directory over one that is not empty", over_full);
    Result<void> over_file = co_await context.files.rename(worker, "/empty", "/file");
    this->answer("rename a directory over a file", over_file);
    Result<void> file_over = co_await context.files.rename(worker, "/file", "/empty");
    this->answer("rename a file over a directory", file_over);
    Result<void> into_itself = co_await context.files.rename(worker, "/full", "/full/sub/x");
    this->answer("rename a directory into itself", into_itself);
    Result<void> over_empty = co_await context.files.rename(worker, "/full", "/empty");
    this->answer("rename a directory over an empty one", over_empty);
  });
}

TYPED_TEST(NameContract, RemoveTakesFilesAndEmptyDirectories) {
  this->run_work([this](Context& context, Worker& worker) -> Task<void> {
    co_await make_folder(context, worker, "/d/sub");
    co_await make_file(context, worker, "/d/f", "x");
    Result<void> full = co_await context.files.remove(worker, "/d");
    EXPECT_EQ(code_of(full), ErrorCode::not_empty);
    Result<void> file = co_await context.files.remove(worker, "/d/f");
    EXPECT_TRUE(file);
    Result<void> gone = co_await context.files.remove(worker, "/d/f");
    EXPECT_EQ(code_of(gone), ErrorCode::not_found);
    Result<void> sub = co_await context.files.remove(worker, "/d/sub");
    EXPECT_TRUE(sub);
    Result<void> empty = co_await context.files.remove(worker, "/d");
    EXPECT_TRUE(empty);
    std::string root = co_await listing(context, worker, "/");
    EXPECT_EQ(root, "");
    co_await make_file(context, worker, "/f", "x");
    Result<void> below_a_file = co_await context.files.remove(worker, "/f/g");
    this->answer("remove a name below a file", below_a_file);
  });
}

// Linux here cannot lose its power.
template <class Which>
class NameContractInTheDark : public NameContract<Which> {};
TYPED_TEST_SUITE(NameContractInTheDark, ::testing::Types<Simulation>, WorldNames);

TYPED_TEST(NameContractInTheDark, NamesThatWereSyncedOutliveAPowerCut) {
  bool ready = false;
  this->start(0, [&](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("worker");
    co_await make_folder(context, worker, "/d");
    co_await make_file(context, worker, "/d/a", "");
    co_await make_file(context, worker, "/d/b", "");
    Result<void> renamed = co_await context.files.rename(worker, "/d/a", "/d/c");
    EXPECT_TRUE(renamed);
    Result<void> removed = co_await context.files.remove(worker, "/d/b");
    EXPECT_TRUE(removed);
    Result<void> synced = co_await context.files.sync_directory(worker, "/d");
    EXPECT_TRUE(synced);
    Result<void> missing = co_await context.files.sync_directory(worker, "/missing");
    EXPECT_EQ(code_of(missing), ErrorCode::not_found);
    ready = true;
    co_await stay(context);
  });
  this->run_until([&] { return ready; });
  ASSERT_TRUE(this->world().power_cut(0));
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    std::string names = co_await listing(context, worker, "/d");
    EXPECT_EQ(names, "c:0 ");
  });
}

TYPED_TEST(NameContract, ALockExcludesOtherProcessesUntilItGoes) {
  enum class Step { begin, locked, released } step = Step::begin;
  bool release = false;
  Guest& holder = this->start(0, [&](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("worker");
    Result<std::unique_ptr<FileLock>> lock = co_await context.files.lock(worker, "/lock");
    EXPECT_TRUE(lock);
    step = Step::locked;
    while (!release) {
      Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
      EXPECT_TRUE(slept);
    }
    lock->reset();
    step = Step::released;
    co_await stay(context);
  });
  this->run_until([&] { return step == Step::locked; });
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    Result<std::unique_ptr<FileLock>> lock = co_await context.files.lock(worker, "/lock");
    EXPECT_EQ(code_of(lock), ErrorCode::busy);
  });
  release = true;
  this->run_until([&] { return step == Step::released; });
  this->run_work([this](Context& context, Worker& worker) -> Task<void> {
    Result<std::unique_ptr<FileLock>> lock = co_await context.files.lock(worker, "/lock");
    EXPECT_TRUE(lock);
    Result<std::unique_ptr<FileLock>> twice = co_await context.files.lock(worker, "/lock");
    this->answer("lock a file that one has locked oneself", twice);
  });
  EXPECT_TRUE(holder.alive());
}

TYPED_TEST(NameContract, ADeadProcessHoldsNoLock) {
  bool locked = false;
  Guest& holder = this->start(0, [&](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("worker");
    Result<std::unique_ptr<FileLock>> lock = co_await context.files.lock(worker, "/lock");
    EXPECT_TRUE(lock);
    locked = true;
    co_await stay(context);
  });
  this->run_until([&] { return locked; });
  holder.kill();
  this->run_until_gone(holder);
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    Result<std::unique_ptr<FileLock>> lock = co_await context.files.lock(worker, "/lock");
    EXPECT_TRUE(lock);
  });
}

TYPED_TEST(NameContract, HostsHaveFilesOfTheirOwn) {
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    co_await make_file(context, worker, "/f", "first host");
  });
  Guest& other = this->start(1, [](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("worker");
    std::string missing = co_await content(context, worker, "/f");
    EXPECT_EQ(missing, "<not_found>");
  });
  this->run_until_gone(other);
}

// A kernel stamps files with the time of its last tick.
constexpr Duration kTickMax = Duration::ms(10);

TYPED_TEST(NameContract, FilesTellWhenTheyChanged) {
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    const WallTime before = context.clock.wall_now();
    co_await make_file(context, worker, "/kept", "12345");
    const Result<FileInfo> made = co_await context.files.info(worker, "/kept");
    EXPECT_TRUE(made) << text_of(made);
    if (!made) co_return;
    EXPECT_EQ(made->name, "kept");
    EXPECT_EQ(made->size, 5);
    EXPECT_FALSE(made->is_directory);
    EXPECT_GE(made->modified, before - kTickMax);
    EXPECT_LE(made->modified, context.clock.wall_now());
    Result<void> slept = co_await sleep_for(context.clock, kTickMax * 3);
    EXPECT_TRUE(slept);
    // Whoever reads it, or changes its name, leaves the time alone.
    co_await content(context, worker, "/kept");
    Result<void> renamed = co_await context.files.rename(worker, "/kept", "/renamed");
    EXPECT_TRUE(renamed);
    const Result<FileInfo> same = co_await context.files.info(worker, "/renamed");
    EXPECT_TRUE(same);
    EXPECT_EQ(same->modified, made->modified);
    // A store into a mapping of it does not.
    Result<std::unique_ptr<MappedFile>> map = co_await context.files.map(worker, "/renamed", 4096);
    EXPECT_TRUE(map);
    Result<void> stored = co_await (*map)->store(worker, 0, bytes_of("x"));
    EXPECT_TRUE(stored);
    const Result<FileInfo> changed = co_await context.files.info(worker, "/renamed");
    EXPECT_TRUE(changed);
    EXPECT_GT(changed->modified, made->modified);
    Result<std::vector<FileInfo>> listed = co_await context.files.list(worker, "/");
    EXPECT_TRUE(listed);
    for (const FileInfo& entry : *listed) {
      if (entry.name == "renamed") {
        EXPECT_EQ(entry.modified, changed->modified);
      }
    }
    const Result<FileInfo> missing = co_await context.files.info(worker, "/missing");
    EXPECT_EQ(text_of(missing), "not_found");
  });
}

TYPED_TEST(NameContract, SpaceIsToldInBytes) {
  this->run_work([this](Context& context, Worker& worker) -> Task<void> {
    const Result<SpaceInfo> space = co_await context.files.space(worker, "/");
    EXPECT_TRUE(space);
    EXPECT_GT(space->total_bytes, 0);
    EXPECT_GT(space->free_bytes, 0);
    EXPECT_LE(space->free_bytes, space->total_bytes);
    EXPECT_GT(space->usable_bytes, 0);
    EXPECT_LE(space->usable_bytes, space->free_bytes);
    const Result<SpaceInfo> missing = co_await context.files.space(worker, "/missing");
    this->answer("space of a path that is missing", missing);
  });
}

}  // namespace
}  // namespace drydock::contract
