"""The coroutine idioms: ours must work with every compiler, their bad twins must be refused.

used/NAME.cpp is compiled and run with each row of TOOLCHAINS, and the lint must accept it.
refused/NAME.cpp must be refused by the lint, by the rule that its comment names. What g++ makes of
it is written in its comment, too; `--observe` compiles them all and says which comments no longer
hold (that is no part of the test: a compiler that gets better is no failure).
"""

import argparse
import concurrent.futures
import dataclasses
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "guards"))

import coroutine_lint  # noqa: E402
import cpp_text  # noqa: E402
import tap  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Toolchain:
    name: str
    compiler: str
    flags: tuple

    def command(self, source, program, root, warnings):
        ccache = ["ccache"] if shutil.which("ccache") else []
        return (ccache + [self.compiler, "-std=c++2b", "-I", str(root), *self.flags, *warnings,
                          str(source), "-o", str(program)])


SANITIZE = ("-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
TOOLCHAINS = (
    Toolchain("g++ -O0", "g++-12", ("-O0",)),
    Toolchain("g++ -O2", "g++-12", ("-O2",)),
    Toolchain("g++ -O2 sanitized", "g++-12", ("-O2", *SANITIZE)),
    Toolchain("clang++ -O2", "clang++-19", ("-O2",)),
    Toolchain("clang++ -O1 sanitized", "clang++-19", ("-O1", *SANITIZE)),
)
SANITIZER_EXIT = 99
RUN_ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": f"exitcode={SANITIZER_EXIT}",
                   "UBSAN_OPTIONS": f"exitcode={SANITIZER_EXIT}"}


def build_and_run(source, toolchain, root, work, warnings):
    """What became of it, in one word (right, wrong, crash, no-build, hang), and the output."""
    slug = re.sub(r"[^a-z0-9]+", "-", toolchain.name.lower())
    program = work / f"{source.parent.name}-{source.stem}.{slug}"
    # Linked from an object file: ccache keeps objects, not programs.
    object_file = program.with_suffix(program.suffix + ".o")
    for command in (toolchain.command(source, object_file, root, (*warnings, "-c")),
                    [toolchain.compiler, *toolchain.flags, str(object_file), "-o", str(program)]):
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            return "no-build", done.stderr
    try:
        done = subprocess.run([str(program)], capture_output=True, text=True, errors="replace",
                              timeout=30, env=RUN_ENVIRONMENT)
    except subprocess.TimeoutExpired:
        return "hang", "still running after 30 s"
    output = done.stdout + done.stderr
    if done.returncode == 0:
        return "right", output
    if done.returncode < 0 or done.returncode == SANITIZER_EXIT:
        return "crash", output
    return "wrong", output


def run_all(sources, root, work, warnings):
    """{(source, toolchain): (word, output)}, on all cores."""
    work.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        jobs = {(source, toolchain): pool.submit(build_and_run, source, toolchain, root, work,
                                                 warnings)
                for source in sources for toolchain in TOOLCHAINS}
        return {key: job.result() for key, job in jobs.items()}


def comment_value(source, key):
    found = re.search(rf"^// {key}: (.*)$", source.read_text(), re.MULTILINE)
    return found.group(1) if found else None


def seen_lines(words):
    """The two lines of comment that tell what was seen: {toolchain: word} in TOOLCHAINS' order."""
    lines = []
    for family, version in (("g++", "12.2"), ("clang++", "19")):
        told = [f"{t.name.removeprefix(family).strip()} {words[t]}" for t in TOOLCHAINS
                if t.name.startswith(family)]
        lines.append(f"// Seen with {family} {version}: {', '.join(told)}.\n")
    return "".join(lines)


SEEN = re.compile(r"(// Seen with [^\n]*\n)+")


def observe(refused, root, work, rewrite):
    results = run_all(refused, root, work, ("-w",))
    stale = 0
    for source in refused:
        text = source.read_text()
        said = SEEN.search(text)
        if said is None:
            print(f"{source.relative_to(root)}: add a line `// Seen with ?`", file=sys.stderr)
            return 1
        now = seen_lines({t: results[source, t][0] for t in TOOLCHAINS})
        if now == said.group():
            continue
        stale += 1
        print(f"{source.relative_to(root)}, said:\n{said.group()}now:\n{now}", end="")
        if rewrite:
            source.write_text(SEEN.sub(now, text, count=1))
    print(f"{len(refused)} programs, {stale} comments that did not hold")
    return 1 if stale and not rewrite else 0


def check(root, work):
    here = root / "tests" / "compiler"
    used = sorted((here / "used").glob("*.cpp"))
    refused = sorted((here / "refused").glob("*.cpp"))
    report = tap.Report()
    report.check("there are idioms to test", bool(used) and bool(refused), "no program found")

    texts = {path: cpp_text.CppText(path.read_text()) for path in used + refused}
    for source in refused:
        name = f"refused/{source.name}"
        rule = comment_value(source, "Lint")
        # Alone, as a repository of one file: what it declares must be enough to refuse it.
        found = coroutine_lint.lint({source: texts[source]})
        rules = sorted({violation.rule for violation in found})
        report.check(f"{name} is refused by the rule {rule}", rule in rules,
                     f"the lint found {rules or 'nothing'}")
        report.check(f"{name} has a twin that is used", (here / "used" / source.name).exists(),
                     f"write tests/compiler/used/{source.name}")
        said = SEEN.search(source.read_text())
        report.check(f"{name} says what was seen", said is not None and "?" not in said.group(),
                     "run tests/compiler/idioms.py --observe --rewrite")
    for source in used:
        found = coroutine_lint.lint({source: texts[source]})
        report.check(f"used/{source.name} is accepted by the lint", not found,
                     "\n".join(f"{v.line}: {v.rule}: {v.message}" for v in found))

    missing = sorted({t.compiler for t in TOOLCHAINS if not shutil.which(t.compiler)})
    report.check("all compilers are here", not missing,
                 f"NOT RUN: {', '.join(missing)} NOT FOUND; run tools/install-packages test")
    if not missing:
        warnings = ("-Wall", "-Wextra", "-Werror")
        for (source, toolchain), (word, output) in run_all(used, root, work, warnings).items():
            report.check(f"used/{source.name} with {toolchain.name}", word == "right",
                         f"{word}\n{output}")
    return report.finish()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--work", type=Path, required=True, help="folder for objects and programs")
    parser.add_argument("--observe", action="store_true", help="compile the refused ones instead")
    parser.add_argument("--rewrite", action="store_true", help="with --observe: mend the comments")
    options = parser.parse_args()
    root = options.root.resolve()
    if options.observe:
        refused = sorted((root / "tests" / "compiler" / "refused").glob("*.cpp"))
        return observe(refused, root, options.work, options.rewrite)
    return check(root, options.work)


if __name__ == "__main__":
    sys.exit(main())
