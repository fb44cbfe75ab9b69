// drydock store query: which messages a store's index has for a key.
#include <algorithm>
#include <cstdio>
#include <ranges>

#include "engine/store/index_file.hpp"
#include "scenarios/drill/drill.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/store_files.hpp"
#include "tools/cli/store_index_check.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {
namespace {

constexpr std::uint32_t kCountMax = 1'000'000;

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
  const std::vector<std::string> paths = index_files(store.root);
  for (const std::string& path : paths | std::views::reverse) {
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
