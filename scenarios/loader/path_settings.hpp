// --set PATH=VALUE: a place in a scenario that the command line gives another value, before the
// scenario is read.
#pragma once

#include "scenarios/loader/json_at.hpp"

namespace drydock::scenarios {

// Puts the values of `source.set` into the scenario, in their order. What surrounds the place must
// be there; whether the value makes sense is for the reader to say. A text that is JSON counts as
// that, so that 8, true and ["a"] are what they look like, except that a number stays a text where
// a text stands now. Throws InputError.
void apply_path_settings(const Source& source, Json& scenario);

}  // namespace drydock::scenarios
