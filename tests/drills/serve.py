"""A broker on real files and sockets, from outside: served, sent to, killed in mid-stream, looked into;
and every way in which it can't be served. Prints TAP; run by hand:

    DRYDOCK=build/tools/cli/drydock python3 tests/drills/serve.py

Nothing sleeps for a while and hopes: it waits for printed lines and for conditions, up to a limit that
only turns a hang into a failure. Every broker has a loopback address of its own, so ports never meet.
"""

import contextlib
import json
import os
import random
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "guards"))
import tap  # noqa: E402

DRYDOCK = os.path.abspath(os.environ["DRYDOCK"])
LIMIT_S = 120
FILE_BYTES = 1 << 20
PORT = 10911
MEMORY_MAX_KB = 512 * 1024


def addresses():
    """Loopback addresses that no other run of this program uses at the same time."""
    pid = os.getpid()
    for last in range(1, 255):
        yield f"127.{100 + (pid >> 8) % 100}.{pid % 256}.{last}"


ADDRESSES = addresses()


def drydock(*arguments):
    return subprocess.run([DRYDOCK, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True,
                          timeout=LIMIT_S)


def wait_until(condition, what):
    end = time.monotonic() + LIMIT_S
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.005)  # Between two looks.


def write_conf(folder, store, **keys):
    conf = Path(folder) / "broker.conf"
    keys = {"storePathRootDir": store, "mappedFileSizeCommitLog": FILE_BYTES,
            "brokerName": "broker-a", **keys}
    conf.write_text("".join(f"{key}={value}\n" for key, value in keys.items()))
    return conf


class Broker:
    """A served broker; `lines` is what it has printed."""

    def __init__(self, conf, *arguments, address=None):
        self.address = address or next(ADDRESSES)
        self.at = f"{self.address}:{PORT}"
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [DRYDOCK, "serve", "broker", "--conf", conf, "--listen", self.address, *arguments],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=self.errors)
        self.text = ""
        self.served = self.wait_for("serving ")

    def wait_for(self, text):
        """The line that begins with `text`."""
        end = time.monotonic() + LIMIT_S
        while True:
            for line in self.text.splitlines():
                if line.startswith(text):
                    return line
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            piece = os.read(self.process.stdout.fileno(), 65536).decode() if ready else ""
            if not piece:
                self.process.kill()
                self.errors.seek(0)
                raise RuntimeError(f"no line '{text}': {self.text}{self.errors.read().decode()}")
            self.text += piece

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self, number=signal.SIGTERM):
        """The exit status of an orderly stop."""
        self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=LIMIT_S)
        self.text += out.decode()
        return self.process.returncode


def acked_keys(path):
    """{key: physical offset} of the whole lines of an acked file."""
    if not path.exists():
        return {}
    lines = path.read_text().split("\n")[:-1]
    return {int(line.split()[0]): int(line.split()[1]) for line in lines}


def dumped(store):
    """{key: physical offset} of a dump, and the other lines."""
    done = drydock("store", "dump", store)
    keys, others = {}, []
    for line in done.stdout.splitlines()[1:]:
        fields = line.split()
        if fields[2].startswith("("):
            others.append((int(fields[0]), " ".join(fields[2:])))
        else:
            keys[int(fields[6])] = int(fields[0])
    return keys, others


def log_end(store):
    """The offset at which zeros begin."""
    return next(offset for offset, text in dumped(store)[1] if text.startswith("(zeros"))


def patch(store, offset, content):
    """Overwrites bytes of the log."""
    path = Path(store) / "commitlog" / f"{offset // FILE_BYTES * FILE_BYTES:020}"
    with open(path, "r+b") as file:
        file.seek(offset % FILE_BYTES)
        file.write(content)


def read_log(store, offset, length):
    path = Path(store) / "commitlog" / f"{offset // FILE_BYTES * FILE_BYTES:020}"
    with open(path, "rb") as file:
        file.seek(offset % FILE_BYTES)
        return file.read(length)


# Entries of an index file begin behind a header of 40 bytes and 5,000,000 slots of 4; an entry has 20:
# the hash of the key, where the message lies, seconds, the entry before it.
INDEX_ENTRIES_AT = 40 + 5_000_000 * 4
INDEX_DAMAGE = [
    ("an entry that points into a message", INDEX_ENTRIES_AT + 20 + 4 + 7, b"\x09", "no message lies at 9"),
    ("an entry of another key", INDEX_ENTRIES_AT + 20, b"\x00\x00\x00\x07", "lead"),
    ("an entry of another time", INDEX_ENTRIES_AT + 5 * 20 + 12, b"\x00\x00\x01\x00", "tells another time"),
    ("a chain that leads elsewhere", INDEX_ENTRIES_AT + 20 + 16, b"\x00\x00\x00\x05", "does not lead to"),
]


