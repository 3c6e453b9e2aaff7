"""Files and folders -> submissions whose cells are matched to questions. Runs nothing, and never imports torch.

walking       what lies under the given paths; links are never followed
layout        whose work something is, by where it lies
reading       the bytes of a notebook -> its code cells, or the reason why not
sources       which names a cell assigns, and whether it still is a stub
matching      which cell answers which question
recognising   which assignment a notebook is
candidates    one file, looked into;  settling: which of several counts
discovering   the work of a class, one row per student and assignment
"""

from grader.intake.discovering import collect, read_one
from grader.intake.embedded import embedded_public
from grader.intake.matching import match_cells
from grader.intake.reading import BadFile, read_notebook

__all__ = ["BadFile", "collect", "embedded_public", "match_cells", "read_notebook", "read_one"]
