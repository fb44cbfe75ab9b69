"""The drydock command from outside: exit status, one clear line for wrong input, the same text for any
number of jobs, a crashed worker as one failed run. Prints TAP; run by hand:

    DRYDOCK=build/tools/cli/drydock python3 tests/drills/command_line.py
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "guards"))
import tap  # noqa: E402

DRYDOCK = os.path.abspath(os.environ["DRYDOCK"])
DRILL = "scenarios/power-loss.json"
CONF = "docs/examples/broker.conf"


def drydock(*arguments):
    return subprocess.run([DRYDOCK, *arguments], cwd=ROOT, capture_output=True, text=True)


def refusals(report):
    """(arguments, what the one line on standard error must contain); exit status 2, nothing printed."""
    with tempfile.TemporaryDirectory() as folder:
        bad_conf = Path(folder) / "bad.conf"
        bad_conf.write_text("flushDiskType=SOMETIMES\n")
        bad_drill = Path(folder) / "bad.json"
        bad_drill.write_text((ROOT / DRILL).read_text().replace('"local-nvme"', '"floppy"'))
        bad_name, bad_file = Path(folder) / "bad-name.json", Path(folder) / "bad-file.json"
        bad_name.write_text((ROOT / DRILL).read_text().replace('"local-nvme"', '"locl-nvme"'))
        bad_file.write_text((ROOT / DRILL).read_text().replace('"local-nvme"', '"nosuch.json"'))
        before = (ROOT / DRILL).read_text().split('"profile"')[0]
        profile_at = f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
        profile = "/topology/hosts/broker-host/disk/profile"
        cut_drill = Path(folder) / "cut.json"
        cut_drill.write_text("{")
        no_repro, half_repro = Path(folder) / "no-repro.json", Path(folder) / "half-repro.json"
        no_repro.write_text("{}")
        half_repro.write_text('{"format": "drydock-repro-1"}')
        huge_number = Path(folder) / "huge.json"
        huge_number.write_text('{"drill": 1e999}')
        small_disk = Path(folder) / "small.json"
        small_disk.write_text(re.sub(r'"size": "[^"]*"', '"size": "64 KiB"', (ROOT / DRILL).read_text()))
        tight_disk = Path(folder) / "tight.json"
        tight_disk.write_text((ROOT / "scenarios/storage/throttle.json").read_text()
                              .replace('"size": "64 GiB"', '"size": "2 MiB"'))
        long_boot = Path(folder) / "long.json"
        long_boot.write_text(re.sub(r'"boot": "[^"]*"', '"boot": "9223372036 s"',
                                    (ROOT / DRILL).read_text()))
        for name in ("result.json", "junit.xml", "summary.md", "repro.json"):
            (Path(folder) / f"{name}.d" / name).mkdir(parents=True)
        long_file, longer_file = Path(folder) / "long", Path(folder) / "longer"
        for path, length in ((long_file, 64 << 20), (longer_file, 512 << 20)):
            with open(path, "wb") as file:
                file.truncate(length + 1)
        cases = [
            ([], "subcommand is required"),
            (["walk"], "there is no command 'walk'"),
            (["run"], "scenario is required"),
            (["list", "bogus"], "there is no subject 'bogus'; known here: behaviours, configuration"),
            (["run", DRILL, "--bogus"], "--bogus"),
            (["run", "no-such.json"], "no-such.json: cannot be read"),
            (["run", "scenarios"], "scenarios: is a directory"),
            (["run", str(cut_drill)], "no JSON"),
            (["run", str(bad_drill)], "disk/profile: there is no 'floppy'"),
            (["run", str(bad_name)], f"{bad_name}:{profile_at}: {profile}: there is no 'locl-nvme'; did you"
                                     " mean 'local-nvme'? known here: "),
            (["check", str(bad_file)], f"{bad_file}:{profile_at}: {profile}: {folder}/nosuch.json: cannot be"
                                       " read: No such file or directory"),
            (["run", DRILL, "--conf", "no-such.conf"], "no-such.conf: cannot be read"),
            (["run", DRILL, "--conf", str(bad_conf)], "line 1: flushDiskType"),
            (["run", DRILL, "--seed", "x"], "--seed: 'x' is no seed"),
            (["run", DRILL, "--seed", "1.."], "--seed: '1..' is no seed"),
            (["run", DRILL, "--seed", "9..3"], "ends before it begins"),
            (["run", DRILL, "--seed", "1..99999999999"], "more than 1000000 seeds"),
            (["run", DRILL, "--seed", ""], "--seed: '' is no seed"),
            (["run", DRILL, "--conf", ""], "--conf: names no file"),
            (["run", DRILL, "--conf", f"slave={CONF}"], "has no broker and no role of that name"),
            (["run", DRILL, "--conf", CONF, "--conf", CONF], "--conf: two files for all brokers"),
            (["run", DRILL, "--out", ""], "--out: names no directory"),
            (["run", str(huge_number)], f"{huge_number}:1:15: no JSON"),
            (["run", str(small_disk)], "disk/size: must be at least 1 MiB"),
            (["run", str(tight_disk)], "/topology/hosts/h/disk/size: leaves 1492 KiB for files beside journal"
                                       " and inodes, and the load's have 2 GiB: take a larger disk or smaller"
                                       " files"),
            (["run", str(long_boot)], "/topology/hosts/broker-host/boot: must be at most"),
            (["run", DRILL, "--jobs", "0"], "--jobs: must be 1 to 256"),
            (["run", DRILL, "--jobs", "x"], "--jobs"),
            (["run", DRILL, "--limit", "0 s"], "--limit: must be 1 ms to 10000 h"),
            (["run", DRILL, "--limit", "soon"], "--limit: must be 1 ms to 10000 h"),
            (["run", DRILL, "--set", "listenPort"], "is not KEY=VALUE"),
            (["run", DRILL, "--set", "listenPrt=1"], "--set listenPrt: not a key of RocketMQ"),
            (["run", DRILL, "--set", "listenPort=1", "--set", "listenPort=2"],
             "--set listenPort: is given twice"),
            (["run", DRILL, "--set", "load/producer/p/rate=1/s"],
             f"--set load/producer/p/rate: {DRILL} has no /load/producer"),
            (["run", DRILL, "--set", "load/producers/producer/rate=fast"],
             "--set load/producers/producer/rate: must be a rate"),
            (["run", DRILL, "--set", "phases/warmth=1 s"],
             "--set phases/warmth: not supported; did you mean 'warm'?"),
            (["run", DRILL, "--set", "topology/hosts/broker-host/disk/profile=floppy"],
             "--set topology/hosts/broker-host/disk/profile: there is no 'floppy'"),
            (["run", DRILL, "--set", "flushDiskType=SYNC_FLUSH"], "the matrix"),
            (["run", DRILL, "--out", CONF + "/x"], "--out"),
            (["run", DRILL, "--seed", "1..1000000", "--junit", "no/such/folder/x.xml"],
             "--junit: no/such/folder/x.xml: cannot be written"),
            (["run", DRILL, "--junit", "docs"], "--junit: docs: is a directory"),
            *((["run", DRILL, "--seed", "1..1000000", "--out", f"{folder}/{name}.d"],
               f"--out: {folder}/{name}.d/{name}: is a directory")
              for name in ("result.json", "junit.xml", "summary.md", "repro.json")),
            (["check", "no-such.json"], "no-such.json: cannot be read"),
            (["replay", "no-such.json"], "no-such.json: cannot be read"),
            (["replay", DRILL], f"drydock: {DRILL}: no repro.json: its format is not drydock-repro-1"),
            (["replay", str(cut_drill)], f"drydock: {cut_drill}:1:2: no JSON: syntax error"),
            (["replay", str(no_repro)], f"drydock: {no_repro}: no repro.json: its format is not"),
            (["replay", str(half_repro)], f"drydock: {half_repro}: no repro.json: key 'drydock' not found"),
            (["calibrate", "--fio", CONF, "--out", f"{folder}/p.json"], f"drydock: {CONF}:1:1: no JSON: "),
            (["lint-conf"], "file is required"),
            (["lint-conf", "no-such.conf"], "no-such.conf: cannot be read"),
            (["lint-conf", "docs"], "docs: is a directory"),
            (["lint-conf", "/proc/self/mem"], "/proc/self/mem: cannot be read: Input/output error"),
            (["lint-conf", "/dev/zero"], "/dev/zero: is neither a file nor a pipe"),
            (["lint-conf", str(long_file)], "is longer than 64 MiB"),
            (["run", str(long_file)], "is longer than 64 MiB"),
            (["replay", str(longer_file)], "is longer than 512 MiB"),
            (["calibrate", "--fio", str(longer_file), "--out", f"{folder}/p.json"], "is longer than 512 MiB"),
            (["lint-conf", str(bad_conf)], "line 1: flushDiskType"),
        ]
        for arguments, wanted in cases:
            done = drydock(*arguments)
            lines = done.stderr.splitlines()
            good = (done.returncode == 2 and done.stdout == "" and len(lines) == 1
                    and lines[0].startswith("drydock: ") and wanted in lines[0])
            report.check(f"refused: drydock {' '.join(arguments)}".replace(folder, "DIR"), good,
                         f"status {done.returncode}\n{done.stdout}{done.stderr}")


def pipes(report):
    """A pipe, as of a shell's <(...), is read like a file, and no further than a file."""
    def linted(command):
        return subprocess.run(["bash", "-c", f"exec {DRYDOCK} lint-conf <({command})"], cwd=ROOT,
                              capture_output=True, text=True)
    piped = linted(f"cat {CONF}")
    report.check("a pipe is read like a file",
                 piped.returncode == 0 and piped.stdout == drydock("lint-conf", CONF).stdout,
                 piped.stdout + piped.stderr)
    endless = linted("cat /dev/zero")
    report.check("a pipe that never ends is refused",
                 endless.returncode == 2 and endless.stderr.endswith(": is longer than 64 MiB\n"),
                 endless.stderr)


