// All records of a log, file by file.
#pragma once

#include <cstdint>
#include <span>

#include "reports/record/final_store.hpp"
#include "scenarios/audit/queue_names.hpp"

namespace drydock::scenarios {

// Adds the records in `bytes`, which are the log's bytes from physical offset `begin` to the end of
// one file or to the end of the log, to `store`: every message with its key (property KEYS,
// decimal) and whether its body is what was sent under that key. A record that can't be read ends
// the file: the rest of it becomes one damaged range.
void walk_log_file(std::int64_t begin, std::span<const std::byte> bytes, QueueNames& names,
                   reports::FinalStore& store);

// The one message at `offset`, to which a queue has led; `bytes` are the log's bytes from there on.
// Adds nothing if there is none.
void add_message_at(std::int64_t offset, std::span<const std::byte> bytes, QueueNames& names,
                    reports::FinalStore& store);

}  // namespace drydock::scenarios
