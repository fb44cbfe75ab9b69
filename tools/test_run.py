"""What tools/test does, once the packages are there. See there."""

import argparse
import dataclasses
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
import traceback
from pathlib import Path

import test_count
from test_count import Count, Failure

ROOT = Path(__file__).resolve().parents[1]
FINGERPRINT = "tests/fingerprint/drydock-fingerprint"
JOBS = os.cpu_count() or 1
KINDS = {"unit", "contract", "property", "drills", "golden", "guards", "compiler", "fingerprint",
         "interop", "fuzz", "kernel", "bench"}


@dataclasses.dataclass(frozen=True)
class Configuration:
    name: str
    folder: str  # Below build/.
    compiler: str
    options: tuple
    suites: tuple | None  # Which suites are run; None: all, and everything is built.
    patience: int = 1  # Multiplies the tests' time-outs.
    without: tuple = ()  # Suites that are not run.

    @property
    def build(self):
        return ROOT / "build" / self.folder

    @property
    def shown(self):
        return f"build/{self.folder}"


GCC = Configuration("g++ -O2", "test-gcc", "g++-12", ("-Doptimization=2", "-Ddebug=false"), None,
                    without=("interop",))
# Against Apache RocketMQ itself, with the same build: a step of its own, since it needs Maven.
INTEROP = dataclasses.replace(GCC, name="interop with RocketMQ", suites=("interop",), without=())
ASAN = Configuration(
    "clang++ -O1 sanitized", "test-asan", "clang++-19",
    ("-Doptimization=1", "-Ddebug=false", "-Db_sanitize=address,undefined",
     "-Dcpp_args=-gline-tables-only -fno-omit-frame-pointer -fno-sanitize-recover=undefined"),
    ("unit", "contract", "property", "fuzz"), patience=4)
OTHERS = (
    ASAN,
    Configuration("clang++ -O2", "fp-clang-O2", "clang++-19", ("-Doptimization=2", "-Ddebug=false"),
                  ()),
    Configuration("g++ -O0", "fp-gcc-O0", "g++-12", ("-Doptimization=0", "-Ddebug=false"), ()),
)


def say(text=""):
    print(text, flush=True)


def heading(text):
    say(f"\n== {text}")


def run(command, **more):
    """Runs a command whose output people see; its exit status."""
    say("$ " + shlex.join(command))
    return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, **more).returncode


def configure(configuration):
    """A configured build directory, or the reason why there is none."""
    build = configuration.build
    compiler = configuration.compiler
    if shutil.which(compiler) is None:
        return f"{compiler} IS NOT INSTALLED"
    # Named by CXX, meson takes a compiler as it is: ccache has to be said.
    if shutil.which("ccache"):
        compiler = f"ccache {compiler}"
    wanted = "\n".join((compiler, *configuration.options))
    stamp = build / "configured-with"
    if build.exists() and not (stamp.exists() and stamp.read_text() == wanted):
        shutil.rmtree(build)
    if not build.exists():
        status = run(["meson", "setup", configuration.shown, *configuration.options],
                     env={**os.environ, "CXX": compiler})
        if status != 0:
            shutil.rmtree(build, ignore_errors=True)
            return "MESON CAN'T CONFIGURE IT"
        stamp.write_text(wanted)
    # Brings what meson knows up to date when a meson.build has changed.
    if run(["ninja", "-C", configuration.shown, "build.ninja"], stdout=subprocess.DEVNULL) != 0:
        run(["ninja", "-C", configuration.shown, "build.ninja"])
        return "MESON CAN'T CONFIGURE IT AGAIN"
    return None


def files_of_targets(build):
    """{target id: files from the build directory}."""
    targets = json.loads((build / "meson-info" / "intro-targets.json").read_text())
    return {target["id"]: [os.path.relpath(name, build) for name in target["filename"]]
            for target in targets}


def is_built(configuration, files):
    """Is there nothing left to do for these files?"""
    done = subprocess.run(["ninja", "-C", str(configuration.build), "-n", *files],
                          capture_output=True, text=True)
    return done.returncode == 0 and "no work to do" in done.stdout


