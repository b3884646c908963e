"""The one clock that every step of a retrieval looks at."""

from __future__ import annotations

import time

from skillcaddy.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading


@dataclass(frozen=True, kw_only=True)
class Deadline:
    """A moment on the monotonic clock, in seconds, by which an answer must be out."""

    at: float
    cancelled: threading.Event | None = None
    """Set by whoever asked, once the answer is no longer wanted: the deadline has then passed."""

    @classmethod
    def after(cls, seconds: float, cancelled: threading.Event | None = None) -> Deadline:
        """The deadline that many seconds from now."""
        return cls(at=time.monotonic() + seconds, cancelled=cancelled)

    def left(self) -> float:
        """Seconds until the deadline, never below zero."""
        return 0.0 if self.called_off() else max(0.0, self.at - time.monotonic())

    def passed(self) -> bool:
        """True once nothing may be waited for any more."""
        return self.called_off() or time.monotonic() >= self.at

    def called_off(self) -> bool:
        """True once the answer is no longer wanted."""
        return self.cancelled is not None and self.cancelled.is_set()

    def share(self, fraction: float) -> Deadline:
        """The deadline that gives away this fraction (0 to 1) of the time left."""
        return Deadline.after(self.left() * fraction, self.cancelled)
