"""What all guards share: which files there are, what a violation is, how a guard is run and tested.

A guard is a module with
  RULES       {name: what it holds}
  check(root) the violations in the tree at `root`
  SELF_TESTS  planted trees: each bad one must be caught by the named rule, each good one by none.
`run` reports one TAP line per rule and per self test.
"""

import argparse
import dataclasses
import subprocess
import sys
import tempfile
from pathlib import Path

import tap

CPP_SUFFIXES = (".hpp", ".cpp")
SOURCE_FOLDERS = ("engine", "sim", "faults", "reports", "scenarios", "tools", "tests")


@dataclasses.dataclass(frozen=True)
class Violation:
    path: str  # From the root of the tree.
    line: int
    rule: str
    message: str  # What is wrong, and what to write instead.

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"


@dataclasses.dataclass(frozen=True)
class Plant:
    """A tree of files that a guard is tried on; `rule` None: nothing may be found."""

    name: str
    rule: str | None
    files: dict


def project_files(root, tracked_only=False):
    """Paths from `root`, sorted: git's files; in a tree without git all but hidden and built ones.
    Not yet added files count too, unless `tracked_only`."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached"]
    if not tracked_only:
        command += ["--others", "--exclude-standard"]
    listed = None
    if (root / ".git").exists():
        listed = subprocess.run(command, capture_output=True, text=True)
        if listed.returncode != 0:
            sys.exit(f"git can't list the files of {root}: {listed.stderr.strip()}")
        paths = listed.stdout.split("\0")
    else:
        paths = [str(p.relative_to(root)) for p in root.rglob("*")
                 if not any(part.startswith((".", "build", "__pycache__"))
                            for part in p.relative_to(root).parts)]
    return sorted({path for path in paths if path and (root / path).is_file()})


def cpp_sources(root, folders=SOURCE_FOLDERS):
    """The C++ files that we lint. What tests/compiler/refused holds is bad on purpose."""
    return [path for path in project_files(root)
            if path.endswith(CPP_SUFFIXES) and path.split("/")[0] in folders
            and not path.startswith("tests/compiler/refused/")]


def read(root, path):
    return (root / path).read_text(encoding="utf-8", errors="replace")


def plant(files, root):
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def violations_of_plant(check, files):
    with tempfile.TemporaryDirectory(prefix="drydock-guard-") as folder:
        root = Path(folder)
        plant(files, root)
        return check(root)


def run_self_tests(report, check, plants):
    for case in plants:
        found = violations_of_plant(check, case.files)
        rules = {violation.rule for violation in found}
        listing = "\n".join(map(str, found)) or "found nothing"
        if case.rule is None:
            report.check(f"accepts {case.name}", not found, listing)
        else:
            report.check(f"catches {case.name}", case.rule in rules, listing)


def run(rules, check, plants, self_test_check=None):
    """main() of a guard; `self_test_check`: where the plants need another call than the tree."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    root = parser.parse_args().root.resolve()
    report = tap.Report()
    found = check(root)
    for rule, holds in rules.items():
        mine = [violation for violation in found if violation.rule == rule]
        report.check(f"{rule}: {holds}", not mine, "\n".join(map(str, mine)))
    strays = [violation for violation in found if violation.rule not in rules]
    report.check("every violation belongs to a rule", not strays, "\n".join(map(str, strays)))
    untested = sorted(set(rules) - {case.rule for case in plants})
    report.check("every rule has a planted violation", not untested, ", ".join(untested))
    run_self_tests(report, self_test_check or check, plants)
    return report.finish()
