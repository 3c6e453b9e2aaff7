"""Who a notebook's process is: as real root it gets a user id that owns nothing; capabilities it loses in any case."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

# Between the dynamic users of systemd (61184 to 65519): no account has these ids, and a container maps them.
FIRST_UID = 61184
UIDS = 4096
# <linux/prctl.h>, <linux/capability.h>
PR_SET_KEEPCAPS = 8
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
CAP_DAC_READ_SEARCH = 1 << 2
CAPABILITY_VERSION_3 = 0x2008_0522


def slot_uid(slot: int, run: int) -> int:
    """The user id of the child in a slot; those of two runs (by their process ids) mostly differ."""
    return FIRST_UID + (run * 64 + slot) % UIDS


def become(uid: int | None, read_anywhere: bool) -> None:
    """Give up all rights but those of `uid` (None: of the present user); this cannot be undone.

    Args:
        read_anywhere: keep the right to read past a folder's mode, where Python itself is installed below a private
            folder such as /root. Landlock decides all the same which files can be opened.

    Raises: `OSError` where the id cannot be had.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    if uid is not None:
        libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    kept = CAP_DAC_READ_SEARCH if uid is not None and read_anywhere else 0
    # struct __user_cap_header_struct, then effective, permitted, inheritable twice: the low and the high 32 bits.
    header = struct.pack("Ii", CAPABILITY_VERSION_3, 0)
    if libc.capset(header, struct.pack("6I", kept, kept, 0, 0, 0, 0)) != 0:
        raise OSError(ctypes.get_errno(), "capset() failed")


def can_reach(uid: int, paths: Iterable[str]) -> bool:
    """Whether `uid`, which owns nothing and is in no group, could read all `paths` that exist; call it as root."""
    os.setegid(uid)
    os.seteuid(uid)
    try:
        return all(os.access(path, os.R_OK, effective_ids=True) for path in paths)
    finally:
        os.seteuid(0)
        os.setegid(0)


def is_root() -> bool:
    """Whether this process is root outside of every user namespace of its own making."""
    return os.geteuid() == 0
