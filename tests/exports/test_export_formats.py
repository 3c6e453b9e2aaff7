"""Each format is read back as its platform would: every student's points right, none invented, none lost."""

from __future__ import annotations

import csv
import io
import json
import re
from decimal import Decimal
from pathlib import Path

import export_readers as read
import export_samples as samples
import junitparser
import pytest
from export_samples import roll
from graded_samples import NAME, exercise, grade_of, missing
from hypothesis import given
from hypothesis import strategies as st

from grader.exports import FORMATS, Exported, NotExportable, Roll
from grader.records import Grade, Handin, Student, in_cents

GOLDEN = Path(__file__).parent / "golden"
DECIDED = {"ada": Decimal("8.50"), "eve": Decimal("0.00"), "fay": Decimal("8.00")}
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)  # lone surrogates, too
POINTS = st.decimals(0, 10, places=2)
WORDS = ("Teilnehmer/in", "Bewertung", "Zuletzt geändert (Bewertung)", "Feedback als Kommentar")


def made(name: str, given_roll: Roll) -> Exported:
    return FORMATS[name].make(given_roll)


def ids(column: int) -> dict[str, str]:
    """What a platform calls each student -> who that is."""
    return {row[column]: row[0] for row in samples.PEOPLE}


def usual(name: str) -> Exported:
    """The class as it is exported in a format."""
    of = {
        "canvas": {"layout": "canvas", "into": samples.CANVAS},
        "canvas-feedback": {"layout": "canvas"},
        "moodle": {"layout": "moodle", "into": samples.MOODLE, "roster": ("moodle",)},
        "moodle-feedback": {"layout": "moodle"},
        "blackboard": {"layout": "blackboard", "into": samples.BLACKBOARD, "roster": ("blackboard",)},
        "brightspace": {"into": samples.BRIGHTSPACE, "roster": ("brightspace",)},
        "ags": {"layout": "canvas", "roster": ("lti",)},
    }
    return made(name, roll(**of.get(name, {})))  # type: ignore[arg-type]


