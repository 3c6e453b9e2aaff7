"""Pages say what they must, nothing that they must not, and are sound HTML whatever students write."""

from __future__ import annotations

import re
from decimal import Decimal
from html.parser import HTMLParser

import msgspec
import pytest
from graded_samples import (
    NAME,
    PUBLIC,
    classroom,
    could_not_run,
    everything,
    exercise,
    failing_case,
    grade_of,
    missing,
    numbers,
    part,
    perfect,
    refused,
    tensor,
    wrong_prediction,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.records import (
    CaseShown,
    Grade,
    Items,
    Nothing,
    Outcome,
    Output,
    Raised,
    Returned,
    StudentError,
    Table,
    Text,
    Unreadable,
    Versions,
)
from grader.reports import class_page, pages, student_markdown, student_page
from grader.reports.rendering import TEMPLATES, markdown, markdown_line

VOID = {"meta", "link", "br", "img", "hr", "input"}
ATTACK = (
    "</code></pre><script>alert(1)</script><img src=x onerror=alert(2)>\"' onmouseover='x `` ``` \x1b[31m\u202e{{7*7}}"
)


class Page(HTMLParser):
    """Checks that tags are balanced and collects what is in the page."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute twice in {tag}"
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> without a start"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data

    def attributes(self, name: str) -> list[str]:
        return [attrs[name] or "" for _, attrs in self.tags if name in attrs]


def sound(source: str) -> Page:
    """A page that is balanced, loads nothing, runs nothing and has one h1 and unique ids."""
    page = Page(source)
    names = [tag for tag, _ in page.tags]
    assert source.startswith("<!DOCTYPE html>")
    assert not {"script", "iframe", "object", "embed", "link", "base", "form", "img", "svg"} & set(names)
    assert names.count("h1") == 1
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on") or name in ("src", "srcset")]
    assert not re.search(r"url\(|@import|https?:", re.search(r"<style>(.*)</style>", source, re.S)[1])  # type: ignore[index]
    ids = page.attributes("id")
    assert len(ids) == len(set(ids))
    for tag, attrs in page.tags:
        if tag == "a" and (attrs["href"] or "").startswith("#"):
            assert attrs["href"][1:] in ids  # type: ignore[index]
        if "aria-labelledby" in attrs:
            assert attrs["aria-labelledby"] in ids
    assert ("html", {"lang": "en"}) in page.tags
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    assert ("meta", {"http-equiv": "Content-Security-Policy", "content": policy}) in page.tags
    return page


def hostile_grade(text: str, student: str = "eve") -> Grade:
    """The text in every field that a student, a file or an exception can fill."""
    error = StudentError(text, text, 3, text, text)
    outcome = Raised(text, text, (text,))
    parts = (
        part(text, "wrong", "0", "1", text, given=Text(text), expected=Returned(Items("list", (Text(text),)))),
        part("b", "wrong", "0", "1", text + "!", given=Unreadable(text), case=CaseShown(text, text, outcome, outcome)),
        part("c", "partly_right", "0", "1", given=Table(((text, Text(text)),))),
    )
    found = exercise(
        "squaring_hook",
        "predict",
        "wrong",
        "0",
        "2",
        text,
        parts=parts,
        source=text,
        matched=text,
        error=error,
        output=Output(text, 9),
    )
    versions = Versions(text, text, text, text, text)
    return grade_of(student, found, path=text, sha256=text, notes=(text,), versions=versions)


def test_the_page_says_what_went_wrong() -> None:
    """Title, student, score, verdicts in words, prompt, program with its call, answer, key, the line that failed."""
    text = sound(student_page(everything(), PUBLIC)).text
    for said in [
        "Hooks that change gradients",
        "mira",
        "2.5 of 10 points",
        "So far: 1 exercise is not graded yet.",
        "byte-order mark",
        "1. Squaring hook",
        "0 of 2 points",
        "What does x.grad hold after the backward pass?",
        "y.register_hook(lambda grad: grad**2)",
        "squaring_hook(w=[1.0, 2.0, 1.0])",
        "1 of 3 elements is not right: you have 10 at [1].",
        "tensor([3., 18., 7.])",
        "About your cell: found by its answer name; the cell has lost its id",
        "Not answered",
        "Your cell 9 raised AttributeError in line 3: 'Tensor' object has no attribute 'backwards'.",
        "The cell is as it was released.",
        "3  y.backwards()",
        "Traceback (most recent call last)",
        "about to go back",
        "4,321 bytes left out",
        "1 of 2 cases is right. In the case shown: x.grad: 1 of 3",
        "on_the_square(square, x=[1.0, 2.0, 3.0], w=[1.0, 2.0, 1.0])",
        "{'x.grad': tensor([3., 10., 7.])}",
        "{'x.grad': tensor([3., 18., 7.])}",
        "Not graded yet: the grader's own fault, your grade is held: the reference gave no key to compare with.",
        "autograd-grader 0.1.0 and PyTorch 2.13.0+cpu",
        "unconfined: students' code could read your files",
    ]:
        assert said in text, said


def test_the_wrong_element_is_marked() -> None:
    """In the answer, the element that differs, and only that one, is marked (and not by colour alone)."""
    source = student_page(grade_of("ada", wrong_prediction()), PUBLIC)
    assert re.findall(r"<mark[^>]*>(.*?)</mark>", source) == ["10"]
    assert "text-decoration: underline" in source


def test_markdown_says_the_same() -> None:
    """The Markdown page holds the same facts as the HTML page."""
    text = student_markdown(everything(), PUBLIC)
    for said in [
        "# Hooks that change gradients",
        "mira: **2.5 of 10 points**",
        "## 1. Squaring hook: not right (0 of 2 points)",
        "> What does `x.grad` hold",
        "squaring_hook(w=[1.0, 2.0, 1.0])",
        "- You answered: `[3, 10, 7]`",
        "- PyTorch computes: `tensor([3., 18., 7.])`",
        "3  y.backwards()",
        "- With your code: `{'x.grad': tensor([3., 10., 7.])}`",
        "It printed (4,321 bytes left out):",
        "This is no fault of yours",
        "unconfined",
    ]:
        assert said in text, said


def test_a_key_that_is_not_shown_is_nowhere() -> None:
    """Where a part has no `expected`, no page holds the key, though the public case in the assignment does."""
    hidden = msgspec.structs.replace(
        failing_case(),
        parts=tuple(
            msgspec.structs.replace(each, case=msgspec.structs.replace(each.case, expected=None), expected=None)
            for each in failing_case().parts
            if each.case is not None
        ),
    )
    made = pages([grade_of("ada", hidden)], {NAME: PUBLIC})
    assert not [name for name, text in made.items() if "18" in re.sub(r"<style>.*?</style>", "", text, flags=re.S)]


def test_a_student_sees_no_other_student() -> None:
    """A student's pages hold none of the others' names, paths or output."""
    grades = [
        grade_of(name, msgspec.structs.replace(could_not_run(), output=Output(f"canary-{name}")))
        for name in ("xanthippe", "yolanda")
    ]
    for name, text in pages(grades, {NAME: PUBLIC}).items():
        if "xanthippe" in name:
            assert "yolanda" not in text


def test_the_second_kind_of_held_names_a_person() -> None:
    """`needs_person` says that a person decides and that it costs nothing."""
    held = exercise("square", "implement", "needs_person", None, "3", "the question has changed since.")
    text = sound(student_page(grade_of("ada", held), PUBLIC)).text
    assert (
        "Not graded yet: the question has changed since. A person will decide; until then it costs you nothing." in text
    )


@pytest.mark.parametrize(
    ("grade", "said"),
    [
        (missing(), "No notebook was handed in"),
        (refused(), "The file ends in the middle"),
        (perfect(), "10 of 10 points"),
    ],
)
def test_grades_without_exercises_have_a_page(grade: Grade, said: str) -> None:
    """Missing and refused say so and show no score; an assignment that is not known any more does no harm."""
    for public in (PUBLIC, None):
        text = sound(student_page(grade, public)).text
        assert said in text
        assert said in student_markdown(grade, public)
    if grade.status != "graded":
        assert "0 of 10" not in text


def test_hostile_text_is_only_text() -> None:
    """Scripts, tags, attributes, terminal sequences, template code: in every field shown as text and nothing else."""
    grade = hostile_grade(ATTACK, student=ATTACK)
    for source in (student_page(grade, PUBLIC), student_page(grade, None), class_page([grade], {NAME: PUBLIC})):
        page = sound(source)
        assert "<script>alert(1)</script>" in page.text
        assert "{{7*7}}" in page.text
        assert "\x1b" not in source
        assert "\u202e" not in source


def test_hostile_text_cannot_leave_its_place_in_markdown() -> None:
    """With HTML on, a hostile answer makes no element that an honest one does not make."""
    from markdown_it import MarkdownIt

    github = MarkdownIt("commonmark", {"html": True}).enable("table")
    attack = f"{ATTACK}\n# heading\n- item\n[x](javascript:alert(1)) ![y](http://evil)\n````\n| a | b |\n|---|---|\n"
    tags = [
        sorted(set(re.findall(r"<(\w+)", github.render(student_markdown(hostile_grade(each), None)))))
        for each in (attack, "harmless\nlines")
    ]
    assert tags[0] == tags[1]


@settings(max_examples=15, deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=30))
def test_any_text_makes_sound_pages(text: str) -> None:
    """Whatever is in the fields, all pages of a run are balanced, script-free and valid UTF-8."""
    for name, source in pages([hostile_grade(text, student=text)], {NAME: PUBLIC}).items():
        source.encode()
        if name.endswith(".html"):
            sound(source)


def test_prompts_are_safe_markdown() -> None:
    """Emphasis, code, lists and fences; no raw HTML, no picture, no script link; headings below the card's."""
    rendered = markdown("# Top\n\n**bold** `code`\n\n- item\n\n```python\nx = 1 < 2\n```\n")
    for piece in ["<h3>Top</h3>", "<strong>bold</strong>", "<code>code</code>", "<li>item</li>", "x = 1 &lt; 2"]:
        assert piece in rendered
    hostile = markdown("<script>x</script> ![p](http://e/x.png) [a](javascript:alert(1)) <b onclick=x>\n\n<div>\n")
    assert not re.search(r"<(script|img|b|div)\b|href=.javascript", hostile)
    assert markdown_line("`[2, 4]` <i>") == "<code>[2, 4]</code> &lt;i&gt;"


def test_the_class_page_shows_what_to_teach() -> None:
    """Scores with links, verdict counts in words, points earned, commonest wrong answers, odd files."""
    grades = [*classroom(), everything("bea"), grade_of("cy", wrong_prediction())]
    addresses = {("mira", NAME): "feedback/mira/x.html"}
    source = class_page(grades, {NAME: PUBLIC}, addresses)
    page = sound(source)
    assert "feedback/mira/x.html" in page.attributes("href")
    for said in [
        "6 students, 1 assignment",
        "2.5 / 10 so far",
        "no notebook",
        "2 graded, 2 held, 1 missing, 1 refused",
        "mean 5 of 10 points",
        "1 right, 3 wrong",
        "25 %",
        "3 × x_grad [3, 10, 7]",
        "2 × on_the_square",
        "mira/hooks-that-change-gradients.ipynb: The file began with a byte-order mark",
        "theo/hooks-that-change-gradients.ipynb: The file ends in the middle",
    ]:
        assert said in page.text, said
    assert "1 right, 3 wrong" in page.attributes("aria-label")


def test_an_exercise_without_points_breaks_nothing() -> None:
    """A question worth nothing has no share of points to show."""
    free = exercise("warm_up", "predict", "right", "0", "0")
    assert "Warm up" in sound(class_page([grade_of("ada", free, max_score=Decimal(0))], {})).text


def test_pages_of_a_run() -> None:
    """Two pages per student and assignment and one of the class, in folders with safe names, links that lead there."""
    odd = msgspec.structs.replace(perfect(), student="../../Ada")
    made = pages([*classroom(), odd], {NAME: PUBLIC})
    assert list(made) == sorted(made)
    assert len(made) == 11
    assert f"feedback/mira/{NAME}.html" in made
    assert f"feedback/mira/{NAME}.md" in made
    assert not [name for name in made if ".." in name]
    links = sound(made["class.html"]).attributes("href")
    assert set(links) <= set(made)
    assert len(links) == 4
    assert made == pages([*classroom(), odd], {NAME: PUBLIC})


def test_no_grades_make_an_empty_class() -> None:
    """A run over nothing still has its class page."""
    assert "0 students" in sound(pages([], {})["class.html"]).text


def test_colours_can_be_read() -> None:
    """In light and in dark, text has a contrast of at least 4.5 to what it stands on (WCAG AA)."""
    style = (TEMPLATES / "style.css").read_text()
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in re.findall(r":root \{(.*?)\}", style, re.S)
    )
    pairs = [("ink", ground) for ground in ("paper", "card", "code")] + [("soft", "paper"), ("soft", "card")]
    tones = ["right", "partly", "wrong", "blank", "failed", "held"]
    pairs += [(tone, f"{tone}-bg") for tone in tones] + [("ink", f"{tone}-bg") for tone in tones]
    for colours in (light, dark):
        for front, ground in [*pairs, ("link", "paper"), ("link", "card")]:
            assert contrast(colours[front], colours[ground]) >= 4.5, (front, ground)


