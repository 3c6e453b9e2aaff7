"""The start of the warm process: namespaces first, while there is one thread and nothing loaded; then all libraries.

python -P -s -m grader.sandbox.entering DESCRIPTOR ROOT [thorough] [confined] [namespaces]
"""

from __future__ import annotations

import sys
from pathlib import Path

from grader.sandbox.confinement import namespaces


def main(descriptor: int, root: Path, words: list[str]) -> None:
    """Never comes back as the process that it was, if namespaces are asked for and can be had."""
    inside = "namespaces" in words and namespaces.possible()
    if inside:
        namespaces.enter()
    from grader.sandbox import warm

    warm.main(descriptor, root, "thorough" in words, "confined" in words, inside)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
