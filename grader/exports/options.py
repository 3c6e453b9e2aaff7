"""What `--set NAME=VALUE` asks of a format, and what several formats ask alike."""

from __future__ import annotations

from grader.exports.seam import NotExportable, Roll

MISSING = {"missing": "zero: who handed in nothing gets 0 points; else they get nothing"}
NAMES = {"names": "yes: who is found by no id is found by a name that only one student and one row have"}
SCALE = {"scale": "yes: points are converted to the maximum that the column has there"}
ENCODING = {"encoding": "CODE: of the file, where it is not UTF-8, such as cp1252"}
COLUMN = {"assignment-column": "HEADING: the column to fill in; the id in it will do"}
FILLED_IN = {**COLUMN, **MISSING, **NAMES, **SCALE, **ENCODING}


def chosen(roll: Roll, name: str, *values: str) -> str:
    """The value of an option, one of `values`; "" if it is not given.

    Raises: `NotExportable` for another one.
    """
    given = roll.options.get(name, "")
    if given and given not in values:
        raise NotExportable(f"{name}={given}: can only be {' or '.join(values)}; leave it out for the usual")
    return given


def asked(roll: Roll, name: str) -> bool:
    """Whether an option that can only be `yes` is given."""
    return chosen(roll, name, "yes") == "yes"
