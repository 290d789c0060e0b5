"""Reads and writes recordings of task graphs (.nfg).

Made from docs/RECORDING.md alone, section "The file", and shares no code with nearfork: so the page is tested, too.
The writer writes whatever it is given, sound or not. The reader refuses what the page says.
"""
from __future__ import annotations

from dataclasses import dataclass, field

MAGIC = bytes.fromhex("89 4E 46 47 0D 0A 1A 0A")
FIRST_VERSION, SETUP_VERSION, VERSION = 1, 2, 3
HEADER_BYTES = 32
SECTION_HEAD_BYTES = 16
RUN, BLOCKS, REGION, ITERATION, SETUP, FLOW = 1, 2, 3, 4, 5, 6
MOST_PLACING = 5
LIMIT = 1 << 62
MOST_TEXT = 4096
MOST_BLOCKS = 1 << 30
MOST_32_BITS = (1 << 32) - 1


class Refused(Exception):
    def __init__(self, byte: int, why: str):
        super().__init__(f"byte {byte}: {why}")
        self.byte = byte


@dataclass
class Access:
    block: int
    begin: int
    size: int
    writes: bool = False
    pieces: int = 1
    stride: int = 0

    def end(self) -> int:
        return self.begin + (self.pieces - 1) * self.stride + self.size


@dataclass
class Stretch:
    time_ns: int
    accesses: list[Access] = field(default_factory=list)


@dataclass
class Task:
    """children: how many each fork has. stretches: one more than forks."""

    children: list[int]
    stretches: list[Stretch]


@dataclass
class FlowTask:
    """task: its place in the tree. creator: 0 for the task that waits. predecessors descend, exclusions ascend."""

    task: int
    creator: int = 0
    predecessors: list[int] = field(default_factory=list)
    exclusions: list[int] = field(default_factory=list)


@dataclass
class Iteration:
    number: int
    duration_ns: int
    tasks: list[Task]
    flow: list[FlowTask] = field(default_factory=list)


@dataclass
class Region:
    name: bytes
    input_bytes: int
    iterations: int
    recorded: list[Iteration]
    began: int = 0
    ended: int = 0


@dataclass
class Block:
    name: bytes
    size: int


@dataclass
class Recording:
    program: bytes
    policy: bytes
    machine: bytes
    workers: int
    left_out: int
    blocks: list[Block]
    regions: list[Region]
    allocations: list[tuple[int, int]] = field(default_factory=list)  # place of the block, placing
    buffers: list[int] = field(default_factory=list)  # places of blocks

    def says_setup(self) -> bool:
        return bool(self.allocations) or any(one.began for one in self.regions)

    def says_flow(self) -> bool:
        return bool(self.buffers) or any(each.flow for one in self.regions for each in one.recorded)


# --- checksum ---


def _crc_table() -> list[int]:
    table = []
    for rest in range(256):
        for _ in range(8):
            rest = rest >> 1 ^ (0x82F63B78 if rest & 1 else 0)
        table.append(rest)
    return table


_TABLE = _crc_table()


def crc32c(data: bytes) -> int:
    rest = 0xFFFFFFFF
    for byte in data:
        rest = rest >> 8 ^ _TABLE[(rest ^ byte) & 0xFF]
    return rest ^ 0xFFFFFFFF


# --- writing ---


def number(value: int) -> bytes:
    made = bytearray()
    while value >= 0x80:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def signed(value: int) -> bytes:
    return number(2 * value if value >= 0 else -2 * value - 1)


def text(value: bytes) -> bytes:
    return number(len(value)) + value


def run_content(made: Recording) -> bytes:
    return (text(made.program) + text(made.policy) + text(made.machine) + number(made.workers) + number(made.left_out))


def blocks_content(blocks: list[Block]) -> bytes:
    return number(len(blocks)) + b"".join(text(one.name) + number(one.size) for one in blocks)


def setup_content(made: Recording) -> bytes:
    ordered = made.regions if made.regions and made.regions[0].began else []
    content = number(len(made.allocations)) + b"".join(number(block) + number(how) for block, how in made.allocations)
    return content + number(len(ordered)) + b"".join(number(one.began) + number(one.ended) for one in ordered)


