"""The invented class in submissions/: who handed in what, and how it went wrong. Writes it anew:

    python tests/sample_class.py

Every notebook is the released one with answers typed in, then edited as its student (or the student's tool) would.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from grader import course
from grader.judging import worker
from grader.records import ExerciseKey

ROOT = Path(__file__).resolve().parents[1]
SUBMISSIONS = ROOT / "submissions"

WEIGHTS, OBSERVING = "vectors-and-weights", "observing-hooks"
CHANGING, IMPLEMENT = "hooks-that-change-gradients", "implement-your-own"

Document = dict[str, Any]
Edit = Callable[[Document], None]


def question_of(cell: Mapping[str, Any]) -> str | None:
    question: str | None = cell["metadata"].get("autograd_grader", {}).get("question")
    return question


def cell_of(document: Document, question: str) -> dict[str, Any]:
    return next(cell for cell in document["cells"] if question_of(cell) == question)


def code(source: str, identity: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "id": identity,
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": source,
    }


class Desk:
    """The released notebooks, the model solutions, and the author's foreseen mistakes."""

    def __init__(self) -> None:
        self.starters: dict[str, Document] = {}
        self.models: dict[str, dict[str, str]] = {}
        self.mistakes: dict[str, str] = {}
        for name in (WEIGHTS, OBSERVING, CHANGING, IMPLEMENT):
            self.starters[name] = json.loads((ROOT / "assignments" / name / f"{name}.ipynb").read_text())
            assignment = course.load(ROOT / "solutions" / f"{name}.py", b"k" * 32)
            keys = [ExerciseKey(each.id, worker.solve(each)) for each in assignment.exercises]
            model = json.loads(course.solution_notebook(assignment, course.publish(assignment, keys), keys))
            self.models[name] = {q: "".join(c["source"]) for c in model["cells"] if (q := question_of(c))}
            for exercise in assignment.exercises:
                for mistake in exercise.mistakes:
                    self.mistakes[mistake.id] = mistake.source.replace(mistake.id, exercise.id)

    def notebook(self, name: str, cells: Mapping[str, str], but: bool = True) -> Document:
        """The starter with `cells` typed in; the rest right (`but`) or left as released."""
        document: Document = json.loads(json.dumps(self.starters[name]))
        for cell in document["cells"]:
            question = question_of(cell)
            cell["source"] = "".join(cell["source"])
            if question in cells:
                cell["source"] = cells[question]
            elif question and but:
                cell["source"] = self.models[name][question]
        return document


def answers(**values: str) -> str:
    return "\n".join(f"{name} = {value}" for name, value in values.items())


# --- by other means ------------------------------------------------------------------------------------------------

OTHER_WEIGHTS = {
    "vector_without_weights": "error_without_w = RuntimeError",
    "weighted_square": "import numpy as np\nsquare_grad = 2 * np.array([3, -1, -2]) * np.array([2, 5, -1])",
    "mixed_outputs": (
        "jacobian = torch.tensor([[5.0, 3.0], [1.0, 1.0]])\n"
        "grad_from_w = torch.tensor([3.0, -1.0]) @ jacobian\n"
        "grad_from_sum = tuple(jacobian.T @ torch.tensor([1.0, 3.0]))"
    ),
    "which_weights": "what_happened = ('fine', 'RuntimeError', 'TypeError', 'fine')",
    "three_backwards": answers(kept_after_all="torch.tensor([10, -12])", grad_after_all="[15, -10] # five times w"),
    "switched_on_late": (
        "x = torch.tensor([-1.0, 3.0], dtype=torch.float64)\na = 2 * x\nx.requires_grad_(True)\n"
        "(a * x**2).backward(torch.tensor([3.0, 1.0]))\nlate_grad = x.grad\nlate_grad"
    ),
    "refused_switches": "%time refused_names = ['counts on', 'squares off']",
}
OTHER_CHANGING = {
    "squaring_hook": (
        "x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)\ny = x**2\nz = x + y\n"
        "y.register_hook(lambda grad: grad**2)\nz.backward(torch.tensor([1.0, 2.0, 1.0]))\nx_grad = x.grad"
    ),
    "square_plus_one": "plus_one_grad = [(3**2 + 1) * 2 + 3, (1 + 1) * -2 + 1]",
}
OTHER_IMPLEMENT = {
    "square": "square = lambda grad: grad * grad",
    "clip_hook": (
        "def clip_hook(limit):\n    def hook(grad):\n"
        "        return torch.where(grad.abs() > limit, limit * grad.sign(), grad)\n    return hook"
    ),
    "ReverseGradient": (
        "class ReverseGradient(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(x, scale):\n        return x.clone()\n\n"
        "    @staticmethod\n    def setup_context(ctx, inputs, output):\n        ctx.scale = inputs[1]\n\n"
        "    @staticmethod\n    def backward(ctx, grad_output):\n        return grad_output.neg() * ctx.scale, None"
    ),
}

