"""Writes a C++ source that holds files as texts, so that the program needs none of them when it runs.

    python3 sim/profiles/embed.py OUTPUT FILE...
"""

import sys
from pathlib import Path

HEAD = """\
// Written by sim/profiles/embed.py.
#include "sim/profiles/embedded_files.hpp"

#include <array>

namespace drydock::sim {
namespace {

"""

TAIL = """\

}  // namespace

std::span<const EmbeddedFile> embedded_files() { return kFiles; }

}  // namespace drydock::sim
"""


def source_of(paths):
    rows = "".join(f'    {{"{path.name}", R"embedded({path.read_text()})embedded"}},\n'
                   for path in paths)
    return f"{HEAD}constexpr std::array<EmbeddedFile, {len(paths)}> kFiles{{{{\n{rows}}}}};\n{TAIL}"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(source_of([Path(name) for name in sys.argv[2:]]))
