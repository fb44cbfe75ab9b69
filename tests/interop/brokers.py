"""RocketMQ's broker goes on with a store that Drydock's broker wrote, and its Java client and admin tool
work with Drydock's broker and name server. Prints TAP.

What Drydock does not serve yet is listed in docs/compatibility.md and is refused with the code that it
names there; each such refusal is a check, so that the table is changed when the broker is.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import driver
from driver import DRYDOCK, Driver, DriverError, difference, drydock, recovered_by_drydock, tap

# The index of 2,000 messages with two keys each takes three files.
SLOTS, ENTRIES = 1009, 1500
SIZES = {"log_file_bytes": 1 << 20, "queue_file_bytes": 20_000, "slots": SLOTS, "entries": ENTRIES}
INDEX = os.environ["INTEROP_INDEX"]


class Served:
    """A server of Drydock's that has said that it serves."""

    def __init__(self, *arguments):
        self.process = driver.child([DRYDOCK, "serve", *map(str, arguments)], stdout=subprocess.PIPE,
                                    text=True)
        for line in self.process.stdout:
            if line.startswith(("serving ", "name server")) or " serving" in line:
                break

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=driver.LIMIT_S)

    def kill(self):
        self.process.kill()
        self.process.communicate()


def conf_file(folder, **keys):
    return driver.write_conf(Path(folder) / "broker.conf", mappedFileSizeCommitLog=1 << 20,
                             mappedFileSizeConsumeQueue=20_000, maxHashSlotNum=SLOTS,
                             maxIndexNum=ENTRIES, brokerName="b", **keys)


def acked_keys(path):
    return {int(line.split()[0]): int(line.split()[1]) for line in path.read_text().splitlines()}


def index_is_whole(report, what, store, conf):
    """The index files of a stopped store are those that the log demands, and `store verify` agrees."""
    done = subprocess.run([INDEX, str(store), str(SLOTS), str(ENTRIES)], capture_output=True, text=True,
                          timeout=driver.LIMIT_S)
    report.check(f"{what}: index files are equal to those built from the log, byte for byte",
                 done.returncode == 0 and not done.stdout.startswith("equal: 0"), done.stdout + done.stderr)
    verified = drydock("store", "verify", store, "--conf", conf)
    report.check(f"{what}: store verify finds log and index in agreement",
                 verified.returncode == 0 and ", 0 keys of messages" in verified.stdout,
                 verified.stdout + verified.stderr)


def finds_by_key(report, jvm, what, name_server, topic, keys):
    """RocketMQ's client finds each of these keys, and no other."""
    wrong = []
    for key, physical in keys.items():
        found = jvm("query_key", name_server=name_server, topic=topic, key=key)["messages"]
        # Recovery files the last message of a full file a second time.
        if {one["physical"] for one in found} != {physical}:
            wrong.append(f"{key}: {[one['physical'] for one in found]}, not {physical}")
    report.check(f"{what}: RocketMQ's client finds {len(keys)} messages by their keys",
                 not wrong and len(keys) > 0, "\n".join(wrong[:5]))
    good, told = refused(jvm, 208, "query_key", name_server=name_server, topic=topic, key="nobody's")
    report.check(f"{what}: a key that no message has is not found", good, told)


# Of RocketMQ's runtime information, what belongs to parts that Drydock's broker does not have.
WITHOUT_PART = ("timer", "ackThreadPool", "litePullThreadPool", "queryThreadPool")


def status_of(jvm, name_server, broker):
    """What `mqadmin brokerStatus` prints of a broker, by key."""
    printed = jvm("admin", words=["brokerStatus", "-n", name_server, "-b", f"{broker}:10911"])["printed"]
    lines = [line.split(": ", 1) for line in printed.splitlines() if ": " in line]
    return {line[0].strip(): line[1].strip() for line in lines if len(line) == 2}


