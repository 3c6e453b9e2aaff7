"""Misconceptions as executable worlds: `WORLDS[id]` is a context manager in which torch behaves as believed.

`READINGS["id/reading"]` is another way of carrying out a belief that leaves something open.
`ANSWER_WORLDS[id]` is the same for orders of hooks and for exceptions, where the program's numbers mean nothing.
To add one: a subclass of `World` with an `id` in the module of what it bends, and a test that works its number out.
"""

from grader.misconceptions.worlds import (  # noqa: F401 - a module enters its worlds into WORLDS
    accumulation,
    branches,
    custom_functions,
    differentiability,
    firing_orders,
    firing_times,
    hook_order,
    hook_place,
    hook_results,
    hook_times,
    identity,
    in_place,
    local_derivatives,
    loop_variables,
    module_hooks,
    multi_grad,
    post_accumulate,
    refusals,
    retained,
    saved_tensors,
    severed,
    ties,
    weights,
)
from grader.misconceptions.worlds.answers import ANSWER_WORLDS, believed_refusals
from grader.misconceptions.worlds.world import READINGS, WORLDS, World

__all__ = ["ANSWER_WORLDS", "READINGS", "WORLDS", "World", "believed_refusals"]
