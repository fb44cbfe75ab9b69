"""tools/bench rocketmq [--flush async|sync|both] [--body N] [--threads N] [--repeats N]

Drydock's broker on Linux against RocketMQ 5.3.3, in one run: the same producer, name server, broker.conf and
file system, one broker at a time, taking turns. A table goes to stderr, one JSON line per figure to stdout.
Exit status: 0 measured, whether or not the targets are met; 1 no result; 2 wrong arguments or a failed build.
"""
import argparse
import json
import os
import shutil
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path

import servers

ROOT = Path(__file__).resolve().parents[3]
BROKERS = ["rocketmq", "drydock"]
FLUSHES = {"async": "ASYNC_FLUSH", "sync": "SYNC_FLUSH"}


@dataclass
class Load:
    body: int
    threads: int
    warm_up_s: int
    seconds: int


@dataclass
class Figure:
    """`bound`: of Drydock's value as a multiple of RocketMQ's; at least it, or at most."""
    name: str
    unit: str
    value: object  # Of a record.
    bound: float
    more_is_better: bool

    def met(self, ratio):
        return ratio / self.bound if self.more_is_better else self.bound / ratio


def compiling_s(run):
    """Of a JVM, which compiles less and less as it gets warm."""
    return sum(cpu_s for name, cpu_s in run["threads"].items() if "CompilerThre" in name)


FIGURES = [
    Figure("messages per CPU second", "messages/CPU s", lambda run: run["sent"] / run["cpu_s"], 2.0, True),
    Figure("the same, less compilers", "messages/CPU s",
           lambda run: run["sent"] / (run["cpu_s"] - compiling_s(run)), 2.0, True),
    Figure("TPS", "messages/s", lambda run: run["sent"] / run["ns"] * 1e9, 1.0, True),
    Figure("p99", "us", lambda run: run["p99_us"], 1.0, False),
    Figure("anonymous memory", "MiB", lambda run: run["anonymous_kib"] / 1024, 0.1, False),
]


class Arguments(argparse.ArgumentParser):
    def error(self, message):
        print(f"tools/bench: {message}", file=sys.stderr)
        sys.exit(2)


def positive(text):
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def parse(arguments):
    parser = Arguments(prog="tools/bench rocketmq", description=__doc__.split("\n\n")[1],
                       formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flush", choices=[*FLUSHES, "both"], default="both")
    parser.add_argument("--body", type=positive, default=1024, help="bytes of a body (1024)")
    parser.add_argument("--threads", type=positive, default=64, help="senders (64)")
    parser.add_argument("--warm-up", type=positive, default=15, help="seconds before measuring (15)")
    parser.add_argument("--seconds", type=positive, default=20, help="seconds measured (20)")
    parser.add_argument("--repeats", type=positive, default=3, help="runs of each broker (3)")
    parser.add_argument("--only", choices=BROKERS, help="one of the brokers, without comparison")
    parser.add_argument("--drydock", type=Path, help="the program (else build/bench is built)")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "bench" / "rocketmq",
                        help="where stores and logs go (build/bench/rocketmq)")
    options = parser.parse_args(arguments)
    if options.drydock is not None and not os.access(options.drydock, os.X_OK):
        parser.error(f"--drydock: {options.drydock} is no program")
    return options


def measure(who, folder, classes, names, flush, load, drydock):
    """One run of one broker on a new store."""
    port = servers.free_port()
    conf = servers.broker_conf(folder, who, port, names, FLUSHES[flush])
    store = folder / f"store-{who}"
    shutil.rmtree(store, ignore_errors=True)
    begin = {}
    try:
        with servers.broker(who, folder, classes, conf, port, drydock) as broker:
            def note_begin():
                begin["cpu_s"] = broker.cpu_s()
                begin["threads"] = broker.cpu_s_by_thread()
            record = servers.produce(folder, classes, names, f"bench-{who}", load, note_begin)
            record["cpu_s"] = broker.cpu_s() - begin["cpu_s"]
            record["threads"] = {name: cpu_s - begin["threads"].get(name, 0)
                                 for name, cpu_s in broker.cpu_s_by_thread().items()}
            record["anonymous_kib"] = broker.anonymous_kib()
    finally:
        shutil.rmtree(store, ignore_errors=True)
    if record["failed"] > 0:
        raise servers.Failed(f"{who}, {flush}: {record['failed']} sends failed")
    return record


