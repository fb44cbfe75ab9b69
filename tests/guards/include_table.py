"""Who may include whom: the table of the design document, as data.

Includes are transitive along the table: what a folder may include includes what that one may.
A row that ends in /* is a group: its folders may include each other, as long as no two include each
other in a circle, since each is a library of its own.
"""

import re
import sys

import cpp_text
import guard
from guard import Plant, Violation

RULES = {
    "include-table": "a folder includes only what the table allows",
    "include-from-root": "includes of the project are written from its root, in quotes",
    "unknown-folder": "every source lies in a folder of the table",
    "include-circle": "no folders include each other in a circle",
    "pure-includes": "a pure file includes only types and other pure files",
    "pure-coroutine": "a pure file has no coroutine",
    "outside-include": "no header of the operating system outside the Linux arm, tools and tests",
}

# Folder or group -> what it may include. "engine" and "sim" stand for all their folders, "engine"
# without engine/linux: only the composition roots know which world it is.
TABLE = {
    "engine/types": [],
    "engine/runtime": ["engine/types"],
    "engine/wire": ["engine/runtime"],
    "engine/store": ["engine/wire"],
    "engine/raft": ["engine/types"],
    "engine/replication": ["engine/store", "engine/raft"],
    "engine/controller": ["engine/wire", "engine/raft"],
    "engine/nameserver": ["engine/wire"],
    "engine/client": ["engine/wire"],
    "engine/broker": ["engine/replication"],
    "engine/fencing": ["engine/wire"],
    "engine/linux": ["engine/runtime"],
    "sim/*": ["engine/runtime"],
    "faults/plan": ["engine/types"],
    "faults/nemesis": ["faults/plan"],
    "faults/on_sim": ["faults/plan", "sim"],
    "faults/on_linux": ["faults/plan", "engine/linux"],
    "reports/record": ["engine/types"],
    "reports/*": ["reports/record"],
    "scenarios/world_sim": ["scenarios/*", "sim", "faults/on_sim"],
    "scenarios/world_linux": ["scenarios/*", "engine/linux", "faults/on_linux"],
    "scenarios/*": ["engine", "faults/plan", "reports/*"],
    "tools/*": ["everything"],
    "tests/*": ["everything", "tools/*"],  # tests/fuzz calls commands.
}
# Nobody else includes these.
CLOSED = ("tools", "tests")
# Folders whose every file is pure; other pure files open with a comment `// Pure: …`.
PURE_FOLDERS = ("engine/raft",)

# Headers that reach around the seam; where they are allowed.
OUTSIDE_HEADERS = re.compile(
    r"<(?:thread|mutex|shared_mutex|condition_variable|future|semaphore|latch|barrier|stop_token"
    r"|random|filesystem|fstream|iostream|csignal|signal\.h|ctime|time\.h|unistd\.h|fcntl\.h"
    r"|pthread\.h|sched\.h|poll\.h|dirent\.h|netdb\.h|ifaddrs\.h|dlfcn\.h|liburing\.h"
    r"|(?:sys|linux|net|netinet|arpa|asm)/[^>]*|boost/asio[^>]*)>")
MAY_REACH_OUTSIDE = ("engine/linux/", "faults/on_linux/", "scenarios/world_linux/", "tools/", "tests/")

_INCLUDE = re.compile(r'#\s*include\s*([<"])([^>"]+)[>"]')
_COROUTINE = re.compile(r"\b(?:co_await|co_return|co_yield)\b|\bTask\s*<|<coroutine>")


def folder_of(path):
    """The second-level folder; tools and tests count as one folder each."""
    parts = path.split("/")
    if parts[0] in CLOSED:
        return f"{parts[0]}/*"
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def _row(folder):
    """The row of the table for a folder, or None."""
    if folder in TABLE:
        return folder
    group = folder.split("/")[0] + "/*"
    return group if "/" in folder and group in TABLE else None


def allowed_rows(folder):
    """The rows of the table whose folders `folder` may include; its own among them if it is a
    group or the folder itself."""
    everything = {row for row in TABLE if row.split("/")[0] not in CLOSED}
    meaning = {
        "everything": everything,
        "engine": {row for row in everything if row.startswith("engine/")} - {"engine/linux"},
        "sim": {"sim/*"},
    }
    reached, pending = set(), {_row(folder)}
    while pending:
        row = pending.pop()
        reached.add(row)
        for name in TABLE[row]:
            pending |= meaning.get(name, {name}) - reached
    return reached


