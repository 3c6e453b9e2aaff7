"""What an exception is called and what it says, where its class may be foreign: its code may lie, raise or exit."""

from __future__ import annotations

from grader.records import Raised

MAX_NAME = 200
MAX_MESSAGE = 500


def raised(error: BaseException, max_message: int = MAX_MESSAGE) -> Raised:
    """`error` as an outcome: its class's name, its message and the names of its bases, its own first."""
    kinds = type.__getattribute__(type(error), "__mro__")
    names = tuple(class_name(kind) for kind in kinds if kind is not object)
    return Raised(names[0], message_of(error, max_message), names)


def class_name(kind: type) -> str:
    """The name of a class, whatever its metaclass says; at most `MAX_NAME` characters."""
    return encodable(type.__getattribute__(kind, "__name__"), MAX_NAME)


def message_of(error: BaseException, max_characters: int = MAX_MESSAGE) -> str:
    """What `error` says, cut to `max_characters`."""
    try:
        return encodable(str(error), max_characters)
    except (Exception, SystemExit, GeneratorExit):  # noqa: BLE001 - __str__ may be foreign
        return "(its message could not be read)"


def encodable(text: str, max_characters: int | None = None) -> str:
    """The start of `text` as a plain string that can be written as UTF-8: lone surrogates become escapes."""
    # A subclass of str has no say in it.
    start = str.__getitem__(text, slice(max_characters))
    return start.encode("utf-8", "backslashreplace").decode()
