"""What is measured: the series of each benchmark, and the targets held against their medians.

A series is one workload at one size, run by several contestants in turn. A target names one figure
of a series. Figures without a target are reported all the same, so that a change of theirs is seen.
"""
import statistics
from dataclasses import dataclass, field
from typing import Callable, Optional

BARE_HEAPS = ["bare-heap", "bare-heap-std"]
QUEUES = ["queue-stale-heap", "queue-indexed-heap", "queue-wheel", "queue-kernel"]

# The executable of each contestant.
PROGRAMS = {
    "kernel": "bench-kernel",
    "kernel-no-fingerprint": "bench-kernel",
    "kernel-stream": "bench-kernel",
    "fidelity": "bench-fidelity",
    "stack": "bench-stack",
    "stack-judged": "bench-stack",
    "storage": "bench-storage",
    "bare-array": "bench-storage",
    "store": "bench-store",
    "copy-and-sum": "bench-store",
    "bare-heap": "bench-bare-heap",
    "bare-heap-std": "bench-bare-heap",
    "ns-3": "bench-ns3",
    "systemc": "bench-systemc",
    "simgrid": "bench-simgrid",
    **{queue: "bench-queues" for queue in QUEUES},
}


@dataclass
class Target:
    """`minimum` or `maximum` is computed from the medians of the series; None: no target.

    `figure` is of the medians and a contestant. The value is that of `contestant`; the peers' are
    shown beside it, except where the figure compares two contestants of ours.
    """
    label: str
    figure: Callable
    unit: str
    contestant: str = "kernel"
    peers: bool = True
    minimum: Optional[Callable] = None
    maximum: Optional[Callable] = None


@dataclass
class Series:
    name: str
    workload: str
    arguments: list
    contestants: list
    score: Callable  # of a record; more is better
    unit: str
    ours: str
    gate: list  # Fields of the record that must agree between all contestants.
    targets: list = field(default_factory=list)

    @property
    def peers(self):
        return [name for name in self.contestants if not name.startswith(self.ours)]


def messages_per_cpu_second(record):
    return record["messages"] / record["cpu_s"]


def virtual_per_cpu_second(record):
    return record["virtual_s"] / record["cpu_s"]


def timers_per_cpu_second(record):
    return 1_000_000 / record["cpu_s"]


def score(medians, contestant):
    return medians.score[contestant]


def fingerprint_cost(medians, contestant):
    """Per cent of CPU time that the fingerprint adds: the median over pairs of adjacent runs."""
    pairs = zip(medians.cpu_runs[contestant], medians.cpu_runs["kernel-no-fingerprint"])
    return (statistics.median(with_it / without for with_it, without in pairs) - 1) * 100


def off_analytic(field_name):
    """Deviation of a transfer time from the analytic one, which the bare heap's is (it checks)."""
    def figure(medians, contestant):
        expected = medians.records["bare-heap"][field_name]
        return abs(medians.records[contestant][field_name] - expected) / expected * 1e6
    return figure


COST = Target("fingerprint cost", fingerprint_cost, "%", maximum=lambda medians: 10.0, peers=False)


def pp_timers(with_peers):
    shares = {100: 0.9, 100_000: 1.2}  # Of the better bare heap.
    for n in (6, 100, 1000, 100_000):
        share = shares.get(n)
        minimum = (lambda medians, share=share: share * medians.best(BARE_HEAPS)) if share else None
        kernel = Target("messages", score, "messages/CPU s", minimum=minimum)
        yield Series(f"pp-timers n={n}", "pp-timers", ["--n", n, "--messages", 6_000_000],
                     ["kernel", "kernel-no-fingerprint", *BARE_HEAPS], messages_per_cpu_second,
                     "messages/CPU s", "kernel", ["messages", "timeouts"],
                     [kernel, COST] if n == 100 else [kernel])
        if not with_peers:
            continue
        # 100,000 threads take SystemC a minute, 100,000 actors SimGrid more than nine: left out.
        slow = ["systemc", "simgrid"] if n < 100_000 else []
        yield Series(f"pp-timers n={n}, 600,000 messages", "pp-timers",
                     ["--n", n, "--messages", 600_000], ["kernel", *BARE_HEAPS, "ns-3", *slow],
                     messages_per_cpu_second, "messages/CPU s", "kernel", ["messages", "timeouts"],
                     [Target("messages", score, "messages/CPU s")])


def raft_hb(with_peers):
    unit = "virtual s/CPU s"
    for n in (3, 5, 9):
        targets = [Target("kernel", score, unit), Target("stream", score, unit, "kernel-stream")]
        if n == 5:
            targets[0].minimum = lambda medians: 60_000.0
            targets[1].minimum = lambda medians: 12_000.0
            targets.append(COST)
        yield Series(f"raft-hb n={n}", "raft-hb", ["--n", n, "--virtual-seconds", 36_000],
                     ["kernel", "kernel-no-fingerprint", "kernel-stream", *BARE_HEAPS,
                      *(["ns-3"] if with_peers else [])],
                     virtual_per_cpu_second, unit, "kernel", ["messages", "elections", "leaders"],
                     targets)


