"""The seccomp filter, instruction by instruction, on both processors: no kernel is asked, so nothing depends on one."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import signal
import socket
import struct
import termios

import pytest
from filter_machine import ALLOWED, KILLED, PID, PRETENDED, REFUSED, UNKNOWN, Machine

from grader.sandbox.confinement import bpf
from grader.sandbox.confinement import policy as policies
from grader.sandbox.confinement.syscalls import AUDIT_ARCH, NUMBERS

PROCESSORS = ("x86_64", "aarch64")
HERE = -100 & 0xFFFF_FFFF
OTHER = PID + 1


@pytest.fixture(params=PROCESSORS)
def machine(request: pytest.FixtureRequest) -> Machine:
    """The filter of a child that may start nothing."""
    return Machine(request.param)


@pytest.fixture(params=PROCESSORS)
def starting(request: pytest.FixtureRequest) -> Machine:
    """The filter of a child that may start processes, in its own pid namespace."""
    return Machine(request.param, subprocesses=True)


def known(machine: Machine, names: frozenset[str]) -> list[str]:
    return sorted(names & machine.numbers.keys())


def test_each_listed_call_gets_what_its_list_says(machine: Machine) -> None:
    """Allowed ones pass with any arguments, refused ones fail with EPERM, pretended ones report success."""
    for arguments in ((), (1, 2, 3, 4, 5, 6), (2**64 - 1,) * 6):
        for names, result in (
            (machine.policy.allowed, ALLOWED),
            (machine.policy.refused, REFUSED),
            (machine.policy.pretended, PRETENDED),
        ):
            assert {name: machine.call(name, *arguments) for name in known(machine, names)} == dict.fromkeys(
                known(machine, names), result
            )


def test_every_other_number_is_not_implemented(machine: Machine) -> None:
    """A call that no list names fails with ENOSYS: unlisted, invented by a later kernel, negative."""
    listed = {
        machine.numbers[name]
        for name in known(
            machine,
            machine.policy.allowed | machine.policy.refused | machine.policy.pretended | machine.policy.checked.keys(),
        )
    }
    others = [number for number in range(1200) if number not in listed]
    assert {machine.number(number) for number in others} == {UNKNOWN}
    for name in ("clone3", "openat2", "pidfd_spawn", "execve_sometime"):
        assert name not in machine.policy.allowed | machine.policy.checked.keys()
    # clone3's and openat2's arguments stand behind a pointer; glibc and Python fall back when there is none.
    assert machine.number(435) == UNKNOWN
    assert machine.number(437) == UNKNOWN


def test_no_call_is_on_two_lists(machine: Machine) -> None:
    """The lists are disjoint, so that their order means nothing."""
    policy = machine.policy
    lists = [policy.allowed, policy.refused, policy.pretended, frozenset(policy.checked)]
    assert sum(map(len, lists)) == len(frozenset().union(*lists))


def test_every_name_has_a_number_on_some_processor() -> None:
    """A misspelt name would be in no filter: each has a number on x86-64, which has all of them."""
    for subprocesses in (False, True):
        policy = policies.policy(PID, subprocesses)
        named = policy.allowed | policy.refused | policy.pretended | policy.checked.keys()
        assert named - NUMBERS["x86_64"].keys() == set()


@pytest.mark.parametrize(("machine_name", "foreign"), [("x86_64", 0x4000_0003), ("aarch64", 0x4000_0028)])
def test_a_foreign_architecture_is_killed(machine_name: str, foreign: int) -> None:
    """i386 calls by `int 0x80`, 32-bit ARM calls, or the other processor's: the process ends, whatever the number."""
    machine = Machine(machine_name)
    others = {foreign, 0, *AUDIT_ARCH.values()} - {AUDIT_ARCH[machine_name]}
    results = {machine.number(number, arch=arch) for arch in others for number in range(600)}
    assert results == {KILLED}


def test_x32_calls_are_killed() -> None:
    """x86-64 numbers with the x32 bit end the process; those just below it are merely unknown."""
    machine = Machine("x86_64")
    for number in (0, 1, 59, 322, 512, 520, 547):
        assert machine.number(0x4000_0000 | number) == KILLED
    assert machine.number(0xFFFF_FFFF) == KILLED
    assert machine.number(0x3FFF_FFFF) == UNKNOWN


@pytest.mark.parametrize("call", ["kill", "tgkill"])
def test_signals_reach_this_process_alone(machine: Machine, call: str) -> None:
    """Not the parent, not a group, not everybody (-1), not by a number that is ours in its low half and more."""
    assert machine.call(call, PID, signal.SIGTERM) == ALLOWED
    assert machine.call(call, PID | 1 << 40, signal.SIGTERM) == ALLOWED  # a pid is an int: the kernel cuts it, too
    for target in (0, 1, OTHER, -1, -PID):
        assert machine.call(call, target, signal.SIGTERM) == REFUSED
    for also in ("tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal"):
        assert machine.call(also, PID, signal.SIGTERM) == REFUSED


