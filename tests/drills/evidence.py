"""`drydock run --evidence`: what it prints of a disk is what the disk did. Prints TAP."""

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

DRYDOCK = os.environ["DRYDOCK"]
SCENARIO = "scenarios/storage/cold-read.json"
LIMIT_S = 300
NAMES = ("rrqm", "wrqm", "r", "w", "rkB", "wkB", "avgrq", "avgqu", "await", "r_await", "w_await", "svctm",
         "util")


INCIDENT = "scenarios/incidents/cold-read-storm.json"
REMEDIES = ("dirty-ratios", "min-free", "transient-pool", "slave-read")


def run(*arguments, scenario=SCENARIO, whole=False):
    """What was printed, and the runs of the cells by their names (or the cells themselves)."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([DRYDOCK, "run", scenario, "--seed", "1", "--out", folder, *arguments], cwd=ROOT,
                              capture_output=True, text=True, timeout=LIMIT_S)
        if not (Path(folder) / "result.json").exists():
            raise RuntimeError(done.stdout + done.stderr)
        cells = json.loads((Path(folder) / "result.json").read_text())["cells"]
    return done.stdout, {cell["id"]: cell if whole else cell["runs"][0] for cell in cells}


def printed(text):
    """{cell: [a dictionary for each line that iostat would have printed]}, those of `hold` apart."""
    seconds, holds = {}, {}
    cell, whole = None, False
    for line in text.splitlines():
        begin = re.match(r"evidence of (\S+), seed 1$", line)
        if begin:
            cell = begin[1]
            seconds[cell], holds[cell] = [], []
        elif line == "of the phase hold:":
            whole = True
        elif cell and line.startswith("disk "):
            values = [float(word) for word in line.split()[1:]]
            (holds if whole else seconds)[cell].append(dict(zip(NAMES, values, strict=True)))
            whole = False
    return seconds, holds


def close(value, wanted, tolerance):
    return abs(value - wanted) <= tolerance * max(abs(wanted), 1)


def agree(line, use):
    """A printed line and the counters in result.json, from which it is worked out here again."""
    seconds = (use["ended_ns"] - use["began_ns"]) / 1e9
    return (close(line["r"], use["reads"] / seconds, 0.01) and close(line["w"], use["writes"] / seconds, 0.01)
            and close(line["rkB"], use["read_bytes"] / 1024 / seconds, 0.01)
            and close(line["avgqu"], use["queue_ns"] / 1e9 / seconds, 0.01)
            and close(line["r_await"], use["read_ns"] / 1e6 / max(use["reads"], 1), 0.01)
            and close(line["util"], use["busy_ns"] / 1e7 / seconds, 0.01))


def main():
    report = tap.Report()
    text, runs = run("--evidence")
    seconds, holds = printed(text)
    report.check("a line for each second of the load, in the form of iostat", set(seconds) == set(runs)
                 and all(len(lines) == 22 for lines in seconds.values()), text[-2000:])
    wrong = [f"{cell}: {line}" for cell, run_ in runs.items() for line, use in
             zip(seconds[cell] + holds[cell], run_["evidence"]["seconds"] + run_["disks"], strict=True)
             if not agree(line, use)]
    report.check("each line follows from the counters in result.json", not wrong, "\n".join(wrong[:5]))
    # Little's law ties three figures together that are counted apart.
    wrong = [f"{cell}: {line}" for cell, lines in holds.items() for line in lines
             if not close(line["avgqu"], (line["r"] * line["r_await"] + line["w"] * line["w_await"]) / 1000, 0.05)]
    report.check("as many at the disk as come in the time that they take", not wrong, "\n".join(wrong))
    plain, without = run()
    report.check("without --evidence there is none, and the runs are the same",
                 "iostat" not in plain and all("evidence" not in run_ for run_ in without.values())
                 and {cell: run_["fingerprint"] for cell, run_ in runs.items()} ==
                 {cell: run_["fingerprint"] for cell, run_ in without.items()}, plain[-500:])
    # The scenario asks for 200 MB/s; what comes is what the quota lets through: 1800 + 50 per GiB.
    for size, quota in ((64, 5000), (32, 3400)):
        _, some = run("--evidence", "--set", f"topology/hosts/h/disk/size={size} GiB")
        use = some["behind=10-MB,storm=yes"]["disks"][0]
        rate = (use["reads"] + use["writes"]) * 1e9 / (use["ended_ns"] - use["began_ns"])
        report.check(f"with {size} GiB the disk does {quota} commands a second, whatever is asked of it",
                     close(rate, quota, 0.05), str(use))
    text, cells = run(scenario=INCIDENT, whole=True)
    cell = cells["remedy=none"]
    broken = [one["expectation"] for one in cell["expectations"] if not one["holds"]]
    report.check("the incident: what iostat and the hit ratio showed is met, within 15 %",
                 len(cell["expectations"]) == 11 and not broken, str(broken))
    reads = {name: {disk["host"]: disk["reads"] for disk in cells[f"remedy={name}"]["runs"][0]["disks"]}
             for name in ("none", "slave-read")}
    report.check("the incident: with slaveReadEnable it is the slave's disk that is read",
                 reads["slave-read"]["slave-host"] * 10 > reads["none"]["broker-host"] * 9
                 and reads["slave-read"]["broker-host"] * 10 < reads["none"]["broker-host"], str(reads))
    report.check("the incident: each remedy has a verdict, with figures",
                 all(re.search(rf"^  remedy={name}: (better|worse|better and worse|no difference)\n +.*send\.p99 "
                               r".* -> ", text, re.M)
                     for name in REMEDIES), text)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
