#include "tools/cli/store_state.hpp"

#include <zlib.h>

#include <filesystem>

#include "engine/store/message_store.hpp"
#include "scenarios/drill/drill.hpp"
#include "tools/cli/broker_conf.hpp"
#include "tools/cli/linux_program.hpp"
#include "tools/cli/store_files.hpp"
#include "tools/cli/store_overlay.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {
namespace {

using on_linux::LinuxWorld;
using scenarios::InputError;

constexpr std::int64_t kUnitsAtATime = 10'000;

// The size of the first file of any queue; 0: there is none.
std::int64_t queue_file_bytes(const std::string& root) {
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(root + "/consumequeue", error), end;
       !error && entry != end; entry.increment(error)) {
    std::error_code unknown;
    if (entry->is_regular_file(unknown) && entry->file_size(unknown) > 0) {
      return static_cast<std::int64_t>(entry->file_size(unknown));
    }
  }
  return 0;
}

StoreConfiguration configuration_of(const StoreOptions& options, const StoreFiles& files) {
  StoreConfiguration configuration;
  if (options.conf) {
    configuration = read_broker_conf(*options.conf).configuration.store;
  } else {
    if (files.file_bytes > 0) configuration.mapped_file_size_commit_log = files.file_bytes;
    const std::int64_t units = queue_file_bytes(files.root);
    if (units > 0) configuration.mapped_file_size_consume_queue = units;
  }
  configuration.store_path_root = std::filesystem::absolute(files.root).lexically_normal().string();
  if (configuration.store_path_root.ends_with('/')) configuration.store_path_root.pop_back();
  return configuration;
}

std::uint32_t add_to(std::uint32_t crc, const ByteChain& bytes) {
  for (const SharedBytes& piece : bytes.pieces()) {
    const auto* const data = reinterpret_cast<const Bytef*>(piece.data());
    crc = static_cast<std::uint32_t>(::crc32(crc, data, static_cast<uInt>(piece.size())));
  }
  return crc;
}

Task<Result<QueueState>> describe(Worker& worker, ConsumeQueue& queue) {
  QueueState state{.topic = std::string(queue.topic()),
                   .queue_id = queue.queue_id(),
                   .min = queue.min_offset().value(),
                   .max = queue.max_offset().value()};
  std::int64_t at = state.min;
  while (at < state.max) {
    const std::int64_t count = std::min(kUnitsAtATime, state.max - at);
    Result<ByteChain> units = co_await queue.read(worker, QueueOffset(at), count);
    if (!units) co_return units.error();
    if (units->empty()) break;  // A gap between files.
    state.units = add_to(state.units, *units);
    at += static_cast<std::int64_t>(units->size()) / kUnitBytes;
  }
  co_return state;
}

Task<Result<void>> describe_all(Worker& worker, const MessageStore& store, StoreState& state) {
  const CommitLog& log = store.commit_log();
  state.begin = log.has_files() ? log.min_offset().value() : -1;
  state.end = log.max_offset().value();
  const std::vector<ConsumeQueue*> queues = store.consume_queues().by_name();
  for (ConsumeQueue* const queue : queues) {
    Result<QueueState> one = co_await describe(worker, *queue);
    if (!one) co_return one.error();
    if (one->max > 0) state.queues.push_back(*one);
  }
  co_return Result<void>();
}

Task<Result<void>> recover(Context& context, StoreConfiguration configuration, StoreAccess access,
                           StoreState& state) {
  MessageStore store(context, std::move(configuration), Endpoint());
  Worker& worker = context.workers.add("describe");
  Result<void> loaded = co_await store.load();
  if (!loaded) co_return loaded;
  Result<void> described = co_await describe_all(worker, store, state);
  if (!described || access == StoreAccess::look) co_return described;
  Result<void> started = co_await store.start();
  if (started) co_await store.shutdown();
  co_return started;
}

// The program of the process that recovers. `outcome` and `state` are the caller's.
Task<void> run_recovery(Context& context, StoreConfiguration configuration, StoreAccess access,
                        Result<void>& outcome, StoreState& state) {
  StoreOverlay overlay;
  FileSystem& files = access == StoreAccess::write ? context.files : overlay;
  Context seen{
      context.scope,   context.clock,   context.random, context.network,  files,
      context.workers, context.compute, context.chaos,  context.observer, context.terminate};
  Result<void> recovered = co_await recover(seen, std::move(configuration), access, state);
  outcome = recovered;
}

}  // namespace

StoreState recover_state(const StoreOptions& options, StoreAccess access) {
  const StoreFiles files = list_store(options.directory, options.conf);
  if (store_is_locked(files.root)) {
    throw InputError(files.root +
                     ": a broker runs on this store (its lock is held); stop it, or"
                     " copy the store");
  }
  StoreConfiguration configuration = configuration_of(options, files);
  // What recovery makes of log and queues does not hang on the index, nor on how long its files
  // are.
  if (access == StoreAccess::look) configuration.message_index_enable = false;
  StoreState state;
  state.commit_log = files.commit_log;
  state.file_bytes = configuration.mapped_file_size_commit_log;
  std::error_code unknown;
  state.crashed = std::filesystem::exists(files.root + "/abort", unknown);

  std::string refused;
  on_linux::LinuxOptions world_options;
  world_options.log_sink = [&](std::string_view, LogLevel level, const std::string& line) {
    if (level == LogLevel::error && refused.empty()) refused = line;
    if (line.starts_with("recovered: ")) state.told = line;
  };
  LinuxWorld world(world_options);
  on_linux::LinuxProcess& process = world.spawn("recover");
  Result<void> outcome = ErrorCode::cancelled;
  process.start([&](Context& context) {
    return run_recovery(context, configuration, access, outcome, state);
  });
  run_to_end(world, process);
  if (!outcome) {
    const std::string why =
        refused.empty() ? std::string(name_of(outcome.error().code())) : refused;
    throw InputError(printable(files.root + ": a broker would not start on it: " + why));
  }
  if (!refused.empty()) state.told += (state.told.empty() ? "" : "; ") + refused;
  return state;
}

}  // namespace drydock::cli
