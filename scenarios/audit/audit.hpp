// The program of the judge: reads a broker's CommitLog through the file system of its host.
#pragma once

#include <cstdint>
#include <string>

#include "engine/runtime/context.hpp"
#include "reports/record/final_store.hpp"

namespace drydock::scenarios {

struct AuditRequest {
  std::string commit_log_path;
  std::int64_t file_bytes = 0;  // mappedFileSizeCommitLog
  std::int64_t end_offset =
      0;  // The broker's max offset: what lies behind it is no part of the log.
};

// Reads from the first file to the end, buffered, as a broker on that host would see it. `store` is
// complete once `store.read` is set; otherwise `store.note` says what went wrong.
Task<void> run_audit(Context& context, AuditRequest request, reports::FinalStore& store);

}  // namespace drydock::scenarios