def keys_agree(report, ours, theirs):
    """Both answer with the same keys; `theirs` is from RocketMQ's broker."""
    def known(status):  # Paths are each broker's own.
        return {key.split("_/")[0] for key in status if not key.startswith("scheduleMessageOffset_")}
    expected = {key for key in known(theirs) if not key.startswith(WITHOUT_PART)}
    report.check("admin tool, brokerStatus: the keys are those of RocketMQ's broker", known(ours) == expected,
                 f"missing {sorted(expected - known(ours))}, beyond {sorted(known(ours) - expected)}")


def goes_on(report, jvm, folder, addresses, batched, status):
    """(b): written by Drydock, stopped or killed, then started and consumed by RocketMQ's broker."""
    name_server = next(addresses)
    jvm("start_name_server", address=name_server, port=9876)
    for how in ("stopped", "killed"):
        store = Path(folder) / how
        conf = conf_file(folder, flushDiskType="SYNC_FLUSH")
        address = next(addresses)
        served = Served("broker", "--conf", conf, "--store", store, "--listen", address)
        acked = Path(folder) / f"{how}.acked"
        topic = f"from-drydock-{how}"
        drydock("send", "--to", f"{address}:10911", "--topic", topic, "--count", 2000, "--acked", acked,
                "--body-size", "700B")
        served.stop() if how == "stopped" else served.kill()
        if how == "stopped":  # A killed broker may not have dispatched all that it acknowledged.
            index_is_whole(report, f"written by Drydock, {how}", store, conf)
        keys = acked_keys(acked)
        theirs = jvm("recover", directory=driver.copy_store(store, f"{store}-copy"), **SIZES)
        told = difference(theirs, recovered_by_drydock(store, conf))
        report.check(f"written by Drydock, {how}: both recover the same", not told, told)
        address = next(addresses)
        jvm("start_broker", name="b", address=address, told=address, port=10911, directory=store,
            name_server=f"{name_server}:9876", **SIZES)
        driver.await_route(jvm, f"{name_server}:9876")
        read = jvm("lite_pull", name_server=f"{name_server}:9876", topic=topic, count=len(keys))
        found = {int(message["key"]): message["physical"] for message in read["messages"]}
        report.check(f"written by Drydock, {how}: RocketMQ's broker serves all {len(keys)} acked messages"
                     " from their places", found == keys and len(keys) == 2000,
                     f"{len(found)} of {len(keys)}; what the broker has: " +
                     jvm("admin", words=["topicStatus", "-n", f"{name_server}:9876", "-t", topic])["printed"])
        finds_by_key(report, jvm, f"written by Drydock, {how}, served by RocketMQ's broker",
                     f"{name_server}:9876", topic,
                     {str(key): keys[key] for key in sorted(keys)[::125]})
        more = jvm("send", name_server=f"{name_server}:9876", topic=topic, count=8, how="sync")
        report.check(f"written by Drydock, {how}: RocketMQ's broker appends to it",
                     [one["status"] for one in more["results"]] == ["SEND_OK"] * 8
                     and min(one["offset"] for one in more["results"]) > 0, str(more))
        if how == "stopped":
            operators(report, jvm, f"{name_server}:9876", address, "RocketMQ's broker")
            keys_agree(report, status, status_of(jvm, f"{name_server}:9876", address))
            theirs = batches(report, jvm, f"{name_server}:9876", "RocketMQ's broker")
            report.check("a batch: Drydock stores the properties that RocketMQ's broker stores",
                         without_unique_keys(theirs) == without_unique_keys(batched),
                         f"RocketMQ {theirs[0]}, Drydock {batched[0]}")
        jvm("stop_broker", name="b")
        told = difference(jvm("recover", directory=driver.copy_store(store, f"{store}-after"), **SIZES),
                          recovered_by_drydock(store, conf))
        report.check(f"written by both, first {how}: both recover the same", not told, told)
        if how == "stopped":
            index_is_whole(report, f"written by both, first {how}", store, conf)


