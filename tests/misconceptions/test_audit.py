"""The audit on tiny exercises whose blind spots and mergers are worked out by hand."""

from __future__ import annotations

import ast
from decimal import Decimal

import msgspec

from grader.judging.slips import is_slip
from grader.misconceptions.audit import audit, separation
from grader.misconceptions.trying import outcome_in, same
from grader.records import Audit, Case, Exercise, Finding, Mistake, Probe, Program
from grader.records.course import Varying

SEED = """\
def asked(w):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x**2
    z = x + y
    y.register_hook(lambda grad: grad**2)
    z.backward(torch.tensor(w))
    return x.grad
"""
WEIGHTED = """\
def asked(w):
    x = torch.tensor([3.0, -1.0], requires_grad=True)
    (x**2).backward(torch.tensor(w))
    return x.grad
"""
OBSERVED = """\
def asked():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x**2
    y.register_hook(lambda grad: None)
    (x + y).backward(torch.tensor([3.0, -2.0]))
    return x.grad
"""


def exercise(source: str, w: list[float] | None = None) -> Exercise:
    arguments = {} if w is None else {"w": w}
    program = Program("asked", tuple(arguments), source)
    varying = tuple(Varying(name, repr(value), -3, 4, 1) for name, value in arguments.items())
    return Exercise(
        id="asked",
        kind="predict",
        line=3,
        prompt="",
        points=Decimal(1),
        credit=(Decimal(1),),
        answers=("x_grad",),
        stub="",
        fingerprint="",
        show_key=True,
        program=program,
        arguments=repr(arguments),
        varying=varying,
    )


def audited(asked: Exercise, **reasons: str) -> Audit:
    named = tuple((name.replace("_", "-"), reason) for name, reason in reasons.items())
    return audit(msgspec.structs.replace(asked, blind_to=named), is_slip)


def the(kind: str, found: Audit) -> Finding:
    (one,) = [finding for finding in found.findings if finding.kind == kind]
    return one


def open_kinds(found: Audit) -> list[str]:
    return [finding.kind for finding in found.findings if finding.open]


def test_weights_of_ones_hide_who_ignores_them() -> None:
    """With w = [1, 1] the gradient 2x is [6, -2] for who sends ones back, too; other weights tell.

    J w is right as well: J is diagonal, but then it is so for all weights, and no finding.
    """
    found = the("blind", audited(exercise(WEIGHTED, w=[1.0, 1.0])))
    assert found.ids == ("w-is-all-ones",)
    assert found.text == (
        'With w = [1.0, 1.0] nobody can see "I take `w` for a mere shape and send ones back": '
        "it gives the right answer, tensor([6., -2.])."
    )
    assert found.cure.startswith("w = [")
    assert found.open


def test_the_numbers_that_it_proposes_do_what_it_says() -> None:
    """The cure's weights, put into the program, give who sends ones back another answer than torch's."""
    cure = the("blind", audited(exercise(WEIGHTED, w=[1.0, 1.0]))).cure
    w = ast.literal_eval(cure.removeprefix("w = ").partition(" can:")[0])
    program = Program("asked", ("w",), WEIGHTED)
    believed, true = (outcome_in(ids, program, repr({"w": w})) for ids in (("w-is-all-ones",), ()))
    assert not same(believed, true)
    assert all(-3 <= number <= 4 for number in w)


def test_weights_that_sum_to_one_hide_an_average() -> None:
    """[2, -1] divided by its sum is [2, -1]; nothing else is hidden by it."""
    found = audited(exercise(WEIGHTED, w=[2.0, -1.0]))
    assert [(each.kind, each.ids) for each in found.findings] == [("blind", ("w-is-normalised",))]


def test_a_good_question_has_no_findings() -> None:
    """w = [3, 2]: torch [18, -4]; ones [6, -2], the average [3.6, -0.8], without the exponent [9, -2]: all apart."""
    found = audited(exercise(WEIGHTED, w=[3.0, 2.0]))
    assert (found.findings, found.beliefs, found.apart) == ((), 3, 3)


