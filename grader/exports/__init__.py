"""Grades as files for other programs: pure functions from records to bytes. Documented in docs/grade-format.md (the
files that every run writes) and docs/exports.md (what an LMS or a CI reads)."""

from grader.exports.csv_table import gradebook_csv
from grader.exports.formats import FORMATS
from grader.exports.json_lines import grades_jsonl
from grader.exports.seam import Exported, Format, Given, Maker, NotExportable, Roll

__all__ = [
    "FORMATS",
    "Exported",
    "Format",
    "Given",
    "Maker",
    "NotExportable",
    "Roll",
    "gradebook_csv",
    "grades_jsonl",
]
