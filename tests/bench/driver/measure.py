"""Runs the contestants of a series in turn and reduces their records to medians.

CPU time, not wall time; pinned to one core; contestants alternate (A B C A B C …), so that a slow
phase of the machine meets all of them. A series whose contestants did different work has no result.
"""
import json
import os
import statistics
import subprocess
from dataclasses import dataclass


class GateFailed(Exception):
    """The contestants did not do the same work, or one did not finish."""


@dataclass
class Medians:
    score: dict
    spread: dict  # (max - min) / median of the score, per cent.
    cpu_s: dict
    cpu_runs: dict  # CPU seconds of every run, in order.
    records: dict  # One record of each contestant.
    load: float

    def best(self, contestants):
        return max(self.score[name] for name in contestants)


def quietest_core():
    """The allowed core that has been idle the most since boot: a guess, stated in the result."""
    idle = {}
    with open("/proc/stat", encoding="ascii") as stat:
        for line in stat:
            fields = line.split()
            if fields[0].startswith("cpu") and fields[0] != "cpu":
                idle[int(fields[0][3:])] = int(fields[4])
    allowed = os.sched_getaffinity(0)
    return max(allowed, key=lambda core: (idle.get(core, 0), core))


def run_once(series, contestant, program, core):
    path, environment = program
    command = [str(path), "--contestant", contestant, "--workload", series.workload,
               *map(str, series.arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False,
                          preexec_fn=lambda: os.sched_setaffinity(0, {core}))
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        raise GateFailed(f"{series.name}: {contestant} ended with {done.returncode}: {last}")
    return json.loads(lines[-1])


def check_gate(series, records):
    """All records of a series must agree on what was done; ours must repeat its fingerprint."""
    first = records[0]
    for record in records:
        for name in series.gate:
            if record[name] != first[name]:
                raise GateFailed(
                    f"{series.name}: {name} differ: {first['contestant']} {first[name]}, "
                    f"{record['contestant']} {record[name]}")
    fingerprints = {}
    for record in records:
        seen = fingerprints.setdefault(record["contestant"], record["fingerprint"])
        if seen != record["fingerprint"]:
            raise GateFailed(f"{series.name}: {record['contestant']} gave two fingerprints")


def run_series(series, programs, program_of, repeats, core, progress):
    runs = {contestant: [] for contestant in series.contestants}
    load = os.getloadavg()[0]
    for repeat in range(repeats):
        for contestant in series.contestants:
            progress(f"{series.name}: repeat {repeat + 1} of {repeats}, {contestant}")
            record = run_once(series, contestant, programs[program_of[contestant]], core)
            runs[contestant].append(record)
            check_gate(series, [runs[series.contestants[0]][0], record])
            load = max(load, os.getloadavg()[0])
    check_gate(series, [record for records in runs.values() for record in records])
    scores = {name: [series.score(record) for record in records] for name, records in runs.items()}
    return Medians(
        score={name: statistics.median(values) for name, values in scores.items()},
        spread={name: (max(values) - min(values)) / statistics.median(values) * 100
                for name, values in scores.items()},
        cpu_s={name: statistics.median(record["cpu_s"] for record in records)
               for name, records in runs.items()},
        cpu_runs={name: [record["cpu_s"] for record in records] for name, records in runs.items()},
        records={name: records[0] for name, records in runs.items()},
        load=load)
