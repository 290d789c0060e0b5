"""Recordings of many shapes, made by hand, and random ones."""
from __future__ import annotations

import random

from nfg import LIMIT, Access, Block, FlowTask, Iteration, Recording, Region, Stretch, Task, first_siblings


def leaf(time_ns: int = 1, *accesses: Access) -> Task:
    return Task([], [Stretch(time_ns, list(accesses))])


def small() -> Recording:
    """The example of docs/RECORDING.md."""
    root = Task([2], [Stretch(100, [Access(0, 10, 20)]), Stretch(5)])
    return Recording(b"p", b"random", b"m", 2, 0, [Block(b"grid", 1000)],
                     [Region(b"r", 0, 3, [Iteration(2, 300, [root, leaf(70), leaf(70)])])])


def of_graphs(*graphs: list[Task], blocks: list[Block] | None = None) -> Recording:
    iterations = [Iteration(i + 1, 1000 + i, tasks) for i, tasks in enumerate(graphs)]
    return Recording(b"shapes", b"laws", b"a machine", 4, 1, blocks or [], [Region(b"r", 4096, len(graphs), iterations)])


def nothing() -> Recording:
    return Recording(b"", b"", b"", 1, 0, [], [])


def several_regions() -> Recording:
    made = small()
    made.regions.append(Region(b"never recorded", LIMIT, 7, []))
    made.regions.append(Region(b"backwards", 1, LIMIT, [Iteration(n, n, [leaf(n)]) for n in (900, 30, 1)]))
    return made


def wide() -> Recording:
    return of_graphs([Task([5000], [Stretch(3), Stretch(4)])] + [leaf(i) for i in range(5000)])


def deep() -> Recording:
    chain = [Task([1], [Stretch(1), Stretch(0)]) for _ in range(20_000)]
    return of_graphs(chain + [leaf(9)])


def many_forks() -> Recording:
    forks = 3000
    root = Task([1] * forks, [Stretch(i % 300) for i in range(forks + 1)])
    return of_graphs([root] + [leaf(i) for i in range(forks)])


def accesses() -> Recording:
    blocks = [Block(b"a", 1 << 20), Block(b"b", 4096), Block(b"a", 64)]
    first = [Access(1, 4000, 96), Access(0, 0, 8, True, 100, 8192), Access(1, 0, 1), Access(2, 0, 64, True)]
    second = [Access(1, 17, 3, False, 2, 0), Access(1, 16, 3, True, 5, 1), Access(0, (1 << 20) - 1, 1)]
    root = Task([2, 1], [Stretch(1, first), Stretch(2), Stretch(3, second)])
    return of_graphs([root, leaf(5, Access(1, 1, 1)), leaf(6), leaf(7, Access(2, 63, 1, True))], [leaf(0, Access(1, 9, 9))],
                     blocks=blocks)


def names() -> Recording:
    made = small()
    made.program = "größe €".encode()
    made.machine = b"m" * 4096
    made.blocks[0].name = b""
    made.regions[0].name = '"quoted" \\ <é>'.encode()
    made.regions.append(Region(b"x" * 4096, 0, 1, [Iteration(1, 1, [leaf()])]))
    return made


def limits() -> Recording:
    """Every number and every sum as large as it may be."""
    made = of_graphs([leaf(LIMIT - 1)], [leaf(1, Access(1, LIMIT - 8, 8)), ],
                     [leaf(0, Access(1, 0, 1, False, LIMIT - 8, 0))], blocks=[Block(b"", 0), Block(b"all", LIMIT)])
    made.workers = (1 << 32) - 1
    made.left_out = LIMIT
    only = made.regions[0]
    only.input_bytes = only.iterations = only.recorded[0].number = LIMIT
    for one, duration_ns in zip(only.recorded, (LIMIT - 2, 1, 1)):
        one.duration_ns = duration_ns
    return made


def set_up() -> Recording:
    """What version 2 can say."""
    made = small()
    made.blocks.append(Block(b"other", 8))
    first = Region(b"init", 0, 1, [Iteration(1, 50, [leaf(40, Access(0, 0, 1000, True))])], 1, 2)
    made.regions[0].began, made.regions[0].ended = 3, 4
    made.regions.insert(0, first)
    made.allocations = [(1, 1), (0, 0)]
    return made


def allocated_only() -> Recording:
    made = small()
    made.allocations = [(0, 5)]
    return made


