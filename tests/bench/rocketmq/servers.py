"""What the comparison runs: RocketMQ from Maven, the producer, and Drydock; each as a process."""
import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMIT_S = 120
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
# As runbroker.sh of RocketMQ 5.3.3 without its log of the collector; AlwaysPreTouch, which would only
# make its memory larger, is left out. Its 8 GiB are 1 GiB here.
BROKER_JVM = ["-server", "-Xms1g", "-Xmx1g", "-XX:+UseG1GC", "-XX:G1HeapRegionSize=16m",
              "-XX:G1ReservePercent=25", "-XX:InitiatingHeapOccupancyPercent=30",
              "-XX:SoftRefLRUPolicyMSPerMB=0", "-XX:-OmitStackTraceInFastThrow",
              "-XX:MaxDirectMemorySize=15g", "-XX:-UseLargePages"]
# Warnings only, and only here: RocketMQ without a configuration of its own would print every step.
LOGGING = """<configuration>
  <appender name="console" class="ConsoleAppender"/>
  <root level="WARN"><appender-ref ref="console"/></root>
</configuration>
"""


class Failed(Exception):
    """With the one line that the user sees."""


def class_path(out: Path):
    """Compiles the producer; Maven fetches RocketMQ the first time."""
    jars = out / "jars.txt"
    command = ["mvn", "--batch-mode", "--quiet", "--file", str(HERE / "java" / "pom.xml"),
               f"-Ddrydock.out={out}", "compile", "dependency:build-classpath",
               f"-Dmdep.outputFile={jars}"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=600, check=False)
    except FileNotFoundError as error:
        raise Failed("there is no mvn; run tools/install-packages test") from error
    if done.returncode != 0:
        raise Failed(f"Maven failed: {(done.stdout.strip().splitlines() or ['no output'])[0]}")
    return f"{out / 'classes'}:{jars.read_text().strip()}"


def free_port():
    """A port that is free with its two neighbours, which RocketMQ's broker takes too."""
    for port in range(20_000 + os.getpid() % 5000, 32_000, 7):
        try:
            for near in (port - 2, port, port + 1):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", near))
            return port
        except OSError:
            continue
    raise Failed("no free ports")


def await_port(port, process, what):
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        if process.poll() is not None:
            raise Failed(f"{what} ended with {process.returncode}; see its log")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise Failed(f"{what} does not listen after {LIMIT_S} s")


class Program:
    """A process with a log; ended when its block is left."""

    def __init__(self, what, command, folder, port):
        self.what = what
        with open(folder / f"{what}.log", "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            cwd=folder,
                                            env={**os.environ, "ROCKETMQ_HOME": str(folder)})
        try:
            await_port(port, self.process, what)
        except Failed:
            self.stop()
            raise

    @property
    def proc(self):
        return Path("/proc") / str(self.process.pid)

    def cpu_s(self):
        """User and system time of all its threads, those that have ended among them."""
        fields = (self.proc / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * TICK_S

    def cpu_s_by_thread(self):
        """The same of the threads that are there now, by their names without numbers."""
        sums = {}
        for task in (self.proc / "task").iterdir():
            try:
                name, _, rest = (task / "stat").read_text().partition("(")[2].rpartition(")")
            except OSError:
                continue  # It has ended.
            kind = name.rstrip("0123456789_#- ") or name
            fields = rest.split()
            sums[kind] = sums.get(kind, 0) + (int(fields[11]) + int(fields[12])) * TICK_S
        return sums

    def anonymous_kib(self):
        for line in (self.proc / "status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1])
        raise Failed(f"{self.what}: no RssAnon in its status")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def java(folder, classes, *words):
    logging = folder / "logback.xml"
    logging.write_text(LOGGING)
    return ["java", f"-Duser.home={folder}", f"-Drmq.logback.configurationFile={logging}", *words[:-1],
            "-cp", classes, *words[-1].split()]


def name_server(folder, classes, port):
    conf = folder / "namesrv.conf"
    conf.write_text(f"listenPort={port}\nbindAddress=127.0.0.1\n")
    main = f"org.apache.rocketmq.namesrv.NamesrvStartup -c {conf}"
    return Program("name-server", java(folder, classes, "-Xmx256m", main), folder, port)


def broker_conf(folder, who, port, names, flush):
    """The same lines for both brokers."""
    conf = folder / f"{who}.conf"
    store = folder / f"store-{who}"
    conf.write_text(f"""brokerClusterName=bench
brokerName={who}
brokerId=0
brokerRole=ASYNC_MASTER
brokerIP1=127.0.0.1
listenPort={port}
namesrvAddr=127.0.0.1:{names}
storePathRootDir={store}
storePathCommitLog={store}/commitlog
autoCreateTopicEnable=true
flushDiskType={flush}
""")
    return conf


def broker(who, folder, classes, conf, port, drydock):
    if who == "drydock":
        command = [str(drydock), "serve", "broker", "--conf", str(conf)]
    else:
        main = f"org.apache.rocketmq.broker.BrokerStartup -c {conf}"
        command = java(folder, classes, *BROKER_JVM, main)
    return Program(who, command, folder, port)


def produce(folder, classes, names, topic, load, at_begin):
    """Runs the producer; `at_begin` is called when its measured interval begins. Gives its record."""
    main = (f"bench.Producer 127.0.0.1:{names} {topic} {load.threads} {load.body} {load.warm_up_s}"
            f" {load.seconds}")
    with open(folder / "producer.log", "ab") as log:
        process = subprocess.Popen(java(folder, classes, "-Xms1g", "-Xmx1g", main), cwd=folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                                   text=True)
    record = None
    for line in process.stdout:
        if line.startswith("measure"):
            at_begin()
        elif line.startswith("{"):
            record = json.loads(line)
            break
    process.kill()
    process.wait()
    if record is None or record["sent"] == 0:
        raise Failed("the producer sent nothing; see producer.log")
    return record
