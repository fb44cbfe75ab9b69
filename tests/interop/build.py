"""Builds the driver through which the interop tests use Apache RocketMQ, with Maven.

    python3 tests/interop/build.py OUT CLASSPATH

OUT is a directory for what Maven makes; CLASSPATH the file that gets the class path. Maven fetches
RocketMQ and what it depends on the first time and keeps it in ~/.m2.
"""

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent / "java"


def fail(*lines):
    for line in lines:
        print(f"tests/interop: {line}", file=sys.stderr)
    return 1


def main():
    out, classpath = (Path(argument).resolve() for argument in sys.argv[1:])
    command = ["mvn", "--batch-mode", "--quiet", "--file", str(PROJECT / "pom.xml"),
               f"-Ddrydock.out={out}", "compile", "dependency:build-classpath",
               f"-Dmdep.outputFile={out / 'jars.txt'}"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=600)
    except FileNotFoundError:
        return fail("NOT BUILT: there is no mvn; run tools/install-packages test")
    except subprocess.TimeoutExpired:
        return fail("NOT BUILT: Maven did not end within 600 s; does it reach its repository?")
    if done.returncode != 0:
        print(done.stdout, file=sys.stderr)
        if "Could not resolve" in done.stdout or "Could not transfer" in done.stdout:
            return fail("NOT BUILT: Maven can't get RocketMQ 5.3.3 or a plugin (its lines are above):",
                        "the first build needs its repository; later ones find all of it in ~/.m2")
        return fail("NOT BUILT: the driver does not compile (Maven's lines are above)")
    jars = (out / "jars.txt").read_text().strip()
    classpath.write_text(f"{out / 'classes'}:{jars}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