def refused(jvm, code, command, **arguments):
    """Whether RocketMQ's client is told `code`."""
    try:
        return False, str(jvm(command, **arguments))
    except DriverError as problem:
        return f"CODE: {code} " in str(problem), str(problem)


def numbers(messages):
    return sorted(int(message["key"].removeprefix("key-")) for message in messages)


def shares_queues(report, jvm, name_server):
    """Groups of consumers: push, concurrent and in order, and rebalancing lite pull."""
    jvm("send", name_server=name_server, topic="topic-push", count=40, how="sync")
    read = jvm("push", name_server=name_server, topic="topic-push", group="pushers", count=40)["messages"]
    report.check("Java client: a push consumer gets every message once", numbers(read) == list(range(40)),
                 str(read))
    jvm("send", name_server=name_server, topic="topic-push", count=10, first=40, how="sync")
    read = jvm("push", name_server=name_server, topic="topic-push", group="pushers", count=10)["messages"]
    report.check("Java client: another of its group goes on where it stopped",
                 numbers(read) == list(range(40, 50)), str(read))
    read = jvm("push", name_server=name_server, topic="topic-push", group="taggers", count=25,
               tags="A")["messages"]
    report.check("Java client: a push consumer's tags choose, by what its group subscribes to",
                 numbers(read) == list(range(0, 50, 2)), str(read))
    both = jvm("push", name_server=name_server, topic="topic-push", group="sharers", count=100,
               first=100, consumers=2, wait_s=60)
    report.check("Java client: two push consumers share the queues, and each message comes once",
                 [n for n in numbers(both["messages"]) if n >= 100] == list(range(100, 200))
                 and set(both["owners"]) == {0, 1}, str(both))
    jvm("send", name_server=name_server, topic="topic-in-order", count=30, how="ordered")
    read = jvm("push", name_server=name_server, topic="topic-in-order", group="orderly", count=30,
               orderly=True)["messages"]
    report.check("Java client: a push consumer in order gets a queue in its order",
                 [message["offset"] for message in read] == list(range(30)), str(read))
    read = jvm("lite_pull", name_server=name_server, topic="topic-push", group="lite-sharers", count=150,
               subscribes=True, wait_s=60)["messages"]
    report.check("Java client: lite pull that subscribes gets every message once",
                 numbers(read) == [*range(50), *range(100, 200)], str(read))


def delays_and_retries(report, jvm, name_server):
    """Delay levels, messages that come again, dead letters."""
    sent = jvm("send", name_server=name_server, topic="topic-delayed", count=4, how="delayed")["results"]
    report.check("Java client, delayed: every send is SEND_OK",
                 [one["status"] for one in sent] == ["SEND_OK"] * 4, str(sent))
    read = jvm("lite_pull", name_server=name_server, topic="topic-delayed", count=4)["messages"]
    report.check("Java client, delayed: every message comes, a second later",
                 numbers(read) == list(range(4)) and all(m["late_ms"] >= 1000 for m in read), str(read))
    jvm("send", name_server=name_server, topic="topic-retried", count=4, how="sync")
    read = jvm("push", name_server=name_server, topic="topic-retried", group="failers", count=8,
               fails_once=True, wait_s=60)["messages"]
    report.check("Java client: what a consumer fails comes again, once more",
                 sorted((n, m["reconsumed"]) for m in read for n in numbers([m])) ==
                 [(n, times) for n in range(4) for times in (0, 1)], str(read))
    read = jvm("push", name_server=name_server, topic="topic-retried", group="losers", count=4,
               fails=True, retries=0)["messages"]
    dead = jvm("lite_pull", name_server=name_server, topic="%DLQ%losers", count=4)["messages"]
    report.check("Java client: what has failed too often is a dead letter",
                 numbers(dead) == list(range(4)), f"{read}\n{dead}")
    jvm("send", name_server=name_server, topic="topic-retried-in-order", count=3, how="ordered")
    jvm("push", name_server=name_server, topic="topic-retried-in-order", group="orderly-losers", count=6,
        fails=True, retries=1, orderly=True, wait_s=20)
    dead = jvm("lite_pull", name_server=name_server, topic="%DLQ%orderly-losers", count=1)["messages"]
    report.check("Java client, in order: what has failed too often is a dead letter", 0 in numbers(dead),
                 str(dead))


