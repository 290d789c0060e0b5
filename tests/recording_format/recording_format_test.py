"""Recordings read and written by a program that was made from docs/RECORDING.md alone (nfg.py), beside the nearfork command.

usage: recording_format_test.py COMMAND SOURCE_FOLDER [unittest's arguments]
"""
from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import faults
import nfg
import shapes

COMMAND = ""
PLACINGS = ("follows plans", "interleaved", "interleaved by bandwidth", "by bandwidth", "by capacity",
            "on nodes that the program named")
PAGE = ""


def run(*arguments: str) -> subprocess.CompletedProcess:
    settings = {name: value for name, value in os.environ.items() if not name.startswith("NEARFORK_")}
    # hwloc leaks a little for descriptions that it refuses, which would change the status.
    settings |= {"NEARFORK_WORKERS": "2", "NEARFORK_PIN": "off", "LSAN_OPTIONS": "detect_leaks=0"}
    return subprocess.run([COMMAND, *arguments], env=settings, capture_output=True, timeout=100, check=False)


def shown(name: bytes) -> str:
    return name.decode(errors="replace")


def facts_of(made: nfg.Recording) -> dict:
    """As `nearfork graph info --json` has them."""
    def of_iteration(one: nfg.Iteration) -> dict:
        return {
            "number": one.number, "duration_ns": one.duration_ns, "tasks": len(one.tasks),
            "leaves": sum(not task.children for task in one.tasks),
            "forks": sum(len(task.children) for task in one.tasks), "depth": nfg.depth(one.tasks),
            "accesses": sum(len(stretch.accesses) for task in one.tasks for stretch in task.stretches),
            "work_ns": nfg.work_ns(one.tasks), "span_ns": nfg.span_ns(one),
            "dataflow_tasks": len(one.flow), "edges": sum(len(each.predecessors) for each in one.flow),
        }
    return {
        "program": shown(made.program), "policy": shown(made.policy), "machine": shown(made.machine),
        "workers": made.workers, "left_out": made.left_out,
        "blocks": [{"name": shown(one.name), "bytes": one.size} for one in made.blocks],
        "allocations": [{"block": block, "placing": PLACINGS[how]} for block, how in made.allocations],
        "buffers": made.buffers,
        "regions": [{"name": shown(one.name), "input_bytes": one.input_bytes, "iterations": one.iterations,
                     "began": one.began, "ended": one.ended, "recorded": [of_iteration(recorded) for recorded in one.recorded]} for one in made.regions],
    }


def access_of(one: nfg.Access, made: nfg.Recording) -> dict:
    shown_access = {"kind": "writes" if one.writes else "reads", "block": shown(made.blocks[one.block].name),
                    "begin": one.begin, "bytes": one.size}
    if one.pieces > 1:
        shown_access |= {"count": one.pieces, "stride": one.stride}
    return shown_access


def dumped(made: nfg.Recording) -> list[dict]:
    """As `nearfork graph dump --json` has it, task by task."""
    lines = []
    for region in made.regions:
        for one in region.recorded:
            firsts = nfg.first_children(one.tasks)
            parents: dict[int, int] = {}
            for at, task in enumerate(one.tasks):
                for first, children in zip(firsts[at], task.children):
                    parents.update(dict.fromkeys(range(first, first + children), at))
                stretches = []
                for place, stretch in enumerate(task.stretches):
                    entry = {"time_ns": stretch.time_ns, "accesses": [access_of(each, made) for each in stretch.accesses]}
                    if place < len(task.children):
                        entry["then_forks"] = {"first_child": firsts[at][place], "children": task.children[place]}
                    stretches.append(entry)
                lines.append({"region": shown(region.name), "iteration": one.number, "task": at,
                              "parent": parents.get(at), "stretches": stretches})
                for each in one.flow:
                    if each.task == at:
                        lines[-1] |= {"dataflow": {"creator": each.creator or parents[at],
                                                   "predecessors": each.predecessors, "exclusions": each.exclusions}}
    return lines


