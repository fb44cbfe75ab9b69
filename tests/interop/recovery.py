"""Equally damaged stores are recovered by RocketMQ and by Drydock: to the same log, the same queues
and the same units. Prints TAP. By hand, other seeds than those of the gate, and one of them alone:

    … python3 tests/interop/recovery.py --first 360 --count 5000
    … python3 tests/interop/recovery.py --seed 17
"""

import argparse
import random
import shutil
import sys
from pathlib import Path

import damage
import driver
from driver import Driver, DriverError, difference, recovered_by_drydock, tap

SEEDS = 24 * 15  # Every kind of damage of damage.py on every store; more seeds begin again, with
                 # other places and other damage on top.
FOUND = (918, 2770)  # Once were disagreements: docs/compatibility.md.
SEEDS_OF_A_JVM = 300  # RocketMQ does not close all files of a store: then descriptors run out.
KINDS = ("single", "batch", "long-topic", "ipv6", "transaction")


def write_stores(jvm, folder, **options):
    """Stores by RocketMQ: per kind of message one stopped in an orderly way, and one killed. `options`:
    what else it is opened with."""
    stores = []
    for kind in KINDS:
        name = f"base-{kind}"
        jvm("open", name=name, directory=Path(folder) / name, **options)
        jvm("put", name=name, seed=len(kind), count=250, kind=kind)
        jvm("copy", name=name, to=Path(folder) / f"{name}-killed")
        stores += [Path(folder) / name, Path(folder) / f"{name}-killed"]
    jvm("close", names=[f"base-{kind}" for kind in KINDS])
    return stores + cut_once(jvm, folder, stores, **options)


def cut_once(jvm, folder, stores, **options):
    """The killed ones once more: damaged, recovered by RocketMQ, written to, and killed again. Behind
    their ends are old records, which a recovery may accept."""
    again = []
    for number, store in enumerate(stores[1::2]):
        copy = driver.copy_store(store, Path(folder) / f"again-{number}")
        damage.bad_body(copy, random.Random(number))
        jvm("open", name=copy.name, directory=copy, **options)
        jvm("put", name=copy.name, seed=number, count=5 + 10 * number, first=1000)
        again.append(Path(folder) / f"{copy.name}-killed")
        jvm("copy", name=copy.name, to=again[-1])
    jvm("close", names=[f"again-{number}" for number in range(len(again))])
    return again


def sees_a_difference(report, jvm, stores, folder, conf):
    """The comparison itself: of two stores that are not equal."""
    torn = driver.copy_store(stores[0], Path(folder) / "torn")
    damage.torn_tail(torn, random.Random(1))
    (torn / "abort").write_text("1")
    theirs = jvm("recover", directory=driver.copy_store(stores[0], Path(folder) / "whole"))
    told = difference(theirs, recovered_by_drydock(torn, conf))
    report.check("a torn tail in one of two copies is seen as another end and other offsets",
                 "end: " in told and "queue " in told, told)
    done = driver.drydock("store", "diff", stores[0], torn, "--conf", conf)
    report.check("store diff sees it, too", done.returncode == 1 and "log: ends at" in done.stdout,
                 done.stdout + done.stderr)


def without_impossible_queues(report):
    """A queue with a negative id, from a damaged record, is none here: docs/divergence-rocketmq.md."""
    return {**report, "queues": [queue for queue in report["queues"] if queue["queue"] >= 0]}


def compare(jvm, stores, folder, conf, seed, **options):
    """(what was done to which store, what the two disagree on). `options`: what else RocketMQ's is opened
    with."""
    source = random.Random(seed)
    store = stores[seed // len(damage.KINDS) % len(stores)]
    damaged = driver.copy_store(store, Path(folder) / "damaged")
    done = damage.damage(damaged, damage.KINDS[seed % len(damage.KINDS)], source)
    copy = driver.copy_store(damaged, Path(folder) / "copy")
    try:
        try:
            theirs = jvm("recover", directory=damaged, **options)
        except DriverError as problem:
            theirs = {"loaded": False, "problem": str(problem)}
        ours = recovered_by_drydock(copy, conf)
        if "refused" in ours or not theirs["loaded"]:
            both = "refused" in ours and not theirs["loaded"]
            told = "" if both else f"RocketMQ: {theirs}\nDrydock: {ours}"
        else:
            told = difference(without_impossible_queues(theirs), ours)
    finally:
        shutil.rmtree(damaged)
        shutil.rmtree(copy)
    return f"{store.name}: {done}", told


def compare_all(report, stores, folder, conf, seeds, **options):
    for first in range(0, len(seeds), SEEDS_OF_A_JVM):
        with Driver(folder) as jvm:
            for seed in seeds[first:first + SEEDS_OF_A_JVM]:
                done, told = compare(jvm, stores, folder, conf, seed, **options)
                kind = damage.KINDS[seed % len(damage.KINDS)].__name__
                report.check(f"seed {seed}, {kind}: equal", not told, f"{done}\n{told}")


def whole_number(text):
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text}: a whole number from 0")
    return number


def chosen_seeds(arguments, gate):
    """The gate's, without arguments."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", type=whole_number, default=0, help="the first seed (0)")
    parser.add_argument("--count", type=whole_number, default=len(gate),
                        help=f"how many seeds from there on ({len(gate)})")
    parser.add_argument("--seed", type=whole_number, help="this one alone")
    options = parser.parse_args(arguments)
    if options.seed is not None:
        return range(options.seed, options.seed + 1)
    if not arguments:
        return gate
    return range(options.first, options.first + options.count)


def main():
    seeds = chosen_seeds(sys.argv[1:], [*range(SEEDS), *FOUND])
    report = tap.Report()
    with driver.work_folder() as folder:
        conf = driver.write_conf(Path(folder) / "broker.conf")
        with Driver(folder) as jvm:
            stores = write_stores(jvm, folder)
            sees_a_difference(report, jvm, stores, folder, conf)
        compare_all(report, stores, folder, conf, seeds)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
