"""gradebook -> everything that is read: pages, tables, lines."""

from __future__ import annotations

from pathlib import Path

from grader import exports, files, reports
from grader.records import Grade, PublicAssignment


def render(output: Path, grades: tuple[Grade, ...], assignments: dict[str, PublicAssignment]) -> None:
    """Write everything that is a rendering of the gradebook, and take away what no longer is."""
    texts = {
        **reports.pages(grades, assignments),
        **exports.gradebook_csv(grades, assignments),
        "grades.jsonl": exports.grades_jsonl(grades),
    }
    for name, text in texts.items():
        files.write(output / name, text)
    written = {output / name for name in texts}
    files.remove(
        path
        for pattern in ("feedback/*/*.html", "feedback/*/*.md", "gradebook-*.csv")
        for path in sorted(output.glob(pattern))
        if path not in written
    )
