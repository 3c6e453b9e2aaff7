"""Each platform's names, as a pure matter: names in, students, attempts, times and groups out."""

from __future__ import annotations

import pytest

from grader.errors import UsageError
from grader.intake.lms import LAYOUTS, Download, Listing, newest, recognise_download

META = "submission_metadata.yml"


def listing(*names: str, above: tuple[str, ...] = ("submissions",), **texts: str) -> Listing:
    """Names with `/`; `texts` are contents by the first word of the name, `yml` or `txt`."""
    files = tuple(sorted(tuple(name.split("/")) for name in names))
    contents = {parts: texts[key] for parts in files for key in texts if parts[-1].endswith(key)}
    return Listing(files, above, lambda parts: contents[parts].encode() if parts in contents else None)


def read(*names: str, **more) -> Download:
    found = recognise_download(listing(*names, **more))
    assert found is not None
    return found


def students(found: Download) -> dict[str, list[tuple[str, ...]]]:
    """Student -> what they called their files; of the attempts that count."""
    return {who: sorted(each.files.values()) for each in newest(found.handed_in) for who in each.students}


def test_canvas() -> None:
    """The user id is the student; LATE is late where Canvas puts it alone; what students call files tells nothing."""
    found = read(
        "leeann_1234_56789_hw1.ipynb",
        "leeann_1234_56790_data.csv",
        "leeann_99_1_hw1.ipynb",
        "müllerjürgen_LATE_1235_56789_Übung 1-1.ipynb",
        "李小龙_LATE_77_88_作业.ipynb",
        "projectgroup7_1236_56789_123_final.ipynb",
        "latesmith_1_2_x.ipynb",
        "5_6_LATE_7_8_x.ipynb",
        "textlee_2000_text.html",
        "linklee_LATE_2001_link.html",
    )
    assert found.title == "Canvas download"
    by = {each.students[0]: each for each in found.handed_in}
    assert set(by) == {"1234", "99", "1235", "77", "1236", "1", "5", "2000", "2001"}
    assert {who for who, each in by.items() if each.facts.late} == {"1235", "77", "2001"}
    assert students(found)["1234"] == [("data.csv",), ("hw1.ipynb",)]
    assert students(found)["1236"] == [("123_final.ipynb",)]
    assert students(found)["5"] == [("LATE_7_8_x.ipynb",)]
    assert by["1234"].facts.name == "leeann"
    assert ("canvas user", "1234") in by["1234"].facts.ids
    assert ("canvas attachment hw1.ipynb", "56789") in by["1234"].facts.ids
    assert by["2000"].notes == ("In Canvas a text was typed in, no file.",)
    assert by["2001"].notes == ("In Canvas a link was handed in, no file.",)


def test_canvas_anonymous() -> None:
    """With anonymous grading the anonymous id is the student, and LATE stands in front."""
    found = read("anon_x7Kp2_56789_hw1.ipynb", "LATE_anon_ABC12_56790_hw1.ipynb", "anon_zzzzz_text.html")
    assert set(students(found)) == {"anon_x7Kp2", "anon_ABC12", "anon_zzzzz"}
    assert [each.facts.late for each in found.handed_in] == [True, False, False]
    assert {each.facts.name for each in found.handed_in} == {""}


def test_moodle_folders() -> None:
    """Old and new folders, typed text and files of one student are one; blind marking and members of no group too."""
    found = read(
        "Ann O'Lee-Smith_123_assignsubmission_file_/sub/hw1.ipynb",
        "Jürgen Müller_124_assignsubmission_file/hw1.ipynb",
        "Jürgen Müller_124_assignsubmission_onlinetext/onlinetext.html",
        "Participante_125_assignsubmission_file/a_b_c.ipynb",
        "Ann O'Lee-Smith_126_assignsubmission_onlinetext/onlinetext.html",
        "Default group_assignsubmission_file/hw1.ipynb",
    )
    assert found.title == "Moodle download"
    assert students(found) == {
        "123": [("sub", "hw1.ipynb")],
        "124": [("hw1.ipynb",), ("onlinetext.html",)],
        "125": [("a_b_c.ipynb",)],
        "126": [("onlinetext.html",)],
        "Default group": [("hw1.ipynb",)],
    }
    notes = {each.students[0]: each.notes for each in found.handed_in}
    assert notes["126"] == ("In Moodle a text was typed in, no file.",)
    assert "no number for students without a group" in notes["Default group"][0]
    assert notes["124"] == ()


