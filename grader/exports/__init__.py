"""Grades as files for other programs: pure functions from records to text. Documented in docs/grade-format.md."""

from grader.exports.csv_table import gradebook_csv
from grader.exports.json_lines import grades_jsonl

__all__ = ["gradebook_csv", "grades_jsonl"]
