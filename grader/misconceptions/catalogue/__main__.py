"""`python -m grader.misconceptions.catalogue > docs/misconceptions.md`"""

from __future__ import annotations

import sys

from grader.misconceptions.catalogue import catalogue_page

if __name__ == "__main__":
    sys.stdout.buffer.write(catalogue_page().encode())