def golden(export: Exported) -> dict[str, bytes]:
    """The files of an export; of a zip, what is in it: how it is packed depends on zlib."""
    files: dict[str, bytes] = {}
    for name, data in export.files.items():
        if name.endswith(".zip"):
            inside = {each: text.decode() for each, text in read.archive(data).items()}
            files[f"{name}.json"] = json.dumps(inside, indent=1).encode() + b"\n"
        else:
            files[name.replace("/", "-")] = data
    return files | ({"printed.txt": export.printed.encode()} if export.printed else {})


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_writes_what_it_wrote(name: str) -> None:
    """The files are those in tests/exports/golden, byte for byte; `write_golden.py` renews them."""
    folder = GOLDEN / name
    assert golden(usual(name)) == {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("name", FORMATS)
def test_who_gets_what_is_told(name: str) -> None:
    """Of all formats the list of who gets what has just the decided points; the others have none and no zero."""
    told = {each.student: each.points for each in usual(name).given if each.points is not None}
    assert told == DECIDED
    assert usual(name).unmatched == ()
    assert usual(name).remarks == ()


def test_canvas_reads_the_points_back() -> None:
    """Canvas finds each decided grade under the right user and changes nothing else."""
    found = read.canvas(usual("canvas").files["canvas.csv"], 98765)
    assert {ids(2)[user]: Decimal(grade) for user, grade in found.items()} == DECIDED


def test_canvas_keeps_all_other_bytes() -> None:
    """With the filled cells emptied again, the file is the instructor's, byte for byte."""
    data = usual("canvas").files["canvas.csv"].decode()
    assert re.sub(r'"(8\.50|0\.00|8\.00)"(?=,88\.1)', '""', data) == samples.CANVAS


def test_moodle_reads_the_points_back() -> None:
    """Moodle finds each grade under the participant, with a decimal comma; comments are HTML with nothing in it."""
    found = read.moodle(usual("moodle").files["moodle.csv"], *WORDS)
    assert {ids(4)[user]: number for user, (number, _) in found.items()} == DECIDED
    assert "<p>squaring_hook (0.00 of 4.00): =cmd" in found["1327605"][1]
    assert "&lt;b&gt;" in found["1327605"][1]


def test_moodle_keeps_headings_and_times() -> None:
    """The localised header, the identifier and the time of the last grade are as downloaded."""
    before, after = (
        list(csv.reader(io.StringIO(text.lstrip("\ufeff"))))
        for text in (samples.MOODLE, usual("moodle").files["moodle.csv"].decode())
    )
    assert before[0] == after[0]
    untouched = [at for at in range(len(before[0])) if before[0][at] not in ("Bewertung", "Feedback als Kommentar")]
    assert [[row[at] for at in untouched] for row in before] == [[row[at] for at in untouched] for row in after]


def test_blackboard_and_brightspace_read_the_points_back() -> None:
    """Both find each decided grade under the right user, in the column that is there."""
    found = read.blackboard(usual("blackboard").files["blackboard.csv"], 4711)
    assert {ids(5)[user]: number for user, number in found.items()} == DECIDED
    found = read.brightspace(usual("brightspace").files["brightspace.csv"], samples.TITLE)
    assert {ids(6)[user]: number for user, number in found.items()} == DECIDED


def test_feedback_goes_to_its_student() -> None:
    """Canvas and Moodle give each page to whom it belongs; of who is held there is none unless asked."""
    pages = read.canvas_feedback(usual("canvas-feedback").files["canvas-feedback.zip"])
    assert {ids(2)[user]: page for (user, _), page in pages.items()} == {
        who: f"<p>{who}</p>".encode() for who in ("ada", "dai", "eve", "fay")
    }
    assert all(attachment == f"9{user}" for user, attachment in pages)
    asked = made("moodle-feedback", roll("moodle", held="send"))
    found = read.moodle_feedback(asked.files["moodle-feedback.zip"])
    assert {ids(4)[user] for user in found} == {"ada", "ben", "dai", "eve", "fay"}


def test_a_name_with_numbers_leads_to_nobody_else() -> None:
    """Canvas takes the first two numbers of a file's name: a name that has one does not stand before them."""
    facts = Handin("canvas", name="team_7", ids=(("canvas user", "12"), ("canvas attachment hw.ipynb", "34")))
    grade = samples.scored("12", "5", handin=facts, path="team_7_12_34_hw.ipynb")
    export = made("canvas-feedback", Roll((grade,), {}, pages={"12": b"page"}))
    assert read.canvas_feedback(export.files["canvas-feedback.zip"]) == {("12", "34"): b"page"}


def test_of_several_attachments_the_graded_one_has_the_page() -> None:
    """The page goes back under the file that was graded."""
    attachments = (("canvas attachment a.ipynb", "34"), ("canvas attachment hw.ipynb", "35"))
    facts = Handin("canvas", name="x", ids=(("canvas user", "12"), *attachments))
    grade = samples.scored("12", "5", handin=facts, path="x_12_35_hw.ipynb")
    export = made("canvas-feedback", Roll((grade,), {}, pages={"12": b"page"}))
    assert set(read.canvas_feedback(export.files["canvas-feedback.zip"])) == {("12", "35")}


def test_without_a_download_no_page_is_sent() -> None:
    """Whoever was in no download of the platform is named, and has no entry."""
    for name in ("canvas-feedback", "moodle-feedback"):
        export = made(name, roll())
        assert read.archive(export.files[f"{name}.zip"]) == {}
        assert [line.partition(":")[0] for line in export.unmatched] == ["ada", "dai", "eve", "fay"]


def test_gradescope_gets_valid_results() -> None:
    """Each decided student has a results.json by all field rules, with the score and each test's."""
    files = read.archive(usual("gradescope").files["gradescope.zip"])
    found = {name: read.gradescope(data) for name, data in files.items()}
    assert {name[8:-5]: Decimal(str(result["score"])) for name, result in found.items()} == DECIDED
    assert [test["score"] for test in found["results/ada.json"]["tests"]] == [4, 4.5]
    assert "8 h 1 min late" in found["results/fay.json"]["output"]


def test_gradescope_of_one_student() -> None:
    """`student=` gives results.json alone; of who is held none, and that is said; `without-score=zero` says why."""
    export = made("gradescope", roll(student="ada"))
    assert list(export.files) == ["results.json"]
    assert read.gradescope(export.files["results.json"])["score"] == 8.5
    export = made("gradescope", roll(student="ben"))
    assert export.files == {}
    assert export.unmatched == ("ben: held: a person must decide; there is no results.json to give",)
    for who in ("ben", "cem", "dai"):
        export = made("gradescope", roll(student=who, without_score="zero"))
        result = read.gradescope(export.files["results.json"])
        assert result["score"] == 0
        assert "This is no grade yet" in result["output"]
        assert {each.points for each in export.given} == {None}


def test_junit_is_read_by_jenkins_gitlab_and_junitparser() -> None:
    """The schema's rules hold, a widely used parser reads the same, and the points stand in the properties."""
    data = usual("junit").files["junit.xml"]
    read.junit(data)
    suites = list(junitparser.JUnitXml.fromstring(data))
    found = {}
    for suite in suites:
        values = {each.name: each.value for each in suite.properties()}
        if "score" in values:
            found[suite.name.removeprefix(f"{NAME}.")] = in_cents(Decimal(values["score"].partition("/")[0]))
    assert found == DECIDED
    by_name = {suite.name.removeprefix(f"{NAME}."): suite for suite in suites}
    assert set(by_name) == {"ada", "ben", "dai", "eve", "fay"}
    kinds = {case.name: [type(each).__name__ for each in case.result] for case in by_name["eve"]}
    assert kinds == {"squaring_hook": ["Failure"], "square": ["Failure"]}
    assert [type(each).__name__ for case in by_name["ben"] for each in case.result] == ["Skipped"]


def test_a_fault_of_ours_is_an_error_in_junit() -> None:
    """What the grader failed at is an error, not a failure, and has no points."""
    root = read.junit(made("junit", roll(grades=[samples.at_fault("gus")])).files["junit.xml"])
    assert root.attrib == {"tests": "1", "failures": "0", "errors": "1"}
    assert [each.attrib["name"] for each in root.iter("property")] == ["status"]


def test_github_takes_only_our_commands() -> None:
    """The runner reads annotations within its limits, with their texts back; nothing a student wrote is one."""
    export = usual("github")
    found = read.annotations(export.printed)
    assert [(level, each["title"]) for level, each, _ in found[:2]] == [
        ("error", "dai: refused"),
        ("error", "eve: squaring_hook"),
    ]
    assert "::set-output name=a::b red" in found[1][2]
    assert export.appended == {"GITHUB_STEP_SUMMARY": export.files["summary.md"]}


def test_github_shows_the_most_important_first_and_counts_the_rest() -> None:
    """Of 40 wrong answers nine are shown and one line counts the others; faults come before them."""
    grades = [samples.scored(f"s{number:02}", "0") for number in range(40)]
    found = read.annotations(made("github", roll(grades=[*grades, samples.at_fault("zoe")])).printed)
    errors = [each for each in found if each[0] == "error"]
    assert len(errors) == 10
    assert errors[0][1]["title"] == "zoe: square"
    assert errors[-1][2] == "32 more of these: see the summary"


def test_the_summary_fits_githubs_limit() -> None:
    """A class with more remarks than a summary takes: at most 1 MiB, valid text, and it says what is left out."""
    long = exercise("square", "implement", "wrong", "0", "10", "é" * 1_500)
    grades = [grade_of(f"s{number:04}", long) for number in range(1_000)]
    summary = made("github", roll(grades=grades)).files["summary.md"]
    assert 1_000_000 < len(summary) <= 1024 * 1024
    assert re.search(r"\n\d+ more lines are left out", summary.decode())


def test_the_summary_is_a_table_with_all_points() -> None:
    """Each student's row has the points, or why there are none; no text of a student's is markup."""
    text = usual("github").files["summary.md"].decode()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[4:10]]
    assert {row[0]: in_cents(Decimal(row[2])) for row in rows if row[2]} == DECIDED
    assert "<b>" not in text
    assert "\\@SUM" in text


