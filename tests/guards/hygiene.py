"""What tracked text must not hold: paths of somebody's machine, hosts of package registries, work
left undone without an issue.

The words are put together from pieces here, so that this file needs no exception of its own.
"""

import re
import sys

import guard
from guard import Plant, Violation

RULES = {
    "machine-path": "no path of one machine",
    "registry-host": "no host of a package registry",
    "todo-without-issue": "a TO-DO carries the number of its issue",
    "fix-me": "nothing lands that asks to be fixed",
    "merge-conflict": "no marks of a merge",
    "long-binary": "no built or binary file",
}

_TODO, _FIXME = "TO" + "DO", "FIX" + "ME"
_FOLDERS = ("work", "root", "home", "Users")
_PATTERNS = (
    ("machine-path", re.compile(rf"(?<![\w.\-~$}})>/])/(?:{'|'.join(_FOLDERS)})/[\w.]"),
     "write a path from the root of the repository"),
    ("registry-host", re.compile(r"\b(?:deb\.debian|registry\.npmjs|repo1?\.maven|pypi|crates"
                                 r"|files\.pythonhosted|proxy\.golang|index\.docker)\.(?:org|io|apache\.org)\b"),
     "name the package; the machine knows where it comes from"),
    ("todo-without-issue", re.compile(rf"\b{_TODO}\b(?!\s*\(?#\d+)"),
     f"write {_TODO}(#123), or finish it"),
    ("fix-me", re.compile(rf"\b{_FIXME}\b"), "mend it before it lands"),
    ("merge-conflict", re.compile(r"^(?:<{7} |>{7} |={7}$)"), "resolve the conflict"),
)
# The licence is not ours to edit.
_NOT_OURS = ("LICENSE",)


def check(root):
    found = []
    for path in guard.project_files(root, tracked_only=True):
        if path in _NOT_OURS:
            continue
        if b"\0" in (root / path).read_bytes()[:4096]:
            if not path.startswith("docs/"):
                found.append(Violation(path, 1, "long-binary",
                                       "keep built and binary files out of the repository"))
            continue
        for number, line in enumerate(guard.read(root, path).splitlines(), 1):
            for rule, pattern, remedy in _PATTERNS:
                if pattern.search(line):
                    found.append(Violation(path, number, rule, f"`{line.strip()[:80]}`: {remedy}"))
    return found


def _line(name, rule, text, path="docs/a.md"):
    return Plant(name, rule, {path: text + "\n"})


SELF_TESTS = (
    _line("a path of a build machine", "machine-path", "see " + "/wor" + "k/main/a.hpp"),
    _line("a home", "machine-path", 'const char* k = "' + "/ho" + 'me/me/store";', "engine/types/a.cpp"),
    _line("the administrator's home", "machine-path", "path=" + "/ro" + "ot/store", "docs/broker.conf"),
    _line("a registry", "registry-host", "get it from https://" + "py" + "pi.org/x"),
    _line("a bare to-do", "todo-without-issue", "// " + _TODO + ": later", "sim/net/a.cpp"),
    _line("a to-do with a name only", "todo-without-issue", "// " + _TODO + "(me): later"),
    _line("a fix-me", "fix-me", "# " + _FIXME, "tools/a.py"),
    _line("a merge's mark", "merge-conflict", "<" * 7 + " HEAD"),
    _line("a binary", "long-binary", "\0\1\2", "tools/a.bin"),
    _line("a to-do with an issue", None, "// " + _TODO + "(#12): shrink plans, see net" + "/wor" + "k/x"),
    _line("words that look alike", None, "SCHEDULE_TOPIC_XX" + "XX, the home/root folder, ${ROOT}/wor"
          + "k/x, docs/wor" + "k/x"),
)

if __name__ == "__main__":
    sys.exit(guard.run(RULES, check, SELF_TESTS))