def transactions(report, jvm, name_server):
    sent = jvm("send", name_server=name_server, topic="topic-transaction", count=10,
               how="transaction")["results"]
    report.check("Java client, transaction: every half message is SEND_OK",
                 [one["status"] for one in sent] == ["SEND_OK"] * 10, str(sent))
    read = jvm("lite_pull", name_server=name_server, topic="topic-transaction", count=6,
               wait_s=3)["messages"]
    report.check("Java client, transaction: what was committed comes, what was rolled back does not",
                 numbers(read) == [0, 2, 4, 6, 8], str(read))
    sent = jvm("send", name_server=name_server, topic="topic-asked", count=3, how="asked")
    read = jvm("lite_pull", name_server=name_server, topic="topic-asked", count=3)["messages"]
    report.check("Java client, transaction: the broker asks about what did not end, and delivers it",
                 sent["asked"] and numbers(read) == [0, 1, 2], f"{sent}\n{read}")


def serves_java_clients(report, jvm, folder, addresses):
    """(d): RocketMQ's client and admin tool against `drydock serve`."""
    address = next(addresses)
    name_server = f"{address}:9876"
    named = Served("nameserver", "--listen", name_server)
    broker = next(addresses)
    conf = conf_file(folder, namesrvAddr=name_server, messageDelayLevel="1s 1s 2s 2s",
                     transactionTimeOut=4000, transactionCheckInterval=5000)
    served = Served("broker", "--conf", conf, "--store", Path(folder) / "served", "--listen", broker)
    driver.await_route(jvm, name_server)
    for how in ("sync", "async", "ordered"):
        sent = jvm("send", name_server=name_server, topic=f"topic-{how}", count=10, how=how)["results"]
        report.check(f"Java client, {how}: every send is SEND_OK",
                     [one["status"] for one in sent] == ["SEND_OK"] * 10, str(sent))
    report.check("Java client, ordered: one queue, offsets in the order of the sends",
                 [(one["queue"], one["offset"]) for one in sent] == [(0, i) for i in range(10)], str(sent))
    jvm("send", name_server=name_server, topic="topic-oneway", count=10, how="oneway")
    for how in ("sync", "async", "oneway", "ordered"):
        read = jvm("lite_pull", name_server=name_server, topic=f"topic-{how}", count=10)["messages"]
        report.check(f"Java client, {how}: lite pull gives every message, with its body, key and tag",
                     sorted((m["key"], m["body"], m["tag"]) for m in read) ==
                     sorted((f"key-{i}", f"body-{i}", "AB"[i % 2]) for i in range(10)), str(read))
    read = jvm("lite_pull", name_server=name_server, topic="topic-sync", count=5, tags="A")["messages"]
    report.check("Java client: a tag chooses", len(read) == 5 and {m["tag"] for m in read} == {"A"},
                 str(read))
    cluster = jvm("admin", words=["clusterList", "-n", name_server])["printed"]
    report.check("admin tool, clusterList: names the broker", f"{broker}:10911" in cluster, cluster)
    route = jvm("admin", words=["topicRoute", "-t", "topic-sync", "-n", name_server])["printed"]
    report.check("admin tool, topicRoute: names the broker", f"{broker}:10911" in route, route)
    status = status_of(jvm, name_server, broker)
    # Four times ten messages, and what the client sent again.
    report.check("admin tool, brokerStatus: says what was sent and what was read",
                 int(status.get("msgPutTotalTodayNow", -1)) == int(status.get("putMessageTimesTotal", -2)) >= 40
                 and int(status.get("msgGetTotalTodayNow", -1)) >= 40
                 and status.get("putMessageSizeTotal") == status.get("commitLogMaxOffset"), str(status))
    shares_queues(report, jvm, name_server)
    delays_and_retries(report, jvm, name_server)
    transactions(report, jvm, name_server)
    looks_up(report, jvm, name_server, broker)
    operators(report, jvm, name_server, broker, "Drydock's broker")
    follows_drydock(report, jvm, folder, broker)
    batched = batches(report, jvm, name_server)
    with Driver(folder, "-Dorg.apache.rocketmq.client.sendSmartMsg=false") as old:
        sent = old("send", name_server=name_server, topic="topic-old", count=4, how="sync")["results"]
        read = old("lite_pull", name_server=name_server, topic="topic-old", count=4)["messages"]
        report.check("Java client, the old kind of send: SEND_OK, and every message is read",
                     [one["status"] for one in sent] == ["SEND_OK"] * 4
                     and sorted(one["key"] for one in read) == [f"key-{i}" for i in range(4)],
                     f"{sent} {read}")
    for what, code, arguments in (("a time of its own", 3, {"how": "timed"}),):
        good, told = refused(jvm, code, "send", name_server=name_server, topic="topic-refused", count=2,
                             **arguments)
        report.check(f"Java client: {what} is refused with code {code}", good, told)
    good, told = refused(jvm, 3, "push", name_server=name_server, topic="topic-push", group="sql", count=1,
                         sql="TAGS is not null", wait_s=10)
    report.check("Java client: a push consumer with a filter in SQL92 does not start, by code 3", good, told)
    served.stop()
    named.kill()
    store = Path(folder) / "served"
    index_is_whole(report, "written by Drydock for Java clients", store, conf)
    told = difference(jvm("recover", directory=driver.copy_store(store, f"{store}-copy"), **SIZES),
                      recovered_by_drydock(store, conf))
    report.check("written by Drydock for Java clients, batches among them: both recover the same",
                 not told, told)
    return batched, status


