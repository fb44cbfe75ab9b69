"""The fingerprints of one job and of several are the same lines in the same order."""

import subprocess
import sys


def lines(*arguments):
    return subprocess.run([sys.argv[1], *arguments], check=True, capture_output=True, text=True).stdout


alone = lines()
together = lines("--jobs", "3")
print(alone, end="")
if not alone or alone != together:
    print("with --jobs 3:")
    print(together, end="")
    sys.exit(1)
