"""What the catalogue promises to those who read it and to those who look things up in it."""

from __future__ import annotations

import keyword
import re
import subprocess
import sys

import pytest

from grader.misconceptions.catalogue import (
    CATALOGUE,
    FAMILIES,
    ON_ANSWERS,
    PAGES,
    TOPICS,
    Misconception,
    family_of,
    identity,
)

ENTRIES = list(CATALOGUE.values())
SIMULATED = """
hook return ignored | in-place edit in hook ignored | hook must edit in place | hook returning None kills the gradient
hook return added | hooks run in reverse order | later hook replaces earlier | hooks do not chain
hook returns are summed | handle.remove() does nothing | hook fires once | hook receives the value
hook acts after the local derivative | hook acts on the final x.grad | hook fires per consumer
hook must be registered before use | hooks on leaves ignored | hooks on non-leaves ignored
leaf hook sees accumulated .grad | hook follows in-place updates | hook invisible to second derivative
autograd.grad skips hooks | w is all ones | w multiplies at the end | w is normalised | J w instead of w J
vector.backward() sums implicitly | w skips the shortcut | second backward replaces
retain_grad shows the gradient before the hook | retain_grad is one more hook in line | every tensor keeps .grad
autograd.grad also fills .grad | gradients are differentiable by default | graph is never freed | detach ignored
detach cuts the tensor itself | no_grad ignored | skip connection forgotten | only the skip connection counts
first use only | last use overwrites | addition splits the gradient | clone cuts the graph | mean has gradient 1
relu has gradient 1 at 0 | product rule forgotten | constant factor dropped | power rule without exponent
in-place edits are not recorded | grad_output forgotten | post-accumulate hook receives the gradient
forward hook return ignored | module backward hook return ignored | grad_input and grad_output swapped
module backward hook changes the weights' gradient | module.forward() runs hooks
unpack hook cannot change the gradient | multi-grad hook replaces gradients | removal inside a hook acts at once
hook return is coerced | hook remembers loop variable | post-accumulate hook sees only the new gradient
backward(inputs=) ignored | unused input has gradient zero | w is broadcast | zero_grad leaves zeros
accumulation makes a new tensor | no conjugation | max: ties go to the first | clamp has gradient 0 at the bound
checkpoint runs the function once
"""
ONCE_TRUE = {
    "autograd-grad-skips-hooks": "2.0",
    "forward-hook-return-ignored": "1.2",
    "retain-grad-is-one-more-hook-in-line": "2.0",
    "retain-grad-shows-the-gradient-before-the-hook": "2.0",
    "zero-grad-leaves-zeros": "2.0",
}
INSIDERS_WORDS = "jvp|vjp|vmap|aten|dispatch|tape|opcode|edge|sink|cotangent|pullback|adjoint|Wirtinger|mutat\\w*"


def sentences(text: str) -> list[str]:
    """Split at the ends of sentences; what stands in backquotes is one word."""
    return re.findall(r"[^.?!]+[.?!]", re.sub(r"`[^`]*`", "code", text))


def completed(code: str) -> str:
    """Make a piece of code that is quoted in a sentence a whole program."""
    if keyword.iskeyword(code):
        return "pass"
    if code.startswith("."):
        return f"tensor{code}"
    if code.endswith("="):
        return f"f({code}[])"
    body = f"{code} pass" if code.endswith(":") else code
    return f"def f():\n    {body}"


@pytest.fixture(params=ENTRIES, ids=lambda entry: entry.id)
def entry(request: pytest.FixtureRequest) -> Misconception:
    found: Misconception = request.param
    return found


def test_every_known_misconception_has_its_words() -> None:
    """The 72 misconceptions that are simulated by running have an entry each, and no other entry claims to be one."""
    names = [name.strip() for name in re.split(r"[|\n]", SIMULATED) if name.strip()]
    assert len(names) == 72
    assert {identity(name) for name in names} == set(CATALOGUE) - ON_ANSWERS
    assert sorted(entry.name for entry in ENTRIES if entry.id not in ON_ANSWERS) == sorted(names)


def test_ids_are_the_names_in_kebab_case(entry: Misconception) -> None:
    """An id can be computed from the name, so it is stable and can be guessed."""
    assert entry.id == identity(entry.name)


