"""Every header compiles alone: it includes what it uses, whatever came before it.

A header that is the first include of its own source is proven by the build of that source (told by
--build). The others are compiled here, as small sources, so that ccache may remember them.
"""

import argparse
import concurrent.futures
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import cpp_text
import guard
from guard import Plant, Violation

RULES = {"header-alone": "every header outside tests compiles alone"}


def _compile(root, work, path):
    source = work / (path.replace("/", "-") + ".cpp")
    text = f'#include "{path}"\n'
    if not source.exists() or source.read_text() != text:
        source.write_text(text)
    ccache = [shutil.which("ccache")] if shutil.which("ccache") else []
    return subprocess.run(
        [*ccache, shutil.which("g++-12") or "g++", "-std=c++2b", "-O0", "-I", str(root), "-c",
         str(source), "-o", str(source.with_suffix(".o"))],
        capture_output=True, text=True, errors="replace")


def _proven_by_build(root, build):
    """Headers that are the first include of their own source, where the build compiles that."""
    compiled = {os.path.normpath(os.path.join(entry["directory"], entry["file"]))
                for entry in json.loads((build / "compile_commands.json").read_text())}
    proven = set()
    for path in guard.cpp_sources(root):
        if path.endswith(".cpp") and str(root / path) in compiled:
            directives = cpp_text.CppText(guard.read(root, path)).directives
            header = path[:-len(".cpp")] + ".hpp"
            if directives and directives[0].text == f'#include "{header}"':
                proven.add(header)
    return proven


def check(root, build=None, work=None):
    if work is None:
        with tempfile.TemporaryDirectory(prefix="drydock-guard-") as folder:
            return check(root, build, Path(folder))
    work.mkdir(parents=True, exist_ok=True)
    proven = _proven_by_build(root, build) if build else set()
    headers = [path for path in guard.cpp_sources(root)
               if path.endswith(".hpp") and not path.startswith("tests/") and path not in proven]
    found = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for path, done in zip(headers, pool.map(lambda path: _compile(root, work, path), headers)):
            if done.returncode != 0:
                first = next((line for line in done.stderr.splitlines() if "error" in line),
                             done.stderr.strip())
                found.append(Violation(path, 1, "header-alone",
                                       f"include what it uses: {first.replace(str(root) + '/', '')}"))
    return found


SELF_TESTS = (
    Plant("a header that lives by its includer", "header-alone",
          {"engine/types/a.hpp": "#pragma once\ninline std::size_t f() { return 1; }\n"}),
    Plant("a header that names a type of its neighbour", "header-alone",
          {"engine/types/a.hpp": "#pragma once\nstruct A {};\n",
           "engine/types/b.hpp": "#pragma once\nstruct B { A a; };\n"}),
    Plant("headers that include what they use", None,
          {"engine/types/a.hpp": "#pragma once\n#include <cstddef>\ninline std::size_t f() { return 1; }\n",
           "engine/types/b.hpp": '#pragma once\n#include "engine/types/a.hpp"\n'
                                 "inline std::size_t g() { return f(); }\n"}),
)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, help="meson's build directory")
    options, others = parser.parse_known_args()
    sys.argv[1:] = others
    build = options.build.resolve() if options.build else None
    work = build / "tests" / "guards" / "headers" if build else None
    return guard.run(RULES, functools.partial(check, build=build, work=work), SELF_TESTS,
                     self_test_check=check)


if __name__ == "__main__":
    sys.exit(main())
