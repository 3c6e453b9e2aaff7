"""Which files a notebook's process may read: the Python installation and what its libraries look up, nothing else.

Not `sys.path`: an editable installation can put the whole course folder there.
"""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from contextlib import suppress

SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/etc/fonts",
    "/usr/share/zoneinfo",
    "/etc/localtime",
    "/etc/ld.so.cache",
    "/dev/random",
    "/dev/urandom",
    "/dev/zero",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/sys/devices/system/cpu",
)
# What a process that may start others needs in addition.
PROGRAMS = ("/bin", "/usr/bin", "/usr/local/bin")


def readable() -> tuple[str, ...]:
    """Real paths, none of them below another; computed when all libraries are loaded."""
    return _outermost([*_libraries(), *_loaded(), *_mapped(), *SYSTEM])


def _libraries() -> list[str]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    found = [sysconfig.get_path(name) for name in names]
    return [*found, *site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]


def _loaded() -> list[str]:
    """The folder of each loaded package and the file of each loaded module, wherever it was installed from."""
    found = []
    for name, module in list(sys.modules.items()):
        if "." in name:
            continue
        with suppress(Exception):
            found += list(module.__path__) if hasattr(module, "__path__") else [module.__file__ or ""]
    return [path for path in found if path]


def _mapped() -> list[str]:
    """The folders of all shared libraries that are mapped into this process."""
    found = set()
    with suppress(OSError), open("/proc/self/maps") as file:
        for line in file:
            path = line.split(maxsplit=5)[-1].strip()
            if path.startswith("/") and ".so" in os.path.basename(path):
                found.add(os.path.dirname(path))
    return sorted(found)


def _outermost(paths: Iterable[str]) -> tuple[str, ...]:
    real = sorted({os.path.realpath(path) for path in paths if os.path.exists(path)})
    return tuple(path for path in real if not any(is_below(path, other) for other in real))


def is_below(path: str, folder: str) -> bool:
    """Whether `path`, a real path, lies inside `folder`; a folder does not lie inside itself."""
    return path.startswith(folder.rstrip("/") + "/")


def exposed(secrets: Sequence[str], readable_paths: Sequence[str]) -> list[tuple[str, str]]:
    """(secret, readable) pairs where the secret is the readable path or lies in it."""
    return [
        (secret, path)
        for secret in secrets
        for path in readable_paths
        if os.path.realpath(secret) == path or is_below(os.path.realpath(secret), path)
    ]