def test_classroom_stores_the_points() -> None:
    """What GitHub Classroom sums up is each grade, lateness too; who is held is an error that it does not count."""
    found = {name[17:-4]: read.classroom(data) for name, data in usual("github-classroom").files.items()}
    assert {who: in_cents(stored) for who, (_, stored) in found.items() if stored is not None} == DECIDED
    assert {who: result["status"] for who, (result, _) in found.items()} == {
        "ada": "fail",
        "ben": "error",
        "dai": "error",
        "eve": "fail",
        "fay": "fail",
    }
    assert {result["max_score"] for result, stored in found.values() if stored is not None} == {10}


def test_classroom_of_one_student_is_the_steps_output() -> None:
    """`student=` also gives the line for the step's output, and a full grade passes."""
    export = made("github-classroom", roll(grades=[samples.scored("ada", "10")], student="ada"))
    (data,) = export.files.values()
    assert export.appended == {"GITHUB_OUTPUT": b"result=" + data}
    assert read.classroom(data)[0]["status"] == "pass"


def test_scores_for_the_lti_service() -> None:
    """Decided grades are FullyGraded; held ones need a person, a fault of ours is Failed; both have no number."""
    found = read.ags(usual("ags").files["ags-scores.jsonl"])
    assert {
        ids(7)[user]: in_cents(Decimal(str(each["scoreGiven"]))) for user, each in found.items() if "scoreGiven" in each
    } == DECIDED
    assert {ids(7)[user]: each["gradingProgress"] for user, each in found.items() if "scoreGiven" not in each} == {
        "ben": "PendingManual",
        "dai": "PendingManual",
    }
    assert found["sub-ada"]["timestamp"] == "2026-03-02T07:00:00.000+00:00"
    failed = made("ags", roll(grades=[samples.at_fault("ada")], roster=("lti",), timestamp="2026-03-02T07:00:00Z"))
    (message,) = read.ags(failed.files["ags-scores.jsonl"]).values()
    assert message["gradingProgress"] == "Failed"


