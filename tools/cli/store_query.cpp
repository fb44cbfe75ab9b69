// drydock store query: which messages a store's index has for a key.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "engine/broker/configuration.hpp"
#include "engine/broker/settings.hpp"
#include "engine/store/index_file.hpp"
#include "scenarios/drill/drill.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/input_file.hpp"
#include "tools/cli/store_files.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {
namespace {

constexpr std::uint32_t kCountMax = 1'000'000;

// The sizes that a broker with this configuration gives its index files.
IndexSizes index_sizes(const std::optional<std::string>& conf) {
  IndexSizes sizes;
  if (!conf) return sizes;
  const Settings settings(parse_broker_configuration(read_file(*conf)).settings);
  const std::int64_t slots = settings.number("maxHashSlotNum");
  const std::int64_t entries = settings.number("maxIndexNum");
  if (slots < 1 || entries < 1) {
    throw scenarios::InputError(*conf + ": maxHashSlotNum and maxIndexNum must be at least 1");
  }
  sizes.slots = static_cast<std::int32_t>(slots);
  sizes.entries = static_cast<std::int32_t>(entries);
  return sizes;
}

// Newest first: they are named by the time at which they were made.
std::vector<std::string> index_files(const std::string& root) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root + "/index", error), end;
       !error && entry != end; entry.increment(error)) {
    std::error_code unknown;
    if (entry->is_regular_file(unknown)) files.push_back(entry->path().string());
  }
  std::ranges::sort(files, std::greater());
  return files;
}

}  // namespace

int store_query(const StoreQueryOptions& options) {
  if (options.count < 1 || options.count > kCountMax) {
    throw scenarios::InputError("--count: from 1 to " + std::to_string(kCountMax));
  }
  const StoreFiles store = list_store(options.store.directory, options.store.conf);
  const IndexSizes sizes = index_sizes(options.store.conf);
  const IndexQuery query{.key_hash = index_key_hash(options.topic, options.key),
                         .count_max = options.count};
  std::vector<PhysicalOffset> found;
  for (const std::string& path : index_files(store.root)) {
    const MappedInput input(path);
    if (static_cast<std::int64_t>(input.bytes().size()) != sizes.file_bytes()) {
      throw scenarios::InputError(printable(path) + " has " + std::to_string(input.bytes().size()) +
                                  " bytes, not " + std::to_string(sizes.file_bytes()) +
                                  ": give --conf with its maxHashSlotNum and maxIndexNum");
    }
    if (!query_index(input.bytes(), sizes, query, found)) break;
  }
  std::ranges::sort(found);
  for (const PhysicalOffset offset : found) {
    std::printf("%lld\n", static_cast<long long>(offset.value()));
  }
  return found.empty() ? kDamageFound : 0;
}

}  // namespace drydock::cli
