"""Writes tests/exports/golden anew: run it after a change that is meant, and look at the diff."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from test_export_formats import GOLDEN, golden, usual  # noqa: E402 - found only now

from grader.exports import FORMATS  # noqa: E402

shutil.rmtree(GOLDEN, ignore_errors=True)
for name in FORMATS:
    for file, data in golden(usual(name)).items():
        path = GOLDEN / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
