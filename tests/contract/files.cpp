// The bytes of files: buffered, direct and mapped, in both worlds.
#include "tests/contract/contract.hpp"

namespace drydock::contract {
namespace {

using Opened = Result<std::unique_ptr<File>>;
using Mapped = Result<std::unique_ptr<MappedFile>>;

constexpr OpenOptions kCreate{.create = Create::if_missing};
constexpr OpenOptions kReadOnly{.mode = OpenMode::read_only};

// What a test of files does, in a process of its own.
using Work = std::function<Task<void>(Context&, Worker&)>;

template <class Which>
class FileContract : public Contract<Which> {
 protected:
  void run_work(Work work) {
    this->run([work](Context& context) -> Task<void> {
      co_await work(context, context.workers.add("worker"));
    });
  }
};
TYPED_TEST_SUITE(FileContract, Worlds, WorldNames);

Task<std::unique_ptr<File>> open_file(Context& context, Worker& worker, std::string path,
                                      OpenOptions options = kCreate) {
  Opened opened = co_await context.files.open(worker, path, options);
  EXPECT_TRUE(opened) << path << ": " << text_of(opened);
  if (!opened) co_return nullptr;
  co_return std::move(*opened);
}

Task<void> write(File& file, Worker& worker, std::int64_t at, std::string text) {
  Result<void> written = co_await file.write_at(worker, at, bytes_of(text));
  EXPECT_TRUE(written) << text_of(written);
}

Task<std::string> read(File& file, Worker& worker, std::int64_t at = 0,
                       std::int64_t length = 1 << 20) {
  Result<ByteChain> got = co_await file.read_at(worker, at, length);
  if (!got) co_return "<" + text_of(got) + ">";
  co_return text_of(*got);
}

TYPED_TEST(FileContract, ReadsWhatWasWritten) {
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    std::unique_ptr<File> file = co_await open_file(context, worker, "/f");
    co_await write(*file, worker, 0, "hello");
    co_await write(*file, worker, 5, " world");
    co_await write(*file, worker, 0, "J");
    std::string all = co_await read(*file, worker);
    EXPECT_EQ(all, "Jello world");
    std::string middle = co_await read(*file, worker, 3, 4);
    EXPECT_EQ(middle, "lo w");
    EXPECT_EQ(file->size().value(), 11);
  });
}

TYPED_TEST(FileContract, ReadsAreShortAtTheEndAndEmptyBehindIt) {
  this->run_work([this](Context& context, Worker& worker) -> Task<void> {
    std::unique_ptr<File> file = co_await open_file(context, worker, "/f");
    co_await write(*file, worker, 0, "abc");
    std::string tail = co_await read(*file, worker, 2, 100);
    EXPECT_EQ(tail, "c");
    std::string end = co_await read(*file, worker, 3, 100);
    EXPECT_EQ(end, "");
    std::string behind = co_await read(*file, worker, 1'000'000, 100);
    EXPECT_EQ(behind, "");
    std::string nothing = co_await read(*file, worker, 0, 0);
    this->answer("read of no bytes", nothing);
  });
}

TYPED_TEST(FileContract, AWriteBehindTheEndLeavesAHoleOfZeros) {
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    std::unique_ptr<File> file = co_await open_file(context, worker, "/f");
    co_await write(*file, worker, 0, "a");
    co_await write(*file, worker, 10'000, "b");
    EXPECT_EQ(file->size().value(), 10'001);
    std::string all = co_await read(*file, worker);
    EXPECT_TRUE(all == "a" + std::string(9'999, '\0') + "b");
  });
}

TYPED_TEST(FileContract, WritingNothingChangesNothing) {
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    std::unique_ptr<File> file = co_await open_file(context, worker, "/f");
    Result<void> written = co_await file->write_at(worker, 100, SharedBytes());
    EXPECT_TRUE(written);
    EXPECT_EQ(file->size().value(), 0);
  });
}

TYPED_TEST(FileContract, LargeWritesArriveWhole) {
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    std::unique_ptr<File> file = co_await open_file(context, worker, "/f");
    std::string text(3 << 20, '\0');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * i >> 8);
    co_await write(*file, worker, 5, text);
    std::string back = co_await read(*file, worker, 5, 4 << 20);
    EXPECT_TRUE(back == text) << back.size();
  });
}

