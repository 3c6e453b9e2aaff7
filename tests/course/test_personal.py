"""Numbers of one's own: the same for the same student, on the author's grid, and nobody else can repeat them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product

import msgspec
import pytest

from grader.course import enrol, own_arguments, stock_line, tag, usable_draws
from grader.course.personal import MOST_LISTED, candidates, own_assignment, own_tags
from grader.records import Assignment, Draws, Exercise, Roster, Student, Varying

KEY = bytes(range(32))
OTHER = bytes(32)
LESSON = '''
@assignment.predict("x_grad", points=1)
def weighted(scale=2, w=vary([1.0, 2.0], low=-1, high=2, step=0.5), v=vary(3, low=1, high=4)):
    """What?"""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (scale * v * x).backward(torch.tensor(w))
    return x.grad


@assignment.predict("y_grad", points=1)
def plain(w=[1.0, 2.0]):
    """What?"""
    y = torch.tensor([1.0, 2.0], requires_grad=True)
    y.backward(torch.tensor(w))
    return y.grad
'''
LARGE = LESSON.replace("vary([1.0, 2.0], low=-1, high=2, step=0.5)", "vary([1.0] * 6, low=-9, high=9)")


@pytest.fixture
def assignment(lesson: Callable[[str], Assignment]) -> Assignment:
    return lesson(LESSON)


def draws_of(exercise: Exercise, *arguments: str) -> Draws:
    return Draws(exercise.id, exercise.fingerprint, exercise.varying, arguments, 9)


def choosing(*arguments: str) -> Callable[[Exercise, Sequence[str]], tuple[tuple[str, ...], int]]:
    return lambda exercise, candidates: (arguments, len(candidates))


def test_what_varies_is_data(assignment: Assignment) -> None:
    """The loaded exercise carries name, default and bounds of each `vary`; its arguments are the defaults."""
    weighted, plain = assignment.exercises
    assert weighted.varying == (Varying("w", "[1.0, 2.0]", -1, 2, 0.5), Varying("v", "3", 1, 4, 1))
    assert weighted.arguments == "{'scale': 2, 'w': [1.0, 2.0], 'v': 3}"
    assert plain.varying == ()
    assert msgspec.json.decode(msgspec.json.encode(weighted), type=Exercise) == weighted


def test_a_small_space_is_listed_whole(assignment: Assignment) -> None:
    """Every point of the grid once, but for the default; what does not vary stays."""
    found = [ast.literal_eval(each) for each in candidates(KEY, "lesson", assignment.exercises[0])]
    steps = [-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0]
    grid = {(2, a, b, v) for a, b, v in product(steps, steps, range(1, 5))} - {(2, 1.0, 2.0, 3)}
    assert Counter((each["scale"], *each["w"], each["v"]) for each in found) == Counter(grid)
    assert all(type(each["v"]) is int and type(each["w"][0]) is float for each in found)


def test_a_large_space_is_sampled(lesson: Callable[[str], Assignment]) -> None:
    """Of 19**6 * 4 points at most a thousand are looked at, all different."""
    found = list(candidates(KEY, "lesson", lesson(LARGE).exercises[0]))
    assert len(found) == len(set(found)) == MOST_LISTED


@pytest.mark.parametrize("text", [LESSON, LARGE], ids=["small", "large"])
def test_the_order_of_candidates_is_the_keys(lesson: Callable[[str], Assignment], text: str) -> None:
    """The same key gives the same list, another key another one."""
    exercise = lesson(text).exercises[0]
    assert list(candidates(KEY, "lesson", exercise)) == list(candidates(KEY, "lesson", exercise))
    assert list(candidates(KEY, "lesson", exercise))[:20] != list(candidates(OTHER, "lesson", exercise))[:20]


def test_a_students_numbers_depend_on_student_key_assignment_and_exercise(assignment: Assignment) -> None:
    """Asked again they are the same; with any of the four changed, a class gets other ones."""
    stock = draws_of(assignment.exercises[0], *(f"{{'w': {number}}}" for number in range(40)))
    names = [f"student {number}" for number in range(50)]

    def drawn(key: bytes = KEY, name: str = "lesson", draws: Draws = stock) -> list[str]:
        return [own_arguments(key, name, draws, student) for student in names]

    assert drawn() == drawn()
    assert len(set(drawn())) > 20
    renamed = msgspec.structs.replace(stock, exercise="another")
    for other in (drawn(key=OTHER), drawn(name="another"), drawn(draws=renamed)):
        assert sum(one == two for one, two in zip(drawn(), other, strict=True)) < 10


def test_numbers_are_dealt_evenly(assignment: Assignment) -> None:
    """Of 4,000 students and 4 draws each draw gets about a thousand."""
    stock = draws_of(assignment.exercises[0], "a", "b", "c", "d")
    counts = Counter(own_arguments(KEY, "lesson", stock, str(number)) for number in range(4_000))
    assert all(900 < counts[each] < 1_100 for each in "abcd")


def test_an_own_assignment_differs_in_its_numbers_alone(assignment: Assignment) -> None:
    """Fingerprints, credit and the exercise that does not vary are everybody's."""
    arguments = "{'scale': 2, 'w': [0.5, -1.0], 'v': 4}"
    roster = Roster((Student("ada"),), (draws_of(assignment.exercises[0], arguments),))
    own = own_assignment(KEY, assignment, roster, "ada")
    expected = msgspec.structs.replace(assignment.exercises[0], arguments=arguments)
    assert own == msgspec.structs.replace(assignment, exercises=(expected, assignment.exercises[1]))
    assert set(own_tags(KEY, own, usable_draws(assignment, roster), "ada")) == {"weighted"}