@pytest.mark.parametrize("call", ["prlimit64", "sched_setaffinity"])
def test_limits_are_set_on_this_process_alone(machine: Machine, call: str) -> None:
    """By 0 or by its own number; not on the grader, which has the same user."""
    assert machine.call(call, 0, resource.RLIMIT_CPU) == ALLOWED
    assert machine.call(call, PID, resource.RLIMIT_CPU) == ALLOWED
    for target in (1, OTHER, -1):
        assert machine.call(call, target, resource.RLIMIT_CPU) == REFUSED
    for also in ("setpriority", "sched_setscheduler", "sched_setparam", "sched_setattr", "ioprio_set"):
        assert machine.call(also, 0) == REFUSED


GLIBC_THREAD = 0x3D0F00  # VM FS FILES SIGHAND THREAD SYSVSEM SETTLS PARENT_SETTID CHILD_CLEARTID
GLIBC_FORK = 0x0120_0011  # CHILD_CLEARTID CHILD_SETTID SIGCHLD
NEW = {
    "NEWTIME": 0x80,
    "NEWNS": 0x20000,
    "NEWCGROUP": 0x0200_0000,
    "NEWUTS": 0x0400_0000,
    "NEWIPC": 0x0800_0000,
    "NEWUSER": 0x1000_0000,
    "NEWPID": 0x2000_0000,
    "NEWNET": 0x4000_0000,
}


def test_threads_start_and_processes_do_not(machine: Machine) -> None:
    """`clone` makes a thread as glibc asks for one; nothing that is no thread, or is traced or in new namespaces."""
    assert machine.call("clone", GLIBC_THREAD) == ALLOWED
    assert machine.call("clone", GLIBC_FORK) == REFUSED
    assert machine.call("clone", 0) == REFUSED
    assert machine.call("clone", GLIBC_THREAD | 0x2000) == REFUSED
    for name, flag in NEW.items():
        # CLONE_NEWTIME lies in the bits of the exit signal: clone(2) cannot ask for it, and a thread has no signal.
        if name != "NEWTIME":
            assert machine.call("clone", GLIBC_THREAD | flag) == REFUSED, name
    for name in {"fork", "vfork", "execve", "execveat", "unshare", "setns", "setsid"} & machine.numbers.keys():
        assert machine.call(name) == REFUSED


def test_who_may_start_processes_makes_no_namespaces(starting: Machine) -> None:
    """In its own pid namespace a child forks, execs and signals; it still traces nobody and enters no namespace."""
    assert starting.call("clone", GLIBC_FORK) == ALLOWED
    assert starting.call("clone", GLIBC_THREAD) == ALLOWED
    for name in {"fork", "vfork", "execve", "setsid", "setpgid", "kill", "tgkill"} & starting.numbers.keys():
        assert starting.call(name, OTHER) == ALLOWED
    for name, flag in NEW.items():
        if name != "NEWTIME":
            assert starting.call("clone", GLIBC_FORK | flag) == REFUSED, name
    for name in ("unshare", "setns", "ptrace", "process_vm_readv", "mount", "socket", "execveat", "memfd_create"):
        assert starting.call(name) == REFUSED


def test_what_only_may_be_read_is_not_emptied(machine: Machine) -> None:
    """`O_RDONLY|O_TRUNC`, which Landlock below ABI 3 lets pass, is refused; writing one's own file is not."""
    calls = [("openat", (HERE, 0))]
    if "open" in machine.numbers:
        calls.append(("open", (0,)))
    for call, before in calls:
        for flags in (os.O_RDONLY, os.O_RDWR | os.O_TRUNC, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC):
            assert machine.call(call, *before, flags) == ALLOWED
        for flags in (os.O_TRUNC, os.O_TRUNC | 3, os.O_TRUNC | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW):
            assert machine.call(call, *before, flags) == REFUSED
            assert machine.call(call, *before, flags | 1 << 32) == REFUSED
    assert machine.call("truncate") == REFUSED
    assert machine.call("ftruncate") == ALLOWED  # of a descriptor that was opened for writing
    if "creat" in machine.numbers:
        assert machine.call("creat") == REFUSED


