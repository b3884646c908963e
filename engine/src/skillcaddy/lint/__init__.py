"""Skills that can't be read, can't be found, or are mistaken for others: what is wrong with each and how to mend it."""

from __future__ import annotations

from skillcaddy.lint.finding import RULES, Finding, Level, Report
from skillcaddy.lint.run import lint

__all__ = ["RULES", "Finding", "Level", "Report", "lint"]
