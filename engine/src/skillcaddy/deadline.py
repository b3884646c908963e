"""The one clock that every step of a retrieval looks at."""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the monotonic clock, in seconds, by which an answer must be out."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """The deadline that many seconds from now."""
        return cls(time.monotonic() + seconds)

    def left(self) -> float:
        """Seconds until the deadline, never below zero."""
        return max(0.0, self.at - time.monotonic())

    def passed(self) -> bool:
        """True once nothing may be waited for any more."""
        return time.monotonic() >= self.at

    def share(self, fraction: float) -> Deadline:
        """The deadline that gives away this fraction (0 to 1) of the time left."""
        return Deadline.after(self.left() * fraction)