def run_configuration(configuration):
    """Builds and runs what belongs to a configuration."""
    heading(f"{configuration.name}: configure")
    build = configuration.build
    again = shlex.join(["env", f"CXX={configuration.compiler}", "meson", "setup", configuration.shown,
                        *configuration.options])
    problem = configure(configuration)
    if problem:
        say(f"NOT RUN: {configuration.name}: {problem}")
        return Count(failures=[Failure(configuration.name, problem, again)])

    known = test_count.known_tests(build)
    tests = {name: test for name, test in known.items()
             if (configuration.suites is None or set(test.suites) & set(configuration.suites))
             and not set(test.suites) & set(configuration.without)}
    files = files_of_targets(build)
    depends = {entry["name"]: [file for target in entry["depends"] for file in files[target]]
               for entry in json.loads((build / "meson-info" / "intro-tests.json").read_text())}
    fingerprint = [FINGERPRINT] if any(FINGERPRINT in names for names in files.values()) else []

    heading(f"{configuration.name}: build")
    goals = sorted({file for name in tests for file in depends[name]} | set(fingerprint))
    if configuration.suites is None:
        goals = ["all", *goals]
    total = Count()
    for name, test in known.items():
        if not set(test.suites) & KINDS:
            total.failures.append(Failure(
                name, "its suite names no kind of test, so the sanitizers would never see it",
                f"add suite: 'unit' (or {', '.join(sorted(KINDS - {'unit'}))}) to its meson.build"))
    if goals and run(["ninja", "-C", configuration.shown, "-k", "0", "-j", str(JOBS), *goals]) != 0:
        say(f"NOT ALL OF {configuration.name} COULD BE BUILT")
        replay = shlex.join(["ninja", "-C", configuration.shown])
        total.failures.append(Failure(f"build with {configuration.name}", "a target can't be built",
                                      replay))
        for name in sorted(tests):
            if depends[name] and not is_built(configuration, depends[name]):
                say(f"NOT RUN: {name}: NOT BUILT")
                total.failures.append(Failure(name, "NOT RUN: not built", replay))
                del tests[name]

    if tests:
        heading(f"{configuration.name}: run {len(tests)} tests")
        test_count.forget_results(build, tests)
        run(["meson", "test", "-C", configuration.shown, "--no-rebuild", "--print-errorlogs",
             "--num-processes", str(JOBS), "--timeout-multiplier", str(configuration.patience), *tests])
        counted = test_count.count(build, tests, configuration.shown)
        for failure in counted.failures:
            failure.what += f" ({configuration.name})"
        total.add(counted)
    elif configuration.suites != ():
        say(f"NOT RUN: {configuration.name} HAS NO TESTS")
        total.failures.append(Failure(configuration.name, "NOT RUN: it has no tests", again))
    return total


def fingerprints(configuration, *arguments):
    """(lines, None) of the fingerprint program of a build, or (None, why there are none)."""
    program = configuration.build / FINGERPRINT
    if not program.exists():
        return None, f"{configuration.shown}/{FINGERPRINT} IS NOT BUILT"
    try:
        done = subprocess.run([str(program), *arguments], cwd=ROOT, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=600)
    except subprocess.TimeoutExpired:
        return None, f"{configuration.shown}/{FINGERPRINT} did not end within 600 s"
    if done.returncode != 0:
        say(done.stderr)
        return None, f"{configuration.shown}/{FINGERPRINT} ended with status {done.returncode}"
    if not done.stdout.strip():
        return None, f"{configuration.shown}/{FINGERPRINT} printed no fingerprint"
    return done.stdout, None


def first_difference(expected, got):
    """The first lines that differ, for people."""
    left, right = expected.splitlines(), got.splitlines()
    for i in range(max(len(left), len(right))):
        a = left[i] if i < len(left) else "(no more lines)"
        b = right[i] if i < len(right) else "(no more lines)"
        if a != b:
            return f"`{a}` there, `{b}` here"
    return "they differ in white space"


def compare_fingerprints(others):
    """One check per way to get the fingerprints again: other builds, and other numbers of jobs."""
    heading("fingerprints")
    total = Count()
    started = time.monotonic()
    reference, problem = fingerprints(GCC)
    reference_is = f"{GCC.shown}/{FINGERPRINT}"
    ways = [(f"{GCC.name} with --jobs 4", GCC, ("--jobs", "4"))]
    ways += [(configuration.name, configuration, ()) for configuration in others]
    if problem:
        say(f"NOT RUN: NO FINGERPRINTS TO COMPARE WITH: {problem}")
        total.failures.append(Failure(f"fingerprints of {GCC.name}", problem, reference_is))
        return total
    total.passed += 1
    say(f"{GCC.name}: {len(reference.splitlines())} fingerprints in"
        f" {time.monotonic() - started:.1f} s")
    for name, configuration, arguments in ways:
        what = f"fingerprints of {name} equal those of {GCC.name}"
        command = shlex.join([f"{configuration.shown}/{FINGERPRINT}", *arguments])
        replay = f"diff <({reference_is}) <({command})"
        got, problem = fingerprints(configuration, *arguments)
        if problem:
            say(f"NOT COMPARED: {name}: {problem}")
            total.failures.append(Failure(what, problem, replay))
        elif got != reference:
            difference = first_difference(reference, got)
            say(f"DIFFERENT FINGERPRINTS: {name}: {difference}")
            total.failures.append(Failure(what, difference, replay))
        else:
            say(f"{name}: equal")
            total.passed += 1
    return total


def guarded(part, *arguments):
    """Runs a part; an error of ours is one failure, not the end of the run."""
    started = time.monotonic()
    try:
        total = part(*arguments)
    except Exception as error:  # pylint: disable=broad-except
        traceback.print_exc()
        total = Count(failures=[Failure("tools/test itself", f"{type(error).__name__}: {error}",
                                        "tools/test")])
    say(f"-- {total.passed} passed, {total.failed} failed, {time.monotonic() - started:.0f} s")
    return total


def main():
    parser = argparse.ArgumentParser(prog="tools/test")
    parser.add_argument("--quick", action="store_true", help="g++ -O2 only, without interop")
    options = parser.parse_args()
    others = () if options.quick else OTHERS
    os.chdir(ROOT)
    total = guarded(run_configuration, GCC)
    for configuration in others if options.quick else (INTEROP, *others):
        total.add(guarded(run_configuration, configuration))
    total.add(guarded(compare_fingerprints, others))

    if total.not_run:
        heading("NOT RUN")
        for line in total.not_run:
            say(line)
    if total.failures:
        heading("FAILED")
        for failure in total.failures:
            say(f"{failure.what}: {failure.why}\n    replay: {failure.replay}")
    say(f"\n{total.passed} passed, {total.failed} failed")
    return 1 if total.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