def test_moodle_flat() -> None:
    """Without folders the student's own name follows the plugin's, whatever is in it."""
    found = read(
        "Ann Lee_123_assignsubmission_file_hw_1_9_assignsubmission_file_x.ipynb",
        "Ben_124_assignsubmission_onlinetext_onlinetext.html",
    )
    assert students(found) == {"123": [("hw_1_9_assignsubmission_file_x.ipynb",)], "124": [("onlinetext.html",)]}


GRADESCOPE = """
submission_1:
  :submitters:
  - :name: Ann Lee
    :sid: 00123
    :email: ann@x.edu
  :created_at: 2026-03-01 10:15:05.123456000 -05:00
  :score: 3.0
  :history:
  - :created_at: '2026-02-28T09:00:00.000000-05:00'
    :score: 1.0
  :results: {tests: [{output: "<b>x</b>"}]}
submission_2:
  :submitters:
  - {":name": Ben Ray, ":sid": '', ":email": ben@x.edu}
  - {":name": Cleo Ng, ":sid": 1e5, ":email": cleo@x.edu}
  :created_at: 2026-03-01 11:00:00 -05:00
submission_4:
  :submitters: [{":name": Dan, ":sid": 9}]
"""


def test_gradescope() -> None:
    """The metadata say whose it is: ids as text, each member of a group, earlier submissions, and who has no file."""
    names = [META, "submission_1/hw1.ipynb", "submission_2/a/hw1.ipynb", "submission_3/hw1.ipynb"]
    for files, above in (
        (names, ("assignment_9_export",)),
        ([f"assignment_9_export/{name}" for name in names], ("x",)),
    ):
        found = read(*files, above=above, yml=GRADESCOPE)
        assert found.title == "Gradescope export"
        assert students(found) == {
            "00123": [("hw1.ipynb",)],
            "ben@x.edu": [("a", "hw1.ipynb")],
            "1e5": [("a", "hw1.ipynb")],
            "submission_3": [("hw1.ipynb",)],
            "9": [],
        }
        by = {each.students[0]: each.facts for each in found.handed_in}
        assert by["00123"].submitted_at == "2026-03-01T10:15:05.123456-05:00"
        assert by["00123"].earlier == ("2026-02-28T09:00:00.000000-05:00",)
        assert (by["00123"].name, by["00123"].email) == ("Ann Lee", "ann@x.edu")
        assert by["ben@x.edu"].members == ("ben@x.edu", "1e5")
        assert len(found.ignored) == 1


@pytest.mark.parametrize(
    "text", ["", "[1, 2]", ":a: [", "submission_1: 3", "a: !!python/object:os.system x", "a: &a [*a]"]
)
def test_gradescope_metadata_that_say_nothing(text: str) -> None:
    """Broken or hostile metadata cost names, never a submission."""
    found = read(META, "submission_1/hw1.ipynb", yml=text)
    assert students(found) == {"submission_1": [("hw1.ipynb",)]}


BLACKBOARD = """Name: Ann (Annie) Lee (q_12)
Assignment: HW 1
Date Submitted: Monday, September 11, 2023 10:15:05 AM EDT
Current Grade: Needs Grading

Submission Field:
There is no student submission text data for this assignment.

Files:
\tOriginal filename: my hw.ipynb
\tFilename: HW 1_q_12_attempt_2023-09-11-10-15-05_my hw.ipynb
"""