def _circles(edges):
    """Folders that reach themselves over others; each circle once."""
    circles = set()
    for start in edges:
        path_to = {start: (start,)}
        pending = [start]
        while pending:
            here = pending.pop()
            for there in sorted(edges.get(here, ())):
                if there == start and here != start:
                    ring = path_to[here]
                    smallest = ring.index(min(ring))
                    circles.add(ring[smallest:] + ring[:smallest])
                elif there not in path_to:
                    path_to[there] = path_to[here] + (there,)
                    pending.append(there)
    return circles


def check(root):
    found = []
    paths = guard.cpp_sources(root)
    texts = {path: cpp_text.CppText(guard.read(root, path)) for path in paths}
    pure = {path for path in paths
            if folder_of(path) in PURE_FOLDERS
            or texts[path].text.lstrip().startswith("// Pure:")}
    edges = {}
    for path in paths:
        folder = folder_of(path)
        if _row(folder) is None:
            found.append(Violation(path, 1, "unknown-folder",
                                   f"{folder} is not in the table: move the file to a folder of the"
                                   " table, or add a row to tests/guards/include_table.py and to"
                                   " the design"))
            continue
        may = allowed_rows(folder)
        for directive in texts[path].directives:
            include = _INCLUDE.match(directive.text)
            if include is None:
                continue
            quote, target = include.groups()
            top = target.split("/")[0]
            if quote == "<":
                if top in guard.SOURCE_FOLDERS and "/" in target:
                    found.append(Violation(path, directive.line, "include-from-root",
                                           f'write #include "{target}"'))
                elif OUTSIDE_HEADERS.match(f"<{target}>") \
                        and not path.startswith(MAY_REACH_OUTSIDE):
                    found.append(Violation(path, directive.line, "outside-include",
                                           f"<{target}> reaches around the seam: use what"
                                           " engine/runtime offers"))
                continue
            if top not in guard.SOURCE_FOLDERS or ".." in target.split("/") or "/" not in target:
                found.append(Violation(path, directive.line, "include-from-root",
                                       f'"{target}": write the path from the root of the'
                                       ' repository, or <…> for a library'))
                continue
            there = folder_of(target)
            if _row(there) is None:
                found.append(Violation(path, directive.line, "unknown-folder",
                                       f'"{target}": {there} is not in the table'))
                continue
            if _row(there) not in may:
                found.append(Violation(path, directive.line, "include-table",
                                       f"{folder} may not include {there}; it may include"
                                       f" {', '.join(sorted(may - {folder})) or 'nothing else'}"))
            elif there != folder:
                edges.setdefault(folder, set()).add(there)
            if path in pure and there != "engine/types" and target not in pure:
                found.append(Violation(path, directive.line, "pure-includes",
                                       f'"{target}" is neither in engine/types nor pure: hand its'
                                       " data in as values"))
        if path in pure:
            for line, code in enumerate(texts[path].code_lines):
                if _COROUTINE.search(code):
                    found.append(Violation(path, line, "pure-coroutine",
                                           "pure code decides; put the waiting into a coroutine that"
                                           " calls it"))
    for circle in sorted(_circles(edges)):
        found.append(Violation(circle[0], 1, "include-circle",
                               " -> ".join(circle + circle[:1]) + ": move what they share down"))
    return found


def _one(path, text):
    return {path: text + "\n"}