def dataflow() -> Recording:
    """What version 3 can say: a diamond and two tasks that exclude each other, after a fork; a task that forks."""
    root = Task([2, 6], [Stretch(10), Stretch(20), Stretch(30)])
    forking = Task([2], [Stretch(5), Stretch(6)])
    one = Iteration(1, 500, [root, leaf(1), leaf(2), leaf(40, Access(1, 0, 64, True)), leaf(50, Access(1, 0, 64)),
                             forking, leaf(70), leaf(80, Access(0, 0, 8, True)), leaf(90, Access(0, 0, 8, True)), leaf(3), leaf(4)],
                    [FlowTask(3), FlowTask(4, 0, [3]), FlowTask(5, 3, [3]), FlowTask(6, 0, [5, 4, 3]),
                     FlowTask(7, 0, [], [0]), FlowTask(8, 7, [6], [0, 1])])
    return Recording(b"flow", b"random", b"m", 2, 0, [Block(b"sum", 8), Block(b"buffer", 64)],
                     [Region(b"r", 0, 1, [one]), Region(b"tree alone", 0, 1, [Iteration(1, 5, [leaf(4)])])], buffers=[1])


def buffers_only() -> Recording:
    made = small()
    made.buffers = [0]
    return made


ALL = {make.__name__: make for make in
       (small, nothing, several_regions, wide, deep, many_forks, accesses, names, limits, set_up, allocated_only, dataflow,
        buffers_only)}


def _any_access(source: random.Random, blocks: list[Block]) -> Access:
    place = source.randrange(len(blocks))
    size = blocks[place].size
    begin = source.randrange(size)
    made = Access(place, begin, 1 + source.randrange(size - begin), source.random() < 0.5)
    room = size - made.end()
    if room > 1 and source.random() < 0.3:
        made.pieces = source.randrange(2, 6)
        made.stride = source.randrange(room // (made.pieces - 1) + 1)
    return made


def _any_graph(source: random.Random, blocks: list[Block]) -> list[Task]:
    tasks: list[Task] = []
    known = 1
    while len(tasks) < known:
        forks = source.randrange(3) if known < 40 else 0
        children = [source.randrange(1, 4) for _ in range(forks)]
        known += sum(children)
        stretches = []
        for _ in range(forks + 1):
            some = source.randrange(3) if blocks else 0
            stretches.append(Stretch(source.getrandbits(source.randrange(1, 50)), [_any_access(source, blocks) for _ in range(some)]))
        tasks.append(Task(children, stretches))
    return tasks


def _any_flow(source: random.Random, tasks: list[Task]) -> list[FlowTask]:
    siblings = first_siblings(tasks)
    made: list[FlowTask] = []
    exclusions = 0
    for at in range(1, len(tasks)):
        if source.random() < 0.4:
            continue
        earlier = [one.task for one in made if one.task >= siblings[at]]
        one = FlowTask(at, source.choice(earlier) if earlier and source.random() < 0.3 else 0)
        one.predecessors = sorted(source.sample(earlier, source.randrange(len(earlier) + 1)), reverse=True)
        if source.random() < 0.3:
            one.exclusions = [source.randrange(exclusions + 1)]
            exclusions = max(exclusions, one.exclusions[0] + 1)
        made.append(one)
    return made


def any_recording(seed: int) -> Recording:
    source = random.Random(seed)
    blocks = [Block(b"data %d" % i, source.randrange(1, 1 << 36)) for i in range(source.randrange(4))]
    regions = []
    for place in range(source.randrange(1, 4)):
        ran = source.randrange(1, 1 << source.randrange(2, 60))
        numbers = source.sample(range(1, min(ran, 9) + 1), source.randrange(min(ran, 4) + 1))
        recorded = [Iteration(number, source.getrandbits(40), _any_graph(source, blocks)) for number in numbers]
        regions.append(Region(b"region %d" % place, source.getrandbits(40), ran, recorded))
    made = Recording(b"program", b"random", b"machine", source.randrange(1, 300), source.randrange(3), blocks, regions)
    if source.random() < 0.5:
        made.allocations = [(block, source.randrange(6)) for block in source.sample(range(len(blocks)), len(blocks) // 2)]
        places = source.sample(range(1, 2 * len(regions) + 1), 2 * len(regions))
        for region in regions:
            region.began, region.ended = sorted((places.pop(), places.pop()))
    if source.random() < 0.5:
        made.buffers = sorted(source.sample(range(len(blocks)), len(blocks) // 2))
        for region in regions:
            for one in region.recorded:
                one.flow = _any_flow(source, one.tasks)
    return made
