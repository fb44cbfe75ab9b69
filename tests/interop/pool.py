"""The transient pool, in RocketMQ's store and in Drydock's broker. Prints TAP.

What Drydock's model believes of RocketMQ (engine/store/transient_store_pool.hpp): a file of the log that
is made while no buffer is free has none. What is written there stays unseen until the next start, and
dispatch does not go beyond it, unless fastFailIfNoBufferInStorePool refuses to make such a file. Stores of
killed processes with the pool on are recovered alike.
"""

import shutil
import sys
import time
from pathlib import Path

import driver
from brokers import Served, acked_keys
from driver import LOG_FILE_BYTES, Driver, difference, drydock, recovered_by_drydock, tap

COUNT = 400  # Of about 1 KiB: seven files.
# RocketMQ's pool unlocks its memory through a class of the JVM that is not exported.
POOL_OF_JVM = "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED"


def count_of(recovered):
    return sum(queue["max"] for queue in recovered["queues"])


def agree(report, jvm, what, store, conf, count=None):
    """Both recover copies of a store to the same; to so many messages, if that is known."""
    theirs = jvm("recover", directory=driver.copy_store(store, f"{store}-theirs"))
    ours = recovered_by_drydock(driver.copy_store(store, f"{store}-ours"), conf)
    told = f"{theirs} {ours}" if "refused" in ours else difference(theirs, ours)
    report.check(f"{what}: both recover the same", not told, told)
    if count is not None and not told:
        report.check(f"{what}: every message is there after a restart", count_of(ours) == count,
                     f"{count_of(ours)} of {count}")


def rocketmq_without_buffer(report, jvm, folder, conf, fails):
    name = f"rocketmq-{fails}"
    jvm("open", name=name, directory=Path(folder) / name, pool=1, fails_without_buffer=fails)
    told = jvm("burst", name=name, seed=1, count=COUNT, quiet_ms=2000)
    killed = Path(folder) / f"{name}-killed"
    jvm("copy", name=name, to=killed)
    if fails:
        report.check("RocketMQ, no buffer, fast failure: a put is refused, and all others are seen",
                     told.get("refused") == "CREATE_MAPPED_FILE_FAILED"
                     and told["messages"] == told["stored"] > 0, str(told))
    else:
        report.check("RocketMQ, no buffer: puts succeed, and are unseen from the second file on",
                     told["stored"] == COUNT and told["dispatched"] == LOG_FILE_BYTES
                     and 0 < told["messages"] < COUNT, str(told))
    agree(report, jvm, f"RocketMQ, no buffer, fast failure {fails}, killed", killed, conf, told["stored"])


def written_by_drydock(report, jvm, folder, address, buffers):
    """With one buffer the broker refuses sends as soon as a file has it, as RocketMQ's does."""
    (Path(folder) / f"conf-{buffers}").mkdir()
    conf = driver.write_conf(Path(folder) / f"conf-{buffers}" / "broker.conf", transientStorePoolEnable="true",
                             transientStorePoolSize=buffers)
    store, acked = Path(folder) / f"drydock-{buffers}", Path(folder) / f"acked-{buffers}"
    served = Served("broker", "--conf", conf, "--store", store, "--listen", address)
    drydock("send", "--to", f"{address}:10911", "--topic", "pooled", "--count", COUNT, "--acked", acked,
            "--body-size", "900B")
    stored = len(acked_keys(acked))
    units = settled_units(store)
    served.kill()
    what = f"Drydock with a pool of {buffers}, killed"
    report.check(f"{what}: all that was acknowledged was seen",
                 units == stored and (stored < COUNT if buffers == 1 else stored == COUNT),
                 f"{stored} stored, {units} seen")
    agree(report, jvm, what, store, conf, stored)


def settled_units(store):
    """How many units the queues of a running broker have, once there are no more for 2 s."""
    def units():
        files = [path for path in (store / "consumequeue").rglob("*") if path.is_file()]
        content = b"".join(path.read_bytes() for path in files)
        return sum(any(content[at + 8:at + 12]) for at in range(0, len(content), 20))
    seen, since = units(), time.monotonic()
    while time.monotonic() - since < 2:
        time.sleep(0.05)
        now = units()
        if now != seen:
            seen, since = now, time.monotonic()
    return seen


def killed_in_the_middle(report, jvm, folder, conf):
    """SIGKILL of the JVM that writes, while it does: what is in the buffers is gone."""
    store = Path(folder) / "sigkill"
    writer = Driver(folder, POOL_OF_JVM)
    writer("open", name="w", directory=store, pool=3)
    writer("put", name="w", seed=3, count=50)
    writer.process.stdin.write('{"command": "put", "name": "w", "seed": 9, "count": 100000}\n')
    writer.process.stdin.flush()
    while len(list((store / "commitlog").iterdir())) < 12:
        pass
    writer.kill()
    agree(report, jvm, "RocketMQ with the pool, killed by SIGKILL in mid-stream", store, conf)
    shutil.rmtree(store)


def main():
    report = tap.Report()
    addresses = driver.loopback_addresses()
    with driver.work_folder() as folder, Driver(folder, POOL_OF_JVM) as jvm:
        conf = driver.write_conf(Path(folder) / "broker.conf")
        for fails in (False, True):
            rocketmq_without_buffer(report, jvm, folder, conf, fails)
        for buffers in (1, 10):
            written_by_drydock(report, jvm, folder, next(addresses), buffers)
        killed_in_the_middle(report, jvm, folder, conf)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