def sends(report):
    """Served, sent to, stopped, looked into."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        conf = write_conf(folder, store, flushDiskType="SYNC_FLUSH", fileReservedTime=72)
        broker = Broker(conf)
        report.check("serve says that it is a testbed, then where it serves",
                     broker.text.splitlines()[0] ==
                     "drydock serve: a testbed, not for production: keep no messages here that you need"
                     and broker.served == f"serving broker-a on {broker.at}, store {store} (empty)",
                     broker.text)
        acked = Path(folder) / "acked"
        done = drydock("send", "--to", broker.at, "--topic", "orders", "--count", 2000, "--keys", 5000,
                       "--acked", acked)
        report.check("send: all acknowledged, exit status 0",
                     done.returncode == 0 and done.stderr == ""
                     and done.stdout == "sent 2000: 2000 acked, 0 unknown, 0 failed\n",
                     done.stdout + done.stderr)
        done = drydock("send", "--to", broker.at, "--topic", "orders", "--queue", 3, "--body-size", "77B")
        one = next(line.split() for line in drydock("store", "dump", store).stdout.splitlines()
                   if line.endswith(" 1"))
        report.check("send --queue sends there, dump shows it with its size",
                     done.returncode == 0 and int(one[1]) > 77 + 91
                     and one[2:4] == ["orders", "3"], str(one))
        done = drydock("send", "--to", broker.at, "--topic", "orders", "--queue", 99, "--count", 2)
        report.check("send: a line for each refused one, a summary with the reasons, exit status 1",
                     done.returncode == 1 and "sent 2: 0 acked, 0 unknown, 2 failed "
                     "(invalid-parameter 2)\n" in done.stdout and done.stdout.count("key ") == 2,
                     done.stdout + done.stderr)
        running = drydock("store", "verify", store)
        report.check("verify says that a broker runs there",
                     running.returncode == 0 and "lock: held" in running.stdout, running.stdout)
        second = drydock("serve", "broker", "--conf", conf, "--listen", next(ADDRESSES))
        refused(report, "a second broker on the same store", second, "another broker runs on this store")
        other = write_conf(folder, Path(folder) / "other")
        second = drydock("serve", "broker", "--conf", other, "--listen", broker.address)
        refused(report, "port in use", second, f"can't listen on {broker.at}: Address already in use; give another --listen")
        status = broker.stop()
        report.check("SIGTERM is an orderly stop, exit status 0",
                     status == 0 and broker.text.endswith("stopped in an orderly way\n")
                     and not (store / "abort").exists(), f"status {status}\n{broker.text}")
        keys, others = dumped(store)
        wanted = acked_keys(acked)
        report.check("dump has every acknowledged key at its offset, and the blanks of full files",
                     len(wanted) == 2000 and all(keys.get(key) == at for key, at in wanted.items())
                     and any(text.startswith("(blank") for _, text in others), str(others))
        clean = drydock("store", "verify", store, "--conf", conf)
        report.check("verify: clean, exit status 0",
                     clean.returncode == 0 and clean.stdout.endswith(f"{store}: clean\n")
                     and "2001 messages" in clean.stdout, clean.stdout + clean.stderr)
        report.check("verify: every message is in the index under both of its keys",
                     "index: 1 files, 4002 entries, 0 keys of messages between them are not there\n"
                     in clean.stdout, clean.stdout)
        for name, at, content, told in INDEX_DAMAGE:
            path = next((store / "index").iterdir())
            with open(path, "r+b") as file:
                before = (file.seek(at), file.read(len(content)))[1]
                file.seek(at)
                file.write(content)
            damaged = drydock("store", "verify", store, "--conf", conf)
            report.check(f"verify: {name} is damage",
                         damaged.returncode == 1 and told in damaged.stdout, damaged.stdout)
            with open(path, "r+b") as file:
                file.seek(at)
                file.write(before)


def refused(report, name, done, wanted):
    lines = [line for line in done.stderr.splitlines() if "without effect here" not in line]
    good = (done.returncode == 2 and len(lines) == 1 and lines[0].startswith("drydock: ")
            and wanted in lines[0] and "serving" not in done.stdout)
    report.check(f"refused: {name}", good, f"status {done.returncode}\n{done.stdout}{done.stderr}")


def killed(report, flush):
    """SIGKILL in mid-stream: the page cache has all that was acknowledged."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        conf = write_conf(folder, store, flushDiskType=flush)
        acked = Path(folder) / "acked"
        broker = Broker(conf)
        client = subprocess.Popen(
            [DRYDOCK, "send", "--to", broker.at, "--topic", "orders", "--count", "100000000",
             "--in-flight", "32", "--acked", str(acked)],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            wait_until(lambda: acked.exists() and acked.stat().st_size > 30_000, "acknowledged keys")
        finally:
            broker.kill()
            client.send_signal(signal.SIGTERM)
        out, _ = client.communicate(timeout=LIMIT_S)
        report.check(f"{flush}: what was in flight at the kill is not called acked",
                     client.returncode == 130 and "\nsent " in out and " 0 unknown" not in out,
                     f"status {client.returncode}\n{out[-500:]}")
        wanted = acked_keys(acked)
        again = Broker(conf)
        report.check(f"{flush}: the next start says that it recovered after a crash",
                     "recovered after a crash" in again.served, again.served)
        keys, _ = dumped(store)
        lost = [key for key, at in wanted.items() if keys.get(key) != at]
        report.check(f"{flush}: a killed broker comes back with all that was acknowledged",
                     len(wanted) > 1000 and not lost, f"{len(wanted)} acked, lost: {lost[:10]}")
        done = drydock("send", "--to", again.at, "--topic", "orders", "--keys", "900000000")
        status = again.stop(signal.SIGINT)
        keys, _ = dumped(store)
        report.check(f"{flush}: and takes further messages behind them",
                     done.returncode == 0 and status == 0
                     and keys[900_000_000] > max(wanted.values()), done.stdout)


def torn_tails(report):
    """Whatever a test does to the tail, verify names the place and serve cuts there."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        conf = write_conf(folder, store)
        broker = Broker(conf)
        drydock("send", "--to", broker.at, "--topic", "orders", "--count", 10, "--in-flight", 1)
        broker.stop()
        end = log_end(store)
        last = max(dumped(store)[0].values())
        record = read_log(store, last, end - last)
        # A torn record: its head is there, the rest is not.
        cases = [("half a record", end, record[:300], end),
                 ("garbage", end, b"\xff" * 5000, end),
                 ("a length and nothing else", end, b"\x00\x00\x10\x00", end),
                 ("a length beyond the file", end, b"\x7f\xff\xff\xff" + record[4:], end),
                 ("a zeroed tail", end - 300, b"\x00" * 300, last),
                 ("a flipped bit", last + 200, bytes([record[200] ^ 1]), last)]
        for name, at, content, cut in cases:
            before = read_log(store, 0, FILE_BYTES)
            patch(store, at, content)
            done = drydock("store", "verify", store)
            report.check(f"verify: {name} is damage, with the place of the cut",
                         done.returncode == 1 and f"recovery would cut the log at {cut} " in done.stdout
                         and f"damage: at {cut}: " in done.stdout, done.stdout + done.stderr)
            (store / "abort").write_text("1")
            again = Broker(conf)
            report.check(f"serve: {name} is cut off, and said to be",
                         f"recovered after a crash: cut " in again.served
                         and f" bytes at {cut} (" in again.served, again.served)
            again.stop()
            patch(store, 0, before)
            (store / "checkpoint").unlink()


def middle(report):
    """One bad record in the middle: everything behind it is lost, and verify says how much."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        conf = write_conf(folder, store)
        broker = Broker(conf)
        drydock("send", "--to", broker.at, "--topic", "orders", "--count", 2000)
        broker.stop()
        offsets = sorted(dumped(store)[0].values())
        patch(store, offsets[500] + 150, b"\x00\x00\x00\x00\x00")
        done = drydock("store", "verify", store)
        report.check("verify: after an orderly stop a bad record in the middle stays",
                     done.returncode == 1 and f"damage: at {offsets[500]}: " in done.stdout
                     and f"would begin to read at {2 * FILE_BYTES}: the damage in front of it stays"
                     in done.stdout and "recovery would cut nothing" in done.stdout, done.stdout)
        # After an orderly stop RocketMQ reads the newest file only, and does not meet the damage.
        orderly = Broker(conf)
        report.check("serve: after an orderly stop the damage is not met",
                     "after an orderly stop: nothing cut" in orderly.served, orderly.served)
        orderly.stop()
        (store / "abort").write_text("1")
        (store / "checkpoint").unlink()
        done = drydock("store", "verify", store)
        report.check("verify: after a crash, with what a recovery would lose behind it",
                     done.returncode == 1 and f"cut the log at {offsets[500]} " in done.stdout
                     and "1499 whole records among them" in done.stdout, done.stdout)
        again = Broker(conf)
        report.check("serve: the same cut, and the files that go with it",
                     f" bytes at {offsets[500]} (" in again.served
                     and ", and 2 files behind it" in again.served, again.served)
        again.stop()


def content(store):
    return {path: path.read_bytes() for path in sorted(store.rglob("*")) if path.is_file()}


def recovered_in_place(report):
    """`store recover` and `store diff`: what they say, and that only --write changes anything."""
    with tempfile.TemporaryDirectory() as folder:
        store, other = Path(folder) / "store", Path(folder) / "other"
        broker = Broker(write_conf(folder, store))
        drydock("send", "--to", broker.at, "--topic", "orders", "--queue", 2, "--count", 100,
                "--in-flight", 1)
        running = drydock("store", "recover", store)
        report.check("recover: not while a broker runs on the store", running.returncode == 2
                     and running.stderr.count("\n") == 1 and "lock is held" in running.stderr,
                     running.stdout + running.stderr)
        broker.kill()
        offsets = sorted(dumped(store)[0].values())
        shutil.copytree(store, other)
        patch(store, offsets[60] + 150, b"\x00\x00\x00\x00\x00")
        before = content(store)
        looked = drydock("store", "recover", store)
        report.check("recover: where the log ends, why, and what is left of the queue",
                     looked.returncode == 0 and f"ends at {offsets[60]};" in looked.stdout
                     and "wrong body checksum" in looked.stdout
                     and "queue orders 2: offsets 0 to 60, units " in looked.stdout,
                     looked.stdout + looked.stderr)
        report.check("recover: nothing is changed without --write", content(store) == before)
        differ = drydock("store", "diff", store, other)
        report.check("diff: the ends, the other queue, exit status 1", differ.returncode == 1
                     and "queue orders 2: offsets 0 to 60, and 0 to 100" in differ.stdout,
                     differ.stdout + differ.stderr)
        wrote = drydock("store", "recover", store, "--write")
        report.check("recover --write: the same answer, and an orderly stop", wrote.returncode == 0
                     and wrote.stdout == looked.stdout and not (store / "abort").exists(),
                     wrote.stdout + wrote.stderr)
        drydock("store", "recover", other, "--write")
        again = Broker(write_conf(folder, other))
        drydock("send", "--to", again.at, "--topic", "orders", "--queue", 2, "--keys", 101)
        again.stop()
        told = drydock("store", "recover", other, "--json").stdout
        report.check("recover --json, behind a broker that went on where --write had left",
                     json.loads(told)["queues"][0]["max"] == 101, told)
        equal = drydock("store", "diff", other, other)
        report.check("diff: a store and itself, exit status 0", equal.returncode == 0, equal.stdout)
        for name, arguments, word in (
                ("no such directory", ["recover", Path(folder) / "nowhere"], "cannot be read"),
                ("no store", ["diff", store, folder], "is not a store"),
                ("one directory alone", ["diff", store], "other")):
            done = drydock("store", *arguments)
            report.check(f"refused: store {arguments[0]}: {name}", done.returncode == 2
                         and done.stderr.count("\n") == 1 and word in done.stderr,
                         f"{done.returncode} {done.stderr}")


def wrong_files(report):
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        conf = write_conf(folder, store)
        broker = Broker(conf)
        drydock("send", "--to", broker.at, "--topic", "orders", "--count", 100)
        broker.stop()
        first = store / "commitlog" / f"{0:020}"
        os.truncate(first, FILE_BYTES - 1)
        done = drydock("serve", "broker", "--conf", conf, "--listen", next(ADDRESSES))
        refused(report, "a wrong-sized file", done, f"{first} has {FILE_BYTES - 1} bytes, not the"
                f" configured {FILE_BYTES}")
        done = drydock("store", "verify", store)
        report.check("verify: a wrong-sized file is damage",
                     done.returncode == 1 and f"{FILE_BYTES - 1} bytes" in done.stdout, done.stdout)
        os.truncate(first, FILE_BYTES)
        (store / "commitlog" / "notes.txt").write_text("x" * FILE_BYTES)
        done = drydock("serve", "broker", "--conf", conf, "--listen", next(ADDRESSES))
        refused(report, "a file with no offset for a name", done, "is not named by an offset")
        done = drydock("store", "verify", store)
        report.check("verify: a file with no offset for a name is damage",
                     done.returncode == 1 and "not named by an offset" in done.stdout, done.stdout)
        (store / "commitlog" / "notes.txt").unlink()
        nothing = store / "commitlog" / "abc"
        nothing.touch()
        done = [drydock("store", command, store) for command in ("dump", "verify")]
        report.check("dump and verify: an empty last file goes at the next start, whatever its name",
                     all(each.returncode == 0 and f"{nothing}" in each.stdout and "removes it at start" in each.stdout
                         for each in done), done[0].stdout[-500:] + done[1].stdout)
        nothing.unlink()
        blocked = store / "commitlog" / f"{9 * FILE_BYTES:020}"
        blocked.mkdir()
        done = [drydock("store", command, store) for command in ("dump", "verify")]
        report.check("dump and verify: a directory where a file of the log belongs is damage",
                     all(each.returncode == 1 and "is a directory" in each.stdout for each in done),
                     done[0].stdout[-500:] + done[1].stdout)
        done = drydock("serve", "broker", "--conf", conf, "--listen", next(ADDRESSES))
        refused(report, "a directory where a file of the log belongs", done,
                f"{blocked}: is a directory where a file of the log belongs; move it away, or give")
        blocked.rmdir()
        os.mkfifo(blocked)
        for command in (("store", "dump", store), ("store", "verify", store),
                        ("serve", "broker", "--conf", conf, "--listen", next(ADDRESSES))):
            refused(report, f"{' '.join(command[:2])}: a FIFO among the files of the log", drydock(*command),
                    f"{blocked}: is neither a file nor a directory: move it out of the log")
        blocked.unlink()
        os.rename(first, store / "commitlog" / f"{5 * FILE_BYTES:020}")
        done = drydock("store", "verify", store, "--conf", conf)
        report.check("verify: a missing file, and records that say they are elsewhere",
                     done.returncode == 1 and "is missing in front of" in done.stdout
                     and "a record that says it is at 0" in done.stdout, done.stdout)
        os.rename(store / "commitlog" / f"{5 * FILE_BYTES:020}", first)
        checkpoint = bytearray((store / "checkpoint").read_bytes())
        checkpoint[0:8] = (1 << 50).to_bytes(8, "big")
        (store / "checkpoint").write_bytes(checkpoint)
        done = drydock("store", "verify", store)
        report.check("verify: a checkpoint that knows of a flushed message which is not there",
                     done.returncode == 1 and "was flushed; the newest one" in done.stdout, done.stdout)


def whole_records(report):
    """dump, verify and recover of records with a property CRC, one of which is damaged beside its body."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        conf = write_conf(folder, store, enabledAppendPropCRC="true", forceVerifyPropCRC="true")
        broker = Broker(conf)
        drydock("send", "--to", broker.at, "--topic", "orders", "--count", 20)
        broker.kill()
        keys = dumped(store)[0]
        done = [drydock("store", command, store, "--conf", conf) for command in ("dump", "verify")]
        report.check("property CRC: dump and verify say that all are right",
                     [each.returncode for each in done] == [0, 0]
                     and done[0].stdout.count(" (property CRC right)\n") == 20
                     and "property CRC: 20 messages have one\n" in done[1].stdout,
                     done[0].stdout + done[1].stdout)
        bad = sorted(keys.values())[7]
        patch(store, bad + 20, b"\x7f")  # The first byte of its queue offset.
        done = drydock("store", "dump", store)
        report.check("property CRC: dump says which one is wrong",
                     done.returncode == 1 and done.stdout.count("(damaged: property CRC wrong)") == 1
                     and done.stdout.count(" (property CRC right)\n") == 19, done.stdout)
        wrong = f"damage: at {bad}: a record whose property CRC is wrong"
        done = drydock("store", "verify", store)
        report.check("property CRC: verify says that recovery does not look at it by default",
                     done.returncode == 1 and "20 messages" in done.stdout and "would cut" not in done.stdout
                     and f"{wrong}: recovery compares that of the body alone\n" in done.stdout, done.stdout)
        done = drydock("store", "verify", store, "--conf", conf)
        report.check("property CRC: with forceVerifyPropCRC verify says where recovery would cut the log",
                     done.returncode == 1 and f"{wrong}\n" in done.stdout
                     and f"recovery would cut the log at {bad} (a record whose property CRC is wrong): "
                     in done.stdout and ", 12 whole records among them" in done.stdout, done.stdout)
        told = drydock("store", "recover", store, "--conf", conf).stdout
        report.check("property CRC: and so does recover",
                     f"the log ends at {bad} (wrong property checksum)" in told, told)


def files_as_wholes(report):
    """dump: a file without bytes, and one that is not there, are damage."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        conf = write_conf(folder, store)
        broker = Broker(conf)
        drydock("send", "--to", broker.at, "--topic", "orders", "--count", 2000)
        broker.stop()
        report.check("dump: an orderly store is exit status 0",
                     drydock("store", "dump", store).returncode == 0)
        second = store / "commitlog" / f"{FILE_BYTES:020}"
        aside = Path(folder) / "aside"
        os.rename(second, aside)
        done = drydock("store", "dump", store)
        report.check("dump: a missing file in the middle is damage",
                     done.returncode == 1 and f"the file at {FILE_BYTES} is missing" in done.stdout,
                     f"status {done.returncode}")
        os.rename(aside, second)
        os.truncate(store / "commitlog" / f"{0:020}", 0)
        done = drydock("store", "dump", store)
        report.check("dump: an empty first file is damage",
                     done.returncode == 1 and f"has 0 bytes, not {FILE_BYTES}" in done.stdout,
                     f"status {done.returncode}")


def no_place(report):
    """No store, or no directory that can be one."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty"
        empty.mkdir()
        work = Path(folder) / "work"
        work.mkdir()
        (work / "thesis.txt").write_text("x")
        done = drydock("serve", "broker", "--conf", write_conf(folder, work), "--listen",
                       next(ADDRESSES))
        refused(report, "a directory with files and no store", done, "holds files but no store")
        report.check("... is left as it was", os.listdir(work) == ["thesis.txt"],
                     str(os.listdir(work)))
        file = Path(folder) / "file"
        file.write_text("x")
        for command in ("dump", "verify"):
            for name, path, wanted in (("an empty directory", empty, "is not a store"),
                                       ("a file", file, "is not a store"),
                                       ("nothing", Path(folder) / "none", "cannot be read")):
                refused(report, f"store {command}: {name}", drydock("store", command, path), wanted)
        conf = write_conf(folder, file)
        listen = ("--listen", next(ADDRESSES))
        refused(report, "serve: a file in place of the directory",
                drydock("serve", "broker", "--conf", conf, *listen), "is a file; a store is a directory")
        # Nobody makes directories there, not even root.
        refused(report, "serve: a directory that can't be made",
                drydock("serve", "broker", "--conf", conf, "--store", "/sys/drydock/store", *listen),
                "cannot be written")
        refused(report, "serve: a place that takes no directory",
                drydock("serve", "broker", "--conf", conf, "--store", "/proc/drydock", *listen),
                "/proc/drydock cannot be made: give another --store")
        if os.geteuid() != 0:
            empty.chmod(0o500)
            refused(report, "serve: a read-only directory",
                    drydock("serve", "broker", "--conf", conf, "--store", empty, *listen),
                    "cannot be written")
            empty.chmod(0o700)
        full_disk(report, folder, conf, listen)
        nobody = f"{next(ADDRESSES)}:{PORT}"
        refused(report, "send: nobody there", drydock("send", "--to", nobody, "--topic", "t"),
                "takes no connection (connection_refused)")
        bad = Path(folder) / "bad.conf"
        bad.write_text("listenPort=x\n")
        no_store = Path(folder) / "no-store.conf"
        no_store.write_text("listenPort=10911\n")
        low = Path(folder) / "low.conf"
        low.write_text(f"listenPort=2\nstorePathRootDir={folder}/low\n")
        for arguments, wanted in [
                (["serve"], "subcommand is required"),
                (["serve", "walk"], "there is no command 'walk'; known here: broker, nameserver"),
                (["serve", "broker"], "--conf is required"),
                (["serve", "broker", "--conf", bad], "line 1: listenPort"),
                (["serve", "broker", "--conf", "none.conf"], "none.conf: cannot be read"),
                (["serve", "broker", "--conf", no_store], "sets no storePathRootDir"),
                (["serve", "broker", "--conf", no_store, "--store", ""], "--store: names no directory"),
                (["serve", "broker", "--conf", conf, "--listen", "x"], "--listen: 'x' is no IPv4"),
                *[(["serve", "broker", "--conf", conf, "--listen", f"127.0.0.1:{port}"],
                   f"--listen: below port {port} there is none for the fast channel") for port in (1, 2)],
                (["serve", "broker", "--conf", low], f"{low}: listenPort: below port 2 there is none"),
                (["serve", "nameserver", "--listen", "127.0.0.1:0"],
                 "--listen: 127.0.0.1:0: a port is 1 to 65535"),
                (["serve", "broker", "--conf", no_store, "--store", empty, "--listen", "192.0.2.1"],
                 "can't listen on 192.0.2.1:10911: Cannot assign requested address"),
                (["store"], "subcommand is required"),
                (["store", "verify"], "directory is required"),
                (["store", "verify", empty, "--conf", "none.conf"], "none.conf: cannot be read"),
                (["send", "--topic", "t"], "give either --namesrv ADDR:PORT or --to ADDR:PORT"),
                (["send", "--to", "x", "--topic", "t"], "--to: 'x' is no address"),
                (["send", "--to", nobody, "--topic", ""], "--topic: must have 1 to 127"),
                (["send", "--to", nobody, "--topic", "t", "--queue", "-1"], "--queue: must be 0"),
                (["send", "--to", nobody, "--topic", "t", "--count", "0"], "--count: must be 1"),
                (["send", "--to", nobody, "--topic", "t", "--body-size", "5"], "--body-size: must be"),
                (["send", "--to", nobody, "--topic", "t", "--timeout", "5"], "--timeout: must be"),
                (["send", "--to", nobody, "--topic", "t", "--in-flight", "0"], "--in-flight: must be"),
                (["send", "--to", nobody, "--topic", "t", "--count", "2", "--keys", str(2**64 - 1)],
                 "--keys: the last key"),
                (["send", "--to", nobody, "--topic", "t", "--acked", file], "--acked: ")]:
            name = " ".join(map(str, arguments)).replace(folder, "DIR")
            refused(report, f"drydock {name}", drydock(*arguments), wanted)


@contextlib.contextmanager
def small_disk(folder):
    """A full file system, or None where this user can't mount one."""
    place = Path(folder) / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "drydock", str(place)],
                             capture_output=True).returncode == 0
    try:
        if mounted:
            (place / "commitlog").mkdir()  # A store that was begun.
            with contextlib.suppress(OSError), open(place / "fill", "wb", buffering=0) as fill:
                while True:
                    fill.write(b"x" * 4096)
        yield place if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", str(place)], check=False)


