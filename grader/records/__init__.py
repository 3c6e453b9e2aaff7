"""The frozen records that travel between stages: plain data, no behaviour, no torch.

    program      program text, shipped files, budgets
    values       one answer as data: a tensor is dtype, shape and bytes
    course       what an author wrote (private), its key (private), and the public half of it
    audit        what a question cannot see or tell apart
    belief       what beliefs would answer, and what an answer says
    submission   files found, notebooks read, cells matched to questions
    execution    what is sent to the sandbox, and what came back
    roster       who gets numbers of their own
    grade        verdicts, scores, remarks: what gradebook, pages and exports are made from
    showing      a value as one short line of plain text, a name in words
    points       steps of 0.01, and how they are written

Records are `msgspec.Struct`s: frozen, compared by value, decoded strictly (an unknown field, a wrong type or a
wrong tag is an error, never a guess). Points are `Decimal`s in steps of 0.01.
"""

from grader.records.audit import Audit, Finding
from grader.records.belief import Alternative, Beliefs, Diagnosis, NamedBelief, Separation
from grader.records.calendar import Calendar, Deadline, LateRule
from grader.records.course import (
    CELL_ID_PREFIX,
    Assignment,
    Case,
    Exercise,
    ExerciseKey,
    Kind,
    Mistake,
    Probe,
    PublicAssignment,
    PublicCase,
    PublicProbe,
    Question,
    Varying,
    cell_id,
)
from grader.records.decision import Adjustment, Basis, Change, Lateness
from grader.records.execution import (
    CellReport,
    CellRun,
    Execution,
    NotRun,
    Outcome,
    Output,
    ProbeReport,
    ProbeRun,
    Raised,
    Returned,
    Run,
    StudentError,
)
from grader.records.grade import (
    HELD,
    CaseShown,
    CheckLine,
    ExerciseGrade,
    Grade,
    OwnNumbers,
    Part,
    SelfCheck,
    Status,
    Verdict,
    Versions,
)
from grader.records.points import CENT, ZERO, count_points, in_cents, show_points
from grader.records.program import DataFile, Limits, Program
from grader.records.roster import PLATFORMS, Draws, Roster, Student, same_student
from grader.records.showing import human_name, plain, show, show_number, show_outcome
from grader.records.submission import (
    Cell,
    ClassWork,
    FileRemark,
    Handin,
    Match,
    MatchState,
    Missing,
    Notebook,
    Refused,
    Source,
    Submission,
    Undecided,
)
from grader.records.values import (
    Array,
    Blank,
    Items,
    Nothing,
    Number,
    Record,
    Table,
    Text,
    Unreadable,
    Value,
)

__all__ = [
    "CELL_ID_PREFIX",
    "CENT",
    "HELD",
    "PLATFORMS",
    "ZERO",
    "Adjustment",
    "Alternative",
    "Array",
    "Assignment",
    "Audit",
    "Basis",
    "Beliefs",
    "Blank",
    "Calendar",
    "Case",
    "CaseShown",
    "Cell",
    "CellReport",
    "CellRun",
    "Change",
    "CheckLine",
    "ClassWork",
    "DataFile",
    "Deadline",
    "Diagnosis",
    "Draws",
    "Execution",
    "Exercise",
    "ExerciseGrade",
    "ExerciseKey",
    "FileRemark",
    "Finding",
    "Grade",
    "Handin",
    "Items",
    "Kind",
    "LateRule",
    "Lateness",
    "Limits",
    "Match",
    "MatchState",
    "Missing",
    "Mistake",
    "NamedBelief",
    "NotRun",
    "Notebook",
    "Nothing",
    "Number",
    "Outcome",
    "Output",
    "OwnNumbers",
    "Part",
    "Probe",
    "ProbeReport",
    "ProbeRun",
    "Program",
    "PublicAssignment",
    "PublicCase",
    "PublicProbe",
    "Question",
    "Raised",
    "Record",
    "Refused",
    "Returned",
    "Roster",
    "Run",
    "SelfCheck",
    "Separation",
    "Source",
    "Status",
    "Student",
    "StudentError",
    "Submission",
    "Table",
    "Text",
    "Undecided",
    "Unreadable",
    "Value",
    "Varying",
    "Verdict",
    "Versions",
    "cell_id",
    "count_points",
    "human_name",
    "in_cents",
    "plain",
    "same_student",
    "show",
    "show_number",
    "show_outcome",
    "show_points",
]
