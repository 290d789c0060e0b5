"""What the nearfork command prints as JSON, beside docs/schemas.

usage: schemas_test.py COMMAND SCHEMA_FOLDER [unittest's arguments]
"""
from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import jsonschema
except ImportError:
    print("skipped: no python3-jsonschema")
    sys.exit(77)

COMMAND = ""
SCHEMAS = Path()
HEAT = ("heat", "--size", "rows=128,columns=64,iterations=4")


def run(*arguments: str, **more: str) -> str:
    settings = {name: value for name, value in os.environ.items() if not name.startswith("NEARFORK_")}
    settings |= {"NEARFORK_WORKERS": "2", "NEARFORK_PIN": "off"} | more
    ended = subprocess.run([COMMAND, *arguments], env=settings, capture_output=True, timeout=100, check=False, text=True)
    if ended.returncode != 0:
        raise AssertionError(f"{arguments} ended with {ended.returncode}: {ended.stderr}")
    return ended.stdout


def schema_of(name: str) -> jsonschema.Draft202012Validator:
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def undocumented(schema: dict, made: object, place: str = "") -> list[str]:
    """The members that the schema does not describe, where it describes any."""
    found = []
    if isinstance(made, dict):
        described = schema.get("properties", {})
        if described and "additionalProperties" not in schema:
            found += [f"{place}/{name}: not in the schema" for name in made if name not in described]
        for name, value in made.items():
            found += undocumented(described.get(name, {}), value, f"{place}/{name}")
    elif isinstance(made, list):
        for number, value in enumerate(made):
            found += undocumented(schema.get("items", {}), value, f"{place}/{number}")
    return found


class Schemas(unittest.TestCase):
    def expect(self, name: str, made: object) -> None:
        schema = schema_of(name)
        faults = [f"{'/'.join(map(str, one.path))}: {one.message}" for one in schema.iter_errors(made)]
        faults += undocumented(schema.schema, made)
        self.assertEqual(faults, [], name)
        for member in schema.schema["required"]:
            less = copy.copy(made)
            del less[member]
            self.assertFalse(schema.is_valid(less), f"{name} without {member}")
        self.assertFalse(schema.is_valid(made | {"version": 1000}), name)

    def test_sim(self) -> None:
        for more in (["--machine", "opteron-8380"], ["--machine", "xeon-phi-7210", "--pages", "follow-plan"],
                     ["--machine", "alder-lake", "--goal", "energy", "--policy", "saws"], [],
                     ["--machine", "package:2 l3:1 core:2 pu:1"],
                     ["--machine", "opteron-8380", "--seeds", "3", "--sweep", "1,4"],
                     ["--machine", "opteron-8380", "--seeds", "2", "--sweep", "1,4", "--policy", "laws"]):
            self.expect("sim", json.loads(run("sim", *HEAT, "--json", *more)))

    def test_sim_of_a_cluster(self) -> None:
        for scaling in ("strong", "weak"):
            self.expect("sim-cluster", json.loads(run("sim", "heat-mpi", *HEAT[1:], "--scaling", scaling, "--json",
                                                      "--machine", "4 x opteron-8380, link 25 GB/s 1.5 us")))

    def test_bench(self) -> None:
        self.expect("bench", json.loads(run("bench", "fib", "--size", "test", "--reps", "2", "--json")))

    def test_topo(self) -> None:
        for machine in ([], ["xeon-max-9480"], ["package:2 l3:2 core:2 pu:2"]):
            self.expect("topo", json.loads(run("topo", *machine, "--json")))
        self.expect("topo-list", json.loads(run("topo", "--list", "--json")))

    def test_doctor(self) -> None:
        self.expect("doctor", json.loads(run("doctor", "--json")))

    def test_reproduce(self) -> None:
        for paper in ("saws", "a-cab"):
            self.expect("reproduce", json.loads(run("reproduce", paper, "--quick", "--json")))

    def test_files(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            recording = f"{folder}/r.nfg"
            run("record", "-o", recording, "--runs", "2", "--keep-all", *HEAT)
            self.expect("graph-info", json.loads(run("graph", "info", "--json", recording)))
            for more in ([], [f"{folder}/r-2.nfg"], ["--policy", "cab"], ["--pages", "interleaved"]):
                self.expect("sim", json.loads(run("sim", recording, *more, "--machine", "opteron-8380", "--json")))
            report = f"{folder}/r.json"
            run("bench", *HEAT, "--reps", "1", "--workers", "2", NEARFORK_REPORT=report)
            made = json.loads(Path(report).read_text())
            for one in made if isinstance(made, list) else [made]:
                self.expect("run-report", one)
            program = ["sh", "-c", f"'{COMMAND}' bench heat --size test --reps 1 --workers 2"]
            self.expect("advise", json.loads(run("advise", "--json", "--", *program)))
            simulated = f"{folder}/s.json"
            Path(simulated).write_text(run("sim", recording, "--machine", "opteron-8380", "--json"))
            trace = f"{folder}/t.pftrace"
            run("bench", *HEAT, "--reps", "1", "--workers", "2", NEARFORK_TRACE=trace)
            bench = f"{folder}/b.json"
            Path(bench).write_text(run("bench", "fib", "--size", "test", "--reps", "2", "--json"))
            files = [report, trace, recording, simulated, bench]
            self.expect("report", json.loads(run("report", *files, "--json", "--machine", "opteron-8380")))


if __name__ == "__main__":
    COMMAND, SCHEMAS = sys.argv[1], Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