class WithFolder(unittest.TestCase):
    maxDiff = 2000

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="nearfork-format-")
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "g.nfg")

    def save(self, data: bytes) -> None:
        Path(self.path).write_bytes(data)

    def output_of(self, *arguments: str) -> str:
        ended = run(*arguments)
        self.assertEqual(ended.returncode, 0, ended.stderr.decode())
        return ended.stdout.decode(errors="replace")

    def expect_same_facts(self, made: nfg.Recording) -> None:
        info = json.loads(self.output_of("graph", "info", "--json", self.path))
        self.assertEqual({name: info[name] for name in facts_of(made)}, facts_of(made))
        lines = self.output_of("graph", "dump", "--json", self.path).splitlines()
        self.assertEqual([json.loads(line) for line in lines], dumped(made))

    def expect_refused(self, *arguments: str) -> str:
        ended = run(*arguments)
        said = ended.stderr.decode(errors="replace")
        self.assertEqual(ended.returncode, 1, said)
        self.assertRegex(said, r"^nearfork: recording .*g\.nfg, byte \d+: .*[:;] .+\n$")
        return said


class ThePage(WithFolder):
    def test_example_is_true(self) -> None:
        listing = re.search(r"```hex\n(.*?)```", PAGE, re.DOTALL).group(1)
        data = b""
        for line in filter(str.strip, listing.splitlines()):
            place, rest = line.split(":", 1)
            self.assertEqual(int(place), len(data), line)
            data += bytes.fromhex(rest.split("#")[0])
        self.assertEqual(nfg.read(data), shapes.small())
        self.assertEqual(nfg.write(shapes.small()), data)
        self.save(data)
        self.expect_same_facts(shapes.small())
        said = PAGE[PAGE.index("shows it so:") :].split("\n\n")[1]
        text = self.output_of("graph", "dump", self.path)
        self.assertEqual([line.strip() for line in text.splitlines()], [line.strip() for line in said.splitlines()])
        self.assertIn(f"Work is {nfg.work_ns(shapes.small().regions[0].recorded[0].tasks)} ns", PAGE)
        self.assertIn(f"span {nfg.span_ns(shapes.small().regions[0].recorded[0])} ns", PAGE)

    def test_checksum_is_the_pages(self) -> None:
        source = PAGE[PAGE.index("      def crc32c") :].split("\n\n")[0]
        code: dict = {}
        exec("\n".join(line[6:] for line in source.splitlines()), code)  # pylint: disable=exec-used
        self.assertEqual(code["crc32c"](b"123456789"), 0xE3069283)
        for data in (b"", b"123456789", bytes(range(256))):
            self.assertEqual(code["crc32c"](data), nfg.crc32c(data))

    def test_numbers_are_the_pages(self) -> None:
        for value, code in ((0, "00"), (127, "7F"), (128, "80 01"), (300, "AC 02")):
            self.assertEqual(nfg.number(value), bytes.fromhex(code))
            self.assertIn(f"`{code}`", PAGE)


class OfTheCommand(WithFolder):
    """What nearfork writes."""

    def expect_understood(self, *workload: str) -> nfg.Recording:
        self.output_of("record", "-o", self.path, *workload)
        data = Path(self.path).read_bytes()
        made = nfg.read(data)
        self.assertEqual(nfg.write(made), data, "one recording, one file")
        self.expect_same_facts(made)
        return made

    def test_recorded_workloads(self) -> None:
        for workload in (("heat", "--size", "rows=128,columns=64,iterations=4", "--iterations", "all"),
                         ("fib", "--size", "test"), ("mergesort", "--size", "test"), ("matmul", "--size", "test"),
                         ("sor", "--size", "test", "--iterations", "all"), ("nqueens", "--size", "test")):
            with self.subTest(workload=workload):
                self.assertGreater(len(self.expect_understood(*workload).regions), 0)

    def test_accesses_of_heat(self) -> None:
        made = self.expect_understood("heat", "--size", "rows=128,columns=64,iterations=2")
        found = [each for task in made.regions[0].recorded[0].tasks for stretch in task.stretches for each in stretch.accesses]
        self.assertEqual(len(found), 2 * 16, "16 leaves read and write")


