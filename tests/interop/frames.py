"""Frames between RocketMQ's client, admin tool, broker and name server: Drydock decodes each and
encodes it again to the same bytes. Prints TAP.

A proxy between them records what both ends send, once with JSON headers and once with binary ones.
"""

import os
import subprocess
import sys
from pathlib import Path

import driver
from driver import Driver, DriverError, tap
from recorder import Recorder

FRAMES = os.environ["INTEROP_FRAMES"]
# What has to be among the recorded frames: requests by name and code. Source: storage reference, 12.4.
REQUESTS = {"SEND_MESSAGE_V2": 310, "SEND_BATCH_MESSAGE": 320, "END_TRANSACTION": 37, "PULL_MESSAGE": 11,
            "LITE_PULL_MESSAGE": 361, "QUERY_MESSAGE": 12, "HEART_BEAT": 34, "UNREGISTER_CLIENT": 35,
            "GET_CONSUMER_LIST_BY_GROUP": 38, "QUERY_CONSUMER_OFFSET": 14,
            "UPDATE_CONSUMER_OFFSET": 15, "GET_MIN_OFFSET": 31, "GET_ROUTEINFO_BY_TOPIC": 105,
            "REGISTER_BROKER": 103, "GET_BROKER_CLUSTER_INFO": 106, "GET_BROKER_RUNTIME_INFO": 28}


class Patient:
    """A driver whose commands are given again when RocketMQ's client gave up waiting: here it is the
    frames that count, and the list of requests says which have to be there."""

    def __init__(self, jvm):
        self.jvm = jvm

    def __call__(self, command, **arguments):
        for _ in range(4):
            try:
                return self.jvm(command, **arguments)
            except DriverError as problem:
                last = problem
        raise last


def exercise(jvm, folder, addresses):
    """Everything that the client can do, once; through recorders in front of both servers."""
    name_server, broker, name_server_seen, broker_seen = addresses
    seen = f"{name_server_seen}:9876"
    jvm("start_name_server", address=name_server, port=9876)
    recorders = [Recorder(folder, "name-server", (name_server_seen, 9876), (name_server, 9876)),
                 Recorder(folder, "broker", (broker_seen, 10911), (broker, 10911))]
    jvm("start_broker", name="b", address=broker, told=broker_seen, port=10911, name_server=seen,
        directory=Path(folder) / "store", log_file_bytes=1 << 20, queue_file_bytes=20_000)
    driver.await_route(jvm, seen)
    jvm = Patient(jvm)
    for how in ("sync", "async", "oneway", "batch", "ordered", "delayed", "transaction"):
        jvm("send", name_server=seen, topic=f"topic-{how}", count=6, how=how)
    jvm("lite_pull", name_server=seen, topic="topic-sync", count=6)
    jvm("lite_pull", name_server=seen, topic="topic-async", count=3, tags="A")
    jvm("push", name_server=seen, topic="topic-batch", count=6, group="frames")
    jvm("times", name_server=seen, topic="topic-sync", queue=0, at=[0])
    jvm("query_key", name_server=seen, topic="topic-sync", key="key-3")
    for words in (["clusterList"], ["topicList"], ["topicRoute", "-t", "topic-sync"],
                  ["topicStatus", "-t", "topic-sync"], ["consumerProgress", "-g", "frames"],
                  ["brokerStatus", "-b", f"{broker_seen}:10911"]):
        jvm("admin", words=[*words, "-n", seen])
    jvm("follow", master=f"{broker_seen}:10911", directory=Path(folder) / "follower",
        log_file_bytes=1 << 20, queue_file_bytes=20_000)
    for recorder in recorders:
        recorder.close()


def main():
    report = tap.Report()
    addresses = driver.loopback_addresses()
    for kind in ("JSON", "ROCKETMQ"):
        with driver.work_folder() as folder:
            jvm = Driver(folder, f"-Drocketmq.serialize.type={kind}")
            exercise(jvm, folder, [next(addresses) for _ in range(4)])
            jvm.kill()
            files = sorted(str(path) for path in Path(folder).glob("*-requests"))
            files += sorted(str(path) for path in Path(folder).glob("*-answers"))
            done = subprocess.run([FRAMES, *files], capture_output=True, text=True,
                                  timeout=driver.LIMIT_S)
        lines = done.stdout.splitlines()
        for line in lines:
            if line.startswith(("ok ", "not ok ")):
                report.check(line.split(" - ")[1], line.startswith("ok "),
                             "\n".join(line for line in lines[lines.index(line) + 1:][:2]))
        missing = [name for name, code in REQUESTS.items()
                   if f"{kind} request {code}:" not in done.stdout]
        report.check(f"{kind}: every request that the list names was recorded", not missing,
                     f"missing: {missing}")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