def looks_up(report, jvm, name_server, broker):
    """Queries by key, id and time."""
    at = {"name_server": name_server, "topic": "topic-looked-up"}
    sent = jvm("send", **at, count=6, how="ordered")["results"]
    read = sorted(jvm("lite_pull", **at, count=6)["messages"], key=lambda one: one["offset"])
    finds_by_key(report, jvm, "Java client", name_server, at["topic"],
                 {one["key"]: one["physical"] for one in read})
    for kind in ("ids", "unique"):
        seen = jvm("view", **at, ids=[one[kind] for one in sent])["messages"]
        report.check(f"Java client: viewMessage finds messages by their {kind}", seen == read,
                     f"{seen}\n{read}")
    times = [one["stored_ms"] for one in read]
    asked = [0, times[0], times[-1] + 1, times[-1] + 10_000_000]
    told = jvm("times", **at, queue=0, at=asked)
    report.check("Java client: searchOffset, earliestMsgStoreTime, minOffset, maxOffset",
                 told["offsets"] == [0, 0, 6, 6] and told["earliest"] == times[0]
                 and (told["min"], told["max"]) == (0, 6), f"{told} {times}")
    printed = jvm("admin", words=["queryMsgByKey", "-n", name_server, "-t", at["topic"], "-k", "key-3"])
    report.check("admin tool, queryMsgByKey: names the message", sent[3]["unique"] in printed["printed"],
                 printed["printed"])
    printed = jvm("admin", words=["queryMsgById", "-n", name_server, "-t", at["topic"], "-i",
                                  sent[3]["ids"]])["printed"]
    report.check("admin tool, queryMsgById: shows the message", "key-3" in printed, printed)


