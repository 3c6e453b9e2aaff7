"""System call numbers and constants as the kernel's headers give them.

    python tests/sandbox/confinement/kernel_headers.py

writes kernel_numbers.txt, the table that tests compare with where there are no headers. x86-64 has a generated header
of its own; aarch64 uses the generic one, whose alternatives for 32 bits have other names: no preprocessor is needed.
"""

from __future__ import annotations

import re
import subprocess
import textwrap
from pathlib import Path

INCLUDE = Path("/usr/include")
HERE = Path(__file__).parent
TABLE = HERE / "kernel_numbers.txt"
PLACES = {
    "x86_64": ("x86_64-linux-gnu/asm/unistd_64.h", "asm/unistd_64.h"),
    "aarch64": ("asm-generic/unistd.h",),
}
# From Linux 6.11 on, headers of aarch64 are generated, too, and the generic one is no more what they are made from.
_DEFINITION = re.compile(r"^#define\s+(__NR(?:3264)?_\w+)\s+\(?(\w+)(?:\s*\+\s*(\d+))?\)?\s*$", re.MULTILINE)
_CONSTANT = re.compile(r"^#define\s+(LANDLOCK_\w+)\s+\(1U(?:LL)?\s*<<\s*(\d+)\)", re.MULTILINE)


def header(name: str) -> Path | None:
    """The first of a processor's headers that is on this machine."""
    found = [INCLUDE / place for place in PLACES[name] if (INCLUDE / place).is_file()]
    return found[0] if found else None


def numbers_in(text: str) -> dict[str, int]:
    """name -> number, of all `__NR_` definitions; those that stand for another one are followed."""
    raw = {name: value for name, value, _ in _DEFINITION.findall(text)}
    found = {}
    for name, value in raw.items():
        while not value.isdigit() and value in raw:
            value = raw[value]
        if value.isdigit() and name.startswith("__NR_"):
            found[name.removeprefix("__NR_")] = int(value)
    return found


def constants_in(text: str) -> dict[str, int]:
    """name -> value, of all `LANDLOCK_` flags."""
    return {name: 1 << int(bit) for name, bit in _CONSTANT.findall(text)}


def committed() -> dict[str, dict[str, int]]:
    """The table beside this file: processor -> name -> number."""
    tables: dict[str, dict[str, int]] = {}
    current: dict[str, int] = {}
    for line in TABLE.read_text().splitlines():
        if line.startswith("["):
            current = tables.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            for pair in line.split():
                name, _, number = pair.partition("=")
                current[name] = int(number)
    return tables


def _table(release: str) -> str:
    parts = [f"# Made by kernel_headers.py from the kernel's own headers (Debian's linux-libc-dev {release}):"]
    headers = {name: header(name) for name in PLACES}
    parts += [f"# {path.relative_to(INCLUDE)}" for path in headers.values() if path]
    for name, path in headers.items():
        if path is None:
            raise SystemExit(f"no header for {name}: install linux-libc-dev")
        pairs = (f"{call}={number}" for call, number in sorted(numbers_in(path.read_text()).items()))
        parts += ["", f"[{name}]", *textwrap.wrap(" ".join(pairs), 118, break_on_hyphens=False)]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    shown = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "linux-libc-dev"], capture_output=True, text=True)
    TABLE.write_text(_table(shown.stdout or "unknown"))
