"""How much a notebook is kept from, in one word for programs and one line for people."""

from __future__ import annotations

from typing import Literal, TypeAlias

Level: TypeAlias = Literal["none", "kernel", "namespaces"]

WORDS: dict[Level, str] = {
    "none": "NOT CONFINED: the code in notebooks could read and change every file of the user who ran this",
    "kernel": "confined by Landlock and seccomp, as a trial at the start of the run showed",
    "namespaces": "confined by Landlock, seccomp and namespaces, as a trial at the start of the run showed",
}
OWN = "not confined, since this system cannot; it is your own code"
