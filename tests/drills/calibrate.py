"""drydock calibrate from outside: a profile out of fio's results, one clear line for wrong input, the
script that measures, and a drill on the profile. Prints TAP; run by hand:

    DRYDOCK=build/tools/cli/drydock python3 tests/drills/calibrate.py
"""

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
DRILL = ROOT / "scenarios" / "power-loss.json"
FOLDER = "sim/profiles/calibration"
FIO = sorted(str(path.relative_to(ROOT)) for path in (ROOT / FOLDER).glob("fio_[!t]*.json"))
READ = f"{FOLDER}/fio_randread_4k_qd1.json"


def drydock(*arguments):
    return subprocess.run([DRYDOCK, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True)


def refusals(report, folder):
    """(arguments, what the one line on standard error must contain); exit status 2, no profile."""
    out = folder / "refused.json"
    good = (ROOT / READ).read_text()

    def changed(name, old, new):
        assert old in good, old
        path = folder / name
        path.write_text(good.replace(old, new))
        return path

    bare = folder / "bare.json"
    bare.write_text("{}")
    cut = folder / "cut.json"
    cut.write_text(good[:1000])
    bad_base = folder / "base.json"
    bad_base.write_text((ROOT / "sim/profiles/local-nvme.json").read_text().replace("3200 MB/s", "0 MB/s"))
    to = ("--out", out)
    cases = [
        (["calibrate"], "--fio: names no file"),
        (["calibrate", "--fio", READ], "--out: names no file"),
        (["calibrate", "--fio", READ, "--out", ""], "--out"),
        (["calibrate", "--fio", "no-such.json", *to], "no-such.json: cannot be read"),
        (["calibrate", "--fio", "README.md", *to], "README.md:1:1: no JSON"),
        (["calibrate", "--fio", bare, *to], "bare.json: no result of fio: 'fio version' is missing"),
        (["calibrate", "--fio", cut, *to], "cut.json:48:20: no JSON"),
        (["calibrate", "--fio", DRILL, *to], "no result of fio"),
        (["calibrate", "--fio", changed("trim.json", '"randread"', '"trim"'), *to],
         "/jobs/0: rw=trim tells calibrate nothing"),
        (["calibrate", "--fio", changed("cached.json", '"direct": "1"', '"direct": "0"'), *to],
         "measures the page cache"),
        (["calibrate", "--fio", changed("none.json", '"percentile"', '"other"'), *to],
         "/jobs/0/read/clat_ns: has no percentiles"),
        (["calibrate", "--fio", changed("fall.json", '"99.000000": 552960', '"99.000000": 1'), *to],
         "times fall from 95% to 99%: a quantile is never below a lower one"),
        (["calibrate", "--fio", changed("many.json", '"direct": "1"', '"direct": "1", "numjobs": "8"'), *to],
         "numjobs=8: calibrate reads single jobs"),
        (["calibrate", "--fio", changed("blocks.json", '"4k"', '"64k"'), *to],
         "nothing to fit in these jobs"),
        (["calibrate", "--fio", changed("failed.json", '"error": 0', '"error": 5'), *to],
         "/jobs/0/error: the job failed"),
        (["calibrate", "--fio", changed("few.json", '"50.000000"', '"51.000000"'), *to],
         "has no percentile 50%"),
        (["calibrate", "--fio", READ, READ, *to], "is given twice"),
        (["calibrate", "--fio", READ, changed("copy.json", "randrepeat", "norandommap"), *to],
         "measures depth 1 again"),
        (["calibrate", "--fio", READ, "--base", "floppy", *to], "--base: there is no 'floppy'"),
        (["calibrate", "--fio", READ, "--base", "no-such.json", *to], "no-such.json: cannot be read"),
        (["calibrate", "--fio", READ, "--base", bad_base, *to],
         "base.json: /disk/read_bandwidth/value: '0 MB/s' is outside"),
        (["calibrate", "--fio", READ, "--out", folder / "no" / "x.json"], "x.json: cannot be written"),
        (["calibrate", "--script", "--fio", READ], "--fio has no effect beside it"),
        (["calibrate", "--script", "--fio", "no-such.json", "--base", "sata-ssd", *to],
         "--fio has no effect beside it"),
        (["calibrate", "--script", "--base", "local-nvme"], "--base has no effect beside it"),
        (["calibrate", "--script", *to], "--out has no effect beside it"),
        (["calibrate", "--script", "--journal"], "--journal has no effect beside it"),
        (["calibrate", "--fio", READ, "--journal", *to],
         "--journal has no effect: none of the jobs writes 4 KiB with fsync=1"),
        (["calibrate", "--fio", READ, "--out", READ], "fio_randread_4k_qd1.json is one of --fio"),
        (["calibrate", "--fio", READ, "--out", ROOT / READ], "is one of --fio"),
        (["calibrate", "--fio", READ, *to, *to], "--out: At Most 1 required"),
    ]
    for arguments, wanted in cases:
        done = drydock(*arguments)
        lines = done.stderr.splitlines()
        good_line = (done.returncode == 2 and done.stdout == "" and len(lines) == 1
                     and lines[0].startswith("drydock: ") and wanted in lines[0] and not out.exists())
        shown = " ".join(map(str, arguments)).replace(str(folder), "DIR").replace(str(ROOT) + "/", "")
        report.check(f"refused: drydock {shown}", good_line,
                     f"status {done.returncode}\n{done.stdout}{done.stderr}")


def calibration(report, folder):
    """The profile out of all measurements, and a drill that names it."""
    out = folder / "my disk.json"
    done = drydock("calibrate", "--fio", *FIO, "--base", "sata-ssd", "--out", out)
    report.check("calibrate writes a profile", done.returncode == 0 and out.exists()
                 and done.stderr == "", done.stdout + done.stderr)
    rows = [" ".join(line.split()) for line in done.stdout.splitlines()]
    report.check("it prints each quantile with fit, measurement and residual",
                 "99.9% 4293 us 4293 us +0.0%" in rows
                 and "99.99% 7307 us 10940 us -33.2% too few samples, not fitted" in rows, done.stdout)
    words = " ".join(done.stdout.split())
    for wanted in ("no tail beyond p99.95: 53747 samples", "as in sata-ssd: shared_limits, volatile_cache, ",
                   "servers_per_doubling: rates off by 13%, by 49% with all servers at full speed",
                   "randread_4k_qd4: ran for 3 s, less than 5 s"):
        report.check(f"it says: {wanted}", wanted in words, done.stdout)
    again = folder / "again.json"
    drydock("calibrate", "--fio", *reversed(FIO), "--base", "sata-ssd", "--out", again)
    report.check("the order of the files decides nothing",
                 again.read_text().replace('"again"', '"my-disk"') == out.read_text())
    twice = drydock("calibrate", "--fio", READ, "--base", out, "--out", folder / "twice.json")
    report.check("a profile of one's own can be the base", twice.returncode == 0
                 and "as in my-disk: " in " ".join(twice.stdout.split()), twice.stdout + twice.stderr)

    drill = folder / "drill.json"
    drill.write_text(DRILL.read_text().replace('"local-nvme"', '"my disk.json"'))
    ran = drydock("run", drill, "--seed", "1..2", "--verify")
    report.check("a drill runs on it, and is the same run twice",
                 ran.returncode in (0, 1) and "my-disk" in ran.stdout, ran.stdout + ran.stderr)
    checked = drydock("check", drill)
    whole = folder / "whole.json"
    whole.write_text(checked.stdout)
    effective = json.loads(checked.stdout)
    profile = effective["topology"]["hosts"]["broker-host"]["disk"]["profile"]
    report.check("check prints the profile in the place of its file", profile["profile"] == "my-disk")
    report.check("which is its own effective scenario",
                 drydock("check", whole).stdout == checked.stdout)
    axis = folder / "axis.json"
    kernels = '"matrix": {"topology/hosts/h/kernel": ["el7", "el8", "el9", "6.x"]}'
    place = "topology/hosts/h/disk/profile"

    def varied(matrix):
        text = (ROOT / "scenarios/storage/throttle.json").read_text()
        assert kernels in text
        axis.write_text(text.replace(kernels, f'"matrix": {{{matrix}}}'))
        return drydock("check", axis)
    named = varied(f'"disk": {{"mine": {{"{place}": "my disk.json"}}, "nvme": {{}}}}')
    again.write_text(named.stdout)
    report.check("cells may have profiles of files, which check prints in their place",
                 named.returncode == 0 and "my disk.json" not in named.stdout
                 and drydock("check", again).stdout == named.stdout, named.stdout + named.stderr)
    drill.write_text((ROOT / "scenarios/storage/throttle.json").read_text()
                     .replace('"profile": "local-nvme"', '"profile": "my disk.json"'))
    runs = []
    for text in (written := out.read_text(), re.sub(
            r'("initial_write_bandwidth": {"value": )"[^"]*"', r'\1"7 MB/s"', written)):
        out.write_text(text)
        drydock("run", drill, "--seed", "1", "--out", folder / "run")
        runs.append(re.findall(r'"fingerprint": "(\w+)"', (folder / "run/result.json").read_text()))
    out.write_text(written)
    drill.write_text(DRILL.read_text().replace('"local-nvme"', '"my disk.json"'))
    report.check("the host's first estimate of the disk's bandwidth is the profile's",
                 runs[0] and all(one != other for one, other in zip(*runs, strict=True)), str(runs))
    unnamed = varied(f'"{place}": ["my disk.json", "local-nvme"]')
    report.check("if they have a name", unnamed.returncode == 2 and unnamed.stderr.count("\n") == 1
                 and "a profile of a file needs a name here" in unnamed.stderr, unnamed.stderr)
    profile["disk"]["read_bandwidth"]["value"] = "0 MB/s"
    whole.write_text(json.dumps(effective))
    bad = drydock("check", whole)
    report.check("a bad profile inside a scenario is one line with its place",
                 bad.returncode == 2 and bad.stderr.count("\n") == 1 and
                 "/topology/hosts/broker-host/disk/profile: this profile: "
                 "/disk/read_bandwidth/value: '0 MB/s' is outside" in bad.stderr, bad.stderr)
    out.write_text(out.read_text().replace('"read_servers"', '"read_server"'))
    bad = drydock("check", drill)
    report.check("a bad profile beside a scenario is one line with its file",
                 bad.returncode == 2 and bad.stderr.count("\n") == 1 and
                 "my disk.json: /disk/read_server: is not known; did you mean 'read_servers'?"
                 in bad.stderr, bad.stderr)
    drill.write_text(DRILL.read_text().replace('"local-nvme"', '"absent.json"'))
    bad = drydock("check", drill)
    report.check("a profile that is not there is one line",
                 bad.returncode == 2 and "absent.json: cannot be read" in bad.stderr, bad.stderr)


def example(report, folder):
    """The command in docs/calibrate.md prints what is shown below it, but for what `...` stands for."""
    text = (ROOT / "docs" / "calibrate.md").read_text()
    found = re.search(r"`drydock (calibrate [^`]*)`[^`]*`\.\.\.`[^`]*```\n(.*?)```", text, re.DOTALL)
    report.check("docs/calibrate.md has an example", found is not None)
    if found is None:
        return
    (folder / "sim").symlink_to(ROOT / "sim")
    done = subprocess.run(["sh", "-c", f'"$DRYDOCK" {found[1]}'], cwd=folder, capture_output=True,
                          text=True, env={**os.environ, "DRYDOCK": DRYDOCK})
    report.check("its command works", done.returncode == 0 and (folder / "my-disk.json").exists(),
                 done.stderr)
    at = 0
    for part in re.split(r"^\.\.\.\n", found[2], flags=re.MULTILINE):
        at = done.stdout.find(part, at)
        report.check(f"it prints the lines from: {part.strip().partition(chr(10))[0]}",
                     at >= 0, f"{part}\nis not, or not there, in\n{done.stdout}")
        at = max(at, 0) + len(part)


def law_of_the_depth(report, folder):
    """`servers_per_doubling` takes three depths; what does not have them says so, and is a profile."""
    law = "servers_per_doubling"
    measured = {depth: f"{FOLDER}/fio_randread_4k_qd{depth}.json" for depth in (1, 4, 8, 16)}
    too_few = f"{law}: not fitted: that takes 4 KiB at random at 3 depths or more, 1 of them"
    for title, files, wanted in (
            ("one depth", [measured[1]], too_few),
            ("two depths", [measured[1], measured[8]], too_few),
            ("depths without 1", [measured[4], measured[8], measured[16],
                                  f"{FOLDER}/fio_randwrite_4k_qd1.json"], too_few),
            ("large blocks alone", [f"{FOLDER}/fio_seqread_1m_qd8.json",
                                    f"{FOLDER}/fio_seqwrite_1m_qd8.json"], too_few),
            ("three depths", [measured[1], measured[4], measured[16]], f"{law}: rates off by")):
        out = folder / "law.json"
        done = drydock("calibrate", "--fio", *files, "--out", out)
        words = " ".join(done.stdout.split())
        report.check(f"{title}: {wanted}", done.returncode == 0 and wanted in words
                     and (law in json.loads(out.read_text())["disk"]) == (title == "three depths"),
                     done.stdout + done.stderr)


def script(report, folder):
    """The script measures what calibrate reads, in a folder of its own; fio is a stand-in here."""
    printed = drydock("calibrate", "--script")
    report.check("--script prints the script", printed.returncode == 0
                 and printed.stdout == (ROOT / "sim/profiles/fio_script.sh").read_text())
    path = folder / "measure.sh"
    path.write_text(printed.stdout)
    tools = folder / "bin"
    tools.mkdir()
    fio = tools / "fio"
    fio.write_text('#!/bin/sh\necho "$@" >> "$FIO_LOG"\n')
    fio.chmod(0o755)
    disk, log = folder / "disk", folder / "log"
    disk.mkdir()
    world = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "FIO_LOG": str(log)}

    def run(*arguments):
        return subprocess.run(["sh", path, *arguments], cwd=folder, env=world, capture_output=True,
                              text=True)

    done = run(disk, "results")
    calls = log.read_text().splitlines()
    report.check("the script runs through and leaves nothing on the disk",
                 done.returncode == 0 and not list(disk.iterdir()), done.stderr)
    report.check("it writes only below the directory that it is given",
                 all(f"--filename={disk}/drydock-fio." in call for call in calls), "\n".join(calls))
    for wanted in ("--rw=randread --bs=4k --iodepth=1 ", "--rw=randwrite --bs=4k --iodepth=128 ",
                   "--rw=randread --bs=16k --iodepth=1 ", "--rw=write --bs=1M --iodepth=8 ",
                   "--rw=randrw ", "--fdatasync=1 ", "--sync=dsync "):
        report.check(f"it measures {wanted.strip()}", any(wanted in call for call in calls))
    for bad in (folder / "nowhere", fio):
        log.unlink(missing_ok=True)
        done = run(bad)
        report.check(f"it refuses {bad.name}, no directory", done.returncode == 2
                     and not log.exists(), done.stderr)


def main():
    report = tap.Report()
    for part in (refusals, calibration, example, law_of_the_depth, script):
        with tempfile.TemporaryDirectory() as folder:
            part(report, Path(folder))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