def test_ids_are_unique() -> None:
    """No id occurs twice, among misconceptions, families and topics together: each is an anchor of one page."""
    ids = [entry.id for topic in TOPICS for entry in topic.entries]
    ids += [*FAMILIES, *(topic.id for topic in TOPICS), "families"]
    assert len(ids) == len(set(ids))


def test_the_belief_is_the_students(entry: Misconception) -> None:
    """A belief is one sentence in the first person."""
    assert re.search(r"\b(I|my|me)\b", entry.belief)
    assert len(sentences(entry.belief)) == 1


def test_the_truth_is_short(entry: Misconception) -> None:
    """What autograd does instead is told in one or two sentences."""
    assert 1 <= len(sentences(entry.truth)) <= 2


def test_the_follow_up_asks(entry: Misconception) -> None:
    """The follow-up is one question at the end of at most two sentences."""
    assert entry.follow_up.endswith("?")
    assert entry.follow_up.count("?") == 1
    assert len(sentences(entry.follow_up)) <= 2


def test_words_are_plain_lines(entry: Misconception) -> None:
    """Each text is one line of printable text with paired backquotes, fit for a page and for a terminal."""
    for text in [entry.name, entry.belief, entry.truth, entry.follow_up, entry.before]:
        assert text.isprintable()
        assert text == text.strip()
        assert "  " not in text
        assert text.count("`") % 2 == 0
        assert len(text) <= 280


def test_code_in_sentences_is_python(entry: Misconception) -> None:
    """What stands in backquotes compiles: a statement, an attribute, a line of a function, or a keyword of Python."""
    for text in [entry.belief, entry.truth, entry.follow_up]:
        for code in re.findall(r"`([^`]+)`", text):
            compile(completed(code), entry.id, "exec")


def test_no_insiders_words(entry: Misconception) -> None:
    """Words that the course has not taught do not occur outside code."""
    for text in [entry.belief, entry.truth, entry.follow_up]:
        assert not re.search(rf"\b({INSIDERS_WORDS})s?\b", re.sub(r"`[^`]*`", "", text), re.I)


def test_the_page_is_known(entry: Misconception) -> None:
    """The documentation page has an address."""
    assert entry.page in PAGES


def test_every_page_is_used() -> None:
    """No address is kept that no entry refers to."""
    assert {entry.page for entry in ENTRIES} == set(PAGES)


def test_what_was_once_true_is_said_so() -> None:
    """Beliefs that an older torch made true name its version; no other entry has such a note."""
    notes = {entry.id: entry.before for entry in ENTRIES if entry.before}
    assert notes.keys() == ONCE_TRUE.keys()
    assert all(f"before torch {version}" in notes[name] for name, version in ONCE_TRUE.items())


def test_families_are_apart() -> None:
    """A family has at least two known members, all tried in the same way, and no misconception is in two."""
    members = [member for family in FAMILIES.values() for member in family.members]
    assert len(members) == len(set(members))
    assert set(members) <= set(CATALOGUE)
    for family in FAMILIES.values():
        assert len(family.members) >= 2
        assert len({member in ON_ANSWERS for member in family.members}) == 1
        assert len(sentences(family.belief)) == 1
        assert family.follow_up.endswith("?")


def test_everybody_has_one_family(entry: Misconception) -> None:
    """A misconception without kin is a family of its own, with its own words."""
    family = family_of(entry.id)
    assert entry.id in family.members
    if family.id not in FAMILIES:
        assert family.members == (entry.id,)
        assert (family.id, family.belief, family.follow_up) == (entry.id, entry.belief, entry.follow_up)


def test_the_six_beliefs_behind_one_answer_are_two_families() -> None:
    """What six worlds give for the squaring hook is two things to say: no effect, and `w` at the end."""
    six = [
        "hook-return-ignored",
        "hook-must-edit-in-place",
        "hook-must-be-registered-before-use",
        "hooks-on-non-leaves-ignored",
        "w-multiplies-at-the-end",
        "j-w-instead-of-w-j",
    ]
    assert [family_of(member).id for member in six] == ["the-hook-has-no-effect"] * 4 + ["w-comes-at-the-end"] * 2


def test_an_unknown_id_is_an_error() -> None:
    """Asking for the family of what is not in the catalogue raises, so a misspelt id does not get words made up."""
    with pytest.raises(KeyError):
        family_of("hook-return-ignord")


def test_the_catalogue_needs_no_torch() -> None:
    """The words can be looked up in a process that must not load torch."""
    code = "import grader.misconceptions.catalogue, sys; print('torch' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