TYPED_TEST(FileContract, TruncateCutsAndExtendsWithZeros) {
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    std::unique_ptr<File> file = co_await open_file(context, worker, "/f");
    co_await write(*file, worker, 0, "abcdef");
    Result<void> cut = co_await file->truncate(worker, 2);
    EXPECT_TRUE(cut);
    EXPECT_EQ(file->size().value(), 2);
    Result<void> extended = co_await file->truncate(worker, 5);
    EXPECT_TRUE(extended);
    std::string all = co_await read(*file, worker);
    EXPECT_EQ(all, std::string("ab\0\0\0", 5));  // What was cut does not come back.
  });
}

TYPED_TEST(FileContract, AllocateReservesAndExtendsWithZeros) {
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    std::unique_ptr<File> file = co_await open_file(context, worker, "/f");
    co_await write(*file, worker, 0, "abc");
    Result<void> inside = co_await file->allocate(worker, 0, 2);
    EXPECT_TRUE(inside);
    EXPECT_EQ(file->size().value(), 3);
    Result<void> beyond = co_await file->allocate(worker, 2, 10'000);
    EXPECT_TRUE(beyond);
    EXPECT_EQ(file->size().value(), 10'002);
    std::string all = co_await read(*file, worker);
    EXPECT_TRUE(all == "abc" + std::string(9'999, '\0'));
  });
}

TYPED_TEST(FileContract, TwoDescriptorsSeeOneFile) {
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    std::unique_ptr<File> one = co_await open_file(context, worker, "/f");
    std::unique_ptr<File> two = co_await open_file(context, worker, "/f");
    co_await write(*one, worker, 0, "abc");
    std::string seen = co_await read(*two, worker);
    EXPECT_EQ(seen, "abc");
    Result<void> cut = co_await two->truncate(worker, 1);
    EXPECT_TRUE(cut);
    EXPECT_EQ(one->size().value(), 1);
  });
}

