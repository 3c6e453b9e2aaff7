"""Reading values strictly and comparing them with the key. No torch, no student code, no guesses."""

from grader.answers.answer import compare_answer
from grader.answers.comparing import compare, is_mask
from grader.answers.comparison import Comparison, Reason
from grader.answers.reading import Numbers, Refusal, read_numbers

__all__ = ["Comparison", "Numbers", "Reason", "Refusal", "compare", "compare_answer", "is_mask", "read_numbers"]
