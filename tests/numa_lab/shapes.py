#!/usr/bin/env python3
"""QEMU's arguments for the machines of the lab, one a line.

usage: shapes.py SHAPE | shapes.py --list | shapes.py --subset | shapes.py --with-clocks | shapes.py --sections SHAPE
"""
import sys
from dataclasses import dataclass, field
from typing import Callable, Optional


@dataclass
class Shape:
    cores: list[int]  # of each socket; socket i is NUMA node i
    memory_mib: list[int]  # of each node; 0: no memory; nodes beyond the sockets have no cores
    distance: Callable[[int, int], int]  # as in the ACPI SLIT: 10 is local
    hmat: Optional[Callable[[int, int], tuple[int, int]]] = None  # initiator, target -> latency in ns, bandwidth in MiB/s
    clocks: list[int] = field(default_factory=list)  # in MHz, highest first, which each socket can have; empty: no cpufreq
    sections: str = ""  # of guest/sections/, with commas between; empty: all but those of clocks


def ring(nodes, first, step):
    def distance(a, b):
        hops = min((a - b) % nodes, (b - a) % nodes)
        return 10 if hops == 0 else first + step * (hops - 1)

    return distance


def knl_distance(a, b):
    """Knights Landing in SNC4-flat mode: nodes 4-7 are the HBM of nodes 0-3."""
    if a == b:
        return 10
    if a < 4 and b < 4:
        return 21
    return 31 if a % 4 == b % 4 else 41


def knl_hmat(initiator, target):
    near = initiator == target % 4
    if target < 4:
        return (130, 22500) if near else (145, 18000)
    return (155, 100000) if near else (170, 80000)


def uneven_distance(a, b):
    return 10 if a == b else 20 + 3 * abs(a - b)


def blades_distance(a, b):
    """Two nodes a blade, four blades a chassis, as on an SGI UV."""
    if a == b:
        return 10
    if a // 2 == b // 2:
        return 50
    return 65 if a // 8 == b // 8 else 79


# Every size is a multiple of 64 MiB: golden.py rounds up to that, since the kernel keeps some for itself.
SHAPES = {
    "4x2": Shape([2] * 4, [384] * 4, ring(4, 16, 6)),
    "4x4": Shape([4] * 4, [384] * 4, ring(4, 16, 6)),
    "knl": Shape([2] * 4, [384] * 4 + [192] * 4, knl_distance, knl_hmat),
    "asymmetric": Shape([4, 2, 1, 1], [512, 256, 0, 128, 256], uneven_distance),
    "24x1": Shape([1] * 24, [256] * 24, blades_distance),
    "clocks": Shape([2] * 2, [384] * 2, ring(2, 21, 0), clocks=[2600, 2200, 1800, 1400, 1000], sections="power"),
}
# What runs with every full check, and which sections there: plain sockets, memory of two kinds, and clocks. Sections that ask
# nothing of the kinds of memory run on the first alone: "knl" took 194 s with them, and takes 142.
OF_MEMORY = "machine,heat,first_touch,placed,malloc,dataflow,migration,hot,full_node"
SUBSET = {"4x2": "", "knl": OF_MEMORY, "clocks": ""}

MODEL = "nearfork lab"  # else the name depends on QEMU's version
# acpi-cpufreq has a way of its own for the family that QEMU's "max" claims to be of.
INTEL = "vendor=GenuineIntel,family=6,model=60,stepping=3"


def cpu_arguments(shape):
    """All but the first core are plugged in one by one, so that sockets may differ."""
    most = max(shape.cores)
    sockets = len(shape.cores)
    processor = f"max,model-id={MODEL}" + (f",{INTEL}" if shape.clocks else "")
    arguments = ["-cpu", processor, "-smp", f"1,maxcpus={sockets * most},sockets={sockets},cores={most},threads=1"]
    for socket in range(sockets):
        for core in range(most):
            arguments += ["-numa", f"cpu,node-id={socket},socket-id={socket},core-id={core},thread-id=0"]
            if core < shape.cores[socket] and (socket, core) != (0, 0):
                arguments += ["-device", f"max-x86_64-cpu,socket-id={socket},core-id={core},thread-id=0"]
    return arguments


def node_arguments(shape):
    arguments = []
    for node, size in enumerate(shape.memory_mib):
        text = f"node,nodeid={node}"
        if size:
            arguments += ["-object", f"memory-backend-ram,id=memory{node},size={size}M"]
            text += f",memdev=memory{node}"
        if shape.hmat:
            text += f",initiator={node % len(shape.cores)}"
        arguments += ["-numa", text]
    return arguments


def distance_arguments(shape):
    nodes = range(len(shape.memory_mib))
    return [text for a in nodes for b in nodes for text in ("-numa", f"dist,src={a},dst={b},val={shape.distance(a, b)}")]


def hmat_arguments(shape):
    arguments = []
    for initiator in range(len(shape.cores)):
        for target in range(len(shape.memory_mib)):
            latency, bandwidth = shape.hmat(initiator, target)
            common = f"hmat-lb,initiator={initiator},target={target},hierarchy=memory"
            arguments += ["-numa", f"{common},data-type=access-latency,latency={latency}"]
            arguments += ["-numa", f"{common},data-type=access-bandwidth,bandwidth={bandwidth}M"]
    return arguments


def arguments_of(shape):
    machine = "q35,usb=off,vmport=off,smbus=off,sata=off" + (",hmat=on" if shape.hmat else "")
    arguments = ["-machine", machine, "-m", f"{sum(shape.memory_mib)}M"]
    arguments += node_arguments(shape) + cpu_arguments(shape) + distance_arguments(shape)
    if shape.clocks:
        arguments += ["-acpitable", f"file={table_of(shape)}"]
    return arguments + (hmat_arguments(shape) if shape.hmat else [])


def table_of(shape):
    """Where build_guest.sh puts what clocks_table.py makes."""
    return f"build/numa_lab/{next(name for name, one in SHAPES.items() if one is shape)}.aml"


def main():
    asked = sys.argv[1] if len(sys.argv) == 2 else ""
    if len(sys.argv) == 3 and sys.argv[1] == "--sections" and sys.argv[2] in SHAPES:
        print(SHAPES[sys.argv[2]].sections)
        return
    if asked == "--list":
        print("\n".join(SHAPES))
    elif asked == "--with-clocks":
        print("\n".join(name for name, shape in SHAPES.items() if shape.clocks))
    elif asked == "--subset":
        print("\n".join(f"{shape} {sections}".strip() for shape, sections in SUBSET.items()))
    elif asked in SHAPES:
        print("\n".join(arguments_of(SHAPES[asked])))
    else:
        sys.exit(f"usage: shapes.py SHAPE|--list|--subset|--with-clocks|--sections SHAPE; shapes: {' '.join(SHAPES)}")


if __name__ == "__main__":
    main()
