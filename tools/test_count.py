"""Counts the cases of a `meson test` run: what passed, what failed and how it is replayed, what was
not run.

GoogleTest programs are counted case by case from their XML, TAP programs check by check, others as
one. A program that crashed, hung or wrote no result has failed once more than what it told.
"""

import dataclasses
import json
import re
import shlex
import xml.etree.ElementTree as xml
from pathlib import Path

GOOD = ("OK", "EXPECTEDFAIL")


@dataclasses.dataclass
class Failure:
    what: str  # Program and case.
    why: str  # One line.
    replay: str  # A command for the shell, from the root of the repository.


@dataclasses.dataclass
class Count:
    passed: int = 0
    failures: list = dataclasses.field(default_factory=list)
    not_run: list = dataclasses.field(default_factory=list)  # Lines to be said aloud.

    @property
    def failed(self):
        return len(self.failures)

    def add(self, other):
        self.passed += other.passed
        self.failures += other.failures
        self.not_run += other.not_run


@dataclasses.dataclass(frozen=True)
class Test:
    """A test as meson knows it."""

    name: str
    protocol: str
    suites: tuple
    command: tuple

    @property
    def optional(self):
        return "optional" in self.suites


def known_tests(build):
    """The tests of a configured build directory, by name."""
    tests = {}
    for entry in json.loads((build / "meson-info" / "intro-tests.json").read_text()):
        suites = tuple(suite.split(":")[-1] for suite in entry["suite"])
        if entry["name"] in tests:
            raise ValueError(f"two tests are called '{entry['name']}': their results would overwrite"
                             " each other; rename one")
        tests[entry["name"]] = Test(entry["name"], entry["protocol"], suites, tuple(entry["cmd"]))
    return tests


def gtest_result(build, name):
    """Where meson lets a GoogleTest program write its XML."""
    return build / f"{name}.xml"


def forget_results(build, names):
    """Removes what an earlier run left, so that it can't be taken for this one's."""
    for name in names:
        gtest_result(build, name).unlink(missing_ok=True)
    for log in (build / "meson-logs").glob("testlog*"):
        log.unlink()


def count(build, tests, shown=None):
    """Counts the run of `tests` (by name) in `build`, which is called `shown` in commands."""
    shown = shown or str(build)
    total = Count()
    results = {}
    log = build / "meson-logs" / "testlog.json"
    if log.exists():
        for line in log.read_text(errors="replace").splitlines():
            entry = json.loads(line)
            results[entry["name"].split(" / ")[-1]] = entry
    for name, test in tests.items():
        again = shlex.join(["meson", "test", "-C", shown, "--print-errorlogs", name])
        entry = results.get(name)
        if entry is None:
            total.failures.append(Failure(name, "NO RESULT: it was not run", again))
        elif test.protocol == "gtest":
            total.add(_count_gtest(build, test, entry, again))
        elif test.protocol == "tap":
            total.add(_count_tap(test, entry, again))
        else:
            total.add(_count_program(test, entry, again))
    return total


def _count_program(test, entry, again):
    if entry["result"] in GOOD:
        return Count(passed=1)
    if entry["result"] == "SKIP":
        return _skipped(test, test.name, "it says so", again)
    return Count(failures=[Failure(test.name, _end_of(entry), again)])


def _count_tap(test, entry, again):
    total = Count()
    planned = False
    lines = (entry["stdout"] or "").splitlines()
    for line, next_line in zip(lines, lines[1:] + [""]):
        planned = planned or re.match(r"1\.\.\d+", line) is not None
        found = re.match(r"(ok|not ok)\b\s*\d*\s*-?\s*([^#]*)(?:#\s*(SKIP)\b\s*(.*))?", line)
        if not found:
            continue
        verdict, case, directive, reason = found.groups()
        what = f"{test.name}: {case.strip()}"
        if directive == "SKIP":
            total.add(_skipped(test, what, reason, again))
        elif verdict == "ok":
            total.passed += 1
        else:
            why = next_line.removeprefix("# ") if next_line.startswith("# ") else "not ok"
            total.failures.append(Failure(what, why, again))
    if entry["result"] == "SKIP" and not total.not_run:
        total.add(_skipped(test, test.name, "it reported no check", again))
    elif entry["result"] not in GOOD and entry["result"] != "SKIP" and (
            not total.failures or not planned or entry["returncode"] not in (0, 1)):
        total.failures.append(Failure(test.name, _end_of(entry), again))
    return total


def _count_gtest(build, test, entry, again):
    total = Count()
    program = shlex.quote(_shown_program(test))
    try:
        cases = list(xml.parse(gtest_result(build, test.name)).iter("testcase"))
    except (FileNotFoundError, xml.ParseError):
        why = _end_of(entry)
        if entry["result"] in GOOD:
            why = "it wrote no result"
        elif entry["result"] == "SKIP":
            return _skipped(test, test.name, "it says so", again)
        return Count(failures=[Failure(test.name, f"{why}; its cases are not counted", again)])
    for case in cases:
        name = f"{case.get('classname')}.{case.get('name')}"
        what = f"{test.name}: {name}"
        replay = f"{program} --gtest_filter={shlex.quote(name)}"
        skipped = case.find("skipped")
        failure = case.find("failure")
        if failure is None:
            failure = case.find("error")
        if failure is not None:
            told = " ".join((failure.get("message") or "failed").split())
            total.failures.append(Failure(what, told[:160], replay))
        elif skipped is not None or case.get("result") == "skipped":
            told = (skipped.get("message") if skipped is not None else "") or ""
            total.add(_skipped(test, what, " ".join(told.split()), replay))
        elif case.get("status") == "notrun" or case.get("result") == "suppressed":
            total.add(_skipped(test, what, "it is disabled", replay))
        else:
            total.passed += 1
    if entry["result"] not in GOOD and entry["result"] != "SKIP" and not total.failures:
        total.failures.append(Failure(test.name, f"{_end_of(entry)}, after its cases", again))
    if not cases:
        total.failures.append(Failure(test.name, "it has no case", again))
    return total


def _skipped(test, what, reason, again):
    """Not run is failed, unless the test is optional or the skip says `optional: …`."""
    line = f"NOT RUN: {what}: {reason or 'no reason given'}"
    if test.optional or "optional:" in reason:
        return Count(not_run=[line + " (optional)"])
    return Count(not_run=[line], failures=[Failure(what, f"NOT RUN: {reason}", again)])


def _end_of(entry):
    """How a program ended, in words."""
    code = entry["returncode"]
    if entry["result"] == "TIMEOUT":
        return "it did not end in time"
    if isinstance(code, int) and code < 0:
        return f"it was killed by signal {-code}"
    return f"it ended with status {code}"


def _shown_program(test):
    """The program's path from the current folder, if it lies below."""
    path = Path(test.command[0])
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
