"""The shape of a catalogue entry, and the documentation pages that entries send a reader to."""

from __future__ import annotations

import re

from grader.records import Record


class Misconception(Record, frozen=True):
    """One way in which autograd could work but does not, in words for a student. Code stands in backquotes.

    `id` is the kebab-case of `name`. `belief` is one sentence in the student's own voice, `truth` at most two about
    what autograd does instead, `page` the title of the documentation page that says so (a key of `PAGES`).
    `example` is a program that can be pasted; `prints` is the last thing it prints or, where it raises,
    `Exception: beginning of the message`; `believer_expects` is what somebody with the belief expects in its place.
    `follow_up` is a question about the reader's own program whose answer splits the belief from its neighbours.
    `before` is a note for those who learned it when it was true, else "".
    """

    id: str
    name: str
    belief: str
    truth: str
    page: str
    example: str
    prints: str
    believer_expects: str
    follow_up: str
    before: str = ""


class Family(Record, frozen=True):
    """Misconceptions that share a belief and that no input of such a program can tell apart.

    `belief` is the shared sentence in the student's voice, `follow_up` a question that splits the family from others;
    what splits the members from each other is asked by their own follow-ups. A misconception without kin is a family
    of its own, of the same id.
    """

    id: str
    belief: str
    members: tuple[str, ...]
    follow_up: str


class Topic(Record, frozen=True):
    """A chapter of the catalogue: what its entries have in common, and the entries in teaching order."""

    id: str
    title: str
    entries: tuple[Misconception, ...]


def identity(name: str) -> str:
    """The stable id of a name: `handle.remove() does nothing` -> `handle-remove-does-nothing`."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def program(*lines: str) -> str:
    """An example as it can be pasted: `import torch`, then these lines."""
    return "\n".join(("import torch", *lines))


_STABLE = "https://docs.pytorch.org/docs/stable/"
_TUTORIALS = "https://docs.pytorch.org/tutorials/"

PAGES: dict[str, str] = {
    "A Gentle Introduction to torch.autograd": _TUTORIALS + "beginner/blitz/autograd_tutorial.html",
    "Autograd mechanics": _STABLE + "notes/autograd.html",
    "Automatic differentiation package - torch.autograd": _STABLE + "autograd.html",
    "Extending PyTorch": _STABLE + "notes/extending.html",
    "Hooks for autograd saved tensors": _TUTORIALS + "intermediate/autograd_saved_tensors_hooks_tutorial.html",
    "Programming FAQ": "https://docs.python.org/3/faq/programming.html",
    "Understanding requires_grad, retain_grad, Leaf, and Non-leaf Tensors": _TUTORIALS
    + "beginner/understanding_leaf_vs_nonleaf_tutorial.html",
    "torch.Tensor.detach": _STABLE + "generated/torch.Tensor.detach.html",
    "torch.Tensor.register_hook": _STABLE + "generated/torch.Tensor.register_hook.html",
    "torch.Tensor.register_post_accumulate_grad_hook": _STABLE
    + "generated/torch.Tensor.register_post_accumulate_grad_hook.html",
    "torch.amax": _STABLE + "generated/torch.amax.html",
    "torch.autograd.backward": _STABLE + "generated/torch.autograd.backward.html",
    "torch.autograd.grad": _STABLE + "generated/torch.autograd.grad.html",
    "torch.clone": _STABLE + "generated/torch.clone.html",
    "torch.nn.Module": _STABLE + "generated/torch.nn.Module.html",
    "torch.no_grad": _STABLE + "generated/torch.no_grad.html",
    "torch.optim.Optimizer.zero_grad": _STABLE + "generated/torch.optim.Optimizer.zero_grad.html",
    "torch.utils.checkpoint": _STABLE + "checkpoint.html",
}