def full_output(report):
    """Nobody takes a cut answer for a whole one: /dev/full has no room for a byte."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "commitlog").mkdir()
        for arguments in (["run", DRILL, "--conf", CONF, "--seed", "1"], ["check", DRILL], ["list"],
                          ["version"], ["run", "--help"], ["lint-conf", CONF], ["store", "dump", folder],
                          ["calibrate", "--script"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([DRYDOCK, *arguments], cwd=ROOT, stdout=full,
                                      stderr=subprocess.PIPE, text=True)
            report.check(f"an output without room is said: drydock {' '.join(arguments)}".replace(folder, "DIR"),
                         done.returncode == 2 and done.stderr.splitlines()[-1] ==
                         "drydock: standard output: cannot be written: No space left on device",
                         f"status {done.returncode}\n{done.stderr}")


def answers(report):
    one = drydock("run", DRILL, "--conf", CONF, "--seed", "1..5", "--jobs", "1")
    report.check("the drill passes over five seeds", one.returncode == 0, one.stdout + one.stderr)
    labels = [line.split("  ")[0] for line in one.stdout.splitlines() if line[:1].strip()][:5]
    report.check("the first screen is the five lines",
                 labels == ["promised", "lost", "why", "cheapest change", "how sure"], str(labels))
    four = drydock("run", DRILL, "--conf", CONF, "--seed", "1..5", "--jobs", "4")
    report.check("four jobs print what one job prints", four.stdout == one.stdout,
                 f"{one.stdout}\n{four.stdout}")
    verified = drydock("run", DRILL, "--conf", CONF, "--seed", "1..2", "--verify")
    report.check("--verify is clean", verified.returncode == 0, verified.stdout + verified.stderr)
    page = drydock("list", "configuration")
    report.check("docs/configuration.md is what list configuration prints: if not, write it anew",
                 page.returncode == 0
                 and page.stdout == (ROOT / "docs/configuration.md").read_text(encoding="utf-8"),
                 "drydock list configuration > docs/configuration.md")
    listed = drydock("list")
    report.check("list names faults, events, crash points and quantities",
                 listed.returncode == 0 and all(f"  {name}\n" in listed.stdout for name in (
                     "host.power-loss", "store.flushed", "store.before-flush", "acked_loss")),
                 listed.stdout)
    switches = listed.stdout.split("behaviour switches", 1)[-1].split("seeded bugs")[0].split("\n")[1:-1]
    explained = drydock("list", "behaviours")
    report.check("list behaviours explains every switch in a line",
                 explained.returncode == 0 and
                 [line.split(":")[0] for line in explained.stdout.splitlines()] ==
                 [name.strip() for name in switches] and
                 all(" faithful: " in line and " hardened: " in line and " Shown by " in line
                     for line in explained.stdout.splitlines()),
                 explained.stdout + explained.stderr)
    version = drydock("version")
    perturbed = drydock("run", DRILL, "--conf", CONF, "--seed", "1..2", "--perturb", "--verify")
    report.check("--perturb is clean under --verify", perturbed.returncode == 0,
                 perturbed.stdout + perturbed.stderr)
    report.check("version says which build it is",
                 version.returncode == 0 and version.stdout.startswith("drydock "), version.stdout)
    usage = drydock("run", "--help")
    report.check("--help is no error", usage.returncode == 0 and "--seed" in usage.stdout)


def folding(report):
    """check prints a scenario that is the same experiment without --conf; replay sees a failure again."""
    with tempfile.TemporaryDirectory() as folder:
        effective = Path(folder) / "effective.json"
        first = drydock("check", "scenarios/ack-matrix.json", "--conf", CONF,
                        "--set", "slaveTimeout=2000")
        effective.write_text(first.stdout)
        again = drydock("check", str(effective))
        report.check("check prints a scenario that is its own effective scenario",
                     first.returncode == 0 and again.returncode == 0 and again.stdout == first.stdout,
                     first.stderr + again.stderr)
        report.check("check says how many cells and seeds there are",
                     "18 cells, 100 seeds, digest " in first.stderr, first.stderr)
        sets = ("--set", "load/producers/producer/rate=50/s", "--set", "phases/warm=2 s",
                "--set", "load/producers/producer/in_flight=8", "--set", "/seeds=7")
        set_by_path = drydock("check", DRILL, *sets)
        effective.write_text(set_by_path.stdout)
        said = json.loads(set_by_path.stdout)
        producer = said["load"]["producers"]["producer"]
        report.check("--set PATH=VALUE is part of the effective scenario, with the type it needs",
                     (producer["rate"], producer["in_flight"]) == ("50/s", 8)
                     and said["phases"]["warm"] == "2 s" and said["seeds"] == "7", set_by_path.stdout)
        again = drydock("check", str(effective))
        report.check("... and of the digest",
                     again.stderr.split("digest ")[1] == set_by_path.stderr.split("digest ")[1]
                     != drydock("check", DRILL).stderr.split("digest ")[1], again.stderr)
        drill = Path(folder) / "drill.json"
        drill.write_text((ROOT / DRILL).read_text().replace("rto.fault <= 60 s", "rto.fault <= 1 s"))
        out = Path(folder) / "out"
        drydock("run", str(drill), "--seed", "4", "--out", str(out), "--set", "phases/warm=2 s")
        replayed = drydock("replay", str(out / "repro.json"))
        report.check("replay of a run with --set PATH=VALUE is bit for bit the same",
                     json.loads((out / "repro.json").read_text())["scenario"]["phases"]["warm"] == "2 s"
                     and replayed.stdout.count("the same failure, bit for bit: slo") == 4,
                     replayed.stdout + replayed.stderr)
        report.check("the command to run it again has it, quoted for a shell",
                     "--set 'phases/warm=2 s'" in (out / "result.json").read_text())
        junit = Path(folder) / "junit.xml"
        drydock("run", str(drill), "--seed", "4", "--out", str(out), "--junit", str(junit))
        report.check("--junit writes the file of --out",
                     junit.read_text() == (out / "junit.xml").read_text())
        report.check("summary.md names what does not hold",
                     "Expectations that do not hold" in (out / "summary.md").read_text())
        replayed = drydock("replay", str(out / "repro.json"))
        report.check("replay sees the same failures, bit for bit",
                     replayed.returncode == 1 and
                     replayed.stdout.count("the same failure, bit for bit: slo") == 4,
                     replayed.stdout + replayed.stderr)
        mended = Path(folder) / "mended.json"
        mended.write_text((out / "repro.json").read_text().replace("<= 1 s", "<= 60 s"))
        replayed = drydock("replay", str(mended))
        report.check("replay says that it no longer fails",
                     replayed.returncode == 0 and replayed.stdout.count("no longer fails") == 4,
                     replayed.stdout + replayed.stderr)
        drill.write_text((ROOT / DRILL).read_text().replace(
            '{"between": ["0 s", "3 s"]}', '{"event": "store.flush-failed"}'))
        ran = drydock("run", str(drill), "--seed", "4", "--out", str(out))
        replayed = drydock("replay", str(out / "repro.json"))
        report.check("run and replay say of a fault that never fires that it gave no answer",
                     ran.returncode == 4 and replayed.returncode == 4 and
                     "the same failure, bit for bit: inconclusive" in replayed.stdout,
                     ran.stdout + ran.stderr + replayed.stdout + replayed.stderr)
        drydock("run", DRILL, "--seed", "1", "--out", str(out))
        report.check("no repro.json is left where nothing fails", not (out / "repro.json").exists())


def lint(report):
    done = drydock("lint-conf", CONF)
    report.check("lint-conf shows each line with its default, its state and its effect",
                 done.returncode == 0 and done.stderr == "" and all(
                     row in [" ".join(line.split()) for line in done.stdout.splitlines()] for row in (
                         "line key value default state effect here",
                         "3 listenPort 10911 10911 honoured the default",
                         "4 fileReservedTime 72 72 honoured the default",
                         "13 putMsgIndexHightWater 600000 600000 without effect none here",
                         "6 mapedFileSizeCommitLog 1073741824 unknown none: RocketMQ ignores it",
                         "10 flushDiskType SYNC_FLUSH ASYNC_FLUSH honoured as in RocketMQ")),
                 done.stdout + done.stderr)
    words = " ".join(done.stdout.split())
    report.check("lint-conf names the right spelling and says what the file promises",
                 "write mappedFileSizeCommitLog" in words
                 and "brokerRole (absent: ASYNC_MASTER): no replica promise" in words
                 and "flushDiskType=SYNC_FLUSH (line 10): SEND_OK once a flush" in words,
                 done.stdout)
    strict = drydock("lint-conf", CONF, "--strict")
    report.check("lint-conf --strict refuses what has no effect, in one line",
                 strict.returncode == 2 and strict.stdout == done.stdout
                 and strict.stderr == f"drydock: {CONF}: --strict: 7 warnings\n", strict.stderr)
    with tempfile.TemporaryDirectory() as folder:
        conf = Path(folder) / "broker.conf"

        def linted(text, *arguments):
            conf.write_bytes(text)
            return drydock("lint-conf", str(conf), *arguments)

        clean = linted(b"# nothing wrong\nflushDiskType : ASYNC_\\\n  FLUSH\n", "--strict")
        report.check("lint-conf --strict passes a file whose lines all count",
                     clean.returncode == 0 and "warnings" not in clean.stdout
                     and "the default" in clean.stdout, clean.stdout + clean.stderr)
        bad = linted(b"a=1\nslaveReadEnable=yes\nhaListenPort=x\n")
        report.check("lint-conf: a bad value is one line with its place and what is allowed",
                     bad.returncode == 2 and bad.stdout == "" and bad.stderr ==
                     f"drydock: {conf}: line 2: slaveReadEnable: error: \"yes\" is not allowed; "
                     "allowed: true or false (and 1 more)\n", bad.stderr)
        twice = linted(b"listenPort=1\nlistenPort=2\nenableControllerMode=true\n\x1b[2J=\x9b\xe9\n")
        report.check("lint-conf: replaced and refused lines are said to be so",
                     twice.returncode == 0 and "replaced" in twice.stdout
                     and "listenPort (line 1): set again on line 2, which counts" in twice.stdout
                     and "enableControllerMode (line 3): refused: " in twice.stdout, twice.stdout)
        report.check("lint-conf: control characters of the file do not reach the terminal",
                     "\x1b" not in twice.stdout and "\x9b" not in twice.stdout
                     and "?[2J" in twice.stdout and "?\u00e9" in twice.stdout, repr(twice.stdout))


def broken_expectation(report):
    with tempfile.TemporaryDirectory() as folder:
        drill = Path(folder) / "drill.json"
        drill.write_text((ROOT / DRILL).read_text().replace("rto.fault <= 60 s", "rto.fault <= 1 s"))
        done = drydock("run", str(drill), "--seed", "4")
        report.check("a broken expectation is exit status 1, with the seed that shows it",
                     done.returncode == 1 and "BROKEN" in done.stdout and "--seed 4" in done.stdout,
                     f"status {done.returncode}\n{done.stdout}{done.stderr}")


def files(report):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "deep" / "out"
        done = drydock("run", DRILL, "--conf", CONF, "--seed", "7", "--out", str(out))
        result = json.loads((out / "result.json").read_text())
        report.check("--out writes result.json with a run per cell and seed",
                     done.returncode == 0 and len(result["cells"]) == 4
                     and all(cell["runs"][0]["seed"] == 7 for cell in result["cells"]))
        report.check("--out writes junit.xml", (out / "junit.xml").read_text().count("<testcase") == 5)
        schema = json.loads((ROOT / "reports" / "result.schema.json").read_text())
        problems = problems_of(schema, result)
        report.check("result.json keeps to its schema", not problems, "\n".join(problems[:5]))


def problems_of(schema, value):
    return [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(value)]


def effective(path):
    """What check prints: the scenario without comments."""
    return json.loads(drydock("check", path).stdout)


def scenario_schema(report):
    """scenarios/schema.json accepts what the program accepts, and refuses what it refuses."""
    schema = json.loads((ROOT / "scenarios" / "schema.json").read_text())
    for path in sorted((ROOT / "scenarios").rglob("*.json")):
        if path.name == "schema.json" or path.parent.name == "profiles":
            continue
        problems = problems_of(schema, effective(str(path.relative_to(ROOT))))
        report.check(f"{path.relative_to(ROOT)} keeps to the schema", not problems,
                     "\n".join(problems[:5]))
    names = drydock("list").stdout.split("events\n")[0].split()[1:]
    report.check("the schema knows the faults that the program knows",
                 schema["$defs"]["fault"]["properties"]["do"]["enum"] == names, str(names))

    def broken(change):
        drill = effective("scenarios/ack-matrix.json")
        change(drill)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "broken.json"
            path.write_text(json.dumps(drill))
            refused = drydock("check", str(path)).returncode == 2
        return refused and bool(problems_of(schema, drill))

    hosts = ("topology", "hosts", "master-host")
    for place, value in [(("title",), ""), (("extra",), 1), (hosts + ("boot",), "5"),
                         (hosts + ("memory",), "plenty"), (hosts + ("disk", "profile"), "floppy"),
                         (("load", "producers", "producer", "queues"), 0), (("load", "producers", "producer", "rate"), "0/s"),
                         (("phases", "hold", "until"), "tea-time"), (("phases", "warm"), 5),
                         (("faults", "destroyed"), {}), (("matrix", "fault"), []),
                         (("faults", "destroyed", 0, "do"), "disk.lost"),
                         (("faults", "destroyed", 0, "when"), {"soon": True}),
                         (("expectations", 0, "every_run"), "acked_loss is 0")]:
        def change(drill, place=place, value=value):
            for key in place[:-1]:
                drill = drill[key]
            drill[place[-1]] = value
        report.check(f"schema and program refuse /{'/'.join(map(str, place))}: {value!r}",
                     broken(change))


def children_of(pid):
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in path.read_text().split()]


def start_long_run():
    """A run that takes a while, once its workers are there."""
    process = subprocess.Popen(
        [DRYDOCK, "run", DRILL, "--conf", CONF, "--seed", "1..2000", "--jobs", "2"],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while len(children_of(process.pid)) < 2:
        time.sleep(0.01)
    return process


def crashes(report):
    process = start_long_run()
    os.kill(children_of(process.pid)[0], signal.SIGSEGV)
    while len(children_of(process.pid)) < 2:  # Another worker takes its place.
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.communicate()
    report.check("an interrupt is exit status 130", process.returncode == 130,
                 f"status {process.returncode}")
    process = subprocess.Popen(
        [DRYDOCK, "run", DRILL, "--conf", CONF, "--seed", "1..40", "--jobs", "1"],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not children_of(process.pid):
        time.sleep(0.001)
    os.kill(children_of(process.pid)[0], signal.SIGSEGV)
    out, _ = process.communicate()
    report.check("a crashed worker is one run of verdict harness, exit status 3",
                 process.returncode == 3 and out.count("signal 11") == 1 and "harness" in out,
                 f"status {process.returncode}\n{out}")


def limits(report):
    """A run that no machine ends in a second."""
    long = ["run", DRILL, "--conf", CONF, "--seed", "1", "--jobs", "2", "--set", "phases/warm=9000 h"]
    done = drydock(*long, "--limit", "1s")
    report.check("a run that takes longer than --limit is stopped, and the report says how to raise it",
                 done.returncode == 3 and done.stderr == ""
                 and "stopped after 1 s of real time; --limit" in " ".join(done.stdout.split()),
                 f"status {done.returncode}\n{done.stdout}{done.stderr}")
    with tempfile.TemporaryDirectory() as folder:
        drill = Path(folder) / "drill.json"
        drill.write_text((ROOT / DRILL).read_text().replace("rto.fault <= 60 s", "rto.fault <= 1 s"))
        drydock("run", str(drill), "--seed", "4", "--out", folder)
        repro = json.loads((Path(folder) / "repro.json").read_text())
        repro["scenario"]["phases"]["warm"] = "9000 h"
        (Path(folder) / "repro.json").write_text(json.dumps(repro))
        replayed = drydock("replay", f"{folder}/repro.json", "--limit", "1s")
        report.check("replay stops a run that takes longer than its --limit",
                     replayed.returncode == 3 and replayed.stderr == "" and replayed.stdout.count(
                         "another failure: harness: stopped after 1 s of real time") == 4,
                     f"status {replayed.returncode}\n{replayed.stdout}{replayed.stderr}")
    process = subprocess.Popen([DRYDOCK, *long], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = process.stderr.readline()
    process.send_signal(signal.SIGINT)
    process.communicate()
    report.check("phases that may take longer than ten minutes are announced, with their limit",
                 said.startswith("drydock: the phases may take ") and "--limit" in said, said)


def main():
    report = tap.Report()
    refusals(report)
    pipes(report)
    full_output(report)
    answers(report)
    folding(report)
    lint(report)
    broken_expectation(report)
    files(report)
    scenario_schema(report)
    crashes(report)
    limits(report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
