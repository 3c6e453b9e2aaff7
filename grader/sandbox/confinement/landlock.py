"""Landlock: this process may open what is named to it and nothing else, may connect nowhere and signal nobody.

Unprivileged, for ever, inherited. The numbers are those of <linux/landlock.h>; the three system calls have the same
numbers on every processor. Which rights an ABI version knows: the kernel's Documentation/userspace-api/landlock.rst.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from contextlib import suppress

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION_FLAG = 1
PATH_BENEATH = 1
PR_SET_NO_NEW_PRIVS = 38

EXECUTE = 1 << 0
WRITE_FILE = 1 << 1
READ_FILE = 1 << 2
READ_DIR = 1 << 3
REMOVE_DIR = 1 << 4
REMOVE_FILE = 1 << 5
MAKE_DIR = 1 << 7
MAKE_REG = 1 << 8
REFER = 1 << 13
TRUNCATE = 1 << 14

READ = READ_FILE | READ_DIR
# No device, no pipe, no socket and no link is made there: nothing in it is anything but a file or a folder.
OWN = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER | TRUNCATE
RUN = READ | EXECUTE
# What may be granted on something that is no folder.
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE

# ABI version -> how many file rights it knows, from the lowest bit up.
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
BIND_AND_CONNECT_TCP = 0b11
ABSTRACT_SOCKETS_AND_SIGNALS = 0b11


def version() -> int:
    """The kernel's Landlock ABI version; 0 where it has none or it is switched off."""
    return max(0, int(ctypes.CDLL(None).syscall(CREATE_RULESET, None, 0, VERSION_FLAG)))


def handled(abi: int) -> bytes:
    """`struct landlock_ruleset_attr`: all rights that this version knows are taken unless a rule grants them."""
    rights = (1 << FILE_RIGHTS[min(abi, max(FILE_RIGHTS))]) - 1
    net = BIND_AND_CONNECT_TCP if abi >= 4 else 0
    scoped = ABSTRACT_SOCKETS_AND_SIGNALS if abi >= 6 else 0
    fields = struct.pack("QQQ", rights, net, scoped)
    # An older kernel refuses a longer structure, even one whose end is zero bits of rights it does not know.
    return fields[: 24 if abi >= 6 else 16 if abi >= 4 else 8]


def restrict(rules: Iterable[tuple[str, int]], abi: int) -> None:
    """Take every right from this process but those of `rules`: (path, rights) pairs.

    A path that does not exist grants nothing. Raises: `OSError` where the kernel refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    attributes = handled(abi)
    known = struct.unpack_from("Q", attributes)[0]
    ruleset = _call(libc, CREATE_RULESET, attributes, len(attributes), 0)
    try:
        for path, rights in rules:
            with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
                _grant(libc, ruleset, path, rights & known)
        if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_NO_NEW_PRIVS) failed")
        _call(libc, RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _grant(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= OF_A_FILE
        _call(libc, ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", rights, descriptor), 0)
    finally:
        os.close(descriptor)


def _call(libc: ctypes.CDLL, number: int, *arguments: object) -> int:
    result = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), f"Landlock's system call {number} failed")
    return int(result)
