"""Writes a C++ source that holds files as texts, so that the program needs none of them when it runs.

    python3 sim/profiles/embed.py OUTPUT HEADER FUNCTION FILE...

HEADER declares FUNCTION, written as drydock::sim::embedded_files, which returns them.
"""

import sys
from pathlib import Path

SOURCE = """\
// Written by sim/profiles/embed.py.
#include "{header}"

#include <array>

namespace {space} {{
namespace {{

constexpr std::array<drydock::sim::EmbeddedFile, {count}> kFiles{{{{
{rows}}}}};

}}  // namespace

std::span<const drydock::sim::EmbeddedFile> {function}() {{ return kFiles; }}

}}  // namespace {space}
"""


def row_of(name, text):
    # With its length: to count it would exceed what a compiler evaluates of constants.
    return f'    {{"{name}", {{R"embedded({text})embedded", {len(text.encode())}}}}},\n'


def source_of(header, name, paths):
    space, function = name.rsplit("::", 1)
    rows = "".join(row_of(path.name, path.read_text()) for path in paths)
    return SOURCE.format(header=header, space=space, function=function, count=len(paths), rows=rows)


if __name__ == "__main__":
    output, header, name, *files = sys.argv[1:]
    Path(output).write_text(source_of(header, name, [Path(file) for file in files]))