TYPED_TEST(FileContract, SyncsSucceedAndChangeNothing) {
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    std::unique_ptr<File> file = co_await open_file(context, worker, "/f");
    co_await write(*file, worker, 0, std::string(10'000, 'x'));
    Result<void> range = co_await file->sync_range(worker, 0, 4'096);
    EXPECT_TRUE(range);
    Result<void> data = co_await file->sync_data(worker);
    EXPECT_TRUE(data);
    Result<void> all = co_await file->sync_all(worker);
    EXPECT_TRUE(all);
    Result<void> again = co_await file->sync_all(worker);
    EXPECT_TRUE(again);
    std::string back = co_await read(*file, worker);
    EXPECT_EQ(back, std::string(10'000, 'x'));
  });
}

TYPED_TEST(FileContract, OpenModesAndTheirErrors) {
  this->run_work([this](Context& context, Worker& worker) -> Task<void> {
    const OpenOptions never{.create = Create::never};
    const OpenOptions must_be_new{.create = Create::must_be_new};
    FileSystem& files = context.files;
    Opened missing = co_await files.open(worker, "/missing", never);
    EXPECT_EQ(code_of(missing), ErrorCode::not_found);
    Opened no_folder = co_await files.open(worker, "/no/folder", kCreate);
    EXPECT_EQ(code_of(no_folder), ErrorCode::not_found);
    Opened fresh = co_await files.open(worker, "/f", must_be_new);
    EXPECT_TRUE(fresh);
    Opened exists = co_await files.open(worker, "/f", must_be_new);
    EXPECT_EQ(code_of(exists), ErrorCode::exists);
    Opened there = co_await files.open(worker, "/f", never);
    EXPECT_TRUE(there);
    Result<void> made = co_await files.create_directories(worker, "/d");
    EXPECT_TRUE(made);
    Opened folder = co_await files.open(worker, "/d", never);
    this->answer("open a directory as a file", folder);
    Opened folder_to_read = co_await files.open(worker, "/d", kReadOnly);
    this->answer("open a directory as a file, to read", folder_to_read);
    Opened below_a_file = co_await files.open(worker, "/f/x", kCreate);
    this->answer("open a file below a file", below_a_file);
    Opened long_name = co_await files.open(worker, "/" + std::string(300, 'n'), kCreate);
    this->answer("open a file with a name of 300 bytes", long_name);
    Opened slashes = co_await files.open(worker, "//d//f", kCreate);
    this->answer("open a path with double slashes", slashes);
    Opened with_dot = co_await files.open(worker, "/d/./f", kCreate);
    this->answer("open a path with a dot", with_dot);
    Opened with_dots = co_await files.open(worker, "/d/../d/f", kCreate);
    this->answer("open a path with two dots", with_dots);
    Opened slash_at_end = co_await files.open(worker, "/g/", kCreate);
    this->answer("create a file with a slash at the end", slash_at_end);
  });
}

TYPED_TEST(FileContract, AFileOpenedToReadRefusesChanges) {
  this->run_work([this](Context& context, Worker& worker) -> Task<void> {
    std::unique_ptr<File> file = co_await open_file(context, worker, "/f");
    co_await write(*file, worker, 0, "abc");
    std::unique_ptr<File> reader = co_await open_file(context, worker, "/f", kReadOnly);
    std::string text = co_await read(*reader, worker);
    EXPECT_EQ(text, "abc");
    Result<void> written = co_await reader->write_at(worker, 0, bytes_of("x"));
    this->answer("write to a file opened to read", written);
    Result<void> cut = co_await reader->truncate(worker, 0);
    this->answer("truncate a file opened to read", cut);
    Result<void> allocated = co_await reader->allocate(worker, 0, 100);
    this->answer("allocate in a file opened to read", allocated);
    Result<void> synced = co_await reader->sync_all(worker);
    this->answer("sync a file opened to read", synced);
    const OpenOptions create_to_read{.mode = OpenMode::read_only, .create = Create::if_missing};
    Opened created = co_await context.files.open(worker, "/created", create_to_read);
    this->answer("create a file that is opened to read", created);
    std::string unchanged = co_await read(*file, worker);
    EXPECT_EQ(unchanged, "abc");
  });
}

TYPED_TEST(FileContract, DirectInputAndOutputAreAligned) {
  bool offered = true;
  this->run_work([&offered](Context& context, Worker& worker) -> Task<void> {
    const OpenOptions direct{.create = Create::if_missing, .caching = Caching::direct};
    Opened opened = co_await context.files.open(worker, "/f", direct);
    if (!opened) {  // A file system in memory has no direct I/O.
      EXPECT_EQ(code_of(opened), ErrorCode::invalid_argument);
      offered = false;
      co_return;
    }
    File& file = **opened;
    const std::int64_t unit = file.direct_alignment();
    EXPECT_TRUE(unit == 512 || unit == 4'096) << unit;
    const std::string block(static_cast<std::size_t>(unit), 'd');
    co_await write(file, worker, unit, block);
    EXPECT_EQ(file.size().value(), 2 * unit);
    std::string back = co_await read(file, worker, unit, unit);
    EXPECT_EQ(back, block);
    std::string hole = co_await read(file, worker, 0, unit);
    EXPECT_TRUE(hole == std::string(static_cast<std::size_t>(unit), '\0'));
    Result<void> odd_offset = co_await file.write_at(worker, 1, bytes_of(block));
    EXPECT_EQ(code_of(odd_offset), ErrorCode::invalid_argument);
    Result<void> odd_length = co_await file.write_at(worker, 0, bytes_of("short"));
    EXPECT_EQ(code_of(odd_length), ErrorCode::invalid_argument);
    Result<ByteChain> odd_read = co_await file.read_at(worker, 1, unit);
    EXPECT_EQ(code_of(odd_read), ErrorCode::invalid_argument);
    std::unique_ptr<File> buffered = co_await open_file(context, worker, "/f");
    std::string seen = co_await read(*buffered, worker, unit, unit);
    EXPECT_EQ(seen, block);
    co_await write(*buffered, worker, 0, "buffered");
    std::string through = co_await read(file, worker, 0, unit);
    EXPECT_EQ(through.substr(0, 8), "buffered");
  });
  if (!offered) GTEST_SKIP() << "optional: no direct I/O in the temporary directory";
}

TYPED_TEST(FileContract, AMappedFileHasItsSizeAndHolesOfZeros) {
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    Mapped mapped = co_await context.files.map(worker, "/m", 10'000);
    EXPECT_TRUE(mapped);
    EXPECT_EQ((*mapped)->size(), 10'000);
    Result<ByteChain> hole = co_await (*mapped)->load(worker, 9'000, 1'000);
    EXPECT_TRUE(text_of(hole.value()) == std::string(1'000, '\0'));
    std::unique_ptr<File> file = co_await open_file(context, worker, "/m");
    EXPECT_EQ(file->size().value(), 10'000);
  });
}

TYPED_TEST(FileContract, MappingExtendsAShorterFileAndRefusesALongerOne) {
  this->run_work([this](Context& context, Worker& worker) -> Task<void> {
    std::unique_ptr<File> file = co_await open_file(context, worker, "/m");
    co_await write(*file, worker, 0, "abc");
    Mapped longer = co_await context.files.map(worker, "/m", 8'192);
    EXPECT_TRUE(longer);
    EXPECT_EQ(file->size().value(), 8'192);
    Result<ByteChain> start = co_await (*longer)->load(worker, 0, 4);
    EXPECT_EQ(text_of(start.value()), std::string("abc\0", 4));
    Mapped same = co_await context.files.map(worker, "/m", 8'192);
    EXPECT_TRUE(same);
    Mapped shorter = co_await context.files.map(worker, "/m", 4'096);
    EXPECT_EQ(code_of(shorter), ErrorCode::invalid_argument);
    EXPECT_EQ(file->size().value(), 8'192);
    Mapped no_folder = co_await context.files.map(worker, "/no/m", 4'096);
    EXPECT_EQ(code_of(no_folder), ErrorCode::not_found);
    Mapped empty = co_await context.files.map(worker, "/empty", 0);
    this->answer("map a file of no bytes", empty);
    Result<void> made = co_await context.files.create_directories(worker, "/d");
    EXPECT_TRUE(made);
    Mapped folder = co_await context.files.map(worker, "/d", 4'096);
    this->answer("map a directory", folder);
  });
}

// Stores by the fast path if it is open, else by the slow one.
Task<void> store(MappedFile& map, Worker& worker, std::int64_t at, std::string text) {
  const SharedBytes bytes = bytes_of(text);
  if (map.try_store(worker, at, bytes.span())) co_return;
  Result<void> stored = co_await map.store(worker, at, bytes);
  EXPECT_TRUE(stored);
}

TYPED_TEST(FileContract, MapsAndFileViewsAreCoherent) {
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    Mapped mapped = co_await context.files.map(worker, "/m", 20'000);
    MappedFile& map = **mapped;
    std::unique_ptr<File> file = co_await open_file(context, worker, "/m");
    co_await store(map, worker, 4'090, "across two pages");
    std::string through_file = co_await read(*file, worker, 4'090, 16);
    EXPECT_EQ(through_file, "across two pages");
    co_await write(*file, worker, 12'000, "written");
    Result<ByteChain> through_map = co_await map.load(worker, 12'000, 7);
    EXPECT_EQ(text_of(through_map.value()), "written");
    Mapped again = co_await context.files.map(worker, "/m", 20'000);
    co_await store(**again, worker, 0, "other map");
    Result<ByteChain> seen = co_await map.load(worker, 0, 9);
    EXPECT_EQ(text_of(seen.value()), "other map");
    const ByteChain at_once = map.try_load(0, 9);
    EXPECT_TRUE(at_once.empty() || text_of(at_once) == "other map");
  });
}

TYPED_TEST(FileContract, AMapIsSyncedPinnedAndAdvised) {
  this->run_work([this](Context& context, Worker& worker) -> Task<void> {
    Mapped mapped = co_await context.files.map(worker, "/m", 20'000);
    MappedFile& map = **mapped;
    co_await store(map, worker, 100, "x");
    Result<void> part = co_await map.sync(worker, 0, 4'096);
    EXPECT_TRUE(part);
    Result<void> rest = co_await map.sync(worker, 0, 20'000);
    EXPECT_TRUE(rest);
    Result<void> odd = co_await map.sync(worker, 5'001, 77);
    EXPECT_TRUE(odd);
    Result<void> pinned = co_await map.lock_memory(worker);
    EXPECT_TRUE(pinned) << text_of(pinned);
    const bool stored = map.try_store(worker, 8'000, bytes_of("resident").span());
    this->answer("store at once into pinned pages", stored ? "stored" : "not stored");
    map.unlock_memory();
    map.unlock_memory();  // Of what is not locked: nothing.
    for (const Advice advice :
         {Advice::random, Advice::sequential, Advice::will_need, Advice::normal}) {
      EXPECT_TRUE(map.advise(advice));
    }
  });
}

// Far behind what read-ahead brings in with the first page.
TYPED_TEST(FileContract, WhichPagesOfAMapAreCachedIsTold) {
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    constexpr std::int64_t kFar = 48 << 20;
    Mapped mapped = co_await context.files.map(worker, "/m", 64 << 20);
    MappedFile& map = **mapped;
    co_await store(map, worker, 4'090, "across two pages");
    EXPECT_TRUE(map.resident(4'090, 16));
    EXPECT_TRUE(map.resident(0, 8'192));
    for (int again = 0; again < 2; ++again) {
      EXPECT_FALSE(map.resident(kFar, 1));
      EXPECT_FALSE(map.resident(4'090, kFar));
    }
    co_await store(map, worker, kFar, "x");
    EXPECT_TRUE(map.resident(kFar, 1));
  });
}

TYPED_TEST(FileContract, ARemovedFileLivesAsLongAsItIsOpenOrMapped) {
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    std::unique_ptr<File> file = co_await open_file(context, worker, "/f");
    co_await write(*file, worker, 0, "abc");
    Mapped mapped = co_await context.files.map(worker, "/m", 4'096);
    Result<void> removed = co_await context.files.remove(worker, "/f");
    EXPECT_TRUE(removed);
    Result<void> unlinked = co_await context.files.remove(worker, "/m");
    EXPECT_TRUE(unlinked);
    co_await write(*file, worker, 3, "def");
    std::string all = co_await read(*file, worker);
    EXPECT_EQ(all, "abcdef");
    co_await store(**mapped, worker, 0, "still there");
    Result<void> synced = co_await (*mapped)->sync(worker, 0, 4'096);
    EXPECT_TRUE(synced);
    std::unique_ptr<File> fresh = co_await open_file(context, worker, "/f");
    EXPECT_EQ(fresh->size().value(), 0);
  });
}

// What a process wrote to /f, synced or not, and stored to /m, before it was killed.
TYPED_TEST(FileContract, BytesOutliveTheProcessThatWroteThem) {
  bool ready = false;
  Guest& writer = this->start(0, [&](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("worker");
    std::unique_ptr<File> file = co_await open_file(context, worker, "/f");
    co_await write(*file, worker, 0, "synced");
    Result<void> synced = co_await file->sync_data(worker);
    EXPECT_TRUE(synced);
    co_await write(*file, worker, 6, " and not");
    Mapped mapped = co_await context.files.map(worker, "/m", 4'096);
    co_await store(**mapped, worker, 10, "stored");
    ready = true;
    co_await stay(context);
  });
  this->run_until([&] { return ready; });
  writer.kill();
  this->run_until_gone(writer);
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    std::unique_ptr<File> file = co_await open_file(context, worker, "/f", kReadOnly);
    std::string all = co_await read(*file, worker);
    EXPECT_EQ(all, "synced and not");
    std::unique_ptr<File> map = co_await open_file(context, worker, "/m", kReadOnly);
    std::string stored = co_await read(*map, worker, 10, 6);
    EXPECT_EQ(stored, "stored");
  });
}

// Linux here cannot lose its power.
template <class Which>
class FileContractInTheDark : public FileContract<Which> {};
TYPED_TEST_SUITE(FileContractInTheDark, ::testing::Types<Simulation>, WorldNames);

TYPED_TEST(FileContractInTheDark, SyncedBytesOutliveAPowerCut) {
  bool ready = false;
  this->start(0, [&](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("worker");
    std::unique_ptr<File> file = co_await open_file(context, worker, "/f");
    co_await write(*file, worker, 0, "synced");
    Result<void> synced = co_await file->sync_all(worker);
    EXPECT_TRUE(synced);
    Result<void> named = co_await context.files.sync_directory(worker, "/");
    EXPECT_TRUE(named);
    Mapped mapped = co_await context.files.map(worker, "/m", 4'096);
    co_await store(**mapped, worker, 10, "stored");
    Result<void> map_synced = co_await (*mapped)->sync(worker, 0, 4'096);
    EXPECT_TRUE(map_synced);
    Result<void> map_named = co_await context.files.sync_directory(worker, "/");
    EXPECT_TRUE(map_named);
    ready = true;
    co_await stay(context);
  });
  this->run_until([&] { return ready; });
  ASSERT_TRUE(this->world().power_cut(0));
  this->run_work([](Context& context, Worker& worker) -> Task<void> {
    std::unique_ptr<File> file = co_await open_file(context, worker, "/f", kReadOnly);
    std::string all = co_await read(*file, worker);
    EXPECT_EQ(all, "synced");
    std::unique_ptr<File> map = co_await open_file(context, worker, "/m", kReadOnly);
    std::string stored = co_await read(*map, worker, 10, 6);
    EXPECT_EQ(stored, "stored");
  });
}

}  // namespace
}  // namespace drydock::contract
