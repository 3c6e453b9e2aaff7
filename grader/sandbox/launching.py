"""The grader's handle on a warm process: start it in a clean environment, ask it for children, end it."""

from __future__ import annotations

import importlib.util
import os
import select
import shutil
import site
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

import msgspec

from grader import processes
from grader.errors import SandboxFault
from grader.records import Limits
from grader.sandbox import leftovers, scratch
from grader.sandbox.confinement.level import Trial
from grader.sandbox.wire import Booted, Cover, Covered, Ended, Forked, ForkRequest, Life, decode, encode

BOOT_SECONDS = 180.0
FORK_SECONDS = 60.0
END_SECONDS = 60.0
MAX_LIFE = 1 << 12
MAX_BOOTED = 1 << 18
# Paths to cover in one message.
MAX_COVERED = 10
# What the first use of every part of the libraries costs a process that found none of it warm, and room to spare.
FIRST_USE_SECONDS = 5.0
FIRST_USE_MB = 512


class WarmDiedError(Exception):
    """The warm process is gone."""


class Child:
    """One forked process: the channel to it, and the lifeline on which the warm process tells of it."""

    def __init__(self, channel: socket.socket, lifeline: socket.socket) -> None:
        self.channel = channel
        self.lifeline = lifeline
        self.pid = 0
        self._ended: Ended | None = None

    def life(self, seconds: float) -> Life | None:
        """The next thing that the warm process says, or None after `seconds`. Raises `WarmDiedError`."""
        if not select.select([self.lifeline], [], [], seconds)[0]:
            return None
        try:
            data, descriptors, _, _ = socket.recv_fds(self.lifeline, MAX_LIFE, 1)
            event: Life | None = decode(data, Forked | Ended) if data else None  # type: ignore[arg-type]
        except (OSError, msgspec.MsgspecError):
            event, descriptors = None, []
        for pidfd in descriptors:
            self.pid = processes.pid_of(pidfd)
            os.close(pidfd)
        if event is None:
            raise WarmDiedError
        if isinstance(event, Ended):
            self._ended = event
        return event

    def end(self) -> Ended:
        """Kill it, with all its descendants, and wait until they are gone. Raises `WarmDiedError`."""
        if self._ended is None:
            with suppress(OSError):
                self.lifeline.send(b"end")
        while self._ended is None:
            if self.life(END_SECONDS) is None:
                raise WarmDiedError
        return self._ended

    def close(self) -> None:
        """Close both sockets; the warm process then ends the child if it still runs."""
        self.channel.close()
        self.lifeline.close()


