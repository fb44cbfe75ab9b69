"""`drydock fidelity` from outside: how many experiments are inside, what makes one fall out, and what
it says of wrong input."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "guards"))
import tap  # noqa: E402

DRYDOCK = os.path.abspath(os.environ["DRYDOCK"])
DATA = ROOT / "sim" / "profiles" / "calibration"
# Those that docs/fidelity.md explains as misses. The list only gets shorter.
OUTSIDE = {"A3"}


def drydock(*args, cwd=ROOT):
    return subprocess.run([DRYDOCK, "fidelity", *args], cwd=cwd, capture_output=True, text=True,
                          check=False)


def totals(report, folder):
    file = folder / "fidelity.json"
    done = drydock("--json", str(file))
    result = json.loads(file.read_text())
    experiments = {one["id"]: one for one in result["experiments"]}
    report.check("there are 24 experiments", list(experiments) == [f"A{i}" for i in range(1, 25)])
    outside = {name for name, one in experiments.items() if not one["inside"]}
    report.check("what is outside is known to be", outside <= OUTSIDE, str(sorted(outside)))
    report.check("what is known to be outside still is", OUTSIDE <= outside,
                str(sorted(OUTSIDE - outside)))
    inside = 24 - len(outside)
    report.check("the line before the last counts them",
                done.stdout.splitlines()[-2] == f"{inside} of 24 inside")
    by_words = [name for name, one in experiments.items() if one["inside_by_words"]]
    report.check("then come those that are inside by the words of section 11",
                result["inside_by_words"] == len(by_words) and done.stdout.splitlines()[-1]
                == f"{len(by_words)} of 24 by the words of section 11, without records that were "
                "re-read", done.stdout)
    re_read = {name: [row for row in one["rows"] if row["re_read"]]
               for name, one in experiments.items()}
    report.check("A9 and A23 compare with records that were re-read, each in a row",
                {name: len(rows) for name, rows in re_read.items() if rows} == {"A9": 1, "A23": 1})
    report.check("their rows say so, and what they are by words", all(
        any(row["statistic"] in line and line.endswith(
            f"; re-read from the records; {'yes' if row['inside_by_words'] else 'NO'} by words")
            for line in done.stdout.splitlines()) for rows in re_read.values() for row in rows))
    report.check("no other row differs by words",
                all(one["inside"] == one["inside_by_words"] for name, one in experiments.items()
                    if name not in ("A9", "A23")))
    report.check("the exit status follows from that",
                done.returncode == (0 if inside >= 22 else 1), str(done.returncode))
    report.check("an experiment is inside if all its rows are",
                all(one["inside"] == all(row["inside"] for row in one["rows"])
                    for one in experiments.values()))
    report.check("progress goes to the standard error stream", "A24, 24 of 24" in done.stderr)
    doc = (ROOT / "docs" / "fidelity.md").read_text()
    report.check("docs/fidelity.md explains each that is outside",
                all(re.search(rf"^\| {name} \| .* \| no \|", doc, re.MULTILINE)
                    and re.search(rf"^### {name}\b", doc, re.MULTILINE) for name in OUTSIDE))
    report.check("docs/fidelity.md calls the others inside",
                all(re.search(rf"^\| {name} \| .* \| yes \|", doc, re.MULTILINE)
                    for name in experiments if name not in OUTSIDE))


def changed(name, folder, change):
    """A folder with one measurement, changed in one place."""
    lines = (DATA / name).read_text().splitlines(keepends=True)
    (folder / name).write_text("".join(change(lines)))
    return str(folder)


def field(lines, number, column, value):
    header = lines[0].strip().split(",")
    fields = lines[number].rstrip("\n").split(",")
    fields[header.index(column)] = value
    lines[number] = ",".join(fields) + "\n"
    return lines


def first_estimate(lines):
    """Decisions before it are not made again: nothing is known of the device."""
    return next(i for i, line in enumerate(lines) if line.startswith("estimate"))


def broken_law(report, folder):
    """What a wrong law would differ in: recorded decisions that it does not make."""
    name = "throttle_trace_lim64_128.csv"
    good = drydock("--only", "A1")
    report.check("A1 is inside", good.returncode == 0, good.stdout)
    report.check("its line says so", bool(re.search(r"^A1 +yes ", good.stdout, re.MULTILINE)))

    def of_one(lines):
        row = next(i for i, line in enumerate(lines) if i > first_estimate(lines)
                   and line.startswith("decision") and line.split(",")[14] == "16")
        return field(lines, row, "period_ms", "20")

    one = drydock("--only", "A1", "--data", changed(name, folder, of_one))
    report.check("a single other period puts A1 outside", one.returncode == 1, one.stdout)
    report.check("its line says that, too", bool(re.search(r"^A1 +NO ", one.stdout, re.MULTILINE)))

    def of_many(lines):
        """As the square of the distance from the set point would have it, not the cube."""
        for i, line in enumerate(lines):
            fields = line.split(",")
            if fields[0] != "decision":
                continue
            limit, set_point, dirty = (int(fields[k]) for k in (3, 4, 5))
            x = (set_point - dirty) / (limit - set_point)
            cube, square = 1 + x ** 3, 1 + x * abs(x)
            if cube > 0:
                field(lines, i, "task_ratelimit_kBps", str(int(int(fields[9]) * square / cube)))
        return lines

    many = drydock("--only", "A1", "--data", changed(name, folder, of_many))
    rate = re.search(r"^ +(\w+) +task rate, within 2 %", many.stdout, re.MULTILINE)
    report.check("another exponent puts its task rates outside", rate and rate.group(1) == "NO",
                many.stdout)


def refused(report, title, expected, *args):
    done = drydock(*args)
    lines = done.stderr.splitlines()
    report.check(title, done.returncode == 2 and lines and lines[-1].startswith("drydock: ")
                and expected in lines[-1], done.stderr)


def refusals(report, folder):
    refused(report, "an unknown experiment", "there is no experiment 'A25'", "--only", "A25")
    refused(report, "an experiment without a name", "there is no experiment ''", "--only", "A1,")
    refused(report, "an experiment twice", "--only: names A1 twice", "--only", "A1,A21,A1")
    refused(report, "a directory without measurements", "--data has no effect", "--only", "A21",
            "--data", str(folder))
    vain = drydock("--data", str(folder))
    report.check("which is said before any experiment runs",
                vain.stderr.count("\n") == 1 and "--data has no effect" in vain.stderr, vain.stderr)
    refused(report, "measurements that the experiment does not read", "--data has no effect",
            "--only", "A21", "--data",
            changed("throttle_trace_lim4_8.csv", folder, lambda lines: lines))
    refused(report, "no such directory", "nowhere: is no directory", "--data", "nowhere",
            "--only", "A1")
    refused(report, "a file that cannot be written", "cannot be written", "--only", "A1",
            "--json", "nowhere/a.json")
    name = "throttle_trace_lim32_64.csv"
    word = changed(name, folder, lambda lines: field(lines, 24, "dirty_pages", "many"))
    refused(report, "a word instead of a number", "line 25, dirty_pages: 'many' is no number",
            "--only", "A1", "--data", word)
    for value, why in (("nan", "is beyond what was ever measured"),
                       ("1e300", "is beyond what was ever measured")):
        odd = changed(name, folder, lambda lines, value=value: field(lines, 24, "dirty_pages", value))
        refused(report, f"{value} instead of a number", f"line 25, dirty_pages: '{value}' {why}",
                "--only", "A1", "--data", odd)
    (folder / name).unlink()
    faults = "pagefault_loop_readahead128k.csv"
    for value in ("99999999", "-5", "0", "1.5"):
        def touched(lines, value=value):
            row = next(i for i, line in enumerate(lines) if "file_cold_random_MADV_RANDOM" in line)
            return field(lines, row, "count", value)
        refused(report, f"{value} touches", f"count: '{value}' must be a whole number from 1 to",
                "--only", "A18", "--data", changed(faults, folder, touched))
    (folder / faults).unlink()
    short = changed(name, folder, lambda lines: lines[:2] + ["decision,1\n"] + lines[2:])
    refused(report, "a row with too few fields", "line 3 has 2 fields, not 19", "--only", "A1",
            "--data", short)
    empty = changed(name, folder, lambda lines: lines[:1])
    refused(report, "a file without rows", "holds no rows", "--only", "A1", "--data", empty)
    column = changed(name, folder, lambda lines: [lines[0].replace("dirty_pages", "d", 1)]
                     + lines[1:])
    refused(report, "a missing column", "has no column 'dirty_pages'", "--only", "A1", "--data",
            column)


def main():
    report = tap.Report()
    for part in (totals, broken_law, refusals):
        with tempfile.TemporaryDirectory() as folder:
            part(report, Path(folder))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
