"""Files that a reader must refuse: one or more for each point of the list in docs/RECORDING.md, "What a reader refuses".

Each fault has words that the message must hold: what is wrong, where it can be said in words.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import nfg
import shapes
from nfg import LIMIT, Access, Block, Iteration, Recording, Region, Stretch, Task
from shapes import leaf


@dataclass
class Fault:
    name: str
    data: bytes
    words: list[str]


def _changed(change: Callable[[Recording], object], make: Callable[[], Recording] = shapes.small) -> bytes:
    made = make()
    change(made)
    return nfg.write(made)


def _with_content(place: int, content: bytes) -> bytes:
    """The example with another content of its section at `place`: 0 the run, 1 blocks, 2 the region, 3 the iteration."""
    contents = nfg.contents_of(shapes.small())
    contents[place] = (contents[place][0], content)
    return nfg.file_of(contents)


def _with_graph(*numbers: int) -> bytes:
    return _with_content(3, nfg.number(2) + nfg.number(300) + b"".join(nfg.number(one) for one in numbers))


def _with_access(one: Access) -> bytes:
    return _changed(lambda made: made.regions[0].recorded[0].tasks[1].stretches[0].accesses.append(one))


def _with_header(**fields) -> bytes:
    data = nfg.write(shapes.small())
    return nfg.header(fields.pop("sections", 4), fields.pop("size", len(data)), **fields) + data[nfg.HEADER_BYTES :]


def _flipped(byte: int) -> bytes:
    data = bytearray(nfg.write(shapes.small()))
    data[byte] ^= 1
    return bytes(data)


def _of_sections(*places: int) -> bytes:
    contents = nfg.contents_of(shapes.small())
    return nfg.file_of([contents[place] for place in places])


def _of_header() -> list[Fault]:
    data = nfg.write(shapes.small())
    return [
        Fault("another_magic", _with_header(magic=b"\x89NFG\n\x1a\n\n"), ["byte 0", "no task-graph recording"]),
        Fault("a_text", b"#!/bin/sh\necho this is no recording but long enough to be one\n", ["no task-graph recording"]),
        Fault("empty", b"", ["no task-graph recording"]),
        Fault("version_0", _with_header(version=0), ["byte 8", "version 0", "reads versions 1 to 3"]),
        Fault("version_4", _with_header(version=4), ["byte 8", "version 4", "reads versions 1 to 3"]),
        Fault("version_3_without_its_sections", _with_header(version=3), ["kind 3", "list of allocations"]),
        Fault("version_2_without_setup", _with_header(version=2), ["is missing"]),
        Fault("reserved", _with_header(reserved=1), ["byte 24", "reserved"]),
        Fault("checksum_of_header", _flipped(29), ["byte 28", "checksum"]),
        Fault("smaller_than_claimed", data[:-1], ["truncated", "claims 141"]),
        Fault("header_alone", data[:20], ["truncated"]),
        Fault("larger_than_claimed", data + b"\0", ["added"]),
        Fault("claims_2_to_the_64", _with_header(size=(1 << 64) - 1), ["truncated"]),
    ]


def _of_sections_and_numbers() -> list[Fault]:
    run = nfg.run_content(shapes.small())
    iteration = nfg.contents_of(shapes.small())[3][1]
    return [
        Fault("checksum_of_section", _flipped(48), ["byte 32", "checksum"]),
        Fault("no_section", nfg.header(0, nfg.HEADER_BYTES), ["is missing"]),
        Fault("no_blocks", _of_sections(0), ["list of data blocks is missing"]),
        Fault("no_run", _of_sections(1, 2, 3), ["kind 2", "facts about the run"]),
        Fault("blocks_twice", _of_sections(0, 1, 1), ["kind 2", "head of a region"]),
        Fault("iteration_without_region", _of_sections(0, 1, 3), ["kind 4"]),
        Fault("iteration_too_many", _of_sections(0, 1, 2, 3, 3), ["kind 4"]),
        Fault("iteration_missing", _of_sections(0, 1, 2), ['"r"', "1 recorded iteration, and 0 sections after it"]),
        Fault("more_sections_than_claimed", _with_header(sections=3), ["and 0 sections after it"]),
        Fault("fewer_sections_than_claimed", _with_header(sections=5), ["the head of a section"]),
        Fault("section_beyond_the_file", _oversized_section(), ["ends in the middle"]),
        Fault("content_too_short", _with_content(0, run[:-1]), ["ends in the middle", "left out"]),
        Fault("content_too_long", _with_content(0, run + b"\0"), ["1 bytes more"]),
        Fault("graph_too_long", _with_content(3, iteration + b"\0"), ["1 bytes more"]),
        Fault("long_form", _with_content(0, run[:-1] + b"\x80\0"), ["more bytes than it needs"]),
        Fault("65_bits", _with_content(0, run[:-1] + b"\xff" * 9 + b"\2"), ["does not fit 64 bits"]),
        Fault("eleven_bytes", _with_content(0, run[:-1] + b"\xff" * 10 + b"\0"), ["does not fit 64 bits"]),
        Fault("text_of_4097_bytes", _changed(lambda made: setattr(made, "program", b"p" * 4097)), ["program's name", "4096"]),
        Fault("text_beyond_the_section", _with_content(0, b"\x7fp"), ["ends in the middle", "program's name"]),
        Fault("control_character", _changed(lambda made: setattr(made, "policy", b"a\x1b[31m")), ["policy's name", "control"]),
        Fault("nul", _changed(lambda made: setattr(made.regions[0], "name", b"a\0b")), ["name of a region", "control"]),
        Fault("delete", _changed(lambda made: setattr(made.blocks[0], "name", b"\x7f")), ["name of a data block", "control"]),
    ]


def _oversized_section() -> bytes:
    data = bytearray(nfg.write(shapes.small()))
    data[110:118] = (LIMIT + 5).to_bytes(8, "little")
    return bytes(data)


def _of_facts() -> list[Fault]:
    def region(**fields):
        def change(made: Recording) -> None:
            for name, value in fields.items():
                setattr(made.regions[0], name, value)
        return _changed(change)

    def iteration(**fields):
        def change(made: Recording) -> None:
            for name, value in fields.items():
                setattr(made.regions[0].recorded[0], name, value)
        return _changed(change)

    def run(**fields):
        def change(made: Recording) -> None:
            for name, value in fields.items():
                setattr(made, name, value)
        return _changed(change)

    again = lambda made: made.regions[0].recorded.append(made.regions[0].recorded[0])
    durations = lambda made: made.regions[0].recorded.append(Iteration(1, LIMIT - 299, [leaf()]))
    return [
        Fault("no_workers", run(workers=0), ["0 workers", "contradicts itself"]),
        Fault("too_many_workers", run(workers=1 << 32), ["workers", "4294967295"]),
        Fault("too_many_left_out", run(left_out=LIMIT + 1), ["left out", "more than"]),
        Fault("region_twice", _changed(lambda made: made.regions.append(Region(b"r", 0, 1, []))), ["second region", '"r"']),
        Fault("input", region(input_bytes=LIMIT + 1), ["input of a region"]),
        Fault("iterations", region(iterations=(1 << 64) - 1), ["iterations of a region"]),
        Fault("one_recorded_of_zero", region(iterations=0), ['"r"', "1 recorded iteration of 0"]),
        Fault("iteration_0", iteration(number=0), ['"r"', "iteration 0", "counted from 1"]),
        Fault("iteration_beyond", iteration(number=4), ['"r"', "iteration 4 of 3"]),
        Fault("iteration_twice", _changed(again), ['"r"', "iteration 2 twice"]),
        Fault("duration", iteration(duration_ns=LIMIT + 1), ["duration of an iteration"]),
        Fault("durations", _changed(durations), ['"r"', "146 years"]),
        Fault("too_many_blocks", _with_content(1, nfg.number(1 << 40)), ["number of data blocks"]),
        Fault("block", run(blocks=[Block(b"grid", LIMIT + 1)]), ["size of a data block"]),
        Fault("blocks", run(blocks=[Block(b"grid", LIMIT), Block(b"other", 1)]), ["other", "more than"]),
    ]


def _of_setup() -> list[Fault]:
    def numbers(*of: int) -> bytes:
        contents = nfg.contents_of(shapes.set_up())
        contents[-1] = (nfg.SETUP, b"".join(nfg.number(one) for one in of))
        return nfg.file_of(contents)

    contents = nfg.contents_of(shapes.set_up())
    body = b"".join(nfg.section(kind, content) for kind, content in contents)
    as_first_version = nfg.header(len(contents), nfg.HEADER_BYTES + len(body), 1) + body
    return [
        Fault("setup_in_version_1", as_first_version, ["kind 5", "head of a region"]),
        Fault("setup_twice", nfg.file_of(contents + contents[-1:]), ["kind 5", "head of a region"]),
        Fault("setup_before_regions", nfg.file_of(contents[:2] + contents[-1:] + contents[2:-1] + contents[-1:]), ["kind 5"]),
        Fault("setup_says_nothing", numbers(0, 0), ["says nothing", "contradicts itself"]),
        Fault("setup_too_long", numbers(1, 0, 0, 0, 0), ["1 bytes more"]),
        Fault("allocation_of_no_block", numbers(1, 2, 0, 0), ["allocation of block 2", "2 blocks"]),
        Fault("allocated_twice", numbers(2, 1, 0, 1, 1, 0), ["second allocation", '"other"']),
        Fault("placing", numbers(1, 0, 6, 0), ["placing of an allocation", "more than"]),
        Fault("hostile_allocations", numbers(1 << 40, 0), ["number of allocations"]),
        Fault("order_of_some_regions", numbers(0, 1, 1, 2), ["order of 1 region", "there are 2"]),
        Fault("order_from_0", numbers(0, 2, 0, 1, 2, 3), ["place 0", "counted from 1"]),
        Fault("place_twice", numbers(0, 2, 1, 2, 2, 3), ["place 2", "twice"]),
        Fault("place_beyond", numbers(0, 2, 1, 2, 3, 5), ["end of a region", "more than"]),
        Fault("ended_before_it_began", numbers(0, 2, 2, 1, 3, 4), ['"init"', "ended before it began"]),
    ]


def _of_flow() -> list[Fault]:
    """Of a graph with 11 tasks, of which 1 and 2 are children of one fork and 3 to 8 of another."""
    contents = nfg.contents_of(shapes.dataflow())

    def flow(*of: int) -> bytes:
        return nfg.file_of(contents[:-1] + [(nfg.FLOW, b"".join(nfg.number(one) for one in of))])

    def version(number: int) -> bytes:
        body = b"".join(nfg.section(kind, content) for kind, content in contents)
        return nfg.header(len(contents), nfg.HEADER_BYTES + len(body), number) + body

    return [
        Fault("flow_in_version_2", version(2), ["kind 5", "head of a region"]),
        Fault("flow_without_setup", nfg.file_of(contents[:-2] + contents[-1:]), ["kind 6", "list of allocations"]),
        Fault("flow_twice", nfg.file_of(contents + contents[-1:]), ["kind 5", "head of a region"]),
        Fault("flow_says_nothing", flow(0, 0, 0), ["no dataflow task", "contradicts itself"]),
        Fault("flow_of_an_iteration_missing", flow(0, 1, 2, 0, 0, 0), ["ends in the middle", "dataflow tasks"]),
        Fault("flow_of_an_iteration_too_many", flow(0, 1, 2, 0, 0, 0, 0, 0), ["1 bytes more"]),
        Fault("flow_cut", flow(0, 2, 2, 0, 0, 0, 0), ["number of dataflow tasks", "can hold"]),
        Fault("buffer_of_no_block", flow(1, 2, 0, 0), ["block 2 is a buffer", "2 blocks"]),
        Fault("hostile_buffers", flow(1 << 40, 0, 0), ["number of buffers"]),
        Fault("hostile_flow", flow(0, 1 << 40, 0), ["number of dataflow tasks", "can hold"]),
        Fault("dataflow_task_beyond_the_graph", flow(0, 1, 10, 0, 0, 0, 0), ["dataflow task 11", "has 11 tasks"]),
        Fault("creator_of_another_fork", flow(0, 2, 1, 0, 0, 0, 0, 1, 0, 0, 0), ["creator", "dataflow task 3", "1 tasks before"]),
        Fault("creator_that_is_no_dataflow_task", flow(0, 1, 3, 1, 0, 0, 0), ["creator", "task 3", "no dataflow task"]),
        Fault("edge_to_a_task_that_is_not_there", flow(0, 1, 2, 0, 1, 9, 0, 0), ["predecessor", "9 tasks before"]),
        Fault("edge_to_a_task_of_the_tree", flow(0, 1, 4, 0, 1, 1, 0, 0), ["predecessor", "task 4", "no dataflow task"]),
        Fault("edge_to_another_fork", flow(0, 2, 0, 0, 0, 0, 1, 0, 1, 2, 0, 0), ["predecessor", "its fork has 0 there"]),
        Fault("edge_to_itself", flow(0, 1, 2, 0, 1, 0, 0, 0), ["dataflow task 3 waits for itself"]),
        Fault("edge_twice", flow(0, 2, 2, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0), ["waits for one task twice"]),
        Fault("hostile_edges", flow(0, 1, 2, 0, 1 << 40, 0, 0), ["number of predecessors"]),
        Fault("exclusion_out_of_turn", flow(0, 1, 2, 0, 0, 1, 1, 0), ["an exclusion", "more than"]),
        Fault("exclusions_descend", flow(0, 1, 2, 0, 0, 2, 0, 0, 0), ["do not ascend"]),
        Fault("hostile_exclusions", flow(0, 1, 2, 0, 0, 1 << 40, 0), ["number of exclusions"]),
    ]


def _of_graphs() -> list[Fault]:
    def tasks(*made_of: Task) -> bytes:
        return _changed(lambda made: setattr(made.regions[0].recorded[0], "tasks", list(made_of)))

    nine = 9 * 10**18
    return [
        Fault("no_task", _with_graph(0, 0, 0), ["a root at least"]),
        Fault("2_to_the_62_tasks", _with_graph(LIMIT, LIMIT, 0, 0, 0), ["number of tasks", "can hold"]),
        Fault("2_to_the_62_forks", _with_graph(1, LIMIT, 0, 0, 0), ["number of forks", "can hold"]),
        Fault("2_to_the_62_accesses", _with_graph(1, 0, LIMIT, 0, 0), ["number of accesses", "can hold"]),
        Fault("2_to_the_61_forks_of_a_task", _with_graph(1, 0, 0, LIMIT, 0), ["more forks than bytes"]),
        Fault("many_accesses_of_a_stretch", _with_graph(1, 0, 0, 1, 5, LIMIT), ["stretch's accesses", "can hold"]),
        Fault("no_children", _with_graph(1, 1, 0, 2, 0, 5, 5), ["without children"]),
        Fault("nobody_forked", _with_graph(2, 0, 0, 0, 5, 0, 5), ["nobody forked"]),
        Fault("children_beyond", _with_graph(2, 1, 0, 2, 2, 5, 5, 0, 5), ["branching"]),
        Fault("more_forks_than_said", _with_graph(2, 0, 0, 2, 1, 5, 5, 0, 5), ["claimed"]),
        Fault("fewer_accesses_than_said", _with_graph(1, 0, 1, 0, 5, 0), ["claimed 1, 0 and 1"]),
        Fault("announced_access_missing", _with_graph(1, 0, 0, 1, 5, 0), ["no access says it has some"]),
        Fault("graph_too_short", _with_graph(3, 1, 0, 2, 2, 5, 5, 0, 5, 0), ["ends in the middle"]),
        Fault("time", tasks(leaf(LIMIT + 1)), ["time of a stretch"]),
        Fault("work_that_overflows", tasks(Task([2], [Stretch(0), Stretch(0)]), leaf(nine), leaf((1 << 64) - nine)), ["time"]),
        Fault("work", tasks(Task([1], [Stretch(LIMIT), Stretch(0)]), leaf(1)), ["work more than", "146 years"]),
        Fault("work_of_two_regions", _changed(lambda made: made.regions.append(
            Region(b"q", 0, 1, [Iteration(1, 1, [leaf(LIMIT - 244)])]))), ["work more than", "146 years"]),
    ]


def _of_accesses() -> list[Fault]:
    whole = lambda made: setattr(made, "blocks", [Block(b"grid", LIMIT)])

    def in_all(*accesses: Access) -> bytes:
        def change(made: Recording) -> None:
            whole(made)
            made.regions[0].recorded[0].tasks[1] = leaf(1, *accesses)
        return _changed(change)

    return [
        Fault("block_beyond", _with_access(Access(1, 0, 1)), ["data block 1 of 1"]),
        Fault("block_far_beyond", _with_access(Access(1 << 31, 0, 1)), ["data block 2147483648 of 1"]),
        Fault("no_byte", _with_access(Access(0, 10, 0)), ["no byte"]),
        Fault("begin_below_0", _with_access(Access(0, -1, 5)), ["outside its data block of 1000"]),
        Fault("begin_beyond", _with_access(Access(0, 1001, 1)), ["outside its data block"]),
        Fault("end_beyond", _with_access(Access(0, 999, 2)), ["outside its data block"]),
        Fault("end_that_wraps", _with_access(Access(0, 8, (1 << 64) - 8)), ["size of an access"]),
        Fault("last_piece_beyond", _with_access(Access(0, 0, 8, False, 3, 497)), ["outside its data block"]),
        Fault("last_piece_wraps", _with_access(Access(0, 0, 8, False, 5, LIMIT)), ["outside its data block"]),
        Fault("pieces", _with_access(Access(0, 0, 8, False, LIMIT + 1, 0)), ["pieces of an access"]),
        Fault("stride", _with_access(Access(0, 0, 8, False, 2, LIMIT + 1)), ["stride of an access"]),
        Fault("one_piece_strided", _with_graph(1, 0, 1, 1, 5, 1, 2, 0, 8, 1, 8), ["fewer than two pieces"]),
        Fault("no_piece_strided", _with_graph(1, 0, 1, 1, 5, 1, 2, 0, 8, 0, 8), ["fewer than two pieces"]),
        Fault("touched_bytes", in_all(Access(0, 0, LIMIT), Access(0, 0, 1)), ["touch more than"]),
        Fault("pieces_that_overlap", in_all(Access(0, 0, 1 << 32, False, 1 << 32, 1)), ["touch more than"]),
    ]


def all_faults() -> list[Fault]:
    return (_of_header() + _of_sections_and_numbers() + _of_facts() + _of_setup() + _of_flow() + _of_graphs() + _of_accesses())
