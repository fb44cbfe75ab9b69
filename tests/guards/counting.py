"""tools/test counts what failed: a crash, a hang, a skip or a missing result is never a pass."""

import json
import sys
import tempfile
from pathlib import Path

import tap

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import test_count  # noqa: E402

XML = ('<testsuites><testsuite name="A">{}</testsuite></testsuites>')
CASE = '<testcase name="{}" classname="A" status="run" result="completed">{}</testcase>'
PASSED = CASE.format("good", "")
FAILED = CASE.format("bad", '<failure message="1 is not&#x0A;2"/>')
SKIPPED = CASE.format("skipped", '<skipped message="{}"/>')
DISABLED = '<testcase name="off" classname="A" status="notrun" result="suppressed"/>'

# (name, protocol, suites, result, return code, output, XML, passed, failed, what a failure tells)
RUNS = (
    ("a good program", "exitcode", "unit", "OK", 0, "", None, 1, 0, ""),
    ("a failing program", "exitcode", "unit", "FAIL", 1, "", None, 0, 1, "status 1"),
    ("a crashing program", "exitcode", "unit", "FAIL", -11, "", None, 0, 1, "signal 11"),
    ("a hanging program", "exitcode", "unit", "TIMEOUT", -15, "", None, 0, 1, "in time"),
    ("a skipping program", "exitcode", "unit", "SKIP", 77, "", None, 0, 1, "NOT RUN"),
    ("an optional program that skips", "exitcode", "optional", "SKIP", 77, "", None, 0, 0, ""),
    ("a program without a result", "exitcode", "unit", None, 0, "", None, 0, 1, "NO RESULT"),
    ("good cases", "gtest", "unit", "OK", 0, "", PASSED * 3, 3, 0, ""),
    ("good and bad cases", "gtest", "unit", "FAIL", 1, "", PASSED * 2 + FAILED, 2, 1, "1 is not 2"),
    ("cases that crash", "gtest", "unit", "FAIL", -6, "", None, 0, 1, "signal 6"),
    ("cases without XML", "gtest", "unit", "OK", 0, "", None, 0, 1, "no result"),
    ("torn XML", "gtest", "unit", "OK", 0, "", "<testcase", 0, 1, "no result"),
    ("a leak after the cases", "gtest", "unit", "FAIL", 1, "", PASSED, 1, 1, "after its cases"),
    ("no cases", "gtest", "unit", "OK", 0, "", "", 0, 1, "no case"),
    ("a skipped case", "gtest", "unit", "OK", 0, "", PASSED + SKIPPED.format("no ring"), 1, 1, "no ring"),
    ("an optional skip", "gtest", "unit", "OK", 0, "", PASSED + SKIPPED.format("optional: no disk"), 1, 0,
     ""),
    ("a disabled case", "gtest", "unit", "OK", 0, "", PASSED + DISABLED, 1, 1, "disabled"),
    ("checks", "tap", "guards", "OK", 0, "ok 1 - a\nok 2 - b\n1..2\n", None, 2, 0, ""),
    ("a failing check", "tap", "guards", "ERROR", 1, "ok 1 - a\nnot ok 2 - b\n# because\n1..2\n", None,
     1, 1, "because"),
    ("checks that end early", "tap", "guards", "ERROR", 1, "ok 1 - a\n", None, 1, 1, "status 1"),
    ("a failing check that ends early", "tap", "guards", "ERROR", 1, "not ok 1 - a\n", None, 0, 2, ""),
    ("checks that crash at the end", "tap", "guards", "ERROR", -11, "ok 1 - a\nnot ok 2 - b\n1..2\n",
     None, 1, 2, ""),
    ("a skipped check", "tap", "guards", "OK", 0, "ok 1 - a # SKIP no disk\n1..1\n", None, 0, 1,
     "no disk"),
    ("no checks", "tap", "guards", "SKIP", 0, "1..0\n", None, 0, 1, "no check"),
)


def write_build(build, run):
    name, protocol, suite, result, code, output, cases, *_ = run
    (build / "meson-info").mkdir()
    (build / "meson-logs").mkdir()
    (build / "meson-info" / "intro-tests.json").write_text(json.dumps(
        [{"name": name, "protocol": protocol, "suite": [f"drydock:{suite}"],
          "cmd": [str(build / "program")]}]))
    if result is not None:
        (build / "meson-logs" / "testlog.json").write_text(json.dumps(
            {"name": f"drydock:{suite} / {name}", "result": result, "returncode": code,
             "stdout": output}) + "\n")
    if cases is not None:
        (build / f"{name}.xml").write_text(cases if cases.startswith("<testcase") and
                                           not cases.endswith(">") else XML.format(cases))


def main():
    report = tap.Report()
    for run in RUNS:
        name, *_, passed, failed, told = run
        with tempfile.TemporaryDirectory(prefix="drydock-guard-") as folder:
            build = Path(folder)
            write_build(build, run)
            counted = test_count.count(build, test_count.known_tests(build))
            why = [failure.why for failure in counted.failures]
            report.check(f"{name}: {passed} passed, {failed} failed",
                         (counted.passed, counted.failed) == (passed, failed),
                         f"counted {counted.passed} passed, {why}")
            report.check(f"{name}: says why, and how to replay it",
                         all(failure.replay for failure in counted.failures)
                         and (not told or any(told in line for line in why)), f"{why}")
            test_count.forget_results(build, [name])
            forgotten = test_count.count(build, test_count.known_tests(build))
            report.check(f"{name}: an old result is not taken for a new one",
                         forgotten.passed == 0 and forgotten.failed == 1, f"{forgotten}")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
