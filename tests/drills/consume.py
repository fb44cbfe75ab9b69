"""Name server, broker, sender and consumer on real sockets, from outside: sent through the name server,
read back, killed in mid-stream; and every way in which reading can't begin. Prints TAP; run by hand:

    DRYDOCK=build/tools/cli/drydock python3 tests/drills/consume.py

As in serve.py nothing sleeps for a while and hopes, and every server has a loopback address of its own.
"""

import ast
import contextlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import serve  # noqa: E402
from serve import (ADDRESSES, DRYDOCK, LIMIT_S, MEMORY_MAX_KB, ROOT, Broker, acked_keys, drydock,  # noqa: E402
                   memory_kb, refused, wait_until, write_conf)
import tap  # noqa: E402

NAME_SERVER_PORT = 9876
PATIENT = ("--timeout", "100s")


class NameServer(serve.Broker):
    """A served name server."""

    def __init__(self, address=None):
        self.address = address or next(ADDRESSES)
        self.at = f"{self.address}:{NAME_SERVER_PORT}"
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [DRYDOCK, "serve", "nameserver", "--listen", self.address], cwd=ROOT,
            stdout=subprocess.PIPE, stderr=self.errors)
        self.text = ""
        self.served = self.wait_for("serving ")


def wait_for_route(name_server):
    """Until a broker has registered: it does so as soon as it serves."""
    wait_until(lambda: drydock("send", "--namesrv", name_server.at, "--topic", "first").returncode == 0,
               "a broker registers")


def messages(done):
    """[(key, queue, queue offset, log offset, size)] of what was consumed."""
    found = []
    for line in done.stdout.splitlines():
        fields = line.split(" ")
        if fields[0] in ("#", "consumed"):
            continue
        found.append((int(fields[0]), fields[1], *map(int, fields[2:5])))
    return found


def in_order(consumed):
    """Each queue in its order, without a gap."""
    following = {}
    for _, queue, offset, _, _ in consumed:
        if following.setdefault(queue, offset) != offset:
            return False
        following[queue] = offset + 1
    return True


def routed(report):
    """Sent through a name server and read back: from the beginning, as a group, with bodies."""
    with tempfile.TemporaryDirectory() as folder:
        name_server = NameServer()
        report.check("serve nameserver says that it is a testbed, then where it serves",
                     name_server.text.splitlines()[0].startswith("drydock serve: a testbed")
                     and name_server.served == f"serving a name server on {name_server.at}",
                     name_server.text)
        store = Path(folder) / "store"
        broker = Broker(write_conf(folder, store, flushDiskType="SYNC_FLUSH",
                                   namesrvAddr=name_server.at))
        wait_for_route(name_server)
        acked = Path(folder) / "acked"
        route = ("--namesrv", name_server.at, "--topic", "orders")
        done = drydock("send", *route, "--count", 2000, "--acked", acked)
        report.check("send --namesrv: all acknowledged", done.returncode == 0, done.stdout + done.stderr)

        done = drydock("consume", *route, "--count", 2000, *PATIENT)
        consumed = messages(done)
        report.check("consume --namesrv: every message once, in order per queue, exit status 0",
                     done.returncode == 0 and done.stderr == "" and in_order(consumed)
                     and sorted(message[0] for message in consumed) == list(range(1, 2001))
                     and done.stdout.endswith("\nconsumed 2000\n"), done.stdout[-500:] + done.stderr)
        places = {message[0]: message[3] for message in consumed}
        report.check("consume: offsets in the log are those that the sender was told",
                     places == acked_keys(acked), "")
        queues = {message[1] for message in consumed}
        report.check("consume --namesrv: queues have the name of their broker",
                     queues == {f"broker-a/{i}" for i in range(4)}, str(queues))

        direct = ("--broker", broker.at, "--topic", "orders")
        done = drydock("consume", *direct)
        report.check("consume --broker: without --count all that is there, then it ends",
                     done.returncode == 0 and len(messages(done)) == 2000, done.stdout[-300:])
        first = drydock("consume", *route, "--group", "g", "--count", 700, *PATIENT)
        second = drydock("consume", *direct, "--group", "g")
        third = drydock("consume", *direct, "--group", "g")
        both = sorted(message[0] for message in messages(first) + messages(second))
        report.check("consume --group goes on where the group has come to",
                     len(messages(first)) == 700 and both == list(range(1, 2001))
                     and third.stdout == "consumed 0\n" and third.returncode == 0,
                     f"{len(messages(first))} {len(messages(second))} {third.stdout}")
        again = drydock("consume", *direct, "--group", "g", "--from", "min")
        report.check("consume --from min: from the beginning, group or not",
                     len(messages(again)) == 2000, again.stdout[-300:])
        few = drydock("consume", *direct, "--from", "max", "--count", 1, "--timeout", "50ms")
        report.check("consume --count: exit status 1 if fewer come",
                     few.returncode == 1 and few.stdout == "consumed 0\n", few.stdout + few.stderr)

        drydock("send", "--to", broker.at, "--topic", "one", "--body-size", "300B")
        done = drydock("consume", "--broker", broker.at, "--topic", "one", "--count", 1, "--body", *PATIENT)
        line = done.stdout.splitlines()[1]
        body = ast.literal_eval("b" + line[line.index('"'):])
        at = int(line.split()[3])
        record = serve.read_log(store, at, int(line.split()[4]))
        report.check("consume --body shows the body, escaped on one line",
                     len(body) == 300 and body in record and line.isascii() and line.isprintable(), line)

        status = broker.stop()
        report.check("the broker stops in an orderly way", status == 0, broker.text)
        report.check("the name server stops in an orderly way",
                     name_server.stop(signal.SIGINT) == 0
                     and "stopped in an orderly way" in name_server.text, name_server.text)


