// Reads the files of the consume queues: consumequeue/TOPIC/QUEUE ID/, each named by the byte of
// the queue with which it begins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/runtime/context.hpp"
#include "scenarios/audit/queue_check.hpp"
#include "scenarios/audit/queue_names.hpp"

namespace drydock::scenarios {

// The name of a file of a queue or of the log, as the position of its first byte; -1 if it is none.
std::int64_t position_of_name(const std::string& name);

struct QueueFilesRequest {
  std::string directory;        // consumequeue, absolute; it may be missing.
  std::int64_t file_bytes = 0;  // mappedFileSizeConsumeQueue, in whole entries.
};

// The entries of every queue that has a directory, each to where its zeros begin, or to one behind
// what the log has for it if that is further. Errors leave a line in `store.note`, and the answer
// is false.
Task<bool> read_queues(Context& context, Worker& worker, QueueFilesRequest request,
                       QueueNames& names, reports::FinalStore& store,
                       std::vector<QueueEntries>& queues);

}  // namespace drydock::scenarios
