// The judge of a bare writer: reads its file through the file system of its host.
#pragma once

#include "engine/runtime/context.hpp"
#include "reports/record/final_store.hpp"
#include "scenarios/workload/records.hpp"

namespace drydock::scenarios {

// Every record that is whole is a copy that readers have. What is none is nothing at all: a bare
// file has no checksum that could tell damage from what was never written. `store` is complete once
// `store.read` is set; otherwise `store.note` says what went wrong.
Task<void> run_record_audit(Context& context, RecordFile file, reports::FinalStore& store);

}  // namespace drydock::scenarios