def test_no_socket_but_a_pair_of_streams(machine: Machine) -> None:
    """asyncio gets its pair; there is no socket to the D-Bus, ssh-agent or a network, nor a datagram one of a pair."""
    assert machine.call("socketpair", socket.AF_UNIX, socket.SOCK_STREAM) == ALLOWED
    assert machine.call("socketpair", socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC) == ALLOWED
    for kind in (socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_RAW):
        assert machine.call("socketpair", socket.AF_UNIX, kind | socket.SOCK_CLOEXEC) == REFUSED
    assert machine.call("socketpair", 30, socket.SOCK_STREAM) == REFUSED  # AF_TIPC
    for name in ("socket", "connect", "bind", "listen", "accept", "accept4", "sendmsg", "sendmmsg"):
        assert machine.call(name) == REFUSED


def test_descriptors_send_no_signals(machine: Machine) -> None:
    """`fcntl` and `ioctl` do what files need, and make no descriptor the sender of a signal to somebody."""
    for command in (fcntl.F_DUPFD, fcntl.F_GETFL, fcntl.F_SETFL, fcntl.F_SETFD, fcntl.F_DUPFD_CLOEXEC, fcntl.F_SETLK):
        assert machine.call("fcntl", 3, command) == ALLOWED
    setown_ex, setpipe = 15, 1031
    for command in (fcntl.F_SETOWN, fcntl.F_SETSIG, setown_ex, fcntl.F_SETLEASE, fcntl.F_NOTIFY, setpipe, 9999):
        assert machine.call("fcntl", 3, command) == REFUSED
    for request in (termios.TCGETS, termios.TIOCGWINSZ, termios.FIONREAD, termios.FIOCLEX, termios.FIONBIO):
        assert machine.call("ioctl", 3, request) == ALLOWED
    fiosetown, siocspgrp, ficlone = 0x8901, 0x8902, 0x4004_9409
    for request in (termios.TIOCSTI, fiosetown, siocspgrp, ficlone, termios.FIOASYNC, 0xFFFF_FFFF):
        # As a file that is no terminal says it.
        assert machine.call("ioctl", 3, request) == errno.ENOTTY


def test_the_process_stays_bound_to_its_parent(machine: Machine) -> None:
    """`prctl` names and asks; it lets nobody outlive the parent, regain rights, or open itself to others."""
    for option in (3, 15, 16, 21, 23, 39, 0x5356_4D41):
        assert machine.call("prctl", option) == ALLOWED
    pdeathsig, dumpable, keepcaps, seccomp, subreaper, ptracer = 1, 4, 8, 22, 36, 0x5961_6D61
    for option in (pdeathsig, dumpable, keepcaps, seccomp, subreaper, ptracer):
        assert machine.call("prctl", option) == REFUSED


def test_memory_is_counted(machine: Machine) -> None:
    """Memory comes from calls that the limits count (torch maps and protects at will), never from elsewhere."""
    for name in ("mmap", "mprotect", "mremap", "munmap", "madvise", "brk"):
        assert machine.call(name, 0, 1 << 30, 7, 0x22) == ALLOWED
    for name in ("memfd_create", "memfd_secret", "shmget", "shmat", "semget", "msgget", "mq_open"):
        assert machine.call(name) == REFUSED


@pytest.mark.parametrize(
    "name",
    [
        "io_uring_setup",
        "bpf",
        "keyctl",
        "add_key",
        "request_key",
        "perf_event_open",
        "userfaultfd",
        "ptrace",
        "seccomp",
    ],
)
def test_what_widens_the_kernel_is_refused(machine: Machine, name: str) -> None:
    """The parts of the kernel that most escapes began in are closed."""
    assert machine.call(name) == REFUSED


def test_metadata_stays(machine: Machine) -> None:
    """chmod, chown, utime and xattr do nothing and say that all is well, so that `shutil.copy` works."""
    for name in {"chmod", "fchmodat", "fchown", "utimensat", "setxattr", "fremovexattr"} & machine.numbers.keys():
        assert machine.call(name) == PRETENDED


def test_the_filter_fits_the_kernel(machine: Machine, starting: Machine) -> None:
    """Within its limit of instructions; every way through ends in a return; encoded as `struct sock_filter`."""
    for each in (machine, starting):
        program = each.program
        assert len(program) < bpf.MAX_INSTRUCTIONS
        for at, instruction in enumerate(program):
            assert at + 1 + max(instruction.if_true, instruction.if_false) < len(program) or instruction.code == 0x06
            assert max(instruction.if_true, instruction.if_false) <= 255
        assert program[-1].code == 0x06
        decoded = list(struct.iter_unpack("=HBBI", bpf.encode(program)))
        assert decoded == [tuple(instruction) for instruction in program]


def test_a_policy_that_is_too_long_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rather than a filter that the kernel refuses in every child."""
    monkeypatch.setattr(bpf, "MAX_INSTRUCTIONS", 100)
    with pytest.raises(ValueError, match="the kernel takes 100"):
        bpf.assemble(policies.policy(PID), "x86_64")