def progress(line):
    if sys.stderr.isatty():
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)


def measure_all(options, folder, classes, names, flush, drydock):
    load = Load(options.body, options.threads, options.warm_up, options.seconds)
    runs = {who: [] for who in BROKERS if options.only in (None, who)}
    for repeat in range(options.repeats):
        for who, records in runs.items():
            progress(f"rocketmq {flush} flush: repeat {repeat + 1} of {options.repeats}, {who}")
            records.append(measure(who, folder, classes, names, flush, load, drydock))
    progress("")
    return runs


def median(figure, records):
    return statistics.median(map(figure.value, records))


def spread(figure, records):
    """(max - min) / median, per cent."""
    values = list(map(figure.value, records))
    return (max(values) - min(values)) / statistics.median(values) * 100


def table(options, flush, runs):
    lines = [f"{flush} flush, {options.body} B, {options.threads} senders  (median of"
             f" {options.repeats}, load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores)",
             f"  {'':26}" + "".join(f"{who:>14}" for who in runs) + f"{'ratio':>9}{'target':>10}"]
    for figure in FIGURES:
        values = [median(figure, records) for records in runs.values()]
        line = f"  {figure.name:26}" + "".join(f"{value:>14,.1f}" for value in values)
        if len(values) == 2:
            ratio = values[1] / values[0]
            sign = ">=" if figure.more_is_better else "<="
            verdict = "" if figure.met(ratio) >= 1 else "  missed"
            line += f"{ratio:>9.3f}{sign + ' ' + str(figure.bound):>10}{verdict}"
        lines.append(line)
    return "\n".join(lines)


def us_by_thread(records):
    """Microseconds of a core per message, by threads; the largest first, what is below 1 % left out."""
    sent = sum(record["sent"] for record in records)
    sums = {}
    for record in records:
        for name, cpu_s in record["threads"].items():
            sums[name] = sums.get(name, 0) + cpu_s
    least = sum(sums.values()) / 100
    kept = sorted(((cpu_s, name) for name, cpu_s in sums.items() if cpu_s >= least), reverse=True)
    return {name: round(cpu_s / sent * 1e6, 2) for cpu_s, name in kept}


def results(options, flush, runs):
    yield {"name": f"rocketmq {flush} flush: CPU per message by threads", "unit": "us",
           "values": {who: us_by_thread(records) for who, records in runs.items()},
           "body": options.body}
    for figure in FIGURES:
        values = {who: median(figure, records) for who, records in runs.items()}
        result = {"name": f"rocketmq {flush} flush: {figure.name}", "unit": figure.unit,
                  "values": {who: round(value, 2) for who, value in values.items()},
                  "spread_pct": {who: round(spread(figure, records), 1) for who, records in runs.items()},
                  "body": options.body, "threads": options.threads, "repeats": options.repeats,
                  "load": round(os.getloadavg()[0], 2)}
        if len(values) == 2:
            ratio = values["drydock"] / values["rocketmq"]
            result |= {"ratio": round(ratio, 4), "target": figure.bound, "met": round(figure.met(ratio), 4)}
        yield result


def main(arguments, drydock_of):
    """`drydock_of()` builds Drydock and gives its path; used if none is given."""
    options = parse(arguments)
    folder = options.work.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        drydock = options.drydock.resolve() if options.drydock else drydock_of()
        classes = servers.class_path(folder / "java")
    except servers.Failed as failure:
        print(f"tools/bench: {failure}", file=sys.stderr)
        return 2
    try:
        port = servers.free_port()
        with servers.name_server(folder, classes, port):
            for flush in FLUSHES if options.flush == "both" else [options.flush]:
                runs = measure_all(options, folder, classes, port, flush, drydock)
                print(table(options, flush, runs), end="\n\n", file=sys.stderr)
                for result in results(options, flush, runs):
                    print(json.dumps(result))
    except servers.Failed as failure:
        print(f"tools/bench: {failure}; no result", file=sys.stderr)
        return 1
    return 0