SELF_TESTS = (
    Plant("a layer that looks up", "include-table",
          _one("engine/types/a.hpp", '#include "engine/runtime/task.hpp"')),
    Plant("an engine that knows its world", "include-table",
          _one("engine/store/a.cpp", '#include "sim/kernel/kernel.hpp"')),
    Plant("an engine that knows Linux", "include-table",
          _one("engine/broker/a.cpp", '#include "engine/linux/file.hpp"')),
    Plant("a scenario that knows its world", "include-table",
          _one("scenarios/runner/a.cpp", '#include "sim/kernel/kernel.hpp"')),
    Plant("a scenario that includes a composition root", "include-table",
          _one("scenarios/runner/a.cpp", '#include "scenarios/world_sim/world.hpp"')),
    Plant("a checker that asks the engine", "include-table",
          _one("reports/loss/a.cpp", '#include "engine/store/commit_log.hpp"')),
    Plant("a plan that knows its injector", "include-table",
          _one("faults/plan/a.hpp", '#include "faults/on_sim/injector.hpp"')),
    Plant("a broker that skips its client", "include-table",
          _one("engine/broker/a.cpp", '#include "engine/client/producer.hpp"')),
    Plant("code that includes a tool", "include-table",
          _one("scenarios/runner/a.cpp", '#include "tools/cli/run.hpp"')),
    Plant("code that includes a test", "include-table",
          _one("sim/net/a.cpp", '#include "tests/unit/helper.hpp"')),
    Plant("a violation behind a comment", "include-table",
          _one("engine/types/a.hpp", '/* x */ #include /* y */ "engine/wire/frame.hpp"  // z')),
    Plant("an include of a neighbour", "include-from-root",
          _one("engine/store/a.cpp", '#include "commit_log.hpp"')),
    Plant("an include that climbs", "include-from-root",
          _one("engine/store/a.cpp", '#include "../types/ids.hpp"')),
    Plant("an include that climbs in the middle", "include-from-root",
          _one("engine/types/a.cpp", '#include "engine/types/../wire/frame.hpp"')),
    Plant("an include of the project in angles", "include-from-root",
          _one("engine/store/a.cpp", "#include <engine/types/ids.hpp>")),
    Plant("a source in an unknown folder", "unknown-folder", _one("engine/magic/a.hpp", "")),
    Plant("a source above the folders", "unknown-folder", _one("engine/a.hpp", "")),
    Plant("an include of an unknown folder", "unknown-folder",
          _one("engine/store/a.cpp", '#include "engine/magic/a.hpp"')),
    Plant("two folders that include each other", "include-circle",
          {"sim/disk/a.hpp": '#include "sim/fs/b.hpp"\n', "sim/fs/b.hpp": '#include "sim/disk/a.hpp"\n'}),
    Plant("a circle of three", "include-circle",
          {"sim/disk/a.hpp": '#include "sim/fs/b.hpp"\n', "sim/fs/b.hpp": '#include "sim/net/c.hpp"\n',
           "sim/net/c.hpp": '#include "sim/disk/a.hpp"\n'}),
    Plant("a pure file that includes the seam", "pure-includes",
          _one("engine/store/a.hpp", '// Pure: decides.\n#include "engine/runtime/task.hpp"')),
    Plant("a pure folder that includes an impure file", "pure-includes",
          {"engine/store/a.cpp": '// Pure: decides.\n#include "engine/store/b.hpp"\n',
           "engine/store/b.hpp": "int b();\n"}),
    Plant("a pure file that awaits", "pure-coroutine",
          _one("engine/store/a.cpp", "// Pure: decides.\nvoid f() { co_await x; }")),
    Plant("a pure folder that returns a task", "pure-coroutine",
          _one("engine/raft/a.hpp", "Task<int> f();")),
    Plant("an engine with threads", "outside-include",
          _one("engine/store/a.cpp", "#include <thread>")),
    Plant("a simulation with files", "outside-include", _one("sim/disk/a.cpp", "#include <sys/mman.h>")),
    Plant("Asio outside the Linux arm", "outside-include",
          _one("engine/wire/a.cpp", "#include <boost/asio/ip/tcp.hpp>")),

    Plant("what the table allows, transitively", None,
          {"engine/broker/a.cpp": '#include "engine/types/ids.hpp"\n#include "engine/raft/log.hpp"\n'
                                  '#include "engine/store/x.hpp"\n#include "engine/wire/frame.hpp"\n',
           "sim/fs/a.cpp": '#include "sim/disk/d.hpp"\n#include "engine/runtime/task.hpp"\n',
           "faults/on_sim/a.cpp": '#include "sim/kernel/k.hpp"\n#include "faults/plan/p.hpp"\n',
           "scenarios/world_sim/a.cpp": '#include "sim/kernel/k.hpp"\n#include "scenarios/schema/s.hpp"\n'
                                        '#include "engine/broker/b.hpp"\n',
           "scenarios/runner/a.cpp": '#include "scenarios/schema/s.hpp"\n#include "reports/loss/l.hpp"\n',
           "scenarios/schema/s.hpp": '#include "reports/record/r.hpp"\n',
           "reports/loss/l.hpp": '#include "reports/record/r.hpp"\n#include "engine/types/ids.hpp"\n',
           "tools/cli/run.cpp": '#include "tools/cli/run.hpp"\n#include "scenarios/world_sim/w.hpp"\n',
           "tests/unit/a.cpp": '#include "tests/unit/h.hpp"\n#include "sim/kernel/k.hpp"\n',
           "engine/linux/a.cpp": '#include <boost/asio.hpp>\n#include <sys/mman.h>\n#include <thread>\n',
           }),
    Plant("pure files that include types and each other", None,
          {"engine/store/a.cpp": '// Pure: decides.\n#include "engine/store/b.hpp"\n'
                                 '#include "engine/types/ids.hpp"\n#include <vector>\n',
           "engine/store/b.hpp": "// Pure: a decision.\nint b();\n"}),
    Plant("an include in a comment or a string", None,
          _one("engine/types/a.hpp", '// #include "sim/kernel/kernel.hpp"\n'
                                     'const char* k = "#include \\"sim/kernel/kernel.hpp\\"";')),
)

if __name__ == "__main__":
    sys.exit(guard.run(RULES, check, SELF_TESTS))