# --- what tools and students do to a notebook ----------------------------------------------------------------------


def saved_by_colab(document: Document) -> None:
    """Colab keeps neither our metadata nor the cell ids."""
    document["metadata"] = {
        "colab": {"provenance": []},
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
        "language_info": {"name": "python"},
    }
    document["nbformat_minor"] = 0
    for number, cell in enumerate(document["cells"]):
        cell.pop("id")
        cell["metadata"] = {"id": f"Xq{number:02}LkP"}
        cell["source"] = cell["source"].splitlines(keepends=True)


def delete(question: str) -> Edit:
    return lambda document: document["cells"].remove(cell_of(document, question))


def copy_of(question: str, better: str) -> Edit:
    """The cell is copied, identity and all, and the copy below it is changed."""

    def edit(document: Document) -> None:
        cell = cell_of(document, question)
        at = document["cells"].index(cell)
        document["cells"].insert(at + 1, {**cell, "source": better})

    return edit


def add_last(source: str) -> Edit:
    return lambda document: document["cells"].append(code(source, "added-at-the-end"))


LOOP = "n = 0\nwhile True:\n    n += 1\n    print('still going', n)"
HOG = "rows = [torch.ones(2**27) for _ in range(64)]\nright_formula = 'hook_first'"


def classroom(desk: Desk) -> dict[str, bytes]:
    """Path below submissions/ -> bytes."""
    files: dict[str, bytes] = {}

    def hand_in(path: str, document: Document, edit: Edit | None = None) -> None:
        if edit:
            edit(document)
        files[path] = (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()

    def mistakes(*names: str) -> dict[str, str]:
        by_question = {}
        for name in names:
            source = desk.mistakes[name]
            by_question[source.split("(")[0].split()[-1]] = source
        return by_question

    # Right, in three ways.
    for name in (WEIGHTS, OBSERVING, CHANGING, IMPLEMENT):
        hand_in(f"ada/{name}.ipynb", desk.notebook(name, {}))
    hand_in(f"bela/{WEIGHTS}.ipynb", desk.notebook(WEIGHTS, OTHER_WEIGHTS))
    hand_in(f"bela/{CHANGING}.ipynb", desk.notebook(CHANGING, OTHER_CHANGING))
    hand_in(f"bela/{IMPLEMENT}.ipynb", desk.notebook(IMPLEMENT, OTHER_IMPLEMENT))

    # Beliefs.
    hand_in(f"carl/{CHANGING}.ipynb", desk.notebook(CHANGING, {"squaring_hook": answers(x_grad="[3, 10, 7]")}))
    hand_in(
        f"quentin/{CHANGING}.ipynb",
        desk.notebook(
            CHANGING,
            {
                "squaring_hook": answers(x_grad="[5, 66, 37]"),
                "which_formula": answers(right_formula='"hook_after_slope"'),
                "square_plus_one": answers(plus_one_grad="[40, 6]"),
                "two_hooks": answers(second_hook_saw="[3, -4]", two_hooks_grad="[21, -21]"),
                "editing_in_place": answers(grad_apart="[5, 22]", grad_shared="[3, 10]"),
                "a_hook_on_the_leaf": answers(hooked_twice="[53, -51]", in_the_end="[58, -41]"),
            },
        ),
    )
    hand_in(
        f"rosa/{WEIGHTS}.ipynb",
        desk.notebook(
            WEIGHTS,
            {
                "vector_without_weights": answers(error_without_w="None"),
                "weighted_square": answers(square_grad="[6, -2, -4]"),
                "mixed_outputs": answers(grad_from_w="[12, 2]", grad_from_sum="[14, 4]"),
                "which_weights": answers(what_happened='["fine", "fine", "fine", "fine"]'),
                "three_backwards": answers(kept_after_all="[6, -8]", grad_after_all="[15, -10]"),
                "switched_on_late": answers(late_grad="[18, 54]"),
            },
        ),
    )
    hand_in(
        f"tess/{OBSERVING}.ipynb",
        desk.notebook(
            OBSERVING,
            {
                "what_a_hook_sees": answers(seen_with_ones="[1, 1, 1]", seen_with_w="[1, 1, 1]"),
                "through_a_square": answers(seen_before_square="[3, -5]", grad_before_square="[24, -20]"),
                "an_intermediate_gradient": answers(read_afterwards='"stored"'),
                "observing_hook": answers(observed_grad="[1, 2, 1]"),
                "five_tensors": answers(fired_names='["z", "b", "y", "a", "y", "x"]'),
                "second_backward": answers(leaf_saw="[2, -20]", leaf_has="[2, -20]", square_has="[4, 6]"),
            },
        ),
    )
    hand_in(
        f"sam/{IMPLEMENT}.ipynb",
        desk.notebook(
            IMPLEMENT,
            mistakes("weights_last", "square_not_returned", "by_the_norm", "DetachedGradient", "HooksOnce"),
        ),
    )
    hand_in(
        f"uma/{IMPLEMENT}.ipynb",
        desk.notebook(
            IMPLEMENT, mistakes("on_the_callers_tensor", "squared_in_place", "clipped_in_place", "ReverseBoth")
        ),
    )
    # Neither right nor any belief that we know of; and one slip of the pen.
    hand_in(
        f"walt/{CHANGING}.ipynb",
        desk.notebook(
            CHANGING,
            {
                "squaring_hook": answers(x_grad="[3, 17, 7]"),
                "square_plus_one": answers(plus_one_grad="[31, 12]"),
                "two_hooks": answers(second_hook_saw="[[4], [-3]]", two_hooks_grad="24"),
            },
        ),
    )

    # Unfinished, or edited oddly.
    hand_in(f"dora/{WEIGHTS}.ipynb", desk.notebook(WEIGHTS, {}, but=False))
    hand_in(f"emil/{OBSERVING}.ipynb", desk.notebook(OBSERVING, {}), delete("five_tensors"))
    hand_in(
        f"fay/{CHANGING}.ipynb",
        desk.notebook(CHANGING, {"squaring_hook": answers(x_grad="[9, 100, 49]")}),
        copy_of("squaring_hook", answers(x_grad="[3, 18, 7]")),
    )
    hand_in(
        f"gus/{CHANGING}.ipynb",
        desk.notebook(CHANGING, {}),
        add_last("x_grad = None\nfor hooks_ended in range(3):\n    pass"),
    )

    # Notebooks that fight back.
    hand_in(
        f"hana/{CHANGING}.ipynb",
        desk.notebook(
            CHANGING,
            {"two_hooks": "second_hook_saw = [4, -3]\ntwo_hooks_grad = torch.tensor([24, -18]) + grad_of_y"},
        ),
    )
    hand_in(f"ivan/{OBSERVING}.ipynb", desk.notebook(OBSERVING, {"observing_hook": LOOP}))
    hand_in(f"jo/{WEIGHTS}.ipynb", desk.notebook(WEIGHTS, {"three_backwards": "import os\nos._exit(0)"}))
    hand_in(f"kim/{CHANGING}.ipynb", desk.notebook(CHANGING, {"which_formula": HOG}))

    # Files that went astray.
    hand_in(f"lena/{CHANGING}.ipynb", desk.notebook(CHANGING, {}), saved_by_colab)
    hand_in("milo/Copy of homework 3 (final).ipynb", desk.notebook(CHANGING, {}))
    hand_in(f"nora/{WEIGHTS}/{WEIGHTS}.ipynb", desk.notebook(OBSERVING, {}))
    hand_in(f"olaf/{WEIGHTS}.ipynb", desk.notebook(WEIGHTS, {}))
    files[f"olaf/{WEIGHTS}.ipynb"] = b"\xef\xbb\xbf" + files[f"olaf/{WEIGHTS}.ipynb"]
    hand_in(f"pia/{WEIGHTS}.ipynb", desk.notebook(WEIGHTS, {}))
    files[f"pia/{WEIGHTS}.ipynb"] = files[f"pia/{WEIGHTS}.ipynb"][:2500]
    return files


def main() -> None:
    files = classroom(Desk())
    shutil.rmtree(SUBMISSIONS, ignore_errors=True)
    for name, data in files.items():
        path = SUBMISSIONS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    print(f"{len(files)} notebooks of {len({name.split('/')[0] for name in files})} students in {SUBMISSIONS}")


if __name__ == "__main__":
    main()
