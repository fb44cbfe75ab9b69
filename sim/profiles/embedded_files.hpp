// Files of this folder that are part of the program: embed.py writes the source at build time.
#pragma once

#include <span>
#include <string_view>

namespace drydock::sim {

struct EmbeddedFile {
  std::string_view name;  // Without its folder: "local-nvme.json".
  std::string_view text;
};

std::span<const EmbeddedFile> embedded_files();
// Profiles of processors.
std::span<const EmbeddedFile> embedded_cpu_files();

}  // namespace drydock::sim
