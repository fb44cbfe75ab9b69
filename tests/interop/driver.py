"""RocketMQ's classes in a process of their own, and what several interop tests need."""

import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "guards"))
import tap  # noqa: E402,F401

DRYDOCK = os.path.abspath(os.environ["DRYDOCK"])
CLASSPATH = Path(os.environ["INTEROP_CLASSPATH"]).read_text()
LIMIT_S = 120
ANSWER_LIMIT_S = 200  # Longer than any command waits by itself.
# Small files, so that a store of a few hundred messages has many of each kind.
LOG_FILE_BYTES = 64 * 1024
QUEUE_FILE_BYTES = 1000
INDEX_SLOTS = 64
INDEX_ENTRIES = 20_000


CHILDREN = []  # Processes that must not outlive the test: see work_folder.


def child(command, **options):
    """A process that ends with the test at the latest, however that ends."""
    process = subprocess.Popen(command, **options)
    CHILDREN.append(process)
    return process


class DriverError(Exception):
    """RocketMQ, or the driver, refused a command."""


class Driver:
    """A JVM that runs commands; see java/src/main/java/interop/Driver.java."""

    def __init__(self, folder, *options):
        self.errors = open(Path(folder) / "driver.log", "ab")
        environment = {**os.environ, "ROCKETMQ_HOME": str(folder)}
        self.process = child(
            ["java", "-Xmx640m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
             f"-Duser.home={folder}", *options, "-cp", CLASSPATH, "interop.Driver"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
            env=environment, cwd=folder)

    def __call__(self, command, **arguments):
        """The answer to a command."""
        line = json.dumps({"command": command, **{key: str(value) if isinstance(value, Path) else value
                                                  for key, value in arguments.items()}})
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.answer(line)
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise DriverError(f"the JVM ended during {line}")
        answer = json.loads(answer)
        if not answer["ok"]:
            raise DriverError(f"{command}: {answer['error']}")
        return answer

    def answer(self, line):
        """The next line of the JVM. One that does not come is reported with what the threads do."""
        if not select.select([self.process.stdout], [], [], ANSWER_LIMIT_S)[0]:
            threads = subprocess.run(["jstack", str(self.process.pid)], capture_output=True, text=True,
                                     timeout=LIMIT_S).stdout
            self.kill()
            raise DriverError(f"no answer for {ANSWER_LIMIT_S} s to {line}\n{threads}")
        return self.process.stdout.readline()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            self.kill()
        self.errors.close()


def drydock(*arguments):
    return subprocess.run([DRYDOCK, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True,
                          timeout=LIMIT_S)


def write_conf(path, **keys):
    """A broker.conf for stores of the driver's file sizes."""
    keys = {"mappedFileSizeCommitLog": LOG_FILE_BYTES,
            "mappedFileSizeConsumeQueue": QUEUE_FILE_BYTES,
            "maxHashSlotNum": INDEX_SLOTS, "maxIndexNum": INDEX_ENTRIES, **keys}
    Path(path).write_text("".join(f"{key}={value}\n" for key, value in keys.items()))
    return path


def copy_store(source, target):
    shutil.copytree(source, target)
    return target


def recovered_by_drydock(store, conf, *options):
    """What `drydock store recover` says; or {"refused": why}."""
    done = drydock("store", "recover", store, "--conf", conf, "--json", *options)
    if done.returncode != 0:
        return {"refused": done.stderr.strip()}
    return json.loads(done.stdout)


def difference(theirs, ours):
    """What RocketMQ and Drydock see differently in a store, as text; "" if nothing."""
    lines = []
    for key in ("begin", "end"):
        if theirs[key] != ours[key]:
            lines.append(f"{key}: RocketMQ {theirs[key]}, Drydock {ours[key]}")
    left, right = ({(queue["topic"], queue["queue"]): (queue["min"], queue["max"], queue["units"])
                    for queue in side["queues"]} for side in (theirs, ours))
    for key in sorted(left.keys() | right.keys()):
        if left.get(key) != right.get(key):
            lines.append(f"queue {key[0]} {key[1]} (min, max, units): RocketMQ {left.get(key)},"
                         f" Drydock {right.get(key)}")
    return "\n".join(lines)


def await_route(jvm, name_server):
    """Waits until clients find the broker: it tells the name server when it gets round to it."""
    end = time.monotonic() + LIMIT_S
    while True:
        try:
            jvm("send", name_server=name_server, topic="first-of-all", count=1, how="sync")
            return
        except DriverError as problem:
            if "No route info" not in str(problem) or time.monotonic() > end:
                raise


def await_text(path, wanted):
    """What is in a file, once that has `wanted`, or at last."""
    end = time.monotonic() + LIMIT_S
    while True:
        text = path.read_text() if path.exists() else f"{path} is not there"
        if wanted in text or time.monotonic() > end:
            return text
        time.sleep(0.1)


def loopback_addresses():
    """Loopback addresses that no other run of such a program uses at the same time."""
    pid = os.getpid()
    for last in range(1, 255):
        yield f"127.{200 + (pid >> 8) % 50}.{pid % 256}.{last}"


@contextlib.contextmanager
def work_folder():
    """A folder for stores: in memory where there is one, since recovery syncs files. At its end no child
    is left: one that lived on would hold the output of the test open, and whoever reads it would wait."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="drydock-interop-", ignore_cleanup_errors=True,
                                     dir=memory if os.access(memory, os.W_OK) else None) as folder:
        try:
            yield folder
        finally:
            for process in CHILDREN:
                process.kill()
                process.wait()
            CHILDREN.clear()
