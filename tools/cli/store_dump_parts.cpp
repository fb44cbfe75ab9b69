#include "tools/cli/store_dump_parts.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/store/checkpoint.hpp"
#include "engine/store/consume_queue_unit.hpp"
#include "engine/wire/big_endian.hpp"
#include "engine/wire/json_text.hpp"
#include "engine/wire/remoting_command.hpp"
#include "scenarios/drill/drill.hpp"
#include "tools/cli/input_file.hpp"
#include "tools/cli/store_files.hpp"
#include "tools/cli/store_index_check.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {
namespace {

namespace fs = std::filesystem;
using scenarios::InputError;

// What lies in a directory, by name; nothing if there is no such directory.
std::vector<fs::path> entries_of(const fs::path& directory) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    paths.push_back(entry->path());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw InputError(printable(directory.string()) + ": cannot be read: " + error.message());
  }
  std::ranges::sort(paths);
  return paths;
}

long long number(std::int64_t value) { return static_cast<long long>(value); }

// What was found to be damaged has a line that says so.
class Dump {
 public:
  int status() const { return damaged_ ? kDamageFound : 0; }

  void queues(const std::string& root) {
    std::printf("#%19s %20s %10s tags-code\n", "queue-offset", "offset", "size");
    for (const fs::path& topic : entries_of(root + "/consumequeue")) {
      for (const fs::path& queue : entries_of_directory(topic)) {
        QueueSoFar so_far;
        for (const fs::path& file : entries_of_directory(queue)) queue_file(file, so_far);
      }
    }
  }

  void index(const StoreOptions& options) {
    const IndexSizes sizes = index_sizes(options.conf);
    for (const std::string& path : index_files(options.directory)) index_file(path, sizes);
  }

  void checkpoint(const std::string& root) {
    const std::string path = root + "/checkpoint";
    std::error_code unknown;
    if (!fs::exists(path, unknown)) {
      std::printf("# no checkpoint\n");
      return;
    }
    if (!fs::is_regular_file(path, unknown)) {
      damage(path, "is no file");
      return;
    }
    const MappedInput input(path);
    if (input.bytes().size() != static_cast<std::size_t>(kCheckpointBytes)) {
      damage(path, "has " + std::to_string(input.bytes().size()) + " bytes, not " +
                       std::to_string(kCheckpointBytes));
    }
    if (input.bytes().size() < kCheckpointFieldBytes) return;
    const CheckpointFields fields = decode_checkpoint(input.bytes().first<kCheckpointFieldBytes>());
    std::printf("physicMsgTimestamp %lld\nlogicsMsgTimestamp %lld\nindexMsgTimestamp %lld\n",
                number(fields.physical_ms), number(fields.logics_ms), number(fields.index_ms));
    std::printf("masterFlushedOffset %lld\nconfirmPhyOffset %lld\n",
                number(fields.master_flushed_offset), number(fields.confirm_offset));
    const bool negative = std::min({fields.physical_ms, fields.logics_ms, fields.index_ms,
                                    fields.master_flushed_offset}) < 0;
    if (negative) damage(path, "neither times nor offsets are negative");
  }

