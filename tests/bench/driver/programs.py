"""Builds the contestants: ours by meson into a release build folder, the peers on request."""
import os
import subprocess
from pathlib import Path

import peers


class BuildFailed(Exception):
    """With the one line that the user sees."""


def run_logged(command, log, **options):
    with open(log, "a", encoding="utf-8") as out:
        print("+", *command, file=out, flush=True)
        return subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, check=False,
                              **options).returncode == 0


def build(root: Path, folder: Path, names):
    """Returns {program name: (path, environment)} for the given program names."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "tools-bench.log"
    log.unlink(missing_ok=True)
    ours = sorted(name for name in names if name not in peers.PROGRAMS)
    programs = {}
    if ours:
        build_ours(root, folder, ours, log)
    for name in ours:
        programs[name] = (folder / folder_of(name) / name, dict(os.environ))
    theirs = sorted(name for name in names if name in peers.PROGRAMS)
    if theirs:
        programs.update(peers.build(root, folder / "peers", theirs, log, run_logged, BuildFailed))
    return programs


def folder_of(name):
    """Below the top of sources and builds alike. Nothing includes tools: those programs lie there."""
    return {"bench-fidelity": "tools/fidelity", "drydock": "tools/cli"}.get(name, "tests/bench")


def build_ours(root, folder, names, log):
    if not (folder / "build.ninja").exists():
        environment = {**os.environ, "CXX": os.environ.get("CXX", "g++-12")}
        # -O3 makes g++ 12 warn of things that the gate's -O2 does not see; it is no gate here.
        configure = ["meson", "setup", str(folder), str(root), "--buildtype", "release",
                     "-Dwerror=false"]
        if not run_logged(configure, log, env=environment):
            raise BuildFailed(f"meson setup failed, see {log}")
    # ninja and not meson: it configures anew if a target has been added since.
    goals = [f"{folder_of(name)}/{name}" for name in names]
    if not run_logged(["ninja", "-C", str(folder), *goals], log):
        raise BuildFailed(f"the build failed, see {log}")
