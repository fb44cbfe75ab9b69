"""Index files that RocketMQ wrote: built anew from the log by Drydock they are equal byte for byte, and
both answer queries by key with the same messages. Prints TAP."""

import os
import subprocess
import sys
from pathlib import Path

import driver
from driver import Driver, drydock, tap

INDEX = os.environ["INTEROP_INDEX"]
# Slots, entries: long chains, one chain, one file. Not fewer entries: RocketMQ names an index file by the
# millisecond in which it makes it, and two of one millisecond become one file.
SIZES = ((64, 256), (1, 200), (1009, 20_000))
TOPICS = ("topic-0", "topic-1", "topic-2", "%RETRY%" + 6 * "a-group-whose-name-is-long-")
KINDS = ("single", "batch", "long-topic", "ipv6", "transaction")
KEYS = [f"key-{i}" for i in range(0, 300, 7)] + [f"group-{i}" for i in range(7)] + [
    f"unique-{i}" for i in range(0, 300, 11)] + ["nobody's"]


def answers(jvm, name, store, conf, count):
    """Queries whose answers differ, and how many messages were found in all."""
    differ, found = [], 0
    for topic in TOPICS:
        for key in KEYS:
            theirs = sorted(jvm("query", name=name, topic=topic, key=key, count=count)["offsets"])
            done = drydock("store", "query", store, "--conf", conf, "--topic", topic, "--key", key,
                           "--count", count)
            ours = [int(line) for line in done.stdout.split()]
            found += len(ours)
            if theirs != ours or done.stderr:
                differ.append(f"{topic} {key}: RocketMQ {theirs}, Drydock {ours} {done.stderr}")
    return differ, found


def main():
    report = tap.Report()
    with driver.work_folder() as folder, Driver(folder) as jvm:
        for slots, entries in SIZES:
            for kind in KINDS:
                what = f"{kind} messages, {slots} slots, {entries} entries"
                name = f"{kind}-{slots}"
                store = Path(folder) / name
                jvm("open", name=name, directory=store, slots=slots, entries=entries)
                # Fewer keys at a time than a file has entries, so that dispatch, which pauses for a
                # millisecond between two of these, never makes two files in one.
                for first in range(0, 300, 40):
                    jvm("put", name=name, seed=slots + first, count=40, first=first, kind=kind)
                copy = Path(folder) / f"{name}-copy"
                jvm("copy", name=name, to=copy)
                done = subprocess.run([INDEX, str(copy), str(slots), str(entries)], capture_output=True,
                                      text=True, timeout=driver.LIMIT_S)
                report.check(f"{what}: index files built from the log are equal byte for byte",
                             done.returncode == 0, done.stdout + done.stderr)
                if kind in ("batch", "ipv6"):
                    continue
                conf = driver.write_conf(Path(folder) / f"{name}.conf", maxHashSlotNum=slots,
                                         maxIndexNum=entries)
                differ, found = answers(jvm, name, copy, conf, 32 if kind == "single" else 3)
                report.check(f"{what}: {len(TOPICS) * len(KEYS)} queries have the same answers",
                             not differ and found > 100, f"{found} found\n" + "\n".join(differ[:5]))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
