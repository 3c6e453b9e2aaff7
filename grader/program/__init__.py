"""Running frozen source text: in the student's child, for the key, in a world; and turning what it gives into data."""

from grader.program.capture import capture
from grader.program.running import define, run_probe, run_program

__all__ = ["capture", "define", "run_probe", "run_program"]