  void config(const std::string& root) {
    for (const fs::path& path : entries_of(root + "/config")) {
      std::error_code unknown;
      if (fs::is_directory(path, unknown)) continue;
      if (!fs::is_regular_file(path, unknown)) {
        damage(path.string(), "is no file");
        continue;
      }
      const std::uintmax_t bytes = fs::file_size(path, unknown);
      if (!unknown && bytes > JsonLimits().bytes) {
        damage(path.string(), "has " + std::to_string(bytes) + " bytes, more than a broker reads");
        continue;
      }
      const std::string content = read_file(path.string());
      if (content.empty() && path.extension() == ".bak") {  // Of the first one that was written.
        std::printf("# %s: (empty)\n", printable(path.string()).c_str());
        continue;
      }
      const std::optional<nlohmann::json> json = read_json(content);
      if (!json) {
        damage(path.string(), "is no JSON");
        continue;
      }
      const std::string text = json->dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
      std::printf("# %s\n", printable(path.string()).c_str());
      for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::printf("%s\n", printable(text.substr(at, end - at)).c_str());
        at = end + 1;
      }
    }
  }

  void state(const StoreOptions& options) {
    const StoreFiles store = list_store(options.directory, options.conf);
    std::error_code unknown;
    const bool abort = fs::exists(options.directory + "/abort", unknown);
    std::printf("abort %s\n",
                abort ? "there: the last broker did not stop in an orderly way"
                      : "none: the last broker stopped in an orderly way, or lost its power early");
    std::printf("lock %s\n",
                store_is_locked(options.directory) ? "held: a broker runs here" : "free");
    std::printf("log %zu files of %lld bytes\n", store.files.size(), number(store.file_bytes));
    std::printf("index %zu files\n", index_files(options.directory).size());
  }

 private:
  // Of the files of a queue that were looked at.
  struct QueueSoFar {
    std::optional<std::int64_t> end;  // The byte of the queue behind the last of them.
    bool zeros = false;               // It ends with units of zeros.
  };

  void damage(const std::string& path, const std::string& why) {
    damaged_ = true;
    std::printf("# %s: (damaged: %s)\n", printable(path).c_str(), why.c_str());
  }

  // A file where a directory belongs is damage.
  std::vector<fs::path> entries_of_directory(const fs::path& path) {
    std::error_code unknown;
    if (fs::is_directory(path, unknown)) return entries_of(path);
    damage(path.string(), "is no directory");
    return {};
  }

  void queue_file(const fs::path& path, QueueSoFar& so_far) {
    const std::string name = path.filename().string();
    const auto begin = parse_decimal<std::int64_t>(name);
    if (!begin || *begin < 0 || *begin % kUnitBytes != 0) {
      damage(path.string(), "is not named by a position in the queue");
      return;
    }
    std::error_code unknown;
    if (!fs::is_regular_file(path, unknown)) {
      damage(path.string(), "is no file");
      return;
    }
    const MappedInput input(path.string());
    std::printf("# %s\n", printable(path.string()).c_str());
    if (so_far.end && *so_far.end != *begin) {
      damage(path.string(), "the file before it ends at " + std::to_string(*so_far.end));
    }
    so_far.end = *begin + static_cast<std::int64_t>(input.bytes().size());
    units(path.string(), *begin / kUnitBytes, input.bytes(), so_far);
    const auto rest = static_cast<std::int64_t>(input.bytes().size()) % kUnitBytes;
    if (rest != 0) damage(path.string(), "has " + std::to_string(rest) + " bytes too many");
  }

  // Runs of equal units that point nowhere have one line. Those of zeros belong to the end.
  void units(const std::string& path, std::int64_t offset, std::span<const std::byte> bytes,
             QueueSoFar& so_far) {
    constexpr auto kUnit = static_cast<std::size_t>(kUnitBytes);
    while (bytes.size() >= kUnit) {
      const ConsumeQueueUnit unit = decode_unit(bytes);
      std::int64_t run = 1;
      const bool blank =
          unit == ConsumeQueueUnit{.bytes = std::numeric_limits<std::int32_t>::max()};
      const bool zero = unit == ConsumeQueueUnit();
      bytes = bytes.subspan(kUnit);
      while ((blank || zero) && bytes.size() >= kUnit && decode_unit(bytes) == unit) {
        bytes = bytes.subspan(kUnit);
        ++run;
      }
      if (so_far.zeros && !zero) {
        damage(path, "units of zeros lie before unit " + std::to_string(offset));
      }
      so_far.zeros = zero;
      std::printf("%20lld ", number(offset));
      if (zero) {
        std::printf("(zeros: %lld units)\n", number(run));
      } else if (blank) {
        std::printf("(blank: the queue begins behind %lld units)\n", number(run));
      } else if (unit.valid()) {
        std::printf("%20lld %10d %lld\n", number(unit.physical.value()), unit.bytes,
                    number(unit.tags_code));
      } else {
        damaged_ = true;
        std::printf("(damaged: offset %lld, size %d)\n", number(unit.physical.value()), unit.bytes);
      }
      offset += run;
    }
  }

  void index_file(const std::string& path, const IndexSizes& sizes) {
    const MappedInput input(path);
    const auto length = static_cast<std::int64_t>(input.bytes().size());
    if (length != sizes.file_bytes()) {
      damage(path, "has " + std::to_string(length) + " bytes, not " +
                       std::to_string(sizes.file_bytes()) +
                       "; --conf with maxHashSlotNum and maxIndexNum says how many");
      return;
    }
    const IndexHeader header = decode_index_header(input.bytes());
    std::printf("# %s: times %lld to %lld, offsets %lld to %lld, %d slots used, next entry %d\n",
                printable(path).c_str(), number(header.begin_ms), number(header.end_ms),
                number(header.begin_physical), number(header.end_physical), header.used_slots,
                header.count);
    const bool fits = header.count >= 1 && header.count <= sizes.entries;
    if (!fits) damage(path, "has no room for so many entries");
    const std::int32_t count = std::clamp(header.count, 1, sizes.entries);
    slots(input.bytes(), sizes, count);
    entries(input.bytes(), sizes, count);
  }

  void slots(std::span<const std::byte> bytes, const IndexSizes& sizes, std::int32_t count) {
    for (std::int32_t slot = 0; slot < sizes.slots; ++slot) {
      const auto newest = at<std::int32_t>(bytes, sizes.slot_at(slot));
      if (newest == 0) continue;
      const bool good = newest > 0 && newest < count;
      if (!good) damaged_ = true;
      std::printf("slot %d entry %d%s\n", slot, newest, good ? "" : " (damaged: there is none)");
    }
  }

  void entries(std::span<const std::byte> bytes, const IndexSizes& sizes, std::int32_t count) {
    for (std::int32_t entry = 1; entry < count; ++entry) {
      const std::int64_t place = sizes.entry_at(entry);
      const auto previous = at<std::int32_t>(bytes, place + 16);
      const bool good = previous >= 0 && previous < entry;
      if (!good) damaged_ = true;
      std::printf("entry %d hash %d offset %lld seconds %d previous %d%s\n", entry,
                  at<std::int32_t>(bytes, place), number(at<std::int64_t>(bytes, place + 4)),
                  at<std::int32_t>(bytes, place + 12), previous,
                  good ? "" : " (damaged: a chain leads to older entries)");
    }
  }

  template <class T>
  static T at(std::span<const std::byte> bytes, std::int64_t place) {
    return read_big_endian<T>(bytes.data() + place);
  }

  bool damaged_ = false;
};

}  // namespace

int dump_part(const StoreDumpOptions& options) {
  const std::string& root = options.store.directory;
  if (root.empty()) throw InputError("names no directory");
  std::error_code unknown;
  if (!fs::is_directory(root, unknown)) {
    throw InputError(printable(root) + ": is no directory of a store");
  }
  Dump dump;
  if (options.part == "queues") dump.queues(root);
  if (options.part == "index") dump.index(options.store);
  if (options.part == "checkpoint") dump.checkpoint(root);
  if (options.part == "config") dump.config(root);
  if (options.part == "state") dump.state(options.store);
  return dump.status();
}

}  // namespace drydock::cli