def timers_only(_with_peers):
    yield Series("timers-only", "timers-only", [], ["kernel", *BARE_HEAPS],
                 timers_per_cpu_second, "timers/CPU s", "kernel", ["timeouts", "checksum"],
                 [Target("timers", score, "timers/CPU s")])


def bulk_link(with_peers):
    yield Series("bulk-link", "bulk-link", ["--messages", 600_000],
                 ["kernel", "bare-heap", *(["ns-3", "simgrid"] if with_peers else [])],
                 messages_per_cpu_second, "messages/CPU s", "kernel", ["messages"],
                 [Target("messages", score, "messages/CPU s"),
                  Target("10 Gb/s, off the analytic", off_analytic("transfer_fast_ns"), "ppm"),
                  Target("100 Mb/s, off the analytic", off_analytic("transfer_slow_ns"), "ppm")])


def queues(_with_peers):
    def series(name, workload, arguments, of_record, unit, gate):
        return Series(f"queues {name}", workload, arguments, QUEUES, of_record, unit,
                      "queue-kernel", gate, [Target("queue", score, unit, "queue-kernel")])
    for n in (6, 100, 1000, 100_000):
        yield series(f"pp-timers n={n}", "pp-timers", ["--n", n, "--messages", 6_000_000],
                     messages_per_cpu_second, "messages/CPU s", ["messages", "timeouts"])
    yield series("raft-hb n=5", "raft-hb", ["--n", 5], virtual_per_cpu_second, "virtual s/CPU s",
                 ["messages", "elections", "leaders"])
    yield series("timers-only", "timers-only", [], timers_per_cpu_second, "timers/CPU s",
                 ["timeouts", "checksum"])


def whole_stack(_with_peers):
    yield Series("whole-stack", "whole-stack", [], ["stack", "stack-judged"],
                 messages_per_cpu_second, "messages/CPU s", "stack", ["messages"],
                 [Target("load", score, "messages/CPU s", "stack",
                         minimum=lambda medians: 80_000.0),
                  Target("load, judge and checkers", score, "messages/CPU s", "stack-judged")])


def storage(_with_peers):
    def series(workload, count, what, contestants, targets):
        return Series(f"storage {workload}", workload, ["--messages", count], contestants,
                      messages_per_cpu_second, f"{what}/CPU s", "storage", ["messages"],
                      [Target(what, score, f"{what}/CPU s", "storage"), *targets])

    def memory(label, figure, unit, bound):
        return Target(label, lambda medians, _: figure(medians.records["storage"]), unit, "storage",
                      peers=False, maximum=lambda medians: bound)

    def state_bytes(record):
        return record["max_rss_kb"] * 1024 / record["messages"]

    def times_stored(record):
        return record["max_rss_kb"] / (record["messages"] * 4)

    yield series("mapped-stores", 20_000_000, "stores", ["storage", "bare-array"], [])
    yield series("page-faults", 100_000, "faults", ["storage"], [])
    yield series("fsyncs", 20_000, "fsyncs", ["storage"], [])
    yield series("stored-blocks", 65_536, "blocks", ["storage"],
                 [memory("memory", times_stored, "x distinct blocks", 1.3)])
    yield series("dirty-pages", 33 * 2**18, "pages", ["storage"],
                 [memory("memory", lambda record: record["max_rss_kb"] / 1024, "MiB", 1024.0),
                  memory("memory of a page", state_bytes, "B", 120.0)])
    yield series("dirty-runs", 16_384, "runs", ["storage"],
                 [memory("memory of a run", state_bytes, "B", 16_384.0)])


def store(_with_peers):
    yield Series("store async-puts", "async-puts", ["--messages", 1_000_000],
                 ["store", "copy-and-sum"], messages_per_cpu_second, "messages/CPU s", "store",
                 ["messages"], [Target("messages", score, "messages/CPU s", "store",
                                       minimum=lambda medians: 300_000.0)])


def fidelity(_with_peers):
    inside = Target("inside", lambda medians, _: medians.records["fidelity"]["timeouts"],
                    "of 24", "fidelity", peers=False, minimum=lambda medians: 22.0)
    yield Series("fidelity a01-a24", "a01-a24", [], ["fidelity"], messages_per_cpu_second,
                 "experiments/CPU s", "fidelity", ["messages", "timeouts"],
                 [Target("experiments", score, "experiments/CPU s", "fidelity"), inside])


BENCHMARKS = {
    "fidelity": (fidelity, "the 24 experiments of drydock fidelity, and how many are inside"),
    "storage": (storage, "page cache, file system and disk: stores, faults, fsyncs, memory"),
    "store": (store, "a broker's store alone: log, queues and index, ASYNC_FLUSH, no network"),
    "whole-stack": (whole_stack, "a broker with group commit, a producer and a consumer, flat out"),
    "pp-timers": (pp_timers, "pairs of nodes play ping-pong, every wait guarded by a timer"),
    "raft-hb": (raft_hb, "heartbeats and elections of a Raft cluster, 10 virtual hours"),
    "timers-only": (timers_only, "a million timers, 99 % cancelled before they expire"),
    "bulk-link": (bulk_link, "64 KiB messages over links of 10 Gb/s and 100 Mb/s with queueing"),
    "queues": (queues, "candidates of an event queue on these workloads, without a kernel"),
}
