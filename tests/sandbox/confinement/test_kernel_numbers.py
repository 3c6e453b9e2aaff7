"""Numbers of system calls and Landlock's structures against what the kernel's own headers say."""

from __future__ import annotations

import struct

import kernel_headers
import pytest

from grader.sandbox.confinement import bpf, landlock
from grader.sandbox.confinement.policy import policy
from grader.sandbox.confinement.syscalls import NUMBERS

COMMITTED = kernel_headers.committed()


@pytest.mark.parametrize("processor", sorted(NUMBERS))
def test_each_number_is_the_kernels(processor: str) -> None:
    """Every number in our table is that of the headers, as they were written down here."""
    theirs = COMMITTED[processor]
    assert {name: theirs.get(name) for name in NUMBERS[processor]} == NUMBERS[processor]


@pytest.mark.parametrize("processor", sorted(NUMBERS))
def test_no_call_is_forgotten(processor: str) -> None:
    """What the policy names and the processor has is in its table: a gap would make the call unknown in silence."""
    named = frozenset[str]()
    for subprocesses in (False, True):
        each = policy(1, subprocesses)
        named |= each.allowed | each.refused | each.pretended | each.checked.keys()
    assert {name for name in named if name in COMMITTED[processor]} == NUMBERS[processor].keys()


@pytest.mark.parametrize("processor", sorted(NUMBERS))
def test_the_table_is_what_the_headers_of_this_machine_say(processor: str) -> None:
    """Where the headers are installed they agree with the committed table, in all that both know."""
    path = kernel_headers.header(processor)
    if path is None:
        pytest.skip(f"no kernel headers for {processor} in {kernel_headers.INCLUDE}: install linux-libc-dev to compare")
    theirs = kernel_headers.numbers_in(path.read_text())
    shared = theirs.keys() & COMMITTED[processor].keys()
    assert len(shared) > 300
    assert {name: theirs[name] for name in shared} == {name: COMMITTED[processor][name] for name in shared}
    assert {name: theirs.get(name) for name in NUMBERS[processor]} == NUMBERS[processor]


@pytest.mark.parametrize("processor", sorted(NUMBERS))
def test_the_calls_that_bind_are_the_kernels(processor: str) -> None:
    """seccomp() and the three of Landlock are called by number as well."""
    theirs = COMMITTED[processor]
    assert bpf.SECCOMP[processor] == theirs["seccomp"]
    names = ("landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self")
    assert [theirs[name] for name in names] == [
        landlock.CREATE_RULESET,
        landlock.ADD_RULE,
        landlock.RESTRICT_SELF,
    ]


# <linux/landlock.h> of Linux 6.15: each right, and the ABI version that brought it (Documentation/userspace-api/
# landlock.rst). The rights of versions 1 to 4 and 6 are compared with the header below where it is installed.
FILE_RIGHTS = {
    "EXECUTE": (0, 1),
    "WRITE_FILE": (1, 1),
    "READ_FILE": (2, 1),
    "READ_DIR": (3, 1),
    "REMOVE_DIR": (4, 1),
    "REMOVE_FILE": (5, 1),
    "MAKE_CHAR": (6, 1),
    "MAKE_DIR": (7, 1),
    "MAKE_REG": (8, 1),
    "MAKE_SOCK": (9, 1),
    "MAKE_FIFO": (10, 1),
    "MAKE_BLOCK": (11, 1),
    "MAKE_SYM": (12, 1),
    "REFER": (13, 2),
    "TRUNCATE": (14, 3),
    "IOCTL_DEV": (15, 5),
}
NET_RIGHTS = {"BIND_TCP": (0, 4), "CONNECT_TCP": (1, 4)}
SCOPES = {"ABSTRACT_UNIX_SOCKET": (0, 6), "SIGNAL": (1, 6)}
SIZES = {1: 8, 2: 8, 3: 8, 4: 16, 5: 16, 6: 24, 7: 24, 8: 24}


def mask(rights: dict[str, tuple[int, int]], abi: int) -> int:
    return sum(1 << bit for bit, since in rights.values() if since <= abi)


@pytest.mark.parametrize("abi", sorted(SIZES))
def test_all_rights_that_a_version_knows_are_taken(abi: int) -> None:
    """`struct landlock_ruleset_attr` of each ABI version: its size, and every right of that version and no other."""
    given = landlock.handled(abi)
    assert len(given) == SIZES[abi]
    files, net, scoped = struct.unpack("QQQ", given.ljust(24, b"\0"))
    assert files == mask(FILE_RIGHTS, abi)
    assert net == mask(NET_RIGHTS, abi)
    assert scoped == mask(SCOPES, abi)


def test_the_named_rights_are_those_of_the_kernel() -> None:
    """The names that rules are written with."""
    named = {name: value for name, value in vars(landlock).items() if name in FILE_RIGHTS}
    assert named == {name: 1 << FILE_RIGHTS[name][0] for name in named}
    assert len(named) >= 10


def test_the_header_of_this_machine_agrees() -> None:
    """Every Landlock right in the installed header has the bit that is written down here."""
    path = kernel_headers.INCLUDE / "linux/landlock.h"
    if not path.is_file():
        pytest.skip(f"no {path}: install linux-libc-dev to compare")
    theirs = kernel_headers.constants_in(path.read_text())
    ours = {
        **{f"LANDLOCK_ACCESS_FS_{name}": 1 << bit for name, (bit, _) in FILE_RIGHTS.items()},
        **{f"LANDLOCK_ACCESS_NET_{name}": 1 << bit for name, (bit, _) in NET_RIGHTS.items()},
        **{f"LANDLOCK_SCOPE_{name}": 1 << bit for name, (bit, _) in SCOPES.items()},
    }
    shared = theirs.keys() & ours.keys()
    assert len(shared) >= 13
    assert {name: theirs[name] for name in shared} == {name: ours[name] for name in shared}


def test_what_a_child_is_given_makes_no_doors() -> None:
    """In its own folder it makes files and folders: no device, socket, pipe or link; outside it writes nothing."""
    own = landlock.OWN
    for name in ("MAKE_CHAR", "MAKE_SOCK", "MAKE_FIFO", "MAKE_BLOCK", "MAKE_SYM", "EXECUTE", "IOCTL_DEV"):
        assert own & 1 << FILE_RIGHTS[name][0] == 0, name
    bit = {name: 1 << FILE_RIGHTS[name][0] for name in ("READ_FILE", "READ_DIR", "EXECUTE")}
    assert sum(bit.values()) == landlock.RUN
    assert landlock.RUN - bit["EXECUTE"] == landlock.READ