class OfPython(WithFolder):
    """What nfg.py writes."""

    def expect_read(self, made: nfg.Recording) -> None:
        data = nfg.write(made)
        self.assertEqual(nfg.read(data), made)
        self.save(data)
        self.assertIn("sound", self.output_of("graph", "check", self.path))
        self.expect_same_facts(made)

    def test_shapes(self) -> None:
        for name, make in shapes.ALL.items():
            with self.subTest(shape=name):
                self.expect_read(make())

    def test_random_recordings(self) -> None:
        for seed in range(12):
            with self.subTest(seed=seed):
                self.expect_read(shapes.any_recording(seed))

    def test_names_that_are_not_utf8(self) -> None:
        made = shapes.small()
        made.regions[0].name = b"\xff\xc3("
        self.save(nfg.write(made))
        for arguments in (("graph", "info"), ("graph", "info", "--json"), ("graph", "dump", "--json")):
            self.output_of(*arguments, self.path)
        for json_flag in ((), ("--json",)):
            self.simulate(*json_flag)

    def simulate(self, *more: str) -> str:
        return self.output_of("sim", self.path, "--machine", "opteron-8380", "--policy", "random", "--iterations", "2", *more)

    def test_simulator(self) -> None:
        for name in ("small", "several_regions", "wide", "deep", "many_forks", "accesses", "names", "set_up", "allocated_only",
                     "dataflow", "buffers_only"):
            with self.subTest(shape=name):
                made = shapes.ALL[name]()
                self.save(nfg.write(made))
                for region in (one for one in made.regions if one.recorded):
                    seen = json.loads(self.simulate("--json", "--region", region.name.decode()))
                    self.assertIn(str(len(region.recorded[0].tasks)), seen["size"])

    def test_simulator_takes_no_more_time_than_it_counts(self) -> None:
        made = shapes.small()
        made.regions[0].recorded[0].tasks[1].stretches[0].time_ns = nfg.LIMIT - 175
        self.save(nfg.write(made))
        ended = run("sim", self.path, "--machine", "opteron-8380")
        self.assertEqual(ended.returncode, 1)
        self.assertIn(b"simulated time ends", ended.stderr)


class Refused(WithFolder):
    def test_every_fault_of_the_page(self) -> None:
        for fault in faults.all_faults():
            with self.subTest(fault=fault.name):
                with self.assertRaises(nfg.Refused):
                    nfg.read(fault.data)
                self.save(fault.data)
                said = self.expect_refused("graph", "check", self.path)
                for word in fault.words:
                    self.assertIn(word, said)

    def test_by_every_command(self) -> None:
        for fault in faults.all_faults()[::7]:
            with self.subTest(fault=fault.name):
                self.save(fault.data)
                said = {self.expect_refused(*command, self.path) for command in
                        (("graph", "check"), ("graph", "info"), ("graph", "info", "--json"), ("graph", "dump"), ("sim",))}
                self.assertEqual(len(said), 1)

    def test_mutants_as_python_does(self) -> None:
        """Bytes of contents are changed, and the checksums made right again: both readers agree on what is sound."""
        source = random.Random(1)
        sound = 0
        for round_ in range(150):
            made = source.choice([shapes.small(), shapes.accesses(), shapes.several_regions(), shapes.dataflow()])
            contents = nfg.contents_of(made)
            place = source.randrange(len(contents))
            changed = bytearray(contents[place][1])
            for _ in range(source.randrange(1, 3)):
                changed[source.randrange(len(changed))] = source.choice((0, 1, 2, 3, 0x7F, 0x80, 0xFF, source.randrange(256)))
            contents[place] = (contents[place][0], bytes(changed))
            self.save(nfg.file_of(contents))
            with self.subTest(round=round_):
                try:
                    read = nfg.read(nfg.file_of(contents))
                except nfg.Refused:
                    self.expect_refused("graph", "check", self.path)
                    continue
                sound += 1
                self.expect_same_facts(read)
        self.assertGreater(sound, 10, "else nothing is learned about sound ones")


if __name__ == "__main__":
    COMMAND = sys.argv.pop(1)
    PAGE = (Path(sys.argv.pop(1)) / "docs/RECORDING.md").read_text(encoding="utf-8")
    unittest.main()
