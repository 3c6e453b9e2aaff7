"""autograd-grader: grades notebooks about PyTorch autograd and names the belief behind a wrong answer.

This module imports nothing on purpose: it runs first in every process of the grader, also in the one
that student code is forked from, which must not hold a reference answer.
"""

__version__ = "0.1.0"
