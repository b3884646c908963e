"""Regular expressions that are compiled when a text first needs them.

Classes with many thousand characters take milliseconds to compile, which a process that answers one English prompt
should not spend.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache


def late(pattern: str, flags: int = 0) -> Callable[[], re.Pattern[str]]:
    """A function that gives the compiled pattern, compiled once, at its first call."""
    return cache(lambda: re.compile(pattern, flags))