def full_disk(report, folder, conf, listen):
    with small_disk(folder) as place:
        if place is None:
            report.check("refused: serve: a full directory (skipped: nothing can be mounted here)", True)
            return
        (place / "fill").chmod(0o600)
        refused(report, "serve: a full directory",
                drydock("serve", "broker", "--conf", conf, "--store", place, *listen), "full disk")


def memory_kb(process):
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0


def garbage_on_the_port(report):
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(write_conf(folder, Path(folder) / "store"))
        chaos = random.Random(1)
        pieces = [b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"\x00" * 4096, b"GET / HTTP/1.1\r\n\r\n",
                  b"\x00\xff\xff\xff\x00\xff\xff\xf0" + b"x" * 100_000]
        pieces += [chaos.randbytes(chaos.randrange(1, 5000)) for _ in range(50)]
        for piece in pieces:
            with contextlib.suppress(OSError), \
                    socket.create_connection((broker.address, PORT), timeout=LIMIT_S) as peer:
                peer.sendall(piece)
                peer.shutdown(socket.SHUT_WR)
                while peer.recv(65536):
                    pass
        done = drydock("send", "--to", broker.at, "--topic", "orders", "--count", 10)
        memory = memory_kb(broker.process)
        report.check("garbage on the port stops nobody and costs no memory",
                     done.returncode == 0 and broker.process.poll() is None and memory < MEMORY_MAX_KB,
                     f"{done.stdout}{done.stderr}, {memory} kB")
        report.check("and the broker still stops in an orderly way", broker.stop() == 0, broker.text)


