"""Misconceptions as executable worlds: `WORLDS[id]` is a context manager in which torch behaves as believed.

To add one: a subclass of `World` with an `id` in the module of what it bends, and a test that works its number out.
"""

from grader.misconceptions.worlds import (  # noqa: F401 - a module enters its worlds into WORLDS
    accumulation,
    branches,
    custom_functions,
    differentiability,
    hook_order,
    hook_place,
    hook_results,
    hook_times,
    identity,
    in_place,
    local_derivatives,
    module_hooks,
    multi_grad,
    post_accumulate,
    retained,
    saved_tensors,
    severed,
    ties,
    weights,
)
from grader.misconceptions.worlds.world import WORLDS, World

__all__ = ["WORLDS", "World"]
