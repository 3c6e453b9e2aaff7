"""What is torch's own and everybody's: grad mode, default dtype, hooks for all modules. One text for all subjects."""

from __future__ import annotations

_TEXT = """
def {name}({subject}, w):
    def hooks_for_all_modules():
        module = vars(torch.nn.modules.module)
        return sum(len(module[each]) for each in module if each.startswith("_global_") and each.endswith("_hooks"))

    before = hooks_for_all_modules()
    result = {call}
    recorded = (torch.tensor(w, requires_grad=True) * 2).requires_grad
    return {{
        "result": result,
        "w, if products are recorded afterwards": torch.tensor(w) * recorded,
        "w times the bytes of a new number": torch.tensor(w) * torch.tensor(0.5).element_size(),
        "w, once more per hook left for all modules": torch.tensor(w) * (1 + hooks_for_all_modules() - before),
    }}
"""


def modes_text(name: str, subject: str, call: str) -> str:
    """The probe's text, in which `call` is how the subject is used once; it may use the list `w`."""
    return _TEXT.format(name=name, subject=subject, call=call)
