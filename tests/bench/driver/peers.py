"""The peers ns-3, SystemC and SimGrid: Debian packages unpacked into the build folder.

Nothing is installed, because their development packages conflict with Boost 1.81. The benchmark
programs are compiled against the unpacked headers, as C++17 like the packages, and run with the
unpacked libraries.
"""
import os
import subprocess
from pathlib import Path

# What each program needs: packages, libraries, and the package whose version it prints.
PROGRAMS = {
    "bench-ns3": {
        "sources": "ns3",
        "packages": ["libns3-dev", "libns3.37", "libgsl27", "libgslcblas0", "libsqlite3-0"],
        "libraries": ["ns3-point-to-point", "ns3-network", "ns3-core"],
    },
    "bench-systemc": {
        "sources": "systemc",
        "packages": ["libsystemc-dev", "libsystemc"],
        "libraries": ["systemc"],
    },
    "bench-simgrid": {
        "sources": "simgrid",
        "packages": ["libsimgrid-dev", "libsimgrid3.32", "libboost-context1.74.0",
                     "libboost-stacktrace1.74.0", "libgfortran5", "libquadmath0", "libns3.37",
                     "libgsl27", "libgslcblas0", "libsqlite3-0", "libxml2"],
        "libraries": ["simgrid"],
    },
}

FLAGS = ["-std=c++17", "-O3", "-fno-strict-aliasing", "-ffp-contract=off", "-Wall", "-Wextra"]


def build(root: Path, folder: Path, names, log, run_logged, failure):
    folder.mkdir(parents=True, exist_ok=True)
    compiler = os.environ.get("CXX", "g++-12")
    triplet = subprocess.run([compiler, "-print-multiarch"], capture_output=True, text=True,
                             check=True).stdout.strip()
    unpacked = folder / "root"
    libraries = unpacked / "usr" / "lib" / triplet
    environment = {**os.environ, "LD_LIBRARY_PATH": str(libraries),
                   "SC_COPYRIGHT_MESSAGE": "DISABLE"}
    programs = {}
    for name in names:
        peer = PROGRAMS[name]
        for package in peer["packages"]:
            unpack(package, folder / "packages", unpacked, log, run_logged, failure)
        sources = root / "tests" / "bench" / "peers" / peer["sources"]
        program = folder / name
        if outdated(program, sources, root / "tests" / "bench" / "workloads"):
            version = package_version(peer["packages"][0], folder / "packages")
            command = [compiler, *FLAGS, f"-I{root}", "-isystem", str(unpacked / "usr" / "include"),
                       f'-DPEER_VERSION="{version}"', *map(str, sorted(sources.glob("*.cpp"))),
                       "-o", str(program), f"-L{libraries}", f"-Wl,-rpath-link,{libraries}",
                       *(f"-l{library}" for library in peer["libraries"])]
            if not run_logged(command, log):
                raise failure(f"compiling {name} failed, see {log}")
        programs[name] = (program, environment)
    return programs


def unpack(package, downloads, unpacked, log, run_logged, failure):
    downloads.mkdir(exist_ok=True)
    if archive_of(package, downloads) is not None:
        return
    if not run_logged(["apt-get", "download", package], log, cwd=downloads):
        raise failure(f"apt-get download {package} failed, see {log}")
    if not run_logged(["dpkg", "-x", str(archive_of(package, downloads)), str(unpacked)], log):
        raise failure(f"unpacking {package} failed, see {log}")


def archive_of(package, downloads):
    return next(iter(downloads.glob(f"{package}_*.deb")), None)


def package_version(package, downloads):
    field = subprocess.run(["dpkg-deb", "-f", str(archive_of(package, downloads)), "Version"],
                           capture_output=True, text=True, check=True)
    return field.stdout.strip()


def outdated(program, *folders):
    if not program.exists():
        return True
    built = program.stat().st_mtime
    return any(path.stat().st_mtime > built for folder in folders for path in folder.iterdir())
