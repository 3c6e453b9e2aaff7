"""One warm sandbox of each sort for the whole session."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from sandbox_runs import CANARY, run_of

from grader.records import Execution
from grader.sandbox.forking import ForkingSandbox


@pytest.fixture(scope="session")
def sandbox() -> Iterator[ForkingSandbox]:
    """Boots once: three seconds and more."""
    os.environ["COURSE_SECRET"] = CANARY
    with ForkingSandbox(jobs=4) as box:
        yield box
    del os.environ["COURSE_SECRET"]


@pytest.fixture
def execute(sandbox: ForkingSandbox) -> Callable[..., Execution]:
    """Run cells in the shared sandbox."""
    return lambda *cells, **options: sandbox.run(run_of(*cells, **options))


@pytest.fixture(scope="session")
def open_sandbox() -> Iterator[ForkingSandbox]:
    """One that confines nothing, for what a confined notebook cannot even begin."""
    with ForkingSandbox(jobs=4, confine="off") as box:
        yield box


@pytest.fixture
def freely(open_sandbox: ForkingSandbox) -> Callable[..., Execution]:
    """Run cells that are not confined."""
    return lambda *cells, **options: open_sandbox.run(run_of(*cells, **options))


@pytest.fixture(scope="session")
def kernel_sandbox() -> Iterator[ForkingSandbox]:
    """One without namespaces, as in a container."""
    with ForkingSandbox(jobs=4, namespaces=False) as box:
        yield box
