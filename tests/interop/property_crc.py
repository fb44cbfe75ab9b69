"""The CRC of a whole record as its last property (enabledAppendPropCRC, forceVerifyPropCRC): what
RocketMQ's store writes is verified by Drydock, and what Drydock's broker writes by RocketMQ; equally damaged
stores are recovered alike when both compare it. Prints TAP.

    … python3 tests/interop/property_crc.py --first 72 --count 1000
"""

import sys
from pathlib import Path

import damage
import driver
from brokers import Served
from driver import Driver, difference, drydock, recovered_by_drydock, tap
from recovery import KINDS, chosen_seeds, compare_all, write_stores

SEEDS = 3 * len(damage.KINDS)
BOTH = {"append_crc": True, "verify_crc": True}
COUNT = 200


def conf_file(folder, name="verifying", **keys):
    (Path(folder) / name).mkdir()
    return driver.write_conf(Path(folder) / name / "broker.conf", enabledAppendPropCRC="true",
                             forceVerifyPropCRC="true", **keys)


def agree(report, jvm, what, store, conf):
    """Both recover copies of a store to the same, when they compare the CRC; the end, and the messages."""
    theirs = jvm("recover", directory=driver.copy_store(store, f"{store}-theirs"), **BOTH)
    ours = recovered_by_drydock(driver.copy_store(store, f"{store}-ours"), conf)
    told = f"{theirs} {ours}" if "refused" in ours else difference(theirs, ours)
    count = 0 if told else sum(queue["max"] for queue in ours["queues"])
    report.check(f"{what}: both recover the same", not told, told)
    return ours.get("end"), count


def written_by_rocketmq(report, jvm, folder, conf):
    kinds = (*KINDS, "odd")
    for kind in kinds:
        jvm("open", name=kind, directory=Path(folder) / f"by-rocketmq-{kind}", **BOTH)
        jvm("put", name=kind, seed=len(kind), count=COUNT, kind=kind)
    ends = jvm("close", names=list(kinds))["ends"]
    for kind in kinds:
        what, store = f"RocketMQ, {kind} messages", Path(folder) / f"by-rocketmq-{kind}"
        done = drydock("store", "verify", store, "--conf", conf)
        have = int(done.stdout.partition("property CRC: ")[2].split(" ")[0] or 0)
        report.check(f"{what}: drydock store verify finds the CRC of every record right",
                     done.returncode == 0 and have >= COUNT and f" {have} messages, ends at" in done.stdout,
                     done.stdout + done.stderr)
        end, _ = agree(report, jvm, what, store, conf)
        report.check(f"{what}: nothing is cut", end == ends[kind], f"{end}, not {ends[kind]}")


def written_by_drydock(report, jvm, folder, addresses):
    """By a broker that Java clients send to: also what it stores itself gets a CRC of its own."""
    name_server = f"{next(addresses)}:9876"
    named = Served("nameserver", "--listen", name_server)
    conf = conf_file(folder, "served", namesrvAddr=name_server, brokerName="b", messageDelayLevel="1s 1s")
    store = Path(folder) / "by-drydock"
    served = Served("broker", "--conf", conf, "--store", store, "--listen", next(addresses))
    driver.await_route(jvm, name_server)
    for how in ("sync", "batch", "delayed", "transaction"):
        jvm("send", name_server=name_server, topic=f"topic-{how}", count=20, how=how)
    for how in ("sync", "batch", "delayed"):
        jvm("lite_pull", name_server=name_server, topic=f"topic-{how}", count=20)
    served.stop()
    named.kill()
    what = "Drydock, sends, batches, delays and transactions"
    done = drydock("store", "verify", store, "--conf", conf)
    report.check(f"{what}: drydock store verify finds the CRC of every record right", done.returncode == 0,
                 done.stdout + done.stderr)
    end, count = agree(report, jvm, what, store, conf)
    report.check(f"{what}: RocketMQ accepts every record", count >= 100
                 and f"ends at {end}\n" in done.stdout, f"{count} messages, end {end}\n{done.stdout}")


def stores_from_before(report, jvm, folder, conf):
    """Stores whose first records have no CRC, and those behind them have one: stopped, and killed."""
    stopped, killed = Path(folder) / "before", Path(folder) / "before-killed"
    for append in (False, True):
        jvm("open", name="before", directory=stopped, append_crc=append)
        jvm("put", name="before", seed=7, count=60, first=100 * append)
        if append:
            jvm("copy", name="before", to=killed)
        jvm("close", names=["before"])
    agree(report, jvm, "RocketMQ, first records without it, stopped", stopped, conf)
    end, _ = agree(report, jvm, "RocketMQ, first records without it, killed", killed, conf)
    report.check("RocketMQ, first records without it, killed: the log ends in front of them", end == 0,
                 str(end))
    return [stopped, killed]


def main():
    seeds = chosen_seeds(sys.argv[1:], range(SEEDS))
    report = tap.Report()
    with driver.work_folder() as folder:
        conf = conf_file(folder)
        with Driver(folder) as jvm:
            written_by_rocketmq(report, jvm, folder, conf)
            written_by_drydock(report, jvm, folder, driver.loopback_addresses())
            before = stores_from_before(report, jvm, folder, conf)
            stores = write_stores(jvm, folder, **BOTH) + before
        compare_all(report, stores, folder, conf, seeds, **BOTH)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