def test_blackboard() -> None:
    """The .txt says whose it is, also where a user name has an underscore; of several attempts the newest counts."""
    start = "HW 1_q_12_attempt_2023-09-11-10-15-05"
    names = [
        f"{start}.txt",
        f"{start}_my hw.ipynb",
        "HW 1_q_12_attempt_2023-09-10-09-00-00_old.ipynb",
        "HW 1_bray_attempt_2023-09-11-11-00-00_x_attempt_2023-01-01-00-00-00_y.ipynb",
        "HW 1_cng_attempt_2023-09-11-12-00-00.txt",
    ]
    contents = {names[0]: BLACKBOARD, names[4]: "garbage"}
    found = recognise_download(
        Listing(tuple((name,) for name in names), (), lambda parts: contents.get(parts[0], "").encode())
    )
    assert found is not None
    assert found.title == "Blackboard download"
    assert students(found) == {
        "q_12": [("my hw.ipynb",)],
        "12": [("old.ipynb",)],  # without its .txt nobody can tell the underscore from the one before the name
        "bray": [("x_attempt_2023-01-01-00-00-00_y.ipynb",)],
        "cng": [],
    }
    by = {each.students[0]: each for each in found.handed_in}
    assert by["q_12"].facts.submitted_at == "2023-09-11T10:15:05"
    assert by["q_12"].facts.name == "Ann (Annie) Lee"
    assert by["q_12"].slot == "HW 1"
    assert "no file was attached" in by["cng"].notes[-1]


def test_blackboard_attempts() -> None:
    """All attempts of one student are listed, and the newest counts whole."""
    found = read(
        *(f"HW_ann_attempt_2023-09-1{day}-10-00-00_{name}.ipynb" for day, name in ((1, "b"), (3, "a"), (2, "c")))
    )
    (counts,) = newest(found.handed_in)
    assert list(counts.files.values()) == [("a.ipynb",)]
    assert counts.facts.earlier == ("the attempt of 2023-09-12 10:00:00", "the attempt of 2023-09-11 10:00:00")
    assert counts.notes[-1].startswith("It was handed in 3 times; the attempt of 2023-09-13 10:00:00 counts")


def test_brightspace() -> None:
    """Folders and flat names, times without a colon, dashes in names; the newest of several folders counts."""
    found = read(
        "39786-640693 - Aiden Rodriguez - Oct 10, 2025 1022 AM/Main.ipynb",
        "39786-640694 - Aiden Rodriguez - Oct 10, 2025 1222 PM/Main2.ipynb",
        "12345 - Anne-Marie Le-Roy - Jan 5, 2026 900 AM - hw 1 - final.ipynb",
        "7-8 - Zoë - maí 3, 2026 1159 PM/x/y.ipynb",
        "index.html",
    )
    assert found.title == "Brightspace download"
    assert students(found) == {
        "39786": [("Main2.ipynb",)],
        "12345": [("hw 1 - final.ipynb",)],
        "7": [("x", "y.ipynb")],
    }
    by = {each.students[0]: each for each in newest(found.handed_in)}
    assert by["39786"].facts.submitted_at == "2025-10-10T12:22:00"
    assert by["12345"].facts.submitted_at == "2026-01-05T09:00:00"
    assert by["7"].facts.submitted_at == ""
    assert "language" in by["7"].notes[0]
    assert by["39786"].facts.name == "Aiden Rodriguez"


def test_github_classroom() -> None:
    """The slug comes from the folder, so that dashes are no trouble; without it nothing is split."""
    names = ["hw-1-ann-lee/hw.ipynb", "hw-1-ben/sub/hw.ipynb", "hw-1-ben/README.md"]
    found = read(*names, above=("hw-1-submissions",))
    assert found.title == "GitHub Classroom clones"
    assert students(found) == {"ann-lee": [("hw.ipynb",)], "ben": [("README.md",), ("sub", "hw.ipynb")]}
    assert students(read(*(f"hw-1-submissions/{name}" for name in names))) == students(found)
    assert recognise_download(listing(*names, above=("hw-1",))) is None


