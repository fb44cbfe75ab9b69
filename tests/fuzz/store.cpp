// Stores that the engine wrote, with anything done to their files: bits, lengths, names, files that
// are gone, swapped or something else. The commands of `drydock store` end in order: status 0 or 1
// with something to read, or one line that refuses; and only `recover --write` changes a store.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "scenarios/drill/drill.hpp"
#include "tests/fuzz/fuzzer.hpp"
#include "tests/support/store_world.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/store_dump_parts.hpp"

namespace drydock::fuzz {

namespace {

namespace fs = std::filesystem;

constexpr IndexSizes kIndexSizes{.slots = 8, .entries = 9};
constexpr std::string_view kConf =
    "mappedFileSizeCommitLog=4096\nmappedFileSizeConsumeQueue=200\nmaxHashSlotNum=8\n"
    "maxIndexNum=9\n";
constexpr std::string_view kVerifying = "enabledAppendPropCRC=true\nforceVerifyPropCRC=true\n";

using Files = std::map<std::string, std::string>;  // By path from the store's directory.

Files files_of(const test::MemoryFiles& memory) {
  constexpr std::string_view kRoot = "/store/";
  Files files;
  for (const auto& [path, node] : memory.nodes) {
    if (node->is_directory || !path.starts_with(kRoot)) continue;
    files[path.substr(kRoot.size())] = text_of(node->cached);
  }
  return files;
}

enum class Stop { orderly, killed };

// Some files of the log, of two queues and of the index.
Files written_store(Stop stop, PropertyCrc crc) {
  StoreConfiguration configuration = test::small_store();
  configuration.message_index_enable = true;
  configuration.enabled_append_prop_crc = crc == PropertyCrc::appended;
  configuration.index = kIndexSizes;
  test::StoreWorld world(configuration);
  test::StoreProcess broker(world);
  ENSURE(broker.started());
  for (int i = 0; i < 30; ++i) {
    const std::string key = "k" + std::to_string(i % 7);
    const Property properties[] = {{property::kKeys, key}, {property::kTags, "TagA"}};
    IncomingMessage message = test::message_of(static_cast<std::size_t>(100 + 40 * i), i % 2);
    message.properties = encode_properties(properties);
    ENSURE(broker.put_now(std::move(message)).status == PutStatus::put_ok);
  }
  stop == Stop::orderly ? broker.stop() : broker.kill();
  return files_of(world.files);
}

void write_file(const fs::path& path, std::string_view content) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  std::ofstream(path, std::ios::binary) << content;
}

void write_store(const fs::path& root, const Files& files) {
  for (const auto& [name, content] : files) write_file(root / name, content);
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// All there is below a directory, in the order of the names; links are not followed.
std::vector<fs::path> entries_of(const fs::path& root) {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

// What would show a change: kinds, contents and sizes. Of what is no file only that it is there.
Files state_of(const fs::path& root) {
  Files state;
  for (const fs::path& path : entries_of(root)) {
    state[path.string()] = fs::is_regular_file(fs::symlink_status(path)) ? read_file(path) : "?";
  }
  return state;
}

bool holds_pipe_or_link(const fs::path& root) {
  return std::ranges::any_of(entries_of(root), [](const fs::path& path) {
    const fs::file_status status = fs::symlink_status(path);
    return fs::is_fifo(status) || fs::is_symlink(status);
  });
}

// Damage, as the choices have it. Whatever can't be done is left undone.
class Damage {
 public:
  Damage(const fs::path& root, Choices& choices) : root_(root), choices_(choices) {}

  void some() {
    const std::size_t count = 1 + choices_.below(4);
    for (std::size_t i = 0; i < count; ++i) one();
  }

 private:
  static constexpr const char* kNames[] = {"00000000000000000000",
                                           "00000000000000004096",
                                           "00000000000000000001",
                                           "00000000000000008192",
                                           "00000000000000000200",
                                           "09223372036854775807",
                                           "9223372036854775807",
                                           "09223372036854775000",
                                           "18446744073709551615",
                                           "99999999999999999999",
                                           "-1",
                                           "4096",
                                           "abc",
                                           ".hidden",
                                           "0",
                                           "1",
                                           "65535",
                                           "2147483647",
                                           "4294967296",
                                           "T",
                                           "\x1b[2J",
                                           "a\nb",
                                           "20231114221320000",
                                           "\xff\xfe",
                                           "00000000000000000000.tmp"};
  static constexpr std::int64_t kSizes[] = {0,    1,    7,    8,   19,   20,     40,     91,
                                            199,  200,  201,  220, 4088, 4095,   4096,   4097,
                                            8192, 4100, 2048, 12,  100,  65'536, 1 << 20};
  static constexpr std::uint64_t kNumbers[] = {0,
                                               1,
                                               8,
                                               91,
                                               4096,
                                               4095,
                                               0x7fff'ffff,
                                               0x8000'0000,
                                               0xffff'ffff,
                                               0xdaa3'20a7,
                                               0xdaa3'20ab,
                                               0xcbd4'3194,
                                               0x7fff'ffff'ffff'ffff,
                                               0x8000'0000'0000'0000,
                                               0xffff'ffff'ffff'ffff,
                                               0x0666'6666'6666'6666};

  fs::path any_entry() {
    const std::vector<fs::path> entries = entries_of(root_);
    return entries.empty() ? root_ : choices_.one_of(entries);
  }
  fs::path any_file() {
    std::vector<fs::path> files = entries_of(root_);
    std::erase_if(
        files, [](const fs::path& path) { return !fs::is_regular_file(fs::symlink_status(path)); });
    return files.empty() ? root_ / "abort" : choices_.one_of(files);
  }
  // Not of the queues: a broker tries for 30 s to write one before it gives up.
  fs::path any_entry_to_block() {
    std::vector<fs::path> entries = entries_of(root_);
    std::erase_if(entries,
                  [](const fs::path& path) { return path.string().contains("consumequeue"); });
    return entries.empty() ? root_ / "abort" : choices_.one_of(entries);
  }
  fs::path any_new_name() { return any_entry().parent_path() / choices_.one_of(kNames); }

  // Changes the bytes of a file from some place on, as far as it goes.
  void patch(const std::function<std::string(const std::string&)>& bytes_from) {
    const fs::path path = any_file();
    std::string content = read_file(path);
    if (content.empty()) return;
    const std::size_t at = choices_.below(content.size());
    const std::string bytes = bytes_from(content);
    const std::size_t length = std::min(bytes.size(), content.size() - at);
    content.replace(at, length, bytes, 0, length);
    write_file(path, content);
  }
  std::string number() {
    const std::uint64_t value = choices_.one_of(kNumbers);
    const std::size_t width = choices_.below(2) == 0 ? 4 : 8;
    std::string bytes;
    for (std::size_t i = 0; i < width; ++i) {
      bytes += static_cast<char>(value >> (8 * (width - 1 - i)));
    }
    return bytes;
  }
  // A number where one of a record's, unit's or entry's own may stand.
  void patch_number() {
    const fs::path path = any_file();
    std::string content = read_file(path);
    constexpr std::size_t kStrides[] = {4, 20, 8, 1};
    const std::size_t stride = choices_.one_of(kStrides);
    if (content.size() < 8) return;
    const std::size_t at = choices_.below(content.size() / stride) * stride;
    const std::string bytes = number();
    for (std::size_t i = 0; i < bytes.size() && at + i < content.size(); ++i) {
      content[at + i] = bytes[i];
    }
    write_file(path, content);
  }

  void one() {
    std::error_code ignored;
    switch (choices_.below(14)) {
      case 0:
        return patch([this](const std::string&) {
          return std::string(1, static_cast<char>(choices_.byte()));
        });
      case 1: return patch_number();
      case 2: {
        const std::size_t length = 1 + choices_.below(4096);
        return patch([length](const std::string&) { return std::string(length, '\0'); });
      }
      case 3:
        return patch([this](const std::string& content) {
          return content.substr(choices_.below(content.size()), 1 + choices_.below(4096));
        });
      case 4:
        return fs::resize_file(any_file(), static_cast<std::uintmax_t>(choices_.one_of(kSizes)),
                               ignored);
      case 5: fs::remove_all(any_entry(), ignored); return;
      case 6: {
        const std::string content = read_file(any_file());
        return write_file(any_file(), content);
      }
      case 7: return fs::rename(any_entry(), any_new_name(), ignored);
      case 8: return write_file(any_new_name(), "");
      case 9: {
        const std::string content = read_file(any_file());
        return write_file(any_new_name(), content);
      }
      case 10: {
        const fs::path path = any_entry_to_block();
        fs::remove_all(path, ignored);
        fs::create_directory(path, ignored);
        return;
      }
      case 11: {
        const fs::path path = any_entry_to_block();
        const fs::path target = choices_.below(2) == 0 ? any_entry() : root_ / "nowhere";
        fs::remove_all(path, ignored);
        return fs::create_symlink(target, path, ignored);
      }
      case 12: {
        const fs::path path = any_entry_to_block();
        fs::remove_all(path, ignored);
        (void)::mkfifo(path.c_str(), 0600);
        return;
      }
      default: return patch_number();
    }
  }

  const fs::path& root_;
  Choices& choices_;
};

// Standard output, in a file.
class Output {
 public:
  explicit Output(const fs::path& path) {
    ENSURE(std::freopen(path.c_str(), "w+", stdout) != nullptr);
  }
  std::string take() {
    std::fflush(stdout);
    std::rewind(stdout);
    std::string text;
    for (int c = std::getc(stdout); c != EOF; c = std::getc(stdout)) text += static_cast<char>(c);
    std::rewind(stdout);
    ENSURE(::ftruncate(::fileno(stdout), 0) == 0);
    return text;
  }
};

bool shows_lines_only(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return c == '\n' || (static_cast<unsigned char>(c) >= ' ' && c != 0x7f);
  });
}

enum class Conf : std::uint8_t { none, plain, verifying };
constexpr Conf kConfs[] = {Conf::none, Conf::plain, Conf::verifying};

class Bench {
 public:
  Bench()
      : directory_(make_directory()),
        output_(directory_ / "output"),
        stores_{written_store(Stop::orderly, PropertyCrc::none),
                written_store(Stop::killed, PropertyCrc::none),
                written_store(Stop::orderly, PropertyCrc::appended),
                written_store(Stop::killed, PropertyCrc::appended)} {
    write_file(directory_ / "broker.conf", kConf);
    write_file(directory_ / "verifying.conf", std::string(kConf) + std::string(kVerifying));
    for (std::size_t i = 0; i < std::size(stores_); ++i) {
      write_store(directory_ / ("base-" + std::to_string(i)), stores_[i]);
    }
    // What the commands say of stores that are in order: so the harness is one that can see.
    const std::string orderly = (directory_ / "base-0").string();
    ENSURE(call([&] { return cli::store_verify(options(orderly, Conf::plain)); }) == 0);
    ENSURE(call([&] { return cli::store_query(query(orderly)); }) == 0);
    const std::string covered = (directory_ / "base-2").string();
    ENSURE(call([&] { return cli::store_verify(options(covered, Conf::verifying)); }) == 0);
    ENSURE(call([&] { return cli::store_verify(options(orderly, Conf::verifying)); }) == 1);
  }
  ~Bench() { fs::remove_all(directory_); }

  void run(Choices choices) {
    const std::size_t base = choices.below(std::size(stores_));
    const Conf conf = choices.one_of(kConfs);
    const fs::path damaged = directory_ / "damaged";
    fs::remove_all(damaged);
    write_store(damaged, stores_[base]);
    Damage(damaged, choices).some();

    const Files before = state_of(damaged);
    const cli::StoreOptions store = options(damaged.string(), conf);
    const std::string other = (directory_ / ("base-" + std::to_string(base))).string();
    call([&] { return cli::store_verify(store); });
    for (const std::string_view part : cli::kDumpParts) {
      call([&] { return cli::store_dump({.store = store, .part = std::string(part)}); });
    }
    call([&] { return cli::store_query(query(damaged.string())); });
    const int seen = call([&] { return cli::store_recover({.store = store, .json = true}); });
    const int itself = call([&] { return cli::store_diff({store, store.directory}); });
    ENSURE(itself == seen);  // Refused, or the same as itself.
    call([&] { return cli::store_diff({store, other}); });
    ENSURE(state_of(damaged) == before);

    // A broker waits for who writes into a pipe, and writes where a link leads to.
    if (holds_pipe_or_link(damaged)) return;
    const int written = call([&] { return cli::store_recover({.store = store, .write = true}); });
    const int again = call([&] { return cli::store_recover({.store = store}); });
    if (written == 0) ENSURE(again == 0);  // What a broker has stopped on, it starts on.
    call([&] { return cli::store_verify(store); });
  }

 private:
  static fs::path make_directory() {
    std::string path = (fs::temp_directory_path() / "drydock-store-XXXXXX").string();
    ENSURE(::mkdtemp(path.data()) != nullptr);
    return path;
  }
  cli::StoreOptions options(const std::string& root, Conf conf) const {
    cli::StoreOptions made{.directory = root};
    if (conf == Conf::plain) made.conf = (directory_ / "broker.conf").string();
    if (conf == Conf::verifying) made.conf = (directory_ / "verifying.conf").string();
    return made;
  }
  cli::StoreQueryOptions query(const std::string& root) const {
    return {.store = options(root, Conf::plain), .topic = "T", .key = "k1"};
  }
  // The exit status of a command, whose output is looked at.
  int call(const std::function<int()>& command) {
    try {
      const int status = command();
      const std::string text = output_.take();
      ENSURE(status == 0 || status == cli::kDamageFound);
      ENSURE(shows_lines_only(text));
      return status;
    } catch (const scenarios::InputError& refusal) {
      (void)output_.take();
      const std::string_view line = refusal.what();
      ENSURE(!line.empty());
      ENSURE(shows_lines_only(line));
      ENSURE(!line.contains('\n'));
      return cli::kInputWrong;
    }
  }

  fs::path directory_;
  Output output_;
  Files stores_[4];
};

}  // namespace

// Each starts with the store, whether the configuration is known, and how many changes there are.
std::vector<std::string> seeds() {
  std::vector<std::string> made;
  for (char kind = 0; kind < 14; ++kind) {
    for (char store = 0; store < 4; ++store) {
      std::string seed{store, static_cast<char>(kind % 3), '\0', kind};
      for (int i = 0; i < 12; ++i) seed += static_cast<char>(37 * i + kind + store);
      made.push_back(std::move(seed));
    }
  }
  return made;
}

}  // namespace drydock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static drydock::fuzz::Bench bench;
  bench.run(drydock::fuzz::Choices(data, size));
  return 0;
}
