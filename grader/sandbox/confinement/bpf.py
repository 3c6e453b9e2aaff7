"""A seccomp filter: a policy assembled into classic BPF, and its installation in this process.

The layout of what a filter reads and gives back is that of <linux/seccomp.h> and <linux/filter.h>; why the processor
is checked first is in the kernel's Documentation/userspace-api/seccomp_filter.rst.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Iterable
from typing import NamedTuple

from grader.sandbox.confinement.policy import Check, Policy, Rule
from grader.sandbox.confinement.syscalls import AUDIT_ARCH, NUMBERS

# BPF_LD|BPF_W|BPF_ABS, BPF_ALU|BPF_AND|BPF_K, BPF_JMP|BPF_JEQ|BPF_K, BPF_JMP|BPF_JGE|BPF_K, BPF_RET|BPF_K
LOAD, AND, EQUAL, AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
ALLOW = 0x7FFF_0000
KILL_PROCESS = 0x8000_0000
ERRNO = 0x0005_0000
# Offsets into struct seccomp_data.
NUMBER_AT, ARCH_AT, ARGUMENTS_AT = 0, 4, 16
# The first number of the x32 calls, which x86-64 kernels may take beside their own.
X32 = 0x4000_0000
# The kernel's own limit (BPF_MAXINSNS).
MAX_INSTRUCTIONS = 4096

PR_SET_NO_NEW_PRIVS = 38
SECCOMP_SET_MODE_FILTER = 1
SECCOMP_FILTER_FLAG_TSYNC = 1
SECCOMP = {"x86_64": 317, "aarch64": 277}


class Instruction(NamedTuple):
    """One BPF instruction: `if_true` and `if_false` count how many of the next ones a jump leaves out."""

    code: int
    if_true: int
    if_false: int
    operand: int


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def assemble(policy: Policy, machine: str) -> tuple[Instruction, ...]:
    """The filter of `policy` for a processor.

    Args:
        machine: as `os.uname().machine` says it. Raises `KeyError` for one that has no table.
    """
    numbers = NUMBERS[machine]

    def known(names: Iterable[str]) -> list[int]:
        return sorted(numbers[name] for name in names if name in numbers)

    program = [_load(ARCH_AT), Instruction(EQUAL, 1, 0, AUDIT_ARCH[machine]), _return(KILL_PROCESS), _load(NUMBER_AT)]
    if machine == "x86_64":
        program += [Instruction(AT_LEAST, 0, 1, X32), _return(KILL_PROCESS)]
    for group, result in (
        (policy.allowed, ALLOW),
        (policy.refused, ERRNO | errno.EPERM),
        (policy.pretended, ERRNO | 0),
    ):
        for number in known(group):
            program += [Instruction(EQUAL, 0, 1, number), _return(result)]
    for name, rule in sorted(policy.checked.items()):
        if name in numbers:
            program += _rule(numbers[name], rule)
    program.append(_return(ERRNO | errno.ENOSYS))
    if len(program) > MAX_INSTRUCTIONS:
        raise ValueError(f"the filter has {len(program)} instructions; the kernel takes {MAX_INSTRUCTIONS}")
    return tuple(program)


def _rule(number: int, rule: Rule) -> list[Instruction]:
    body: list[Instruction] = []
    for check in rule.checks:
        body += _check(check, rule.refusal)
    body.append(_return(ALLOW))
    return [Instruction(EQUAL, 0, len(body), number), *body]


def _check(check: Check, refusal: int) -> list[Instruction]:
    """Go on behind these if the check holds; else return `refusal`."""
    start = [_load(ARGUMENTS_AT + 8 * check.argument), Instruction(AND, 0, 0, check.mask)]
    count = len(check.values)
    # Each comparison that hits jumps over those behind it: to the refusal, or past it.
    past = 1 if check.inside else 0
    tests = [Instruction(EQUAL, count - 1 - at + past, 0, value) for at, value in enumerate(check.values)]
    if not check.inside:
        # None hit: jump over the refusal.
        last = tests[-1]
        tests[-1] = last._replace(if_false=1)
    return [*start, *tests, _return(ERRNO | refusal)]


def _load(offset: int) -> Instruction:
    return Instruction(LOAD, 0, 0, offset)


def _return(value: int) -> Instruction:
    return Instruction(RETURN, 0, 0, value)


def encode(program: Iterable[Instruction]) -> bytes:
    """An array of `struct sock_filter`."""
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)


def install(program: tuple[Instruction, ...], machine: str) -> None:
    """Bind this process and all its threads to the filter, for ever.

    Raises: `OSError` where the kernel takes none.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_NO_NEW_PRIVS) failed")
    code = ctypes.create_string_buffer(encode(program))
    given = _Program(len(program), ctypes.cast(code, ctypes.c_void_p))
    call = libc.syscall
    if call(SECCOMP[machine], SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, ctypes.byref(given)) != 0:
        raise OSError(ctypes.get_errno(), "seccomp() failed")
