// scenarios/loader reads a scenario file: JSON with // and /* */ comments. It checks everything
// that can be checked without a world: names that refer to nothing, units, ranges, fields that this
// version does not implement. What comes out is a Drill; what does not is one InputError with file
// and path.
//
// The format is described in docs/scenarios.md; this folder is its only reader.
#pragma once

#include <string>
#include <vector>

#include "scenarios/drill/drill.hpp"

namespace drydock::scenarios {

// `file` is the name for messages; `set` is put into the scenario before it is read. Throws
// InputError.
Drill parse_drill(const std::string& file, const std::string& text,
                  const std::vector<PathSetting>& set = {});

}  // namespace drydock::scenarios