def test_an_average_can_look_like_a_forgotten_exponent() -> None:
    """w = [1, 1]: 2x / 2 is x, as for who forgets the exponent; [3, 2] and others tell."""
    found = the("merged", audited(exercise(WEIGHTED, w=[1.0, 1.0])))
    assert set(found.sides) == {"w-is-normalised", "power-rule-without-exponent"}
    assert found.cure.startswith("w = [")


def test_the_seed_merges_two_families_and_says_why() -> None:
    """[3, 10, 7]: g**2 leaves ones as they are; no numbers help, g**2 + 1 does."""
    found = the("merged", audited(exercise(SEED, w=[1.0, 2.0, 1.0])))
    assert found.text == (
        "With the hook `grad**2`, which leaves tensor([1., 1., 1.]) as it is, and w = [1.0, 2.0, 1.0], nobody can tell "
        '"I think the hook has no effect on what flows on" from "I think `w` is multiplied in only at the end, after '
        'the hooks and the chain rule": both give tensor([3., 10., 7.]).'
    )
    assert found.cure == (
        "Impossible with any numbers, equal by algebra. Another program can, `grad ** 2 + 1` in place of `grad**2`: "
        "tensor([3., 10., 7.]) (the-hook-has-no-effect) against tensor([5., 18., 13.]) (w-multiplies-at-the-end) "
        "against tensor([19., 26., 23.]) (j-w-instead-of-w-j)."
    )
    assert found.sides == ("the-hook-has-no-effect", "w-comes-at-the-end")


def test_a_reason_for_one_side_is_enough() -> None:
    """Of two beliefs that share a wrong answer, one may have a reason, by its own id or by its family's."""
    asked = exercise(SEED, w=[1.0, 2.0, 1.0])
    assert open_kinds(audited(asked)) == ["merged"]
    excused = audited(asked, w_comes_at_the_end="The tutorial's numbers.")
    assert open_kinds(excused) == []
    assert the("merged", excused).reason == "The tutorial's numbers."


def test_a_reason_for_a_part_of_a_family_is_not_enough() -> None:
    """The family has two members here; a reason for one leaves the other without."""
    asked = exercise(SEED, w=[1.0, 2.0, 1.0])
    assert open_kinds(audited(asked, j_w_instead_of_w_j="Only this one.")) == ["merged"]


def test_ids_that_are_none_and_reasons_that_nobody_needs_are_said() -> None:
    """A misspelt id needs somebody, with the nearest right one; a reason too many is only told."""
    asked = exercise(WEIGHTED, w=[3.0, 2.0])
    misspelt = the("unknown", audited(asked, w_is_all_one="typed wrong"))
    assert misspelt.open
    assert "did you mean w-is-all-ones" in misspelt.text
    needless = the("unneeded", audited(asked, w_is_all_ones="not so"))
    assert not needless.open
    assert "remove it" in needless.text


def test_what_a_program_does_and_its_answer_never_shows_is_no_blind_spot() -> None:
    """The hook returns None: what it sees never matters for x.grad, so no numbers could show it: nothing to do."""
    found = audited(exercise(OBSERVED))
    beyond = the("beyond", found)
    assert "hook-receives-the-value" in beyond.ids
    assert "equal by algebra" in beyond.text
    assert not beyond.open


def test_beliefs_about_what_the_program_does_not_do_are_not_mentioned() -> None:
    """No module, no custom Function, no second pass: none of the beliefs about those stands anywhere."""
    found = audited(exercise(OBSERVED))
    mentioned = {name for finding in found.findings for name in finding.ids}
    assert not mentioned & {"grad-output-forgotten", "forward-hook-return-ignored", "second-backward-replaces"}


def test_an_answer_near_the_truth_is_called_a_slip() -> None:
    """The seed's w on the branch only: [3, 17, 7] against [3, 18, 7], one number off by one."""
    found = audited(exercise(SEED, w=[1.0, 2.0, 1.0]))
    assert the("slip", found).ids == ("w-skips-the-shortcut",)
    assert found.nearest.startswith("Nearest wrong answer: tensor([3., 17., 7.]), 1 of 3 numbers off by at most 1:")


