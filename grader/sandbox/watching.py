"""Watch one forked process from the trusted side: take its events, measure what it uses, end it when it is over."""

from __future__ import annotations

import select
import signal
import time
from pathlib import Path

from grader.processes import Usage, usage
from grader.records import ProbeRun, Run
from grader.sandbox.channel import Channel
from grader.sandbox.confinement.level import Level
from grader.sandbox.disk import DiskWatch
from grader.sandbox.launching import Child, WarmDiedError
from grader.sandbox.replay import Attempts
from grader.sandbox.wire import BrokenChannelError, CellEnded, Ended, Event, Job, Ready, max_frame

TICK = 0.02
UNCONFINED_PROCESSES = 32
FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)
# Our own set-up in the child: between the fork and its first message.
START_SECONDS = 60.0


def watch(
    child: Child,
    job: Job,
    attempts: Attempts,
    run: Run,
    level: Level,
    folder: Path,
    first_use_seconds: float = 0.0,
) -> None:
    """Run `job` in `child` to its end, whichever end that is, and note all in `attempts`.

    Every limit of time is `first_use_seconds` longer than `run` says, and said to be what `run` says.

    The child and its descendants are gone when this returns. Raises `WarmDiedError` if the warm process is, too, or if
    the child died before any student code ran.
    """
    try:
        _Watcher(child, job, attempts, run, level, folder, first_use_seconds).until_over()
    finally:
        child.close()


class _Step:
    """The clock of what the process is doing now."""

    def __init__(self, used: Usage) -> None:
        self.used = used
        self.began = time.monotonic()

    def cpu(self, now: Usage) -> float:
        return max(now.cpu - self.used.cpu, 0.0)

    def wall(self, now: Usage) -> float:
        """Seconds since it began, without those in which no core was free for it."""
        return time.monotonic() - self.began - max(now.waited - self.used.waited, 0.0)


class _Watcher:
    def __init__(
        self,
        child: Child,
        job: Job,
        attempts: Attempts,
        run: Run,
        level: Level,
        folder: Path,
        first_use_seconds: float,
    ) -> None:
        self._child = child
        self._attempts = attempts
        self._run = run
        self._limits = run.limits
        self._level = level
        # In namespaces the folder has a size of its own, and what is in it cannot be seen from here.
        self._disk = None if level == "namespaces" else DiskWatch(folder, run.limits.file_mb)
        self._grace = first_use_seconds
        self._channel = Channel(child.channel, max_frame(run.limits))
        self._channel.put(job)
        self._now = Usage(0.0, 0.0, 1)
        self._step = _Step(self._now)
        self._cells = self._probes = _Step(self._now)
        self._ended: Ended | None = None
        self._exhausted = False

    def until_over(self) -> None:
        try:
            while not self._over():
                pass
        except BrokenChannelError as error:
            self._attempts.broke(str(error), self._step.cpu(self._measure()))
        self._attempts.used(max(self._child.end().cpu_seconds, self._now.cpu))

    def _over(self) -> bool:
        """One turn: what arrived, whether it lives, whether it is within its limits."""
        self._wait()
        for event in self._channel.take():
            self._take(event)
            if self._exhausted:
                return True
        if self._attempts.ready and self._attempts.doing is None:
            return True
        if self._ended is not None:
            return self._died(self._ended)
        return self._attempts_over_limit()

    def _wait(self) -> None:
        sources = [self._child.lifeline] if self._channel.closed else [self._child.channel, self._child.lifeline]
        targets = [self._child.channel] if self._channel.unsent else []
        readable, writable, _ = select.select(sources, targets, [], TICK)
        if writable:
            self._channel.flush()
        if self._child.lifeline in readable:
            event = self._child.life(0)
            self._ended = event if isinstance(event, Ended) else None
        self._measure()

    def _measure(self) -> Usage:
        now = usage(self._child.pid)
        # Both fall when a descendant ends that nobody waits for, and to zero when all are gone.
        self._now = Usage(max(now.cpu, self._now.cpu), max(now.waited, self._now.waited), now.processes)
        return self._now

    def _take(self, event: Event) -> None:
        if isinstance(event, Ready):
            if event.level != self._level:
                raise BrokenChannelError(f"the process is confined as {event.level!r}, not as {self._level!r}")
            self._cells = _Step(self._measure())
        before = self._attempts.doing
        self._attempts.event(event, self._step.cpu(self._now))
        if isinstance(event, CellEnded) and event.exhausted:
            self._attempts.leave_out(event.cell)
            self._exhausted = True
        elif self._attempts.doing is not before or isinstance(event, Ready):
            self._begin(first_probe=not isinstance(before, ProbeRun) or isinstance(event, Ready))

    def _begin(self, first_probe: bool) -> None:
        """Start the clock of the step that is next; a probe is sent only now that all before it has ended."""
        self._step = _Step(self._now)
        probe = self._attempts.doing
        if isinstance(probe, ProbeRun):
            if first_probe:
                self._probes = self._step
            self._channel.put(probe)

    def _died(self, ended: Ended) -> bool:
        # What it had sent before is still in the socket.
        while events := self._channel.take():
            for event in events:
                self._take(event)
        if not self._attempts.ready:
            raise WarmDiedError
        if self._attempts.doing is None or self._exhausted:
            return True
        if not (ended.status & 0x7F in FROM_OUTSIDE and self._attempts.spared()):
            self._attempts.fatal("died", how_it_ended(ended.status), self._step.cpu(self._now))
        return True

    def _attempts_over_limit(self) -> bool:
        if not self._attempts.ready:
            if self._step.wall(self._now) > START_SECONDS:
                raise WarmDiedError
            return False
        probing = isinstance(self._attempts.doing, ProbeRun)
        seconds = self._limits.probe_seconds if probing else self._limits.cell_seconds
        whole = self._probes if probing else self._cells
        reason = self._too_long(self._step, seconds, "it")
        if reason is None:
            reason = self._too_long(whole, self._limits.notebook_seconds, "its notebook")
            if reason is not None:
                self._attempts.stop(reason.replace("its notebook", "the notebook"))
        if reason is not None:
            self._attempts.fatal("timed_out", reason, self._step.cpu(self._now))
        else:
            reason = self._too_much()
            if reason is not None:
                self._attempts.fatal("died", reason, self._step.cpu(self._now))
        return reason is not None

    def _too_much(self) -> str | None:
        # Where it is confined it starts none at all, unless the exercise needs some.
        processes = self._limits.processes or UNCONFINED_PROCESSES
        if self._now.processes - 1 > processes:
            return f"it started more than {processes} processes"
        return self._disk.too_much() if self._disk is not None else None

    def _too_long(self, step: _Step, seconds: float, what: str) -> str | None:
        if step.cpu(self._now) > seconds + self._grace:
            return f"{what} used more than {seconds:g} s of processor time"
        wall = seconds * self._limits.wall_factor
        if step.wall(self._now) > wall + self._grace:
            return f"{what} did not finish within {wall:g} s"
        return None


def how_it_ended(status: int) -> str:
    """A wait status in words: a clause that starts with "it"."""
    number = status & 0x7F
    if number == 0:
        return f"it ended its own process (exit code {status >> 8})"
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    return f"it crashed its process ({name})"
