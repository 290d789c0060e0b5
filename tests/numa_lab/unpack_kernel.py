#!/usr/bin/env python3
"""Writes the ELF file that lies compressed in a bzImage: where is said by the boot protocol's header (payload_offset).

usage: unpack_kernel.py VMLINUZ VMLINUX
"""
import struct
import subprocess
import sys

COMMANDS = {b"\x28\xb5\x2f\xfd": ["zstd", "-dc"], b"\xfd7zXZ": ["xz", "-dc", "--single-stream"], b"\x1f\x8b": ["gzip", "-dc"]}


def main():
    with open(sys.argv[1], "rb") as file:
        image = file.read()
    setup_sectors = image[0x1F1] or 4
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (setup_sectors + 1) * 512 + offset
    # The last four bytes are the size of what is unpacked.
    payload = image[start:start + length - 4]
    command = next((words for magic, words in COMMANDS.items() if payload.startswith(magic)), None)
    if image[0x202:0x206] != b"HdrS" and command is None:
        sys.exit(f"{sys.argv[1]} is no kernel that we can unpack")
    if command is None:
        sys.exit(f"{sys.argv[1]} is compressed by what we do not know: it begins with {payload[:6].hex()}")
    unpacked = subprocess.run(command, input=payload, stdout=subprocess.PIPE, check=False).stdout
    if not unpacked.startswith(b"\x7fELF"):
        sys.exit(f"{command[0]} makes no ELF file of {sys.argv[1]}")
    with open(sys.argv[2], "wb") as file:
        file.write(unpacked)


main()
