// The files of sim/profiles/calibration that are part of the program; embed.py writes the source.
#pragma once

#include <span>

#include "sim/profiles/embedded_files.hpp"

namespace drydock::fidelity {

std::span<const sim::EmbeddedFile> calibration_files();

}  // namespace drydock::fidelity
