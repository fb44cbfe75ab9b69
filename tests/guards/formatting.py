"""Tracked sources look as clang-format 19 and .clang-format want them."""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import guard
from guard import Plant, Violation

RULES = {"formatting": "tracked sources are as clang-format-19 writes them"}

_STYLE = (Path(__file__).resolve().parents[2] / ".clang-format").read_text()
_BATCH = 16


def check(root):
    tool = shutil.which("clang-format-19")
    if tool is None:
        return [Violation(".clang-format", 1, "formatting",
                          "NOT CHECKED: clang-format-19 NOT FOUND; run tools/install-packages test")]
    paths = [path for path in guard.project_files(root, tracked_only=True)
             if path.endswith(guard.CPP_SUFFIXES)]
    batches = [paths[i:i + _BATCH] for i in range(0, len(paths), _BATCH)]
    found = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for done in pool.map(lambda batch: subprocess.run(
                [tool, "--dry-run", "-Werror", *batch], cwd=root, capture_output=True, text=True,
                errors="replace"), batches):
            lines = {}
            for path, line in re.findall(r"^(\S+?):(\d+):\d+: error: ", done.stderr, re.MULTILINE):
                lines.setdefault(path, int(line))
            found += [Violation(path, line, "formatting", f"run clang-format-19 -i {path}")
                      for path, line in lines.items()]
            if done.returncode != 0 and not lines:
                found.append(Violation(".clang-format", 1, "formatting", done.stderr.strip()))
    return found


SELF_TESTS = (
    Plant("a badly indented line", "formatting",
          {".clang-format": _STYLE, "engine/types/a.cpp": "int f() {\n      return 1;\n}\n"}),
    Plant("a line of more than 100 columns", "formatting",
          {".clang-format": _STYLE,
           "engine/types/a.cpp": f"int f(int {'a' * 60}, int {'b' * 60}) {{\n  return 1;\n}}\n"}),
    Plant("formatted code", None,
          {".clang-format": _STYLE, "engine/types/a.cpp": "int f() { return 1; }\n"}),
)

if __name__ == "__main__":
    sys.exit(guard.run(RULES, check, SELF_TESTS))