def followed(report):
    """A consumer that waits gets what comes, and stores how far it is when it is stopped."""
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(write_conf(folder, Path(folder) / "store"))
        drydock("send", "--to", broker.at, "--topic", "orders", "--count", 10)
        consumer = subprocess.Popen(
            [DRYDOCK, "consume", "--broker", broker.at, "--topic", "orders", "--group", "g", "--follow"],
            cwd=ROOT, stdout=subprocess.PIPE, text=True)
        lines = [consumer.stdout.readline() for _ in range(11)]
        drydock("send", "--to", broker.at, "--topic", "orders", "--count", 5, "--keys", 100)
        lines += [consumer.stdout.readline() for _ in range(5)]
        consumer.send_signal(signal.SIGTERM)
        rest, _ = consumer.communicate(timeout=LIMIT_S)
        keys = sorted(int(line.split()[0]) for line in lines[1:])
        report.check("consume --follow: what is there, then what comes; a signal ends it",
                     keys == [*range(1, 11), *range(100, 105)] and rest == "consumed 15\n"
                     and consumer.returncode == 130, f"{keys} {rest} {consumer.returncode}")
        done = drydock("consume", "--broker", broker.at, "--topic", "orders", "--group", "g")
        report.check("consume --follow: what it printed is consumed", done.stdout == "consumed 0\n",
                     done.stdout)
        broker.stop()