def flow_content(made: Recording) -> bytes:
    content = number(len(made.buffers))
    after = 0
    for block in made.buffers:
        content += number(block - after)
        after = block + 1
    return content + b"".join(_flow(one.flow) for region in made.regions for one in region.recorded)


def _flow(tasks: list[FlowTask]) -> bytes:
    made = number(len(tasks))
    last = 0
    for one in tasks:
        made += number(one.task - last - 1) + number(one.task - one.creator if one.creator else 0)
        made += number(len(one.predecessors))
        before = one.task
        for predecessor in one.predecessors:
            made += number(before - predecessor)
            before = predecessor
        made += number(len(one.exclusions)) + b"".join(number(each) for each in one.exclusions)
        last = one.task
    return made


def region_content(one: Region) -> bytes:
    return text(one.name) + number(one.input_bytes) + number(one.iterations) + number(len(one.recorded))


def _access(one: Access, ends: dict[int, int]) -> bytes:
    several = one.pieces > 1
    made = number(4 * one.block + (1 if one.writes else 0) + (2 if several else 0))
    made += signed(one.begin - ends.get(one.block, 0)) + number(one.size)
    if several:
        made += number(one.pieces) + number(one.stride)
    ends[one.block] = one.end()
    return made


def graph_content(tasks: list[Task]) -> bytes:
    accesses = sum(len(stretch.accesses) for task in tasks for stretch in task.stretches)
    made = [number(len(tasks)), number(sum(len(task.children) for task in tasks)), number(accesses)]
    ends: dict[int, int] = {}
    for task in tasks:
        touches = any(stretch.accesses for stretch in task.stretches)
        made.append(number(2 * len(task.children) + (1 if touches else 0)))
        made.extend(number(children) for children in task.children)
        for stretch in task.stretches:
            made.append(number(stretch.time_ns))
            if touches:
                made.append(number(len(stretch.accesses)))
                made.extend(_access(one, ends) for one in stretch.accesses)
    return b"".join(made)


def iteration_content(one: Iteration) -> bytes:
    return number(one.number) + number(one.duration_ns) + graph_content(one.tasks)


def section(kind: int, content: bytes) -> bytes:
    head = kind.to_bytes(4, "little") + len(content).to_bytes(8, "little")
    return head + crc32c(head + content).to_bytes(4, "little") + content


def header(sections: int, size: int, version: int = FIRST_VERSION, reserved: int = 0, magic: bytes = MAGIC) -> bytes:
    made = magic + version.to_bytes(4, "little") + sections.to_bytes(4, "little")
    made += size.to_bytes(8, "little") + reserved.to_bytes(4, "little")
    return made + crc32c(made).to_bytes(4, "little")


def contents_of(made: Recording) -> list[tuple[int, bytes]]:
    """Kind and content of each section, in their order."""
    contents = [(RUN, run_content(made)), (BLOCKS, blocks_content(made.blocks))]
    for region in made.regions:
        contents.append((REGION, region_content(region)))
        contents.extend((ITERATION, iteration_content(one)) for one in region.recorded)
    if made.says_setup() or made.says_flow():
        contents.append((SETUP, setup_content(made)))
    if made.says_flow():
        contents.append((FLOW, flow_content(made)))
    return contents


def file_of(contents: list[tuple[int, bytes]]) -> bytes:
    body = b"".join(section(kind, content) for kind, content in contents)
    last = contents[-1][0] if contents else RUN
    version = VERSION if last == FLOW else SETUP_VERSION if last == SETUP else FIRST_VERSION
    return header(len(contents), HEADER_BYTES + len(body), version) + body


def write(made: Recording) -> bytes:
    return file_of(contents_of(made))


# --- reading ---


