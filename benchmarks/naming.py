"""How often the right belief is named, and how often a wrong one, on recorded and on random wrong answers.

    .venv/bin/python benchmarks/naming.py

Recorded answers and their causes: tests/judging/hook-programs.jsonl. A slip is one number of the truth written down
wrongly (next to it, sign, a zero, twice, half, ten more); noise is numbers that mean nothing.
"""

from __future__ import annotations

import random
import statistics
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from recorded_answers import ROWS, Recorded, diagnosed, noise, recorded, repeats_a_world, slips


def main() -> None:
    answers = list(recorded())
    worlds = [each for each in answers if each.made_by == "simulation"]
    named = sum(each.planted in each.diagnosis().misconceptions for each in worlds)
    print(f"a world's own answer: the planted belief is among those named in {share(named, len(worlds))}")
    sizes = [len(each.diagnosis().beliefs) for each in worlds if each.diagnosis().beliefs]
    print(f"    families named: median {statistics.median(sizes)}, one alone in {share(sizes.count(1), len(sizes))}")
    others = [each for each in answers if each.made_by != "simulation"]
    alone = [each for each in others if not repeats_a_world(each)]
    silent, silent_alone = (sum(not each.diagnosis().misconceptions for each in some) for some in (others, alone))
    print(f"an answer whose cause has no world: left unnamed in {share(silent, len(others))}")
    print(f"    without those that are also a world's own answer: in {share(silent_alone, len(alone))}")
    for kind, make in (("slips", slips), ("noise", noise)):
        found = random_answers(answers, make)
        wrongly = sum(found.values()) - found["none"] - found["fact"]
        print(f"random {kind}: a belief is named in {share(wrongly, sum(found.values()))}")


def random_answers(
    answers: list[Recorded], make: Callable[[dict[str, Any], random.Random], dict[str, Any]]
) -> Counter[str]:
    draw = random.Random(1)
    programs = {each.program: each for each in answers if each.answer.exercise.kind == "predict"}
    kinds: Counter[str] = Counter()
    for row in ROWS:
        for _ in range(20) if row["id"] in programs else ():
            found = diagnosed(programs[row["id"]], row, make(row, draw))
            kinds.update([found.kind] if found else [])
    return kinds


def share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.1f} %)"


if __name__ == "__main__":
    main()