def printed_of(jvm, words, wanted):
    """What the admin tool prints once that has `wanted`, or at last: a name server hears of a topic later."""
    end = time.monotonic() + driver.LIMIT_S
    while True:
        printed = jvm("admin", words=words)["printed"]
        if wanted in printed or time.monotonic() > end:
            return printed


def operators(report, jvm, name_server, broker, who):
    """The admin tool makes a topic, changes it, and asks how it and its consumers do."""
    topic, at = "topic-by-hand", ["-n", name_server]
    for queues in (2, 3):
        made = jvm("admin", words=["updateTopic", *at, "-b", f"{broker}:10911", "-t", topic,
                                   "-r", str(queues), "-w", str(queues)])["printed"]
        report.check(f"{who}, admin tool, updateTopic: a topic of {queues} queues",
                     "success" in made and f"readQueueNums={queues}" in made, made)
        route = printed_of(jvm, ["topicRoute", *at, "-t", topic], f'"readQueueNums":{queues}')
        report.check(f"{who}, admin tool, topicRoute: tells of {queues} queues",
                     f'"readQueueNums":{queues}' in route, route)
    jvm("send", name_server=name_server, topic=topic, count=6, how="ordered")
    jvm("push", name_server=name_server, topic=topic, group="by-hand", count=6)
    status = jvm("admin", words=["topicStatus", *at, "-t", topic])["printed"]
    rows = [line.split()[1:4] for line in status.splitlines() if line.startswith("b ")]
    report.check(f"{who}, admin tool, topicStatus: the ends of each queue",
                 sorted(rows) == [["0", "0", "6"], ["1", "0", "0"], ["2", "0", "0"]], status)
    progress = jvm("admin", words=["consumerProgress", *at, "-g", "by-hand"])["printed"]
    rows = [line.split()[2:6] for line in progress.splitlines() if line.startswith(topic)]
    report.check(f"{who}, admin tool, consumerProgress: how far a group has come",
                 [row[:3] for row in sorted(rows)] == [["0", "6", "6"], ["1", "0", "0"], ["2", "0", "0"]],
                 progress)
    # What it prints depends on every broker that the name server still knows, gone ones among them.
    jvm("admin", words=["deleteTopic", *at, "-c", "DefaultCluster", "-t", topic])
    status = jvm("admin", words=["topicStatus", *at, "-t", topic])["printed"]
    report.check(f"{who}, admin tool, deleteTopic: topicStatus tells of no queue any more",
                 not any(line.startswith("b ") for line in status.splitlines()), status)
    jvm("admin", words=["updateTopic", *at, "-b", f"{broker}:10911", "-t", topic, "-r", "1", "-w", "1"])
    printed_of(jvm, ["topicRoute", *at, "-t", topic], '"readQueueNums":1')
    status = jvm("admin", words=["topicStatus", *at, "-t", topic])["printed"]
    rows = [line.split()[1:4] for line in status.splitlines() if line.startswith("b ")]
    report.check(f"{who}, admin tool, topicStatus: a topic of that name begins anew",
                 sorted(rows) == [["0", "0", "0"]], status)


def follows_drydock(report, jvm, folder, broker):
    """RocketMQ's slave asks for topics, consumer offsets, delay offsets and groups."""
    told = jvm("follow", master=f"{broker}:10911", directory=Path(folder) / "follower", **SIZES)
    report.check("RocketMQ's slave takes over the topics of Drydock's broker",
                 {"topic-sync", "topic-push", "%RETRY%pushers", "TBW102"} <= set(told["topics"])
                 and "broker-a" not in told["topics"], str(told["topics"]))
    read = told["offsets"].get("topic-push@pushers", {})
    report.check("RocketMQ's slave takes over consumer offsets", sum(map(int, read.values())) == 50,
                 str(told["offsets"]))
    report.check("RocketMQ's slave takes over delay offsets", int(told["delays"].get("1", 0)) >= 4,
                 str(told["delays"]))
    report.check("RocketMQ's slave takes over groups", {"pushers", "orderly"} <= set(told["groups"]),
                 str(told["groups"]))


