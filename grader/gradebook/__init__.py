"""Every grade, and all that came back from every notebook, in one SQLite file. Nothing else speaks SQL."""

from grader.gradebook.book import Gradebook

__all__ = ["Gradebook"]
