// The program of a bare reader: reads a file of its own that is cold at first, or that of a writer,
// at a rate, with as many threads as the drill says. What it does to the page cache of its host,
// others feel.
#pragma once

#include "engine/runtime/context.hpp"
#include "scenarios/drill/drill.hpp"

namespace drydock::scenarios {

// Its first life makes the file, unless that is a writer's, and leaves it cold. Returns after
// `context.terminate` was set. `spec` outlives the process.
Task<void> run_reader(Context& context, const ReaderSpec& spec);

}  // namespace drydock::scenarios