def test_a_score_without_a_time_is_not_sent() -> None:
    """A hand-in of which nobody knows the time, or the zone, is named; nothing takes the present for it."""
    grade = samples.scored("ada", "5", handin=Handin(submitted_at="2026-03-02T08:00:00"))
    export = made("ags", roll(grades=[grade], roster=("lti",)))
    assert export.files == {"ags-scores.jsonl": b""}
    assert "nobody knows when it was handed in" in export.unmatched[0]
    with pytest.raises(NotExportable, match="timestamp=soon"):
        made("ags", roll(grades=[grade], roster=("lti",), timestamp="soon"))


def test_a_student_without_an_lti_id_is_named() -> None:
    """Who has no launch is named, and has no line."""
    export = made("ags", roll("canvas"))
    assert export.files == {"ags-scores.jsonl": b""}
    assert len(export.unmatched) == 5


def test_the_table_reads_back() -> None:
    """The generic table has a row for everybody, points for the decided, and no formula."""
    (data,) = usual("csv").files.values()
    rows = list(csv.DictReader(io.StringIO(data.decode())))
    assert {row["student_id"]: Decimal(row["score"]) for row in rows if row["score"]} == DECIDED
    assert {row["student_id"]: row["late"] for row in rows if row["late"]} == {"fay": "yes"}
    for row in rows:
        for cell in row.values():
            read.no_formula(cell)


ZEROS = [name for name, each in FORMATS.items() if "missing" in each.options]


@pytest.mark.parametrize("name", ZEROS)
def test_a_missing_hand_in_is_a_zero_only_when_asked(name: str) -> None:
    """`missing=zero` gives 0 to who handed in nothing, and to nobody else; another value is refused."""
    into = {"canvas": samples.CANVAS, "moodle": samples.MOODLE, "blackboard": samples.BLACKBOARD}
    into |= {"brightspace": samples.BRIGHTSPACE}
    platform = {"ags": "lti", "blackboard": "blackboard", "brightspace": "brightspace", "moodle": "moodle"}
    layout = name if name in ("canvas", "moodle", "blackboard") else "plain"
    more = {"timestamp": "2026-03-02T07:00:00Z"} if name == "ags" else {}
    roster = (platform.get(name, "canvas"),)
    export = made(name, roll(layout, into.get(name), roster=roster, missing="zero", **more))
    told = {each.student: each.points for each in export.given if each.points is not None}
    assert told == DECIDED | {"cem": Decimal("0.00")}
    with pytest.raises(NotExportable, match="missing=half"):
        made(name, roll(layout, into.get(name), roster=roster, missing="half", **more))


def nasty_class(students: list[str], texts: list[str], scores: list[Decimal]) -> tuple[Grade, ...]:
    """Students with any names and texts; of ten exercises' points, so many."""
    return tuple(
        grade_of(
            student,
            exercise(text or "x", "predict", "wrong" if score < 10 else "right", str(score), "10", text),
            notes=(text,),
            path=f"{student}/{text}.ipynb",
        )
        for student, text, score in zip(students, texts, scores, strict=True)
    )


CLASSES = st.lists(
    st.tuples(ANY_TEXT.filter(bool), ANY_TEXT, POINTS), min_size=1, max_size=4, unique_by=lambda row: row[0]
)


