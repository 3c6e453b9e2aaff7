"""GitHub Actions reads commands from whatever a step prints: while we print for people, it is told not to."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

_token = ""


@contextmanager
def commands_stopped(wanted: bool = True) -> Iterator[None]:
    """In a GitHub workflow nothing printed here is taken for a command, whatever a student is called. Else nothing.

    Args:
        wanted: False where a program reads what is printed: JSON holds no line that could be a command.
    """
    if not wanted or os.environ.get("GITHUB_ACTIONS") != "true" or _token:
        yield
        return
    _stop()
    try:
        yield
    finally:
        _resume()


@contextmanager
def commands_allowed() -> Iterator[None]:
    """Commands are read again here, for those that are ours."""
    stopped = bool(_token)
    if stopped:
        _resume()
    try:
        yield
    finally:
        if stopped:
            _stop()


def _stop() -> None:
    global _token
    # Nobody can guess it, so nobody can print it.
    _token = secrets.token_hex(16)
    click.echo(f"::stop-commands::{_token}")
    sys.stdout.flush()


def _resume() -> None:
    global _token
    sys.stderr.flush()
    click.echo(f"::{_token}::")
    sys.stdout.flush()
    _token = ""
