"""tools/bench NAME [--peers] [--repeats N] [--core N] [--build DIR]
tools/bench rocketmq [--help]

Builds the contestants (release, g++-12) and measures one benchmark, or all. A table goes to stderr,
one JSON line per target to stdout, the one met least last. Exit status: 0 measured, whether or not
the targets are met; 1 the contestants did not do the same work, no result; 2 wrong arguments or a
failed build.
"""
import argparse
import json
import sys
from pathlib import Path

import compare
import measure
import programs
import report
from catalogue import BENCHMARKS, PROGRAMS

ROOT = Path(__file__).resolve().parents[3]


def fail(line):
    print(f"tools/bench: {line}", file=sys.stderr)
    return 2


class Arguments(argparse.ArgumentParser):
    def error(self, message):
        sys.exit(fail(message))


def parse(arguments):
    parser = Arguments(prog="tools/bench", description=__doc__.split("\n\n")[1],
                       formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", metavar="NAME", help="a benchmark, or: all")
    parser.add_argument("--peers", action="store_true", help="also ns-3, SystemC and SimGrid")
    parser.add_argument("--repeats", type=int, default=5, help="runs per contestant (5)")
    parser.add_argument("--core", type=int, help="core to pin to (the one most idle so far)")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "bench",
                        help="build folder (build/bench)")
    return parser.parse_args(arguments)


def list_benchmarks():
    for name, (_, what) in BENCHMARKS.items():
        print(f"{name:12} {what}")
    print(f"{'all':12} all of these")
    print(f"{'rocketmq':12} drydock serve broker against RocketMQ's own broker; has options of its own")


def progress(line):
    if sys.stderr.isatty():
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)


def built_drydock():
    """For `tools/bench rocketmq`."""
    try:
        return programs.build(ROOT, ROOT / "build" / "bench", ["drydock"])["drydock"][0]
    except programs.BuildFailed as failure:
        raise compare.servers.Failed(failure) from failure


def main(arguments):
    if arguments[:1] == ["rocketmq"]:
        return compare.main(arguments[1:], built_drydock)
    options = parse(arguments)
    if options.name is None:
        list_benchmarks()
        return 0
    if options.name != "all" and options.name not in BENCHMARKS:
        return fail(f"no benchmark '{options.name}'; there are: {', '.join(BENCHMARKS)}, all")
    if options.repeats < 1:
        return fail("--repeats must be at least 1")
    names = list(BENCHMARKS) if options.name == "all" else [options.name]
    series_list = [series for name in names for series in BENCHMARKS[name][0](options.peers)]
    needed = {PROGRAMS[contestant] for series in series_list for contestant in series.contestants}
    try:
        built = programs.build(ROOT, options.build.resolve(), needed)
    except programs.BuildFailed as failure:
        return fail(failure)
    core = measure.quietest_core() if options.core is None else options.core

    results = []
    status = 0
    for series in series_list:
        try:
            medians = measure.run_series(series, built, PROGRAMS, options.repeats, core, progress)
        except measure.GateFailed as failure:
            progress("")
            print(f"tools/bench: {failure}; no result", file=sys.stderr)
            status = 1
            continue
        progress("")
        print(report.table(series, medians, options.repeats, core), end="\n\n", file=sys.stderr)
        results += [report.result_of(series, target, medians, options.repeats, core)
                    for target in series.targets]
    for result in report.in_order(results):
        print(json.dumps(result))
    return status