def contrast(one: str, other: str) -> float:
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_several_answers_each_have_their_say() -> None:
    """The exercise's clause as a sentence, then each answer with its verdict, points, message and values."""
    parts = (
        part("a", "right", "1", "1", "Right.", given=numbers(1), expected=Returned(numbers(1))),
        part("b", "wrong", "0", "1", "You have a single number.", given=numbers(2), expected=Returned(numbers(1, 2))),
    )
    found = exercise("two", "predict", "partly_right", "1", "2", "1 of 2 parts right; `b`: wrong shape", parts=parts)
    text = "".join(sound(student_page(grade_of("ada", found), None)).text.split())
    for said in [
        "1 of 2 parts right; b: wrong shape.",
        "a ✓ Right 1 of 1 point You answered [1] b ✗ Not right 0 of 1 point",
        "You have a single number. You answered [2] PyTorch computes [1, 2]",
    ]:
        assert said.replace(" ", "") in text


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (Raised("RuntimeError", "grad can be implicitly created"), "raised RuntimeError: grad can be implicitly"),
        (Returned(numbers(1, 2)), "no exception"),
    ],
)
def test_the_key_of_a_raising_question_is_an_exception(key: Outcome, said: str) -> None:
    """Whether something is raised is the key; what the program returns instead is not shown."""
    wrong = part("error", "wrong", "0", "1", "This is not right: you have None.", given=Nothing(), expected=key)
    found = exercise("e", "raises", "wrong", "0", "1", "not right", parts=(wrong,))
    assert f"- PyTorch computes: `{said}" in student_markdown(grade_of("ada", found), None)


def test_who_handed_in_nothing_does_not_make_questions_harder() -> None:
    """Missing and refused notebooks count in no question's verdicts, points or answers."""
    text = sound(class_page([perfect(), missing(), refused()], {NAME: PUBLIC})).text
    assert "unanswered" not in text
    assert "1 graded, 1 missing, 1 refused, mean 10 of 10 points" in text
    assert text.count("100 %") == len(PUBLIC.questions)


def test_a_large_answer_is_cut() -> None:
    """A tensor of many numbers is shown by its ends and its size."""
    wide = tensor(*range(1000))
    found = exercise(
        "a", "predict", "wrong", "0", "1", parts=(part("x", "wrong", "0", "1", given=wide, expected=Returned(wide)),)
    )
    assert "1,000 numbers" in sound(student_page(grade_of("ada", found), None)).text