@given(CLASSES)
def test_no_text_breaks_a_file(rows: list[tuple[str, str, Decimal]]) -> None:
    """Whatever students are called and write, each strict reader reads each file, and finds just their points."""
    grades = nasty_class(*map(list, zip(*rows, strict=True)))  # type: ignore[arg-type]
    scores = sorted(score for _, _, score in rows)
    people = tuple(Student(row[0], row[1], ids=(("lti", f"sub{at}"),)) for at, row in enumerate(rows))
    whole = Roll(grades, {}, people, options={})

    def points(found: list[object]) -> list[Decimal]:
        return sorted(Decimal(str(each)) for each in found)

    root = read.junit(made("junit", whole).files["junit.xml"])
    values = [
        each.attrib["value"].partition("/")[0] for each in root.iter("property") if each.attrib["name"] == "score"
    ]
    assert points(values) == scores
    files = read.archive(made("gradescope", whole).files["gradescope.zip"])
    assert points([read.gradescope(data)["score"] for data in files.values()]) == scores
    github = made("github", whole)
    read.annotations(github.printed)
    read.clean(github.files["summary.md"].decode())
    stored = [read.classroom(data)[1] for data in made("github-classroom", whole).files.values()]
    assert points(stored) == scores  # type: ignore[arg-type]
    timed = Roll(grades, {}, people, options={"timestamp": "2026-03-02T07:00:00Z"})
    messages = read.ags(made("ags", timed).files["ags-scores.jsonl"])
    assert points([each["scoreGiven"] for each in messages.values()]) == scores


@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT, POINTS), min_size=1, max_size=5))
def test_the_gradebooks_read_back_whatever_names_are_in_them(rows: list[tuple[str, str, Decimal]]) -> None:
    """A table with any names, and feedback of any texts: each student's points come back under the id, none else."""
    grades, people, canvas, blackboard, wanted = [], [], [], [], {}
    for at, (name, text, score) in enumerate(rows):
        written = name.replace("\ud800", "").encode("utf-8", "ignore").decode()
        user = f"u{at}"
        grades += nasty_class([user], [text], [score])
        people.append(Student(user, ids=(("canvas", f"7{at}"), ("blackboard", f"b{at}"))))
        canvas.append([written, f"7{at}", "x", ""])
        blackboard.append([written, f"b{at}", "", "", ""])
        wanted[at] = score
    title = f"{NAME} (5)"
    into = _table([["Student", "ID", "Section", title], ["    Points Possible", "", "", "10"], *canvas])
    export = made("canvas", Roll(tuple(grades), {}, tuple(people), into=into))
    found = read.canvas(export.files["canvas.csv"], 5)
    assert {int(user[1:]): Decimal(grade) for user, grade in found.items()} == wanted
    assert export.unmatched == ()
    header = ["Last Name", "Username", f"{NAME} [Total Pts: 10 Score] |9", "Feedback to Learner", "Feedback Format"]
    into = b"\xef\xbb\xbf" + _table([header, *blackboard])
    export = made("blackboard", Roll(tuple(grades), {}, tuple(people), into=into))
    marks = read.blackboard(export.files["blackboard.csv"], 9)
    assert {int(user[1:]): mark for user, mark in marks.items()} == wanted


def _table(rows: list[list[str]]) -> bytes:
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue().encode()


def test_formats_of_one_assignment_refuse_several() -> None:
    """A format that holds one assignment says so when given two."""
    grades = (samples.scored("ada", "5"), samples.scored("ada", "5", assignment="other"))
    for name in (each.name for each in FORMATS.values() if each.single and not each.into):
        with pytest.raises(NotExportable, match="--assignment"):
            made(name, Roll(grades, {}))


def test_two_students_that_look_alike_have_two_suites() -> None:
    """Ids that differ in what nobody can see are told apart by a number."""
    grades = (samples.scored("ada", "5"), samples.scored("ada\u200b", "6"), missing("cem"))
    root = read.junit(made("junit", Roll(grades, {})).files["junit.xml"])
    assert [suite.attrib["name"] for suite in root] == [f"{NAME}.ada", f"{NAME}.ada (2)"]


def test_json_holds_no_character_that_moves_anything() -> None:
    """JSON is ASCII: not even what a JSON reader would allow can reach a terminal."""
    results = read.archive(usual("gradescope").files["gradescope.zip"]).values()
    for data in (*results, *usual("github-classroom").files.values(), *usual("ags").files.values()):
        assert data.isascii()
