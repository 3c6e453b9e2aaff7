"""What is said of a cell that did not run to its end, and of how a cell was found: second person, exact, short."""

from __future__ import annotations

from grader.records import CellReport, Execution, Limits, Match, NotRun, plain

FATAL = ("timed_out", "out_of_memory", "died")
MAX_MESSAGE = 200


def person_cell(index: int) -> str:
    """A cell as a person counts: from 1, all cells of the notebook."""
    return f"cell {index + 1}"


def cell_trouble(report: CellReport, execution: Execution, limits: Limits) -> str:
    """Why the cell that answers a question could not be run: which cell, which line, what in plain words."""
    cell = f"your {person_cell(report.index)}"
    if report.outcome == "raised":
        return f"{cell} {_raised(report)}{_earlier_trouble(report, execution)}"
    if report.outcome == "not_reached":
        return f"{cell} was not reached: {_what_ended_it(report, execution, limits)}"
    return f"{cell} {_stopped(report, limits)}"


def _raised(report: CellReport) -> str:
    if report.error is None:
        return "raised an error"
    message = plain(report.error.message)[:MAX_MESSAGE]
    line = f" in line {report.error.line}" if report.error.line is not None else ""
    return f"raised {plain(report.error.type)}{line}{': ' + message if message else ''}"


def _stopped(report: CellReport, limits: Limits) -> str:
    if report.outcome == "timed_out":
        return f"did not end within {limits.cell_seconds:g} s"
    if report.outcome == "out_of_memory":
        return f"needed more memory than the {limits.memory_mb:,} MB that are allowed"
    return "ended the Python process"


def _earlier_trouble(report: CellReport, execution: Execution) -> str:
    """A NameError is often the echo of an earlier cell that failed."""
    if report.error is None or report.error.type != "NameError":
        return ""
    failed = [each for each in execution.cells if each.index < report.index and each.outcome != "ok"]
    return f" ({person_cell(failed[-1].index)} before it failed, too)" if failed else ""


def _what_ended_it(report: CellReport, execution: Execution, limits: Limits) -> str:
    fatal = [each for each in execution.cells if each.index < report.index and each.outcome in FATAL]
    if fatal:
        return f"{person_cell(fatal[-1].index)} {_stopped(fatal[-1], limits)}"
    return f"the cells before it took the {limits.notebook_seconds:g} s that the whole notebook has"


def no_result(outcome: NotRun) -> str:
    """Why a probe has no result, as the end of "your function ..."."""
    known = {
        "timed_out": "did not come to an end",
        "out_of_memory": "needed more memory than is allowed",
        "died": "ended the Python process",
        "skipped": "was not tried again after it hung",
        "no_subject": "was not there to be called",
    }
    return f"{known[outcome.cause]} ({plain(outcome.reason)})" if outcome.reason else known[outcome.cause]


def how_matched(match: Match) -> str:
    """How the cell was found, where that is unusual; "" where it is not."""
    usual = {"cell id": "", "none": ""}
    how = usual.get(match.how, f"found by its {match.how}")
    return "; ".join(each for each in (how, match.note) if each)
