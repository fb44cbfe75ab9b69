// The program of a bare writer: no broker, one file, records appended at a rate, synced or not.
// What a store's write path meets in kernel and disk shows in it without anything else around.
//
// Two threads at most: `writer` stores; with a period for its syncs a `flusher` syncs, as a
// broker's flush service does, and else the writer itself syncs after each record. A record is
// acknowledged when it is stored, or when a sync that began later has said that all is well. To the
// history a record is a send; to the loss checker the file is a log.
#pragma once

#include "engine/runtime/context.hpp"
#include "scenarios/drill/drill.hpp"
#include "scenarios/workload/recorder.hpp"

namespace drydock::scenarios {

// A life of its own goes on behind the last record from the file's begin that is whole. Returns
// after `context.terminate` was set and a last sync has ended, or when it has given up. `spec` and
// `recorder` outlive the process.
Task<void> run_writer(Context& context, const WriterSpec& spec, Recorder& recorder);

}  // namespace drydock::scenarios
