#!/usr/bin/env python3
"""What libnearfork-malloc.so costs programs that it leaves alone: patterns of allocations (bench/malloc), and a compiler at work.
Each is run with the library and without, in turns; a table shows the median times and the median and spread of the ratios of turns, and the ratio of the least times,
which other processes disturb least.
The compiler must write the same assembly.
usage: scripts/bench_malloc.py [--library build/release/libnearfork-malloc.so] [--reps 15] [--compiler g++-12] [PATTERN...]"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PATTERNS = ["pairs", "mixed", "containers", "large", "threads", "compile"]


def processor_seconds(command, environment):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, env=environment, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, output


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default="build/release/libnearfork-malloc.so")
    parser.add_argument("--reps", type=int, default=15)
    parser.add_argument("--compiler", default="g++-12")
    parser.add_argument("patterns", nargs="*", default=[], metavar="PATTERN", choices=PATTERNS + [[]])
    given = parser.parse_args()
    library = os.path.join(ROOT, given.library)
    if not os.path.exists(library):
        sys.exit(f"{library} is not there: build it (cmake --build --target nearfork_malloc), or name another by --library")
    alone = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    with_library = {**alone, "LD_PRELOAD": library}
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "malloc_cost")
        subprocess.run([given.compiler, "-std=c++20", "-O2", "-pthread", "-fno-builtin", "bench/malloc/malloc_cost.cpp", "-o", program],
                       cwd=ROOT, check=True)
        print(f"{'pattern':12} {'unit':5} {'without':>9} {'with':>9} {'ratio':>7} {'of least':>8}  quartiles ({given.reps} turns)")
        for pattern in given.patterns or PATTERNS:
            measure(pattern, program, given, alone, with_library)


def measure(pattern, program, given, alone, with_library):
    def once(environment):
        if pattern != "compile":
            return float(subprocess.run([program, pattern], env=environment, check=True, stdout=subprocess.PIPE).stdout)
        seconds, text = processor_seconds([given.compiler, "-std=c++20", "-O2", "-S", "-o", "-", "-Iinclude", "-Isrc",
                                           "src/runtime/settings/option_rows.cpp"], environment)
        texts.add(text)
        return seconds

    texts = set()
    times = {False: [], True: []}
    for turn in range(given.reps):
        for preloaded in (False, True) if turn % 2 == 0 else (True, False):
            times[preloaded].append(once(with_library if preloaded else alone))
    if len(texts) > 1:
        sys.exit("the compiler writes something else with the library")
    ratios = [one / other for one, other in zip(times[True], times[False])]
    quarters = statistics.quantiles(ratios, n=4)
    print(f"{pattern:12} {'s' if pattern == 'compile' else 'ns':5} {statistics.median(times[False]):9.3f} "
          f"{statistics.median(times[True]):9.3f} {statistics.median(ratios):7.3f} {min(times[True]) / min(times[False]):8.3f}  {quarters[0]:.3f} to {quarters[2]:.3f}", flush=True)


main()
