"""scenarios/tuning: what recipes of sysctl are worth, by disk and load. Prints TAP.

The scenario's own expectations say what the kernel's law demands; here it is asked that they hold, that each
recipe gets its verdict on each disk, and that what is not modelled is refused.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "guards"))
import tap  # noqa: E402

DRYDOCK = os.environ["DRYDOCK"]
SCENARIO = "scenarios/tuning/sysctl-recipes.json"
LIMIT_S = 500
DISKS = ("nvme", "sata", "essd")
LOADS = ("steady", "burst", "sustained", "power-loss")
RECIPES = ("deep-dive", "read-storm", "flush-jitter")
VERDICT = r"(better|worse|better and worse|no difference)"
FIGURES = ("send.p99", "send.longest", "send.acked")


def drydock(*arguments):
    return subprocess.run([DRYDOCK, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S)


def values_of(cell):
    return dict(part.split("=") for part in cell.split(","))


def figures_of(text, cell):
    """The verdict of a cell and the lines below it, as one."""
    found = re.search(rf"^  {re.escape(cell)}: {VERDICT}\n((?:      .*\n)+)", text, re.M)
    return (found[1], " ".join(found[2].split())) if found else (None, "")


def main():
    report = tap.Report()
    with tempfile.TemporaryDirectory() as folder:
        done = drydock("run", SCENARIO, "--seed", "1", "--out", folder)
        cells = json.loads((Path(folder) / "result.json").read_text())["cells"]
    broken = {(values_of(cell["id"])["disk"], values_of(cell["id"])["remedy"], one["expectation"])
              for cell in cells for one in cell["expectations"] if not one["holds"]}
    report.check("what the kernel's law demands holds", not broken and done.returncode == 0, str(broken))
    wrong = []
    for disk in DISKS:
        for load in LOADS:
            for recipe in RECIPES:
                verdict, figures = figures_of(done.stdout, f"disk={disk},load={load},remedy={recipe}")
                if verdict is None or not all(re.search(rf"{name} \S.* -> \S.* \(.*%\)", figures)
                                              for name in FIGURES):
                    wrong.append(f"{disk} {load} {recipe}: {verdict} {figures}")
    report.check("each recipe has a verdict with figures on each disk under each load", not wrong, "\n".join(wrong))
    # Without a throttle no recipe has anything to act on.
    wrong = [(disk, recipe) for disk in DISKS for recipe in RECIPES
             if figures_of(done.stdout, f"disk={disk},load=steady,remedy={recipe}")[0] != "no difference"]
    report.check("under a load that the disk takes no recipe makes a difference", not wrong, str(wrong))
    # A higher dirty_ratio takes more in before it throttles, and loses more with the power.
    wrong = []
    for disk in ("sata", "essd"):
        _, figures = figures_of(done.stdout, f"disk={disk},load=power-loss,remedy=flush-jitter")
        if not re.search(r"better: send\.acked .*worse: acked_loss", figures):
            wrong.append(f"{disk}: {figures}")
    report.check("where the disk is outrun dirty_ratio 40 takes more and loses more", not wrong, "\n".join(wrong))
    for place, value in (("memory/swappiness", "1"), ("dirty/swappiness", "1"), ("memory/zone_reclaim", "0")):
        refused = drydock("run", SCENARIO, "--set", f"topology/hosts/broker-host/{place}={value}")
        report.check(f"what is not modelled is refused: {place}",
                     refused.returncode == 2 and place.rsplit("/", 1)[1] in refused.stderr, refused.stderr)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