class Follower:
    """Drydock's slave of RocketMQ's broker. It asks a minute after its start: other tests go on meanwhile."""

    def __init__(self, jvm, folder, addresses):
        self.jvm, self.store = jvm, Path(folder) / "slave"
        name_server, master = next(addresses), next(addresses)
        jvm("start_name_server", address=name_server, port=9876)
        jvm("start_broker", name="m", address=master, told=master, port=10911,
            directory=Path(folder) / "master", name_server=f"{name_server}:9876", **SIZES)
        driver.await_route(jvm, f"{name_server}:9876")
        jvm("send", name_server=f"{name_server}:9876", topic="topic-followed", count=10, how="sync")
        jvm("push", name_server=f"{name_server}:9876", topic="topic-followed", group="followers", count=10)
        (Path(folder) / "follower-conf").mkdir()
        conf = driver.write_conf(Path(folder) / "follower-conf" / "broker.conf", brokerName="m", brokerId=1,
                                 brokerRole="SLAVE", namesrvAddr=f"{name_server}:9876",
                                 mappedFileSizeCommitLog=1 << 20, mappedFileSizeConsumeQueue=20_000)
        self.served = Served("broker", "--conf", conf, "--store", self.store, "--listen", next(addresses))

    def check(self, report):
        for name, wanted in (("subscriptionGroup.json", '"followers"'), ("topics.json", '"topic-followed"'),
                             ("consumerOffset.json", '"topic-followed@followers"')):
            text = driver.await_text(self.store / "config" / name, wanted)
            report.check(f"Drydock's slave takes over {name} of RocketMQ's broker", wanted in text, text)
        self.served.stop()
        self.jvm("stop_broker", name="m")


def without_unique_keys(messages):
    """What two brokers must store alike of the same messages."""
    return sorted((one["body"], one["key"], one["tag"],
                   sorted((name, value) for name, value in one["properties"].items()
                          if name != "UNIQ_KEY"))
                  for one in messages)


def batches(report, jvm, name_server, who="Java client"):
    """Two batches of 20 messages; gives what is read of them."""
    at = {"name_server": name_server, "topic": "topic-batch"}
    for first in (0, 20):
        sent = jvm("send", **at, count=20, first=first, how="batch")["results"]
        report.check(f"{who}, batch from {first} on: SEND_OK, an id for each message",
                     [one["status"] for one in sent] == ["SEND_OK"]
                     and len(sent[0]["ids"].split(",")) == 20, str(sent))
    read = jvm("lite_pull", **at, count=40)["messages"]
    report.check(f"{who}: lite pull gives every message of both batches",
                 sorted((m["key"], m["body"], m["tag"]) for m in read) ==
                 sorted((f"key-{i}", f"body-{i}", "AB"[i % 2]) for i in range(40)), str(read))
    seen = jvm("view", **at, ids=sent[0]["ids"].split(","))["messages"]
    report.check(f"{who}: the ids of a batch are those of its messages, in order",
                 [one["key"] for one in seen] == [f"key-{i}" for i in range(20, 40)]
                 and [one["offset"] for one in seen] ==
                 list(range(sent[0]["offset"], sent[0]["offset"] + 20)), str(seen))
    finds_by_key(report, jvm, f"{who}, batch", name_server, at["topic"],
                 {one["key"]: one["physical"] for one in read[::7]})
    return read


def main():
    report = tap.Report()
    addresses = driver.loopback_addresses()
    with driver.work_folder() as folder:
        jvm = Driver(folder)
        follower = Follower(jvm, folder, addresses)
        batched, status = serves_java_clients(report, jvm, folder, addresses)
        goes_on(report, jvm, folder, addresses, batched, status)
        follower.check(report)
        jvm.kill()
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
