"""What the kernel does with a seccomp filter: classic BPF over `struct seccomp_data`, in a few lines of Python.

Semantics: the kernel's Documentation/userspace-api/seccomp_filter.rst and net/core/filter.c. Unknown instructions,
jumps past the end and loads that are not aligned are errors there and assertions here.
"""

from __future__ import annotations

import errno
import struct

from grader.sandbox.confinement import bpf
from grader.sandbox.confinement.policy import policy
from grader.sandbox.confinement.syscalls import AUDIT_ARCH, NUMBERS

PID = 4321
KILLED = "killed"
ALLOWED = "allowed"
PRETENDED = 0


def run(program: tuple[bpf.Instruction, ...], arch: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """The value that the filter returns for this call."""
    padded = [argument & (1 << 64) - 1 for argument in arguments] + [0] * (6 - len(arguments))
    data = struct.pack("=iIQ6Q", _signed(number), arch, 0x7F00_0000_1000, *padded)
    accumulator = at = 0
    while True:
        code, if_true, if_false, operand = program[at]
        at += 1
        if code == 0x06:
            return operand
        if code == 0x20:
            assert operand % 4 == 0
            assert operand < len(data)
            (accumulator,) = struct.unpack_from("=I", data, operand)
        elif code == 0x54:
            accumulator &= operand
        elif code == 0x15:
            at += if_true if accumulator == operand else if_false
        elif code == 0x35:
            at += if_true if accumulator >= operand else if_false
        else:
            raise AssertionError(f"no such instruction: {code:#x}")


def _signed(number: int) -> int:
    return number - (1 << 32) if number >= 1 << 31 else number


class Machine:
    """The filter of one child on one processor."""

    def __init__(self, name: str, subprocesses: bool = False) -> None:
        self.name = name
        self.numbers = NUMBERS[name]
        self.policy = policy(PID, subprocesses)
        self.program = bpf.assemble(self.policy, name)

    def number(self, number: int, *arguments: int, arch: int | None = None) -> str | int:
        """What happens to a call by number: "allowed", "killed", or the error number that it gets."""
        value = run(self.program, AUDIT_ARCH[self.name] if arch is None else arch, number, arguments)
        if value == 0x7FFF_0000:
            return ALLOWED
        if value == 0x8000_0000:
            return KILLED
        assert value & 0xFFFF_0000 == 0x0005_0000, hex(value)
        return value & 0xFFFF

    def call(self, name: str, *arguments: int) -> str | int:
        """The same by name."""
        return self.number(self.numbers[name], *arguments)


REFUSED = errno.EPERM
UNKNOWN = errno.ENOSYS
