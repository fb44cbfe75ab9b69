"""Stores written by RocketMQ are verified and recovered by Drydock as RocketMQ recovers them, and
stores written by Drydock by RocketMQ. Prints TAP.

Clean: stopped in an orderly way. Killed: the files while the store was open, or after SIGKILL.
"""

import sys
from pathlib import Path

import driver
from driver import Driver, difference, drydock, recovered_by_drydock, tap

KINDS = ("single", "batch", "long-topic", "ipv6", "transaction")


def agree(report, jvm, what, store, conf):
    """Both recover copies of a store to the same."""
    theirs = jvm("recover", directory=driver.copy_store(store, f"{store}-theirs"))
    ours = recovered_by_drydock(driver.copy_store(store, f"{store}-ours"), conf)
    if not theirs["loaded"] or "refused" in ours:
        report.check(f"{what}: both recover it", False, f"{theirs} {ours}")
        return
    told = difference(theirs, ours)
    count = sum(queue["max"] for queue in ours["queues"])
    report.check(f"{what}: same begin, end, offsets and units; {count} messages", not told, told)


def verify(report, what, store, conf, end):
    done = drydock("store", "verify", store, "--conf", conf)
    report.check(f"{what}: drydock store verify finds it clean, to its end",
                 done.returncode == 0 and f"ends at {end}" in done.stdout, done.stdout + done.stderr)


def written_by_rocketmq(report, jvm, folder, conf):
    stores = [(kind, sync) for kind in KINDS for sync in (False, True)]
    for kind, sync in stores:
        name = f"{kind}-{sync}"
        jvm("open", name=name, directory=Path(folder) / name, sync=sync)
        jvm("put", name=name, seed=len(kind), count=300, kind=kind)
        jvm("copy", name=name, to=Path(folder) / f"{name}-killed")
    ends = jvm("close", names=[f"{kind}-{sync}" for kind, sync in stores])["ends"]
    for kind, sync in stores:
        name = f"{kind}-{sync}"
        mode = "SYNC_FLUSH" if sync else "ASYNC_FLUSH"
        for how, store in (("clean", name), ("killed", f"{name}-killed")):
            what = f"RocketMQ, {kind} messages, {mode}, {how}"
            verify(report, what, Path(folder) / store, conf, ends[name])
            agree(report, jvm, what, Path(folder) / store, conf)


def bigger_bodies(report, jvm, folder):
    """Bodies of up to 200 KiB in files of 1 MiB."""
    conf = driver.write_conf(Path(folder) / "bigger.conf", mappedFileSizeCommitLog=1 << 20)
    store = Path(folder) / "bigger"
    jvm("open", name="w", directory=store, log_file_bytes=1 << 20)
    jvm("put", name="w", seed=5, count=120, body_max=200 * 1024)
    killed = Path(f"{store}-killed")
    jvm("copy", name="w", to=killed)
    end = jvm("close", names=["w"])["ends"]["w"]
    for name, files in (("clean", store), ("killed", killed)):
        verify(report, f"RocketMQ, bodies of up to 200 KiB, {name}", files, conf, end)
        theirs = jvm("recover", directory=driver.copy_store(files, f"{files}-t"), log_file_bytes=1 << 20)
        told = difference(theirs, recovered_by_drydock(files, conf))
        report.check(f"RocketMQ, bodies of up to 200 KiB, {name}: same offsets and units", not told, told)


def killed_in_the_middle(report, jvm, folder, conf):
    """SIGKILL of the JVM that writes, while it does."""
    for round_number in range(3):
        store = Path(folder) / f"sigkill-{round_number}"
        writer = Driver(folder)
        writer("open", name="w", directory=store, sync=round_number == 2)
        writer("put", name="w", seed=round_number, count=50)
        writer.process.stdin.write('{"command": "put", "name": "w", "seed": 9, "count": 100000}\n')
        writer.process.stdin.flush()
        log = store / "commitlog"
        while len(list(log.iterdir())) < 12 + 3 * round_number:
            pass
        writer.kill()
        agree(report, jvm, f"RocketMQ, killed by SIGKILL in mid-stream, {round_number}", store, conf)


def changes_nothing(report, jvm, folder, conf):
    """`store recover` without --write leaves every byte; with it, RocketMQ finds an orderly stop."""
    store = Path(folder) / "untouched"
    jvm("open", name="w", directory=store)
    jvm("put", name="w", seed=77, count=200)
    killed = Path(f"{store}-killed")
    jvm("copy", name="w", to=killed)
    jvm("close", names=["w"])

    def content():
        return {path: path.read_bytes() for path in sorted(killed.rglob("*")) if path.is_file()}

    before = content()
    looked = recovered_by_drydock(killed, conf)
    report.check("store recover changes no file without --write", content() == before)
    wrote = recovered_by_drydock(killed, conf, "--write")
    report.check("store recover --write says the same", looked == wrote, f"{looked}\n{wrote}")
    report.check("store recover --write leaves an orderly stop", not (killed / "abort").exists())
    agree(report, jvm, "RocketMQ on what store recover --write has left", killed, conf)
    same = drydock("store", "diff", store, killed, "--conf", conf)
    report.check("store diff: a clean store and its killed copy hold the same", same.returncode == 0,
                 same.stdout + same.stderr)


def main():
    report = tap.Report()
    with driver.work_folder() as folder, Driver(folder) as jvm:
        conf = driver.write_conf(Path(folder) / "broker.conf")
        written_by_rocketmq(report, jvm, folder, conf)
        bigger_bodies(report, jvm, folder)
        killed_in_the_middle(report, jvm, folder, conf)
        changes_nothing(report, jvm, folder, conf)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
