"""Which system calls a notebook may make: an allow list by name, and what each call outside of it is told.

An allow list, because a system call that a later kernel brings is then closed before anybody here has heard of it. The
names were gathered by tracing the shipped and the sample notebooks; docs/decisions.md has the comparison with a deny
list. Calls that only look, or that touch nothing but the process itself and files that Landlock lets it have, pass.
Landlock has no say over signals (before ABI 6), priorities, metadata, file locks, watches and UNIX sockets with a path:
what closes those is here.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from typing import NamedTuple

# <linux/sched.h>
CLONE_THREAD = 0x0001_0000
CLONE_PTRACE = 0x0000_2000
CLONE_NEW_ANY = 0x7E02_0000
# <fcntl.h>, the same on x86-64 and aarch64
O_ACCMODE = 0o3
O_TRUNC = 0o1000
# <sys/socket.h>
AF_UNIX = 1
SOCK_STREAM = 1
SOCK_TYPE = 0xF

ALL_BITS = 0xFFFF_FFFF


class Check(NamedTuple):
    """Holds if `argument & mask` is one of `values` (with `inside` False: is none of them).

    Only the low 32 bits are looked at: every argument checked here is an `int` or a set of flags below bit 32.
    """

    argument: int
    values: tuple[int, ...]
    mask: int = ALL_BITS
    inside: bool = True


class Rule(NamedTuple):
    """A call is made if all checks hold, and otherwise fails with the error number `refusal`."""

    checks: tuple[Check, ...]
    refusal: int = errno.EPERM


class Policy(NamedTuple):
    """What happens to each call. A name in none of these fails with ENOSYS, as on a kernel that has not got it.

    Args:
        allowed: calls that are made.
        checked: calls that are made if their arguments pass.
        refused: calls that fail with EPERM, for which Python has a clear word.
        pretended: calls that do nothing and report success, so that copying a file works and its mode stays.
    """

    allowed: frozenset[str]
    checked: Mapping[str, Rule]
    refused: frozenset[str]
    pretended: frozenset[str]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


FILES = """
    access chdir close close_range copy_file_range dup dup2 dup3 faccessat faccessat2 fadvise64 fallocate fchdir
    fdatasync flock fstat fstatfs fsync ftruncate getcwd getdents getdents64 lseek lstat mkdir mkdirat newfstatat pipe
    pipe2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv rename renameat
    renameat2 rmdir sendfile stat statfs statx umask unlink unlinkat write writev
"""
MEMORY = "brk madvise membarrier mincore mlock mmap mprotect mremap msync munlock munmap"
WAITING = """
    alarm clock_getres clock_gettime clock_nanosleep epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2
    epoll_wait eventfd eventfd2 futex futex_waitv getitimer gettimeofday nanosleep pause poll ppoll pselect6
    restart_syscall select setitimer time timer_create timer_delete timer_getoverrun timer_gettime timer_settime
    timerfd_create timerfd_gettime timerfd_settime times
"""
SIGNALS = """
    rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait sigaltstack signalfd signalfd4
"""
ITSELF = """
    arch_prctl capget exit exit_group getcpu getegid geteuid getgid getgroups getpgid getpgrp getpid getppid getpriority
    getrandom getresgid getresuid getrlimit getrusage getsid gettid getuid rseq sched_get_priority_max
    sched_get_priority_min sched_getaffinity sched_getparam sched_getscheduler sched_yield set_robust_list
    set_tid_address setrlimit sysinfo uname wait4 waitid
