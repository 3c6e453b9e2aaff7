"""Files and folders -> submissions whose cells are matched to questions. Runs nothing, and never imports torch.

walking       what lies under the given paths; links are never followed
archives      zip and tar -> names, and bytes under caps;  unpacking: their members as if they lay in folders
naming        stored names as text; which are junk
layout        whose work something is, by where it lies
reading       the bytes of a notebook -> its code cells, or the reason why not
sources       which names a cell assigns, and whether it still is a stub
matching      which cell answers which question
recognising   which assignment a notebook is
looking       everything found, looked into;  candidates: one file of it
piling        whose each thing is
rows          one row per student and assignment;  settling: which of several files counts
discovering   the work of a class, from paths to rows;  enrolling: the same under the ids of a roster
"""

from grader.intake.discovering import collect, read_one
from grader.intake.embedded import embedded_public
from grader.intake.enrolling import enrol
from grader.intake.matching import match_cells
from grader.intake.reading import BadFile, read_notebook

__all__ = ["BadFile", "collect", "embedded_public", "enrol", "match_cells", "read_notebook", "read_one"]
