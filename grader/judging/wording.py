"""What is said of a cell that did not run to its end, and of how a cell was found: second person, exact, short.

Why something was stopped is said in the sandbox's own words: it alone knows which limit was met.
"""

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
        return f"{cell} was not reached; {_what_came_before(report, execution, limits)}"
    return f"{cell} {_stopped(report, limits)}"


def _raised(report: CellReport) -> str:
    if report.error is None:
        return "raised an error"
    message = plain(report.error.message)[:MAX_MESSAGE]
    return f"raised {plain(report.error.type)}{_in_line(report)}{': ' + message if message else ''}"


def _in_line(report: CellReport) -> str:
    return f" in line {report.error.line}" if report.error and report.error.line is not None else ""


def _stopped(report: CellReport, limits: Limits) -> str:
    if report.outcome == "out_of_memory":
        return f"ran out of memory{_in_line(report)}; {limits.memory_mb:,} MB are allowed"
    return _clause(report.error.message if report.error else "")


def _clause(reason: str) -> str:
    """The sandbox's reason, "it did not finish within 15 s", as the end of a sentence about a cell or a function."""
    said = plain(reason)[:MAX_MESSAGE]
    if said.startswith("it "):
        return said.removeprefix("it ")
    return f"was stopped: {said}" if said else "was stopped"


def _earlier_trouble(report: CellReport, execution: Execution) -> str:
    """A NameError is often the echo of an earlier cell that failed."""
    if report.error is None or report.error.type != "NameError":
        return ""
    failed = [each for each in execution.cells if each.index < report.index and each.outcome != "ok"]
    return f" ({person_cell(failed[-1].index)} before it failed, too)" if failed else ""


def _what_came_before(report: CellReport, execution: Execution, limits: Limits) -> str:
    fatal = [each for each in execution.cells if each.index < report.index and each.outcome in FATAL]
    if fatal:
        return f"before it, {person_cell(fatal[-1].index)} {_stopped(fatal[-1], limits)}"
    return "the notebook's run ended before it"


def no_result(outcome: NotRun) -> str:
    """Why a probe has no result, as the end of "your function ..."."""
    if outcome.cause == "no_subject":
        return "was not there to be called"
    if outcome.cause in ("skipped", "not_reached"):
        return f"was not tried: {plain(outcome.reason)}" if outcome.reason else "was not tried"
    return _clause(outcome.reason)


def how_matched(match: Match) -> str:
    """How the cell was found, where that is unusual; "" where it is not."""
    usual = {"cell id": "", "none": ""}
    how = usual.get(match.how, f"found by its {match.how}")
    return "; ".join(each for each in (how, match.note) if each)