class Warm:
    """A running warm process. `fork` may be called from several threads.

    Args:
        thorough: whether it uses every part of the libraries once before it is ready. Otherwise its children do, each
            for itself, and have more memory and, by `first_use_seconds`, more time than their limits say.
        confined: whether its children are to be confined.
        namespaces: whether it is to be in namespaces of its own, where that can be had.
    """

    def __init__(self, thorough: bool = True, confined: bool = True, namespaces: bool = True) -> None:
        self.first_use_seconds = 0.0 if thorough else FIRST_USE_SECONDS
        self._more_mb = 0 if thorough else FIRST_USE_MB
        leftovers.sweep()
        self.root, held = leftovers.make()
        self._lock = threading.Lock()
        self._booted: Booted | None = None
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        home = self.root / "home"
        asked = {"thorough": thorough, "confined": confined, "namespaces": confined and namespaces}
        arguments = [str(theirs.fileno()), str(self.root), *(word for word, wanted in asked.items() if wanted)]
        command = [sys.executable, *_flags(), "-m", "grader.sandbox.entering", *arguments]
        try:
            home.mkdir()
            _copy_font_list(home)
            with theirs, (self.root / "warm.log").open("wb") as log:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd=self.root,
                    env=_environment(home),
                    pass_fds=[theirs.fileno(), held],
                    start_new_session=True,
                )
        except OSError as error:
            why = leftovers.is_full(self.root) or str(error)
            theirs.close()
            self._control.close()
            scratch.remove(self.root)
            raise SandboxFault(f"the process that runs notebooks could not be started: {why}") from error
        finally:
            # From now on the warm process holds the lock, and gives it back when it ends.
            os.close(held)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def wait_until_ready(self) -> Booted:
        """Block until it has warmed up. Raises `SandboxFault` with the end of its log."""
        with self._lock:
            if self._booted is not None:
                return self._booted
            if select.select([self._control], [], [], BOOT_SECONDS)[0]:
                with suppress(OSError, msgspec.MsgspecError):
                    self._booted = decode(self._control.recv(MAX_BOOTED), Booted)
                    return self._booted
            hint = "run `python -c 'import torch, IPython, matplotlib'` to see whether the installation is sound"
            why = leftovers.is_full(self.root) or f"{self._last_words()}; {hint}"
            raise SandboxFault(f"the process that runs notebooks did not start: {why}")

    def _last_words(self) -> str:
        with suppress(OSError):
            lines = (self.root / "warm.log").read_text(errors="replace").strip().splitlines()
            return lines[-1][:300] if lines else "it said nothing"
        return "it left no log"

    def cover(self, paths: Sequence[str]) -> None:
        """Hide these paths from all children to come. Raises `SandboxFault` if that fails, `WarmDiedError`."""
        for start in range(0, len(paths), MAX_COVERED):
            try:
                with self._lock:
                    self._control.send(encode(Cover(tuple(paths[start : start + MAX_COVERED]))))
                    covered = decode(self._control.recv(MAX_LIFE), Covered)
            except (OSError, msgspec.MsgspecError):
                raise WarmDiedError from None
            if covered.error:
                raise SandboxFault(f"what notebooks must not see could not be covered: {covered.error}")

    def fork(self, folder: Path, limits: Limits, slot: int = 0, trial: Trial | None = None) -> Child:
        """A new child whose working directory is `folder`. Raises `WarmDiedError`."""
        channel, their_channel = socket.socketpair()
        lifeline, their_lifeline = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        child = Child(channel, lifeline)
        limits = msgspec.structs.replace(limits, memory_mb=limits.memory_mb + self._more_mb)
        request = encode(ForkRequest(str(folder), limits, slot, trial))
        try:
            with their_channel, their_lifeline, self._lock:
                socket.send_fds(self._control, [request], [their_channel.fileno(), their_lifeline.fileno()])
            forked = child.life(FORK_SECONDS)
        except (OSError, WarmDiedError):
            child.close()
            raise WarmDiedError from None
        if not isinstance(forked, Forked) or not child.pid:
            child.close()
            raise WarmDiedError
        return child

    def close(self) -> None:
        """End it and everything below it, and remove every directory it used."""
        self._control.close()
        try:
            self._process.wait(END_SECONDS if self._booted else 1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.returncode != 0:
            # It had no time to end what descends from it.
            processes.kill_marked(str(self.root))
        for attempt in range(20):
            scratch.remove(self.root)
            if not self.root.exists():
                return
            time.sleep(0.01 * attempt)


def _flags() -> list[str]:
    # -I would ignore PYTHONHASHSEED, and with it the order of sets would change from run to run.
    spec = importlib.util.find_spec("torch")
    in_user_site = spec is not None and site.ENABLE_USER_SITE and (spec.origin or "").startswith(_user_site())
    return ["-P"] if in_user_site else ["-P", "-s"]


def _user_site() -> str:
    return site.getusersitepackages()


def _environment(home: Path) -> dict[str, str]:
    """Nothing of the grader's own environment but what an interpreter needs to start."""
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "VIRTUAL_ENV", "TZ") if name in os.environ}
    return kept | {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "PYTHONHASHSEED": "0",
        "PYTHONUSERBASE": site.getuserbase(),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "NUMEXPR_NUM_THREADS": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": str(home),
        "HOME": str(home),
        "TMPDIR": str(home),
        "IPYTHONDIR": str(home / "ipython"),
        "TORCHINDUCTOR_CACHE_DIR": str(home / "inductor"),
    }


def _copy_font_list(home: Path) -> None:
    """matplotlib's list of fonts, if this user has one: making it takes seconds."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    for folder in filter(None, (os.environ.get("MPLCONFIGDIR"), str(cache / "matplotlib"))):
        for file in Path(folder).glob("fontlist-*.json"):
            with suppress(OSError):
                shutil.copyfile(file, home / file.name)
