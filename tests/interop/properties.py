"""The committed table of configuration keys is what reflection finds in RocketMQ's jars. Prints TAP.

ReflectConf.java lists every property of every configuration class, with type and default; the table
that the broker is built with is made of that list.
"""

import difflib
import subprocess
import sys
from pathlib import Path

import driver
from driver import ROOT, tap

TABLE = ROOT / "tools" / "conf_table"


def main():
    report = tap.Report()
    with driver.work_folder() as folder:
        # A short class path: the program looks at its own command line, of which Java knows the
        # first 4096 bytes.
        for jar in driver.CLASSPATH.split(":")[1:]:
            (Path(folder) / Path(jar).name).symlink_to(jar)
        found = subprocess.run(["java", "-cp", f"{folder}/*", str(TABLE / "ReflectConf.java")],
                               capture_output=True, text=True, cwd=folder, timeout=driver.LIMIT_S)
    committed = (TABLE / "properties.tsv").read_text(encoding="utf-8").splitlines()
    listed = found.stdout.splitlines()
    report.check("reflection over the jars ends without a problem", found.returncode == 0,
                 found.stderr[-2000:])
    report.check("it finds every configuration class", len(
        {line.split("\t")[0] for line in listed}) == 8, "\n".join(listed[:5]))
    for kind in sorted({line.split("\t")[0] for line in committed + listed}):
        ours = [line for line in committed if line.startswith(kind + "\t")]
        theirs = [line for line in listed if line.startswith(kind + "\t")]
        changed = "\n".join(list(difflib.unified_diff(theirs, ours, "jars", "table", lineterm=""))[:20])
        report.check(f"{kind}: {len(theirs)} properties, types and defaults are those of the table",
                     ours == theirs, changed)
    made = subprocess.run([sys.executable, str(TABLE / "generate.py"), "--check"],
                          capture_output=True, text=True)
    report.check("the broker's table is made of that list", made.returncode == 0, made.stdout)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
