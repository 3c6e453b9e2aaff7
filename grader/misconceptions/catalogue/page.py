"""The catalogue as one Markdown page, with an anchor for each id."""

from __future__ import annotations

from collections.abc import Sequence

from grader.misconceptions.catalogue.wording import PAGES, Family, Misconception, Topic

_OPENING = """\
<!-- Made by `python -m grader.misconceptions.catalogue > docs/misconceptions.md`: change the catalogue instead. -->

# What people believe about autograd

Wrong answers have causes. Each entry is one belief about PyTorch's autograd that is reasonable and wrong: the belief,
what happens instead, a program to paste that shows the difference, and a question that tells this belief from its
neighbours. What the programs print was printed by torch 2.13.

Feedback names a belief only if it gives exactly the numbers of an answer. Where several do, it says so and asks.
"""
_KIN = """\
<a id="families"></a>
## Beliefs of one kind

Some beliefs give the same numbers on any program of the usual shape. Feedback then names what they have in common.
"""


def page(topics: Sequence[Topic], families: Sequence[Family]) -> str:
    """Write the page: contents, one chapter per topic, the families. Same catalogue, same bytes."""
    names = {entry.id: entry.name for topic in topics for entry in topic.entries}
    kin = {member: family for family in families for member in family.members}
    chapters = [_chapter(topic, kin, names) for topic in topics]
    kinds = [_family(family, names) for family in families]
    return "\n".join([_OPENING, _contents(topics), *chapters, _KIN, *kinds, _addresses()])


def _contents(topics: Sequence[Topic]) -> str:
    lines = [f"- [{topic.title}](#{topic.id}): {len(topic.entries)}" for topic in topics]
    return "\n".join([*lines, "- [Beliefs of one kind](#families)", ""])


def _chapter(topic: Topic, kin: dict[str, Family], names: dict[str, str]) -> str:
    entries = [_entry(entry, kin.get(entry.id), names) for entry in topic.entries]
    return "\n".join([f'<a id="{topic.id}"></a>\n## {topic.title}\n', *entries])


def _entry(entry: Misconception, family: Family | None, names: dict[str, str]) -> str:
    return "\n".join(
        [
            f'<a id="{entry.id}"></a>',
            f"### {entry.name}",
            "",
            f"> {entry.belief}",
            "",
            f"{entry.truth} See [{entry.page}].",
            "",
            "```python",
            entry.example,
            "```",
            "",
            _outcomes(entry),
            "",
            f"To find out: {entry.follow_up}",
            *([] if not entry.before else ["", f"*{entry.before}*"]),
            *([] if family is None else ["", _kinship(entry, family, names)]),
            "",
        ]
    )


def _outcomes(entry: Misconception) -> str:
    verb = "raises" if entry.prints.split(":")[0].endswith("Error") else "prints"
    return f"It {verb} `{entry.prints}`; with this belief one expects `{entry.believer_expects}`."


def _kinship(entry: Misconception, family: Family, names: dict[str, str]) -> str:
    others = ", ".join(f"[{names[member]}](#{member})" for member in family.members if member != entry.id)
    return f"[Of one kind](#{family.id}) with: {others}."


def _addresses() -> str:
    return "".join(f"[{title}]: {address}\n" for title, address in sorted(PAGES.items()))


def _family(family: Family, names: dict[str, str]) -> str:
    members = [f"- [{names[member]}](#{member})" for member in family.members]
    return "\n".join(
        [
            f'<a id="{family.id}"></a>',
            f"> {family.belief}",
            "",
            *members,
            "",
            f"To find out: {family.follow_up}",
            "",
        ]
    )