def garbage_stores(report):
    """Files of any content: an answer, no crash."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        (store / "commitlog").mkdir(parents=True)
        chaos = random.Random(1)
        magics = [b"\xda\xa3\x20\xa7", b"\xda\xa3\x20\xab", b"\xcb\xd4\x31\x94"]
        bad = []
        for round_number in range(60):
            content = bytearray(chaos.randbytes(chaos.randrange(0, 20_000)))
            for _ in range(chaos.randrange(0, 50)):
                at = chaos.randrange(0, max(1, len(content)))
                length = chaos.choice([chaos.randrange(0, 2000), 0, 0x7fffffff, 0xffffffff])
                content[at:at + 8] = length.to_bytes(4, "big") + chaos.choice(magics)
            name = chaos.choice([f"{0:020}", f"{chaos.randrange(1 << 62):020}", "9" * 20, "x", "-1"])
            path = store / "commitlog" / name
            path.write_bytes(content)
            (store / "checkpoint").write_bytes(chaos.randbytes(chaos.choice([0, 39, 4096])))
            for command in ("dump", "verify", "recover"):
                done = subprocess.run([DRYDOCK, "store", command, str(store)], capture_output=True,
                                      timeout=LIMIT_S)
                refused = command == "recover" and done.returncode == 2
                if not refused and (done.returncode not in (0, 1) or done.stderr):
                    bad.append(f"round {round_number} {command}: {done.returncode} {done.stderr}")
            path.unlink()
        report.check("garbage in a store: dump, verify and recover answer", not bad, "\n".join(bad[:5]))


def samples(page):
    """Of a page in Prometheus's text format: {(name, labels): value}; ValueError if it is none."""
    values, types = {}, {}
    for line in page.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            if name in types or kind not in ("counter", "gauge", "histogram"):
                raise ValueError(line)
            types[name] = kind
        elif not line.startswith("# HELP "):
            found = re.fullmatch(r'([a-z_]+)\{((?:[a-z_]+="[^"\\]*",?)+)\} (-?[0-9]+)', line)
            if not found or found[1] not in types:
                raise ValueError(line)
            labels = frozenset(re.findall(r'([a-z_]+)="([^"]*)"', found[2]))
            if (found[1], labels) in values:
                raise ValueError(line)
            values[found[1], labels] = int(found[3])
    return values