def test_nbgrader_exchange() -> None:
    """The student, the assignment and the time stand in the folder's name; a later attempt counts whole."""
    found = read(
        "ann+ps 1+2026-03-01 10:15:05.123456 UTC/hw.ipynb",
        "ann+ps 1+2026-03-01 10:15:05.123456 UTC/timestamp.txt",
        "ann+ps 1+2026-03-02 10:15:05.123456 UTC+aB3_-x==/p1.ipynb",
        "ann+ps 1+2026-03-02 10:15:05.123456 UTC+aB3_-x==/p2.ipynb",
        "ann+ps 2+2026-01-01 00:00:00 UTC/hw.ipynb",
        "b.ray@x.edu+ps 1+2026-03-01 10:15:05 CET/hw.ipynb",
    )
    assert found.title == "nbgrader exchange"
    counting = {(each.students[0], each.slot): each for each in newest(found.handed_in)}
    assert sorted(counting["ann", "ps 1"].files.values()) == [("ps 1", "p1.ipynb"), ("ps 1", "p2.ipynb")]
    assert counting["ann", "ps 1"].facts.submitted_at == "2026-03-02T10:15:05.123456+00:00"
    assert set(counting) == {("ann", "ps 1"), ("ann", "ps 2"), ("b.ray@x.edu", "ps 1")}


def test_nbgrader_course() -> None:
    """`submitted/` itself, or the course around it; what lies beside it is the instructor's."""
    names = ["ann/ps1/hw.ipynb", "ann/ps1/timestamp.txt", "ann/ps2/hw.ipynb", "ben/ps1/hw.ipynb"]
    stamp = {"txt": "2026-03-01 10:15:05.1 CET"}
    whole = [
        *(f"submitted/{name}" for name in names),
        "source/ps1/hw.ipynb",
        "autograded/ann/ps1/hw.ipynb",
        "gradebook.db",
    ]
    for found in (read(*names, above=("submitted",), txt="2026-03-01 10:15:05 UTC"), read(*whole, **stamp)):
        assert found.title == "nbgrader course"
        assert {(each.students[0], each.slot) for each in newest(found.handed_in)} == {
            ("ann", "ps1"),
            ("ann", "ps2"),
            ("ben", "ps1"),
        }
    assert found.handed_in[0].facts.submitted_at == "2026-03-01T10:15:05.1+00:00"
    assert ("source", "ps1", "hw.ipynb") in found.ignored


def test_plain_is_no_download() -> None:
    """Folders and files of students are no platform's, also where some names look like one's."""
    assert recognise_download(listing("ada/hooks.ipynb", "ben/hooks.ipynb", "ben_1_2_hooks.ipynb")) is None
    assert recognise_download(listing("ada.ipynb", "hooks_2_ben.ipynb", "cleo.ipynb")) is None
    assert recognise_download(listing()) is None


def test_the_instructor_knows_better() -> None:
    """--layout holds one rule to the names or says that they do not fit; --student-id overrides all."""
    canvas = listing("leeann_1_2_x.ipynb")
    assert recognise_download(canvas, "plain") is None
    with pytest.raises(UsageError, match=r"--layout moodle: the names there are not those of such a download"):
        recognise_download(canvas, "moodle")
    for name in LAYOUTS:
        assert name.islower()
    found = recognise_download(listing("x/s12-a.ipynb", "x/s13-a.ipynb", "x/readme"), None, r"/s(?P<student>\d+)-")
    assert found is not None
    assert students(found) == {"12": [("x", "s12-a.ipynb")], "13": [("x", "s13-a.ipynb")]}
    found = recognise_download(canvas, None, r"^(\w+?)_")
    assert found is not None
    assert set(students(found)) == {"leeann"}
    for pattern, why in (("(", "is no regular expression"), ("abc", "has no group")):
        with pytest.raises(UsageError, match=why):
            recognise_download(canvas, None, pattern)
