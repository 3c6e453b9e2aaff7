"""Gradescope, "Export Submissions": `submission_<id>/...` and `submission_metadata.yml`, which says whose they are."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from typing import Any

import yaml

from grader.intake.lms.download import Download, HandedIn, Listing, Parts, tops
from grader.records import Handin

METADATA = "submission_metadata.yml"
_FOLDER = re.compile(r"submission_(?P<sub>\d+)")


def recognise(listing: Listing) -> Download | None:
    """The export, if its metadata are there. Each submitter of a group has a row; earlier submissions are listed."""
    if (METADATA,) not in listing.files or not any(map(_FOLDER.fullmatch, tops(listing))):
        return None
    entries = _entries(listing.read((METADATA,)))
    by_folder: dict[str, list[Parts]] = defaultdict(list)
    for parts in listing.files:
        if len(parts) > 1 and _FOLDER.fullmatch(parts[0]):
            by_folder[parts[0]].append(parts)
    handed_in = [_handed_in(folder, entries.get(folder), files) for folder, files in sorted(by_folder.items())]
    handed_in += [_handed_in(name, entry, []) for name, entry in sorted(entries.items()) if name not in by_folder]
    return Download("Gradescope export", tuple(handed_in), frozenset({(METADATA,)}))


def _entries(data: bytes | None) -> dict[str, dict[str, Any]]:
    """Folder name -> what the metadata say; keys are Ruby symbols, which YAML reads as text with a colon."""
    try:
        document = yaml.load(data or b"", Loader=_Loader)  # noqa: S506 - a loader of plain data, with ids left as text
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return {str(name): entry for name, entry in _items(document) if isinstance(entry, dict)}


def _items(document: object) -> Iterator[tuple[Any, Any]]:
    yield from document.items() if isinstance(document, dict) else ()


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Plain data, numbers left as text: an id `00123` is no octal number, nor a float `1e5`."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag.rpartition(":")[2] in ("timestamp", "null")]
    for first, resolvers in _Loader.yaml_implicit_resolvers.items()
}


def _handed_in(folder: str, entry: dict[str, Any] | None, files: list[Parts]) -> HandedIn:
    number = folder.removeprefix("submission_")
    submitters = [each for each in (entry or {}).get(":submitters") or [] if isinstance(each, dict)]
    students = tuple(dict.fromkeys(_id(each) for each in submitters if _id(each)))
    own = {parts: parts[1:] for parts in files}
    if not students:
        note = "The export does not say whose submission this is: it has the submission's number as its id."
        facts = Handin(layout="gradescope", attempt=folder, ids=(("gradescope submission", number),))
        return HandedIn((folder,), facts, own, notes=(note,))
    history = [each for each in (entry or {}).get(":history") or [] if isinstance(each, dict)]
    earlier = tuple(sorted((when for each in history if (when := _when(each))), reverse=True))
    submitted_at = _when(entry or {})
    single = len(students) == 1
    facts = Handin(
        layout="gradescope",
        submitted_at=submitted_at,
        attempt=folder,
        earlier=earlier,
        name=str(submitters[0].get(":name") or "") if single else "",
        email=str(submitters[0].get(":email") or "") if single else "",
        members=() if single else students,
        ids=(("gradescope submission", number),),
    )
    count = f"{len(earlier) + 1} submissions; the newest counts." if earlier else ""
    return HandedIn(students, facts, own, order=(submitted_at, number.zfill(12)), notes=(count,) if count else ())


def _id(submitter: dict[str, Any]) -> str:
    return next((str(submitter[key]) for key in (":sid", ":email", ":name") if submitter.get(key)), "")


def _when(entry: dict[str, Any]) -> str:
    value = entry.get(":created_at")
    return value.isoformat() if isinstance(value, date) else str(value or "")