def value(page, name, **labels):
    """The one sample of that name that has these labels."""
    found = [number for (its, has), number in samples(page).items()
             if its == name and set(labels.items()) <= has]
    return found[0] if len(found) == 1 else None


def replaced_by_pipe(path):
    path.unlink()
    os.mkfifo(path)


def dumped_queues(report):
    """Files of a queue that do not follow one another, and zeros in front of units."""
    unit, zeros = struct.pack(">qiq", 4096, 100, 7), bytes(20)
    with tempfile.TemporaryDirectory() as folder:
        queue = Path(folder) / "store" / "consumequeue" / "orders" / "0"
        queue.mkdir(parents=True)
        for name, files, told in (
                ("in order", {0: unit + unit, 40: unit + zeros, 80: zeros + zeros}, None),
                ("a gap", {0: unit + unit, 80: unit + zeros}, "80: (damaged: the file before it ends at 40)"),
                ("an overlap", {0: unit + unit, 20: unit + unit}, "20: (damaged: the file before it ends at 40)"),
                ("zeros inside of a file", {0: zeros + unit}, "0: (damaged: units of zeros lie before unit 1)"),
                ("zeros inside of a queue", {0: unit + zeros, 40: unit},
                 "40: (damaged: units of zeros lie before unit 2)")):
            for begin, content in files.items():
                (queue / f"{begin:020}").write_bytes(content)
            done = drydock("store", "dump", queue.parents[2], "--part", "queues")
            damage = [line for line in done.stdout.splitlines() if "damaged" in line]
            report.check(f"dump --part queues: {name}",
                         done.returncode == (1 if told else 0) and len(damage) == (1 if told else 0)
                         and (not told or damage[0].endswith(told)), done.stdout + done.stderr)
            for file in queue.iterdir():
                file.unlink()