def killed(report):
    """SIGKILL of name server and broker in mid-stream: all that was acknowledged is read."""
    with tempfile.TemporaryDirectory() as folder:
        name_server = NameServer()
        conf = write_conf(folder, Path(folder) / "store", flushDiskType="SYNC_FLUSH",
                          namesrvAddr=name_server.at)
        broker = Broker(conf)
        wait_for_route(name_server)
        acked = Path(folder) / "acked"
        client = subprocess.Popen(
            [DRYDOCK, "send", "--namesrv", name_server.at, "--topic", "orders", "--count", "100000000",
             "--in-flight", "32", "--acked", str(acked)],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            wait_until(lambda: acked.exists() and acked.stat().st_size > 10_000, "acknowledged keys")
            name_server.kill()
            seen = acked.stat().st_size
            wait_until(lambda: acked.stat().st_size > seen + 10_000, "keys without a name server")
        finally:
            broker.kill()
            client.send_signal(signal.SIGTERM)
        client.communicate(timeout=LIMIT_S)
        wanted = acked_keys(acked)
        report.check("killed: sends go on without a name server", len(wanted) > 1000, str(len(wanted)))
        name_server = NameServer(name_server.address)
        broker = Broker(conf, address=broker.address)
        done = drydock("consume", "--namesrv", name_server.at, "--topic", "orders", *PATIENT)
        consumed = messages(done)
        places = {message[0]: message[3] for message in consumed}
        lost = [key for key, at in wanted.items() if places.get(key) != at]
        report.check("killed: after a restart everything that was acknowledged is read, in order",
                     done.returncode == 0 and not lost and in_order(consumed),
                     f"{len(wanted)} acked, {len(consumed)} read, lost: {lost[:10]}")
        broker.stop()
        name_server.stop()


def damaged(report):
    """A wrong byte in one stored body: the other messages are read, and the damage is told."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        broker = Broker(write_conf(folder, store))
        at_broker = ("--broker", broker.at, "--topic", "orders")
        drydock("send", "--to", broker.at, "--topic", "orders", "--count", 10)
        whole = messages(drydock("consume", *at_broker, "--count", 10, *PATIENT))
        place = next(at for key, _, _, at, _ in whole if key == 4)
        with (store / "commitlog" / f"{0:020}").open("r+b") as log:
            log.seek(place + 88)  # The first byte of the body.
            byte = log.read(1)[0]
            log.seek(place + 88)
            log.write(bytes([byte ^ 1]))
        for more in ([], ["--count", "9", *PATIENT]):
            done = drydock("consume", *at_broker, *more)
            report.check(f"consume {' '.join(more)}: a damaged record is told, the others are read, exit status 1",
                         done.returncode == 1 and done.stderr.count("is damaged and passed over") == 1
                         and f"store offset {place}" in done.stderr
                         and sorted(message[0] for message in messages(done)) == [1, 2, 3, *range(5, 11)],
                         done.stdout + done.stderr)
        broker.stop()


def garbage_on_the_port(report):
    with tempfile.TemporaryDirectory() as folder:
        name_server = NameServer()
        chaos = random.Random(1)
        pieces = [b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"\x00" * 4096, b"GET / HTTP/1.1\r\n\r\n",
                  b"\x00\xff\xff\xff\x00\xff\xff\xf0" + b"x" * 100_000]
        pieces += [chaos.randbytes(chaos.randrange(1, 5000)) for _ in range(50)]
        for piece in pieces:
            with contextlib.suppress(OSError), \
                    socket.create_connection((name_server.address, NAME_SERVER_PORT),
                                             timeout=LIMIT_S) as peer:
                peer.sendall(piece)
                peer.shutdown(socket.SHUT_WR)
                while peer.recv(65536):
                    pass
        broker = Broker(write_conf(folder, Path(folder) / "store", namesrvAddr=name_server.at))
        wait_for_route(name_server)
        done = drydock("send", "--namesrv", name_server.at, "--topic", "orders", "--count", 10)
        memory = memory_kb(name_server.process)
        report.check("garbage on a name server's port stops nobody and costs no memory",
                     done.returncode == 0 and name_server.process.poll() is None
                     and memory < MEMORY_MAX_KB, f"{done.stdout}{done.stderr}, {memory} kB")
        broker.stop()
        report.check("and the name server still stops in an orderly way", name_server.stop() == 0,
                     name_server.text)


def wrong_input(report):
    with tempfile.TemporaryDirectory() as folder:
        name_server = NameServer()
        broker = Broker(write_conf(folder, Path(folder) / "store", namesrvAddr=name_server.at))
        refused(report, "serve nameserver: a port in use",
                drydock("serve", "nameserver", "--listen", name_server.address),
                f"can't listen on {name_server.at}: Address already in use")
        nobody = next(ADDRESSES)
        topic = ("--topic", "t")
        at_broker = ("--broker", broker.at)
        for arguments, wanted in [
                (["serve", "nameserver", "--listen", "x"], "--listen: 'x' is no IPv4"),
                (["serve", "nameserver", "--listen", "192.0.2.1"], "Cannot assign requested address"),
                (["send", "--namesrv", f"{nobody}:9876", *topic], "is a name server served there?"),
                (["send", "--namesrv", "x", *topic], "--namesrv: 'x' is no address"),
                (["send", "--namesrv", name_server.at, "--to", broker.at, *topic], "give either"),
                (["send", "--namesrv", name_server.at, "--queue", "1", *topic], "--queue: with --namesrv"),
                (["consume", *topic], "give either --namesrv ADDR:PORT or --broker ADDR:PORT"),
                (["consume", *at_broker, "--namesrv", name_server.at, *topic], "give either"),
                (["consume", *at_broker], "--topic is required"),
                (["consume", *at_broker, "--topic", ""], "--topic: must have 1 to 127"),
                (["consume", "--broker", "x", *topic], "--broker: 'x' is no address"),
                (["consume", "--broker", f"{nobody}:10911", *topic], "is a broker served there?"),
                (["consume", "--namesrv", f"{nobody}:9876", *topic], "is a name server served there?"),
                (["consume", *at_broker, *topic, "--from", "x"], "--from: 'x' is none of"),
                (["consume", *at_broker, *topic, "--from", "stored"], "--from stored: needs the --group"),
                (["consume", *at_broker, *topic, "--from", "max"], "--from max: needs --follow"),
                (["consume", *at_broker, *topic, "--count", "0"], "--count: must be 1"),
                (["consume", *at_broker, *topic, "--group", ""], "--group: must have 1 to 255"),
                (["consume", *at_broker, *topic, "--timeout", "5"], "--timeout: must be"),
                (["consume", *at_broker, *topic, "--timeout", "50ms"], "t is known to nobody there"),
                (["consume", *at_broker, "--topic", "rmq_sys_SYNC_BROKER_MEMBER_broker-a", "--timeout", "1s"],
                 "may not be read there: its perm has no 4"),
                (["consume", *at_broker, "--follow", "--topic", "rmq_sys_SYNC_BROKER_MEMBER_broker-a"],
                 "may not be read there: its perm has no 4"),
                (["consume", "--namesrv", name_server.at, *topic, "--timeout", "50ms"],
                 "t is known to nobody there")]:
            refused(report, "drydock " + " ".join(arguments), drydock(*arguments), wanted)
        broker.stop()
        name_server.stop()


def main():
    report = tap.Report()
    routed(report)
    followed(report)
    killed(report)
    damaged(report)
    garbage_on_the_port(report)
    wrong_input(report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
