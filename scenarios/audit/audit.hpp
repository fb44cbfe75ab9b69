// The program of the judge: reads a broker's CommitLog and its consume queues through the file
// system of its host.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "engine/runtime/context.hpp"
#include "reports/record/final_store.hpp"
#include "scenarios/audit/index_check.hpp"

namespace drydock::scenarios {

struct AuditRequest {
  std::string commit_log_path;
  std::int64_t file_bytes = 0;  // mappedFileSizeCommitLog
  std::int64_t end_offset =
      0;  // The broker's max offset: what lies behind it is no part of the log.
  std::int64_t expired_to = 0;  // The broker has deleted what lay in front of it.
  std::string consume_queue_path;
  std::int64_t queue_file_bytes = 0;  // mappedFileSizeConsumeQueue
  std::optional<IndexRequest> index;  // None: nobody asks for what the index finds.
  // Whether the broker has a round of its dispatch under way. Empty: there is no such broker.
  std::function<bool()> dispatching;
};

// Lets a second pass, in which the broker dispatches the end of its log, and waits for as long as
// it is still at that: a message that is stuck on its way into its queue is not lost. Then reads
// from the first file to the end, buffered, as a broker on that host would see it: the log, each
// queue, what the queues lead to where no walk of the log could go on, and the index. `store` is
// complete once `store.read` is set; otherwise `store.note` says what went wrong.
Task<void> run_audit(Context& context, AuditRequest request, reports::FinalStore& store);

}  // namespace drydock::scenarios