def dumped_parts(report):
    """What a store has besides its log, as it was written and damaged."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        conf = write_conf(folder, store, maxHashSlotNum=100, maxIndexNum=1000)
        broker = Broker(conf)
        drydock("send", "--to", broker.at, "--topic", "orders", "--count", 20)
        held = drydock("store", "dump", store, "--conf", conf, "--part", "state")
        broker.stop()
        dump = {part: drydock("store", "dump", store, "--conf", conf, "--part", part)
                for part in ("log", "queues", "index", "checkpoint", "config", "state")}
        report.check("dump --part: of a store in order each part is read",
                     all(each.returncode == 0 for each in dump.values()),
                     str({part: each.stdout[-200:] + each.stderr for part, each in dump.items()}))
        log = [line.split() for line in dump["log"].stdout.splitlines() if line[0] != "#" and "(" not in line]
        places = sorted((int(line[0]), int(line[1])) for line in log)
        units = [line.split() for line in dump["queues"].stdout.splitlines() if line[0] != "#" and "(" not in line]
        report.check("dump --part queues: a unit for each record of the log",
                     len(places) == 20 and sorted((int(u[1]), int(u[2])) for u in units) == places,
                     dump["queues"].stdout[:2000])
        entries = [line.split() for line in dump["index"].stdout.splitlines() if line.startswith("entry")]
        report.check("dump --part index: entries lead to records of the log",
                     entries and {int(entry[5]) for entry in entries} == {place for place, _ in places},
                     dump["index"].stdout[:2000])
        last = places[-1][0]
        report.check("dump --part checkpoint, config, state: what an orderly stop leaves",
                     "physicMsgTimestamp 1" in dump["checkpoint"].stdout
                     and '"orders"' in dump["config"].stdout and "lock free" in dump["state"].stdout
                     and "abort none" in dump["state"].stdout and last > 0,
                     dump["checkpoint"].stdout + dump["state"].stdout)
        report.check("dump --part state: of a broker that runs",
                     held.returncode == 0 and "abort there" in held.stdout and "lock held" in held.stdout,
                     held.stdout)
        queue = min(path for path in (store / "consumequeue" / "orders").glob("*/*"))
        whole = queue.read_bytes()
        queue.write_bytes(b"\xff" * 20 + whole[20:-1])
        (store / "checkpoint").write_bytes(b"\xff" * 4096)
        (store / "config" / "topics.json").write_text("{")
        index = min((store / "index").glob("*"))
        content = index.read_bytes()
        index.write_bytes(content[:40] + b"\x7f" * 4 + content[44:])
        for part, told in (("queues", "(damaged: offset -1, size -1)"), ("index", "(damaged: there is none)"),
                           ("checkpoint", "(damaged: neither times"), ("config", "(damaged: is no JSON)")):
            done = drydock("store", "dump", store, "--conf", conf, "--part", part)
            report.check(f"dump --part {part}: damage has a line, and status 1",
                         done.returncode == 1 and told in done.stdout, done.stdout[:2000])
        for part, changed, change, told in (
                ("checkpoint", store / "checkpoint", lambda file: os.truncate(file, 4095), "has 4095 bytes, not 4096"),
                ("checkpoint", store / "checkpoint", replaced_by_pipe, "checkpoint: (damaged: is no file)"),
                ("config", store / "config" / "topics.json", lambda file: os.truncate(file, 17 << 20),
                 f"has {17 << 20} bytes, more than a broker reads"),
                ("config", store / "config" / "topics.json", replaced_by_pipe, "topics.json: (damaged: is no file)")):
            change(changed)
            done = drydock("store", "dump", store, "--conf", conf, "--part", part)
            report.check(f"dump --part {part}: '{told}' has a line, and status 1",
                         done.returncode == 1 and told in done.stdout and done.stderr == "", done.stdout[:2000])
        refused(report, "dump of what is no store", drydock("store", "dump", store / "nothing", "--part", "queues"),
                "is no directory of a store")
        done = drydock("store", "dump", store, "--part", "half")
        report.check("dump: a part that there is not is refused", done.returncode == 2 and "half" in done.stderr,
                     done.stderr)


def metrics(report):
    """Fetched with a real HTTP client; what is no request harms nobody."""
    with tempfile.TemporaryDirectory() as folder:
        conf = write_conf(folder, Path(folder) / "store")
        address = next(ADDRESSES)
        at = f"{address}:5557"
        broker = Broker(conf, "--metrics", at, address=address)
        drydock("send", "--to", broker.at, "--topic", "orders", "--count", 20)
        with urllib.request.urlopen(f"http://{at}/metrics", timeout=LIMIT_S) as response:
            kind, page = response.headers["Content-Type"], response.read().decode()
        report.check("metrics: text format 0.0.4 by RocketMQ's names, with what was sent",
                     kind.startswith("text/plain; version=0.0.4")
                     and value(page, "rocketmq_messages_in_total", topic="orders", is_system="false",
                               node_type="broker", node_id="broker-a", cluster="DefaultCluster") == 20
                     and value(page, "rocketmq_throughput_in_total", topic="orders") > 20 * 91
                     and value(page, "rocketmq_processor_watermark", processor="send") == 0
                     and value(page, "rocketmq_storage_flush_behind_bytes", storage_type="local") >= 0
                     and value(page, "rocketmq_storage_message_reserve_time") >= 0, page)
        wrong = []
        for request, status in ((b"GET / HTTP/1.1\r\n\r\n", b"404"), (b"\x16\x03\x01\r\n\r\n", b"400"),
                                (b"POST /metrics HTTP/1.1\r\n\r\n", b"405"), (b"a" * 20_000, b"431")):
            with socket.create_connection((address, 5557), timeout=LIMIT_S) as client:
                client.sendall(request)
                answer = b""
                while piece := client.recv(65536):  # A reset would raise.
                    answer += piece
            if not answer.startswith(b"HTTP/1.1 " + status):
                wrong.append(f"{request[:20]}: {answer[:40]}")
        with socket.create_connection((address, 5557), timeout=LIMIT_S) as client:
            client.sendall(b"GET /met")  # And gone.
        with urllib.request.urlopen(f"http://{at}/metrics", timeout=LIMIT_S) as response:
            served = response.status
        report.check("metrics: other requests are refused, and the next one is served",
                     not wrong and served == 200, str(wrong))
        report.check("metrics: a broker with them stops in an orderly way", broker.stop() == 0, broker.text)
        for text, wanted in (("127.9.9.9:5557", "the address must be that of --listen"), ("x", "--metrics"),
                             (f"{address}:10911", f"--metrics: {address}:10911: is where the broker listens for "
                              "clients (listenPort); give another --metrics ADDR:PORT"),
                             (f"{address}:10912", f"--metrics: {address}:10912: is where the broker listens for "
                              "slaves (haListenPort, listenPort + 1 if absent); give another --metrics ADDR:PORT"),
                             (f"{address}:10909", f"--metrics: {address}:10909: is the broker's fast channel "
                              "(listenPort - 2); give another --metrics ADDR:PORT")):
            done = drydock("serve", "broker", "--conf", conf, "--listen", address, "--metrics", text)
            refused(report, f"--metrics {text}", done, wanted)


def main():
    report = tap.Report()
    sends(report)
    metrics(report)
    dumped_parts(report)
    dumped_queues(report)
    killed(report, "SYNC_FLUSH")
    killed(report, "ASYNC_FLUSH")
    torn_tails(report)
    middle(report)
    whole_records(report)
    recovered_in_place(report)
    wrong_files(report)
    files_as_wholes(report)
    no_place(report)
    garbage_on_the_port(report)
    garbage_stores(report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