def test_numbers_in_the_text_are_changed_where_there_are_no_parameters() -> None:
    """Without parameters, the literals of `torch.tensor` are the numbers; one without a name is quoted."""
    source = (
        "def asked():\n    x = torch.tensor([2.0, -1.0], requires_grad=True)\n"
        "    (x**3).backward(torch.tensor([1.0, 1.0]))\n    return x.grad\n"
    )
    found = the("blind", audited(exercise(source)))
    assert found.text.startswith('With these numbers nobody can see "I take `w` for a mere shape')
    assert "torch.tensor([" in found.cure
    assert "in place of torch.tensor([1.0, 1.0]) can:" in found.cure


def test_it_says_the_same_twice() -> None:
    """Two audits of one exercise are equal, word by word."""
    asked = exercise(WEIGHTED, w=[1.0, 1.0])
    assert audited(asked) == audited(asked)


def test_other_arguments_split_families_that_share_an_answer() -> None:
    """w = [1, 1]: ones and the truth agree; the arguments found give truth, ones and average an answer each."""
    asked = exercise(WEIGHTED, w=[1.0, 1.0])
    found = separation(asked, ["w-is-all-ones", "w-is-normalised"])
    assert found is not None
    assert (found.source, found.changes) == (WEIGHTED, (f"w = {ast.literal_eval(found.arguments)['w']}",))
    program = Program("asked", ("w",), WEIGHTED)
    outcomes = [outcome_in(ids, program, found.arguments) for ids in ((), ("w-is-all-ones",), ("w-is-normalised",))]
    assert not any(same(one, other) for place, one in enumerate(outcomes) for other in outcomes[:place])


def test_another_hook_separates_what_no_numbers_do() -> None:
    """No weights split the seed's two families: the hook that the catalogue asks about does, and it was tried."""
    found = separation(exercise(SEED, [1.0, 2.0, 1.0]), ["hook-return-ignored", "w-multiplies-at-the-end"])
    assert found is not None
    assert found.changes == ("`grad ** 2 + 1` in place of `grad**2`",)
    assert "lambda grad: grad ** 2 + 1" in found.source


def test_nothing_separates_what_is_equal_by_algebra() -> None:
    """A hook that only looks does nothing in either world: no version parts "ignored" from "in place only"."""
    assert separation(exercise(WEIGHTED, [1.0, 2.0]), ["hook-return-ignored", "hook-return-added"]) is None


SQUARE = "def square(grad):\n    return grad**2\n"
DOUBLED = Mistake("doubled", "To square means to double.", "def doubled(grad):\n    return 2 * grad\n")
ADDED = Mistake("added", "To square is to add it to itself.", "def added(grad):\n    return grad + grad\n")


def implement(grads: list[list[float]], *mistakes: Mistake) -> Exercise:
    program = Program("called", ("hook", "grad"), "def called(hook, grad):\n    return hook(torch.tensor(grad))\n")
    cases = tuple(Case("public", repr({"grad": grad})) for grad in grads)
    drawn = Case("generated", "{'grad': [7.0]}")
    return Exercise(
        id="square",
        kind="implement",
        line=3,
        prompt="",
        points=Decimal(1),
        credit=(Decimal(1),),
        answers=("square",),
        stub="",
        fingerprint="",
        show_key=False,
        reference=SQUARE,
        probes=(Probe(program, Decimal(1), (*cases, drawn)),),
        mistakes=mistakes,
    )


def test_a_mistake_must_fail_without_the_drawn_cases() -> None:
    """2 is its own double and square; only the drawn 7 would tell, and another course draws another number."""
    found = the("blind", audited(implement([[2.0]], DOUBLED)))
    assert found.text == 'No public or hidden case fails for "To square means to double" (doubled).'
    assert found.cure.startswith("In the probe `called`, grad = [")
    assert open_kinds(audited(implement([[3.0]], DOUBLED))) == []


def test_mistakes_that_never_differ_are_mergers() -> None:
    """Doubling and adding to itself are one function: told, with no case proposed; a reason excuses it."""
    asked = implement([[3.0]], DOUBLED, ADDED)
    found = the("merged", audited(asked))
    assert found.ids == ("doubled", "added")
    assert found.cure.startswith("No small numbers in these probes tell")
    assert open_kinds(audited(asked, added="One is how beginners say it.")) == []
