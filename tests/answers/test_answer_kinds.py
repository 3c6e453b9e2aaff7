"""Answers to order, raises and choice questions."""

from __future__ import annotations

import pytest

from grader.answers import compare_answer
from grader.errors import ReferenceFault
from grader.program import capture
from grader.records import Blank, Nothing, Text, Unreadable

ORDER = capture(["zed", "why", "ex"])


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (["zed", "why", "ex"], "equal"),
        (("zed", "why", "ex"), "equal"),
        (["ex", "why", "zed"], "other_order"),
        (["zed", "why"], "too_few"),
        ([], "too_few"),
        (["zed", "why", "ex", "ex"], "too_many"),
        (["zed", "why", "foo"], "names"),
        (["zed", "zed", "ex"], "names"),
        (["Zed", "why", "ex"], "letter_case"),
        ("zed, why, ex", "not_a_list"),
        (None, "not_a_list"),
        (3, "not_a_list"),
        ({"zed", "why", "ex"}, "not_a_list"),
        (["zed", 2, "ex"], "not_a_name"),
        (["zed", ["why"], "ex"], "not_a_name"),
        (["zed ", "why", "ex"], "names"),
    ],
)
def test_order(answer: object, reason: str) -> None:
    """An order is right only as the exact list; the reason says in which way it is not."""
    result = compare_answer("order", capture(answer), ORDER)
    assert (result.right, result.reason) == (reason == "equal", reason)


def test_order_message_shows_the_place_and_not_the_key() -> None:
    """The message names the first differing place and the student's own name there, no name of the key."""
    result = compare_answer("order", capture(["zed", "foo", "bar"]), ORDER)
    assert result.message == "The first entry that is not right: you have 'foo' at [1]."
    assert "why" not in result.message + result.brief
    assert result.wrong == ((1,), (2,))


def test_empty_order() -> None:
    """When no hook fires, the key is an empty list, and only an empty list meets it."""
    assert compare_answer("order", capture([]), capture([])).right
    assert not compare_answer("order", capture(["x"]), capture([])).right
    assert not compare_answer("order", capture(None), capture([])).right


@pytest.mark.parametrize(
    ("answer", "key", "reason"),
    [
        ("RuntimeError", "RuntimeError", "equal"),
        (RuntimeError, "RuntimeError", "equal"),
        (" RuntimeError\n", "RuntimeError", "equal"),
        ("torch.OutOfMemoryError", "OutOfMemoryError", "equal"),
        ("builtins.RuntimeError", "RuntimeError", "equal"),
        ("runtimeerror", "RuntimeError", "letter_case"),
        ("ValueError", "RuntimeError", "other"),
        ("Exception", "RuntimeError", "other"),
        ("RuntimeError()", "RuntimeError", "not_a_name"),
        ("RuntimeError: grad can be", "RuntimeError", "not_a_name"),
        ("", "RuntimeError", "not_a_name"),
        (None, "RuntimeError", "none_given"),
        ("None", "RuntimeError", "not_a_name"),
        ("None", None, "not_a_name"),
        (None, None, "equal"),
        ("RuntimeError", None, "other"),
        (True, "RuntimeError", "not_a_name"),
        (["RuntimeError"], "RuntimeError", "not_a_name"),
    ],
)
def test_raises(answer: object, key: str | None, reason: str) -> None:
    """An exception is named exactly; a module in front and blanks around do not matter."""
    result = compare_answer("raises", capture(answer), Text(key) if key else Nothing())
    assert (result.right, result.reason) == (reason == "equal", reason)
    if key and reason not in ("equal", "letter_case", "not_a_name"):
        assert key not in result.message


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("nothing", "equal"),
        (" nothing ", "equal"),
        ("ones", "other"),
        ("Nothing", "not_an_option"),
        ("twos", "not_an_option"),
        (None, "not_an_option"),
        (1, "not_an_option"),
    ],
)
def test_choice(answer: object, reason: str) -> None:
    """A choice is one of the option keys; what is none of them gets them listed."""
    result = compare_answer("choice", capture(answer), Text("nothing"), ("nothing", "ones"))
    assert (result.right, result.reason) == (reason == "equal", reason)
    if reason == "not_an_option":
        assert '"nothing", "ones"' in result.message
    if reason == "other":
        assert "nothing" not in result.message


@pytest.mark.parametrize("kind", ["predict", "order", "raises", "choice"])
def test_blank_and_unreadable_of_every_kind(kind: str) -> None:
    """`...` is blank and a function is unreadable, whatever is asked."""
    key = {"predict": capture(1.0), "order": ORDER, "raises": Nothing(), "choice": Text("a")}[kind]
    assert compare_answer(kind, Blank(), key, ("a",)).reason == "blank"  # type: ignore[arg-type]
    assert compare_answer(kind, Unreadable("it is a function"), key, ("a",)).reason == "unreadable"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("order", capture([1, 2])),
        ("order", Text("x")),
        ("raises", capture(3)),
        ("choice", Text("zz")),
        ("choice", Nothing()),
    ],
)
def test_a_key_of_the_wrong_kind_is_the_graders_fault(kind: str, key: object) -> None:
    """A key that does not fit the kind of question never grades anybody."""
    with pytest.raises(ReferenceFault):
        compare_answer(kind, Text("x"), key, ("a",))  # type: ignore[arg-type]