class _Bytes:
    """Some bytes of a file, read from the first to the last."""

    def __init__(self, data: bytes, at: int, end: int):
        self.data = data
        self.at = at
        self.end = end

    def left(self) -> int:
        return self.end - self.at

    def raw(self, count: int) -> bytes:
        if count > self.left():
            raise Refused(self.at, "ends too early")
        self.at += count
        return self.data[self.at - count : self.at]

    def fixed(self, count: int) -> int:
        return int.from_bytes(self.raw(count), "little")

    def _any_number(self) -> int:
        began = self.at
        value = 0
        for place in range(10):
            byte = self.raw(1)[0]
            value |= (byte & 0x7F) << 7 * place
            if byte & 0x80:
                continue
            if byte == 0 and place > 0:
                raise Refused(began, "not the shortest form")
            break
        else:
            raise Refused(began, "more than 64 bits")
        if value >> 64:
            raise Refused(began, "more than 64 bits")
        return value

    def number(self, most: int = LIMIT, least: int = 0) -> int:
        began = self.at
        value = self._any_number()
        if not least <= value <= most:
            raise Refused(began, f"{value} is not in {least} to {most}")
        return value

    def count(self, bytes_each: int, most: int = LIMIT) -> int:
        began = self.at
        value = self.number(most)
        if value * bytes_each > self.left():
            raise Refused(began, "more than the bytes that follow can hold")
        return value

    def signed(self) -> int:
        value = self._any_number()
        return -(value + 1) // 2 if value % 2 else value // 2

    def text(self) -> bytes:
        length = self.number(MOST_TEXT)
        began = self.at
        value = self.raw(length)
        if any(byte < 0x20 or byte == 0x7F for byte in value):
            raise Refused(began, "a control character")
        return value

    def must_end(self) -> None:
        if self.left() > 0:
            raise Refused(self.at, "something comes after the last field")


class _Sum:
    def __init__(self) -> None:
        self.value = 0

    def add(self, more: int, byte: int) -> None:
        self.value += more
        if self.value > LIMIT:
            raise Refused(byte, "a sum is beyond the limit")