"""
# `sendmsg` is not among them: it passes descriptors on, and there is nobody to pass them to but us.
SOCKETS = "getpeername getsockname getsockopt recvfrom recvmsg sendto setsockopt shutdown"

ALLOWED = _names(" ".join((FILES, MEMORY, WAITING, SIGNALS, ITSELF, SOCKETS)))

REFUSED = _names("""
    accept accept4 acct add_key bind bpf capset chroot clock_settime connect creat execve execveat fanotify_init fork
    get_robust_list init_module inotify_add_watch inotify_init inotify_init1 io_setup io_uring_enter io_uring_register
    io_uring_setup ioperm iopl ioprio_set kcmp keyctl kexec_load landlock_add_rule landlock_create_ruleset
    landlock_restrict_self link linkat listen memfd_create memfd_secret mknod mknodat mount mount_setattr move_mount
    mq_open msgget name_to_handle_at open_by_handle_at open_tree perf_event_open personality pidfd_getfd pidfd_open
    pidfd_send_signal pivot_root process_madvise process_vm_readv process_vm_writev ptrace quotactl reboot request_key
    rt_sigqueueinfo rt_tgsigqueueinfo sched_setattr sched_setparam sched_setscheduler seccomp semget sendmmsg sendmsg
    setfsgid setfsuid setgid setgroups sethostname setns setpgid setpriority setregid setresgid setresuid setreuid
    setsid settimeofday setuid shmat shmget socket swapon symlink symlinkat sync syncfs syslog tkill truncate umount2
    unshare userfaultfd vfork vmsplice
""")

PRETENDED = _names("""
    chmod chown fchmod fchmodat fchown fchownat fremovexattr fsetxattr futimesat lchown lremovexattr lsetxattr
    removexattr setxattr utime utimensat utimes
""")

# `open(path, O_RDONLY | O_TRUNC)` empties a file that may only be read, below Landlock ABI 3. Access mode 3 asks for
# both permissions and gives neither, and truncates as well.
_KEEPS_CONTENT = (O_TRUNC | 0, O_TRUNC | 3)
# F_DUPFD F_GETFD F_SETFD F_GETFL F_SETFL F_GETLK F_SETLK F_SETLKW F_OFD_* F_DUPFD_CLOEXEC F_GETPIPE_SZ. Not F_SETOWN
# and F_SETSIG (a signal to anybody by way of a descriptor), F_SETLEASE, F_NOTIFY.
_FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)
# TCGETS TIOCGWINSZ FIONREAD FIONBIO FIONCLEX FIOCLEX
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# PR_GET_DUMPABLE PR_SET_NAME PR_GET_NAME PR_GET_SECCOMP PR_CAPBSET_READ PR_GET_NO_NEW_PRIVS PR_SET_VMA. Not
# PR_SET_PDEATHSIG, by which this process dies with its parent.
_PRCTL = (3, 15, 16, 21, 23, 39, 0x5356_4D41)


def policy(pid: int, subprocesses: bool = False) -> Policy:
    """The policy of the process `pid` (as it sees itself).

    Args:
        subprocesses: whether it may start processes; only for one whose pid namespace ends with it.
    """
    checked = {
        "kill": Rule((Check(0, (pid,)),)),
        "tgkill": Rule((Check(0, (pid,)),)),
        "prlimit64": Rule((Check(0, (0, pid)),)),
        "sched_setaffinity": Rule((Check(0, (0, pid)),)),
        "clone": Rule((Check(0, (CLONE_THREAD,), CLONE_THREAD), Check(0, (0,), CLONE_NEW_ANY | CLONE_PTRACE))),
        "open": Rule((Check(1, _KEEPS_CONTENT, O_TRUNC | O_ACCMODE, inside=False),)),
        "openat": Rule((Check(2, _KEEPS_CONTENT, O_TRUNC | O_ACCMODE, inside=False),)),
        "fcntl": Rule((Check(1, _FCNTL),)),
        "ioctl": Rule((Check(1, _IOCTL),), errno.ENOTTY),
        # A datagram socket of a pair can send to any address, the session's D-Bus among them; a stream cannot.
        "socketpair": Rule((Check(0, (AF_UNIX,)), Check(1, (SOCK_STREAM,), SOCK_TYPE))),
        "prctl": Rule((Check(0, _PRCTL),)),
    }
    if not subprocesses:
        return Policy(ALLOWED, checked, REFUSED, PRETENDED)
    # All that can be signalled is in the same pid namespace.
    starting = frozenset(("fork", "vfork", "execve", "setpgid", "setsid"))
    checked["clone"] = Rule((Check(0, (0,), CLONE_NEW_ANY | CLONE_PTRACE),))
    for name in ("kill", "tgkill"):
        del checked[name]
    return Policy(ALLOWED | starting | {"kill", "tgkill"}, checked, REFUSED - starting, PRETENDED)