def test_a_tag_is_of_everything_it_says() -> None:
    """Another key, assignment, exercise, student or draw: another tag, also where the texts only meet elsewhere."""
    tags = [
        tag(KEY, "lesson", "weighted", "ada", "{}"),
        tag(OTHER, "lesson", "weighted", "ada", "{}"),
        tag(KEY, "lesso", "nweighted", "ada", "{}"),
        tag(KEY, "lesson", "weighteda", "da", "{}"),
        tag(KEY, "lesson", "weighted", "ada{}", ""),
        tag(KEY, "lesson", "weighted", "bob", "{}"),
        tag(KEY, "lesson", "weighted", "ada", "{'w': 1}"),
        tag(KEY, "lesson", 'weighted", "ada', "", "{}"),
    ]
    assert len(set(tags)) == len(tags)
    assert all(len(each) == 64 for each in tags)


def test_what_is_drawn_for_another_question_is_not_used(assignment: Assignment) -> None:
    """Draws belong to a fingerprint; draws for what no longer varies are passed over."""
    weighted, plain = assignment.exercises
    stale = msgspec.structs.replace(draws_of(weighted, "{}"), fingerprint="of old")
    assert usable_draws(assignment, Roster((), (stale, draws_of(plain, "{}")))) == {}
    assert set(usable_draws(assignment, Roster((), (draws_of(weighted, "{}"),)))) == {"weighted"}


def test_enrolling_draws_once(assignment: Assignment) -> None:
    """Kept draws stay while question and bounds do; new students join them; other bounds are drawn anew."""
    first = enrol(assignment, None, [Student("ada")], KEY, choosing("{'w': 1}"))
    assert first
    assert [(each.exercise, each.arguments, each.tried) for each in first.draws] == [("weighted", ("{'w': 1}",), 195)]
    again = enrol(assignment, first, [Student("ada"), Student("bob")], KEY, choosing("{'w': 2}"))
    assert again
    assert again.draws == first.draws
    assert [student.id for student in again.students] == ["ada", "bob"]
    assert enrol(assignment, first, None, KEY, choosing("{'w': 2}")) == first
    wider = msgspec.structs.replace(first.draws[0], varying=(Varying("w", "[1.0, 2.0]", -1, 1, 0.5),))
    redrawn = enrol(assignment, Roster(first.students, (wider,)), None, KEY, choosing("{'w': 2}"))
    assert redrawn
    assert redrawn.draws[0].arguments == ("{'w': 2}",)


def test_nobody_is_enrolled_without_being_asked_for(assignment: Assignment) -> None:
    """No roster given or kept: one notebook for all; no `vary`: the same, with any roster."""
    assert enrol(assignment, None, None, KEY, choosing("{}")) is None
    fixed = msgspec.structs.replace(assignment, exercises=assignment.exercises[1:])
    assert enrol(fixed, None, [Student("ada")], KEY, choosing("{}")) is None


def test_the_stock_is_told_in_one_line(assignment: Assignment) -> None:
    """How many remain, of how many; a single one is said plainly."""
    exercise = assignment.exercises[0]
    assert stock_line("lesson", draws_of(exercise, "a", "b")) == "lesson: weighted: 2 sets of numbers, chosen among 9"
    assert "everybody has the same numbers" in stock_line("lesson", draws_of(exercise, "a"))
