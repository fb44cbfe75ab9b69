"""What the archives of the engine and the simulation call from outside.

The engine reaches the world through the seam only. Whatever its text looks like, a clock, a thread,
a file or a source of randomness shows as an undefined symbol of its archive, so this reads those.
engine/linux is the seam on Linux and exempt.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import guard
import tap

EXEMPT = ("engine/linux",)


@dataclasses.dataclass(frozen=True)
class Rule:
    name: str
    c_names: frozenset
    cpp_pattern: str  # Of mangled names.
    replacement: str


def _names(text):
    return frozenset(text.split())


RULES = (
    Rule("clocks", _names("time clock clock_gettime clock_settime clock_getres gettimeofday times ftime"
                          " timespec_get localtime localtime_r mktime timegm_r tzset timer_create"
                          " timer_settime timerfd_create timerfd_settime setitimer alarm"),
         r"^_ZNSt6chrono.*clock3nowE|^_ZNSt6chrono.*tzdb",
         "Clock of the context (engine/runtime): monotonic and wall time of the host"),
    Rule("threads", _names("thrd_create mtx_lock fork vfork clone execve execv execvp system"
                           " posix_spawn posix_spawnp sched_yield sched_setaffinity kill raise signal"
                           " sigaction pause wait waitpid getpid getppid gettid syscall dlopen dlsym"),
         r"^_ZNK?St6thread|^_ZNSt18condition_variable|^_ZNSt3_V222condition_variable_any"
         r"|^_ZNSt13__future_base|^_ZSt17__async|call_once|^pthread_|^_ZSt20__throw_system_errori$"
         r"|^_ZNSt11this_thread",
         "Task, TaskScope, Mutex, Event, Channel (engine/runtime); Processes starts and kills"),
    Rule("sleeping", _names("sleep usleep nanosleep clock_nanosleep poll ppoll select pselect epoll_wait"
                            " epoll_pwait epoll_create1 epoll_ctl eventfd"),
         r"^_ZNSt11this_thread.*sleep",
         "sleep_for and sleep_until of engine/runtime: waiting is virtual"),
    Rule("files", _names("open open64 openat openat64 creat creat64 read write pread pread64 pwrite"
                         " pwrite64 readv writev preadv preadv2 pwritev pwritev2 close lseek lseek64"
                         " mmap mmap64 munmap msync madvise mlock fsync fdatasync sync syncfs"
                         " sync_file_range fallocate fallocate64 posix_fallocate posix_fallocate64"
                         " ftruncate ftruncate64 truncate truncate64 stat stat64 fstat fstat64 lstat"
                         " lstat64 statx access rename renameat unlink unlinkat remove rmdir mkdir"
                         " mkdirat opendir readdir readdir64 closedir link symlink readlink realpath"
                         " chmod ioctl fcntl fcntl64 flock fopen fopen64 freopen fdopen tmpfile mkstemp"
                         " io_uring_queue_init io_uring_submit io_uring_setup splice sendfile"),
         r"St10filesystem|basic_filebuf|basic_[io]?fstream",
         "FileSystem, File, MappedFile, BlockDevice (engine/runtime)"),
    Rule("sockets", _names("socket socketpair connect bind listen accept accept4 send sendto sendmsg"
                           " recv recvfrom recvmsg shutdown setsockopt getsockopt getaddrinfo"
                           " gethostbyname gethostname pipe pipe2 inet_addr"),
         r"^_ZN5boost4asio", "Network and Stream (engine/runtime)"),
    Rule("randomness", _names("getrandom getentropy rand srand rand_r random srandom random_r drand48"
                              " erand48 lrand48 nrand48 mrand48 srand48 arc4random arc4random_uniform"
                              " arc4random_buf uuid_generate RAND_bytes"),
         r"^_ZNSt13random_device", "Random of the context: a named stream of the seed"),
    Rule("environment", _names("getenv secure_getenv setenv unsetenv putenv environ __environ getlogin"
                               " getuid geteuid uname sysconf get_nprocs getrlimit sysinfo setlocale"
                               " gethostid getcwd get_current_dir_name chdir"),
         r"^_ZNSt6thread20hardware_concurrency", "an option that the process is given"),
    Rule("console", _names("stdin stdout puts putchar printf vprintf scanf getchar"),
         r"^_ZSt(?:4cout|3cin|4cerr|4clog|5wcout)$|^_ZNSt8ios_base4InitC",
         "Observer of the context: libraries return, programs print"),
)


@dataclasses.dataclass(frozen=True)
class Use:
    archive: str
    member: str
    symbol: str
    rule: Rule

    def __str__(self):
        return (f"{self.archive}: {self.member} calls {readable(self.symbol)}: use"
                f" {self.rule.replacement}")


def readable(symbol):
    done = subprocess.run(["c++filt", symbol], capture_output=True, text=True)
    return done.stdout.strip() or symbol


def rule_of(symbol):
    """The rule that refuses a symbol, or None."""
    name = symbol.split("@")[0]
    # Fortified and 64-bit doors into the same rooms: __read_chk, __isoc99_scanf, __libc_open.
    plain = re.sub(r"^__(?:isoc99_|libc_)?|_chk$", "", name)
    for rule in reversed(RULES) if "sleep" in name else RULES:
        if name in rule.c_names or (name != plain and plain in rule.c_names) \
                or re.search(rule.cpp_pattern, name):
            return rule
    return None


def uses(archive, shown):
    listed = subprocess.run(["nm", "-A", "-u", "--format=posix", str(archive)], capture_output=True,
                            text=True)
    if listed.returncode != 0:
        sys.exit(f"nm can't read {archive}: {listed.stderr.strip()}")
    found = set()
    for line in listed.stdout.splitlines():
        matched = re.match(r".*\[(?P<member>[^\]]+)\]: (?P<symbol>\S+) [Uwv]", line)
        if matched:
            rule = rule_of(matched["symbol"])
            if rule:
                found.add((matched["member"], matched["symbol"], rule))
    return [Use(shown, *use) for use in sorted(found, key=lambda use: use[:2])]


def archives(build, root):
    """{folder: archive} of the static libraries of engine and sim, by what meson knows."""
    known = {}
    for target in json.loads((build / "meson-info" / "intro-targets.json").read_text()):
        folder = str(Path(target["defined_in"]).parent.relative_to(root))
        if target["type"] == "static library" and folder.split("/")[0] in ("engine", "sim") \
                and folder not in EXEMPT:
            known.setdefault(folder, []).append(Path(target["filename"][0]))
    return known


def folders_with_sources(root):
    return sorted({"/".join(path.split("/")[:2])
                   for path in guard.cpp_sources(root, ("engine", "sim"))
                   if path.endswith(".cpp")} - set(EXEMPT))


def check(report, build, root):
    known = archives(build, root)
    for folder in folders_with_sources(root):
        report.check(f"{folder} is an archive of its own", folder in known,
                     f"no static_library is defined in {folder}/meson.build: nobody would check what"
                     " its code calls")
    found = []
    for folder, files in sorted(known.items()):
        for archive in files:
            if archive.exists():
                found += uses(archive, f"{folder}/{archive.name}")
            else:
                report.check(f"{folder}/{archive.name} is built", False,
                             f"NOT CHECKED: {archive} IS NOT BUILT; run: ninja -C {build}")
    for rule in RULES:
        mine = [use for use in found if use.rule is rule]
        report.check(f"no {rule.name} outside the seam", not mine, "\n".join(map(str, mine)))


# Code that a plant compiles; what it must be caught by.
PLANTS = (
    ("clocks", "a wall-clock read", "#include <chrono>\nauto f() { return"
     " std::chrono::system_clock::now(); }"),
    ("clocks", "a monotonic clock", "#include <chrono>\nauto f() { return"
     " std::chrono::steady_clock::now(); }"),
    ("clocks", "clock_gettime", "#include <time.h>\nvoid f() { timespec t;"
     " clock_gettime(CLOCK_MONOTONIC, &t); }"),
    ("threads", "a thread", "#include <thread>\nvoid g();\nvoid f() { std::thread(g).join(); }"),
    ("threads", "a mutex", "#include <mutex>\nstd::mutex m;\nvoid f() { std::lock_guard l(m); }"),
    ("sleeping", "a sleep", "#include <chrono>\n#include <thread>\nvoid f() {"
     " std::this_thread::sleep_for(std::chrono::seconds(1)); }"),
    ("files", "read", "#include <unistd.h>\nlong f(char* p) { return read(0, p, 7); }"),
    ("files", "a fortified read", "#include <unistd.h>\nlong f(unsigned long n) { char b[8];"
     " return read(0, b, n) + b[0]; }"),
    ("files", "fopen", "#include <cstdio>\nauto f() { return std::fopen(\"x\", \"r\"); }"),
    ("files", "a stream", "#include <fstream>\nvoid f() { std::ofstream(\"x\") << 1; }"),
    ("files", "a path that is looked up", "#include <filesystem>\nbool f() {"
     " return std::filesystem::exists(\"x\"); }"),
    ("sockets", "a socket", "#include <sys/socket.h>\nint f() { return socket(1, 2, 3); }"),
    ("randomness", "rand", "#include <cstdlib>\nint f() { return std::rand(); }"),
    ("randomness", "a random device", "#include <random>\nunsigned f() {"
     " return std::random_device()(); }"),
    ("environment", "getenv", "#include <cstdlib>\nauto f() { return std::getenv(\"HOME\"); }"),
    ("console", "std::cout", "#include <iostream>\nvoid f() { std::cout << 1; }"),
    (None, "strings, containers and maths", "#include <map>\n#include <string>\n#include <cmath>\n"
     "std::map<std::string, int> f(int x) { return {{std::to_string(x), 1}}; }"),
    (None, "a failing ENSURE", "#include <cstdio>\n#include <cstdlib>\n[[noreturn]] void f() {"
     " std::fprintf(stderr, \"x\"); std::abort(); }"),
    (None, "a member function named like a call", "struct S { void read(); void time(); };\n"
     "void f(S& s) { s.read(); s.time(); }"),
)


def self_test(report, work):
    """Compiles the plants in `work`, where ccache finds them again."""
    work.mkdir(parents=True, exist_ok=True)
    ccache = [shutil.which("ccache")] if shutil.which("ccache") else []
    compiler = [*ccache, shutil.which("g++-12") or "g++", "-std=c++2b", "-O2", "-D_FORTIFY_SOURCE=2"]

    def compile_plant(index):
        source = work / f"plant{index}.cpp"
        text = PLANTS[index][2] + "\n"
        if not source.exists() or source.read_text() != text:
            source.write_text(text)
        return subprocess.run([*compiler, "-c", str(source), "-o", str(source.with_suffix(".o"))],
                              capture_output=True, text=True)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        compiled = list(pool.map(compile_plant, range(len(PLANTS))))
    for index, (rule, name, _) in enumerate(PLANTS):
        if compiled[index].returncode != 0:
            report.check(f"compiles {name}", False, compiled[index].stderr)
            continue
        member = f"plant{index}.o"
        archive = work / f"plant{index}.a"
        archive.unlink(missing_ok=True)
        subprocess.run(["ar", "rcs", str(archive), str(work / member)], check=True)
        found = uses(archive, "engine/store/libstore.a")
        told = "\n".join(map(str, found)) or "found nothing"
        if rule is None:
            report.check(f"accepts {name}", not found, told)
            continue
        caught = [use for use in found if use.rule.name == rule]
        report.check(f"catches {name}", bool(caught), told)
        report.check(f"tells archive, object and replacement of {name}",
                     bool(caught) and all(part in str(caught[0]) for part in (
                         "engine/store/libstore.a", member, caught[0].rule.replacement)), told)
    missing = {rule.name for rule in RULES} - {plant[0] for plant in PLANTS}
    report.check("every rule has a planted violation", not missing, ", ".join(sorted(missing)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--build", type=Path, required=True, help="meson's build directory")
    options = parser.parse_args()
    build = options.build.resolve()
    report = tap.Report()
    check(report, build, options.root.resolve())
    self_test(report, build / "tests" / "guards" / "plants")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
