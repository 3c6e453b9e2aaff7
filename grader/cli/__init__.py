"""The `grade` command."""

from grader.cli.app import main

__all__ = ["main"]
