// What a store holds once the engine has recovered it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/cli/commands.hpp"

namespace drydock::cli {

struct QueueState {
  std::string topic;
  std::int32_t queue_id = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;     // The offset of the next message.
  std::uint32_t units = 0;  // CRC-32 of the units of [min, max) as they are in the files.

  bool operator==(const QueueState&) const = default;
};

struct StoreState {
  std::string commit_log;  // Its directory.
  std::int64_t file_bytes = 0;
  bool crashed = false;    // There was an abort file.
  std::int64_t begin = 0;  // Of the log; -1: there is none.
  std::int64_t end = 0;
  std::string told;                // What recovery says about it, in a line.
  std::vector<QueueState> queues;  // Those that have had a message, by topic and id.
};

enum class StoreAccess : std::uint8_t {
  look,   // Nothing is written.
  write,  // The store is recovered, started and stopped in an orderly way.
};

// Recovers a store as a broker with this configuration does at its start. Throws InputError: no
// store there, a broker has its lock, a broker would refuse to start on it.
StoreState recover_state(const StoreOptions& options, StoreAccess access);

}  // namespace drydock::cli