class _Reader:
    def __init__(self, data: bytes):
        self.all = _Bytes(data, 0, len(data))
        self.version = 0
        self.sections = 0
        self.blocks: list[Block] = []
        self.work = _Sum()
        self.durations = _Sum()
        self.touched = _Sum()

    def read(self) -> Recording:
        self.read_header()
        run = self.next(RUN)
        program, policy, machine = run.text(), run.text(), run.text()
        workers, left_out = run.number(MOST_32_BITS, least=1), run.number()
        run.must_end()
        self.read_blocks(self.next(BLOCKS))
        regions: list[Region] = []
        last = self.version - FIRST_VERSION
        while self.sections > last:
            regions.append(self.read_region({one.name for one in regions}))
        made = Recording(program, policy, machine, workers, left_out, self.blocks, regions)
        if self.version >= SETUP_VERSION:
            self.read_setup(self.next(SETUP), made)
        if self.version >= VERSION:
            self.read_flows(self.next(FLOW), made)
        self.all.must_end()
        return made

    def read_header(self) -> None:
        data = self.all.data
        if self.all.raw(8) != MAGIC:
            raise Refused(0, "another magic")
        self.version = self.all.fixed(4)
        if not FIRST_VERSION <= self.version <= VERSION:
            raise Refused(8, "another version")
        self.sections = self.all.fixed(4)
        size = self.all.fixed(8)
        if self.all.fixed(4) != 0:
            raise Refused(24, "reserved is not 0")
        if self.all.fixed(4) != crc32c(data[:28]):
            raise Refused(28, "wrong checksum")
        if size != len(data):
            raise Refused(16, "not the size of the file")

    def next(self, wanted: int) -> _Bytes:
        began = self.all.at
        if self.sections == 0:
            raise Refused(began, "a section is missing")
        self.sections -= 1
        kind, size, checksum = self.all.fixed(4), self.all.fixed(8), self.all.fixed(4)
        content = self.all.raw(size)
        if crc32c(self.all.data[began : began + 12] + content) != checksum:
            raise Refused(began, "wrong checksum")
        if kind != wanted:
            raise Refused(began, "a section of another kind")
        return _Bytes(self.all.data, self.all.at - size, self.all.at)

    def read_blocks(self, content: _Bytes) -> None:
        total = _Sum()
        for _ in range(content.count(2, MOST_BLOCKS)):
            self.blocks.append(Block(content.text(), content.number()))
            total.add(self.blocks[-1].size, content.at)
        content.must_end()

    def read_region(self, names: set[bytes]) -> Region:
        content = self.next(REGION)
        began = content.at
        made = Region(content.text(), content.number(), content.number(), [])
        if made.name in names:
            raise Refused(began, "two regions of one name")
        recorded = content.number(min(made.iterations, self.sections))
        content.must_end()
        numbers: set[int] = set()
        for _ in range(recorded):
            made.recorded.append(self.read_iteration(self.next(ITERATION), made, numbers))
        return made

    def read_setup(self, content: _Bytes, made: Recording) -> None:
        first = content.at
        for _ in range(content.count(2)):
            began = content.at
            block = content.number()
            if block >= len(self.blocks) or any(block == other for other, _ in made.allocations):
                raise Refused(began, "no block, or one that was allocated before")
            made.allocations.append((block, content.number(MOST_PLACING)))
        began = content.at
        ordered = content.count(2)
        if ordered not in (0, len(made.regions)):
            raise Refused(began, "not as many as there are regions")
        taken: set[int] = set()
        for region in made.regions[:ordered]:
            for what in ("began", "ended"):
                began = content.at
                place = content.number(2 * ordered, least=1)
                if place in taken:
                    raise Refused(began, "a place that another one has")
                taken.add(place)
                setattr(region, what, place)
            if region.ended < region.began:
                raise Refused(began, "ended before it began")
        content.must_end()
        if self.version == SETUP_VERSION and not made.says_setup():
            raise Refused(first, "says nothing")

    def read_flows(self, content: _Bytes, made: Recording) -> None:
        first = content.at
        after = 0
        for _ in range(content.count(1)):
            made.buffers.append(after + content.number())
            if made.buffers[-1] >= len(self.blocks):
                raise Refused(content.at, "a buffer that is not in the list of blocks")
            after = made.buffers[-1] + 1
        for region in made.regions:
            for one in region.recorded:
                one.flow = self.read_flow(content, one.tasks)
        content.must_end()
        if not made.says_flow():
            raise Refused(first, "says nothing")

    def read_flow(self, content: _Bytes, tasks: list[Task]) -> list[FlowTask]:
        siblings = first_siblings(tasks)
        made: list[FlowTask] = []
        known: set[int] = set()
        exclusions = 0
        last = 0
        for _ in range(content.count(4)):
            began = content.at
            last += 1 + content.number()
            if last >= len(tasks):
                raise Refused(began, "a dataflow task that the graph does not have")
            one = FlowTask(last)
            back = content.number()
            if back:
                one.creator = last - back
                self.check_sibling(began, one.creator, siblings[last], known)
            before = last
            for _ in range(content.count(1)):
                before -= content.number(least=1)
                self.check_sibling(began, before, siblings[last], known)
                one.predecessors.append(before)
            for _ in range(content.count(1)):
                number_ = content.number(exclusions)
                if one.exclusions and number_ <= one.exclusions[-1]:
                    raise Refused(began, "exclusions do not ascend")
                exclusions = max(exclusions, number_ + 1)
                one.exclusions.append(number_)
            known.add(last)
            made.append(one)
        return made

    @staticmethod
    def check_sibling(byte: int, other: int, first: int, known: set[int]) -> None:
        if other < first or other not in known:
            raise Refused(byte, "no dataflow task of the same fork")

    def read_iteration(self, content: _Bytes, region: Region, numbers: set[int]) -> Iteration:
        began = content.at
        made = Iteration(content.number(region.iterations, least=1), content.number(), [])
        if made.number in numbers:
            raise Refused(began, "two iterations of one number")
        numbers.add(made.number)
        self.durations.add(made.duration_ns, began)
        made.tasks = self.read_graph(content)
        content.must_end()
        return made

    def read_graph(self, content: _Bytes) -> list[Task]:
        began = content.at
        count = content.count(2, MOST_32_BITS)
        forks = content.count(1)
        accesses = content.count(3)
        if count == 0:
            raise Refused(began, "no task")
        tasks: list[Task] = []
        known = 1  # the root
        ends: dict[int, int] = {}
        while len(tasks) < count:
            if len(tasks) == known:
                raise Refused(content.at, "a task that nobody forked")
            tasks.append(self.read_task(content, count - known, ends))
            known += sum(tasks[-1].children)
        seen = (known, sum(len(task.children) for task in tasks), sum(len(s.accesses) for t in tasks for s in t.stretches))
        if seen != (count, forks, accesses):
            raise Refused(began, "not as many as the graph says")
        return tasks

    def read_task(self, content: _Bytes, unforked: int, ends: dict[int, int]) -> Task:
        began = content.at
        head = content.number()
        if head // 2 > content.left():
            raise Refused(began, "more forks than bytes")
        made = Task([], [])
        for _ in range(head // 2):
            made.children.append(content.number(unforked, least=1))
            unforked -= made.children[-1]
        touches = head % 2 == 1
        for _ in range(head // 2 + 1):
            stretch = Stretch(content.number())
            self.work.add(stretch.time_ns, content.at)
            for _ in range(content.count(3) if touches else 0):
                stretch.accesses.append(self.read_access(content, ends))
            made.stretches.append(stretch)
        if touches and not any(stretch.accesses for stretch in made.stretches):
            raise Refused(began, "an access is announced, and there is none")
        return made

    def read_access(self, content: _Bytes, ends: dict[int, int]) -> Access:
        began = content.at
        head = content.number()
        block = head // 4
        if block >= len(self.blocks):
            raise Refused(began, "a block that is not in the list")
        made = Access(block, content.signed() + ends.get(block, 0), content.number(least=1), head & 1 != 0)
        if head & 2:
            made.pieces, made.stride = content.number(least=2), content.number()
        if made.begin < 0 or made.end() > self.blocks[block].size:
            raise Refused(began, "beyond its block")
        self.touched.add(made.pieces * made.size, began)
        ends[block] = made.end()
        return made


def read(data: bytes) -> Recording:
    return _Reader(data).read()


# --- facts ---


def work_ns(tasks: list[Task]) -> int:
    return sum(stretch.time_ns for task in tasks for stretch in task.stretches)


def first_children(tasks: list[Task]) -> list[list[int]]:
    """For each task the first child of each fork."""
    made = []
    next_child = 1
    for task in tasks:
        firsts = []
        for children in task.children:
            firsts.append(next_child)
            next_child += children
        made.append(firsts)
    return made


def first_siblings(tasks: list[Task]) -> list[int]:
    """For each task the first child of the fork that made it."""
    made = [0] * len(tasks)
    for at, firsts in enumerate(first_children(tasks)):
        for first, children in zip(firsts, tasks[at].children):
            made[first : first + children] = [first] * children
    return made


def span_ns(one: Iteration) -> int:
    tasks = one.tasks
    longest = [0] * len(tasks)
    firsts = first_children(tasks)
    flow = {each.task: each for each in one.flow}
    for at in reversed(range(len(tasks))):
        longest[at] = sum(stretch.time_ns for stretch in tasks[at].stretches)
        for first, children in zip(firsts[at], tasks[at].children):
            ends: dict[int, int] = {}
            for child in range(first, first + children):
                after = flow[child].predecessors + [flow[child].creator] if child in flow else []
                ends[child] = longest[child] + max((ends[other] for other in after if other), default=0)
            longest[at] += max(ends.values())
    return longest[0]


def depth(tasks: list[Task]) -> int:
    depths = [0] * len(tasks)
    for at, firsts in enumerate(first_children(tasks)):
        for first, children in zip(firsts, tasks[at].children):
            for child in range(first, first + children):
                depths[child] = depths[at] + 1
    return max(depths)
