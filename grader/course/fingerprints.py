"""Fingerprints: has a question changed since the notebook was released?

A fingerprint covers what a student sees and what decides the answer, and nothing drawn with the course's key: a clone
of the course with a key of its own recognises the notebooks that were released before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec

from grader.records import DataFile, Exercise, Program


def exercise_fingerprint(exercise: Exercise) -> str:
    """16 hexadecimal digits over id, kind, prompt, program, arguments, answers, options, stub, probes, public cases.

    Points, tolerance, the reference's text, hidden and drawn cases are not in it: they may be mended after release.
    """
    return _digest(
        [
            exercise.id,
            exercise.kind,
            exercise.prompt,
            _program(exercise.program),
            exercise.arguments,
            exercise.answers,
            exercise.options,
            exercise.stub,
            [
                [_program(probe.program), [case.arguments for case in probe.cases if case.origin == "public"]]
                for probe in exercise.probes
            ],
            # Only where there is one: other exercises keep the fingerprint that they were released with.
            *([[name for name, _ in exercise.builds_on]] if exercise.builds_on else []),
        ]
    )


def assignment_fingerprint(
    name: str, title: str, intro: str, exercises: Iterable[Exercise], files: Iterable[DataFile]
) -> str:
    """16 hexadecimal digits over the assignment's texts, its exercises' fingerprints and its files."""
    return _digest(
        [
            name,
            title,
            intro,
            [[exercise.id, exercise.fingerprint] for exercise in exercises],
            [[each.name, hashlib.sha256(each.data).hexdigest()] for each in files],
        ]
    )


def _program(program: Program | None) -> list[Any] | None:
    return None if program is None else [program.name, program.parameters, program.source]


def _digest(thing: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(thing, order="deterministic")).hexdigest()[:16]
