"""The port that every place skills come from implements: the local library, a catalog, a plugin of yours."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from typing import Protocol, runtime_checkable

from skillcaddy.deadline import Deadline
from skillcaddy.frozen import dataclass
from skillcaddy.reasons import Reason
from skillcaddy.skill import Hit, Skill, Trust


@dataclass(frozen=True, kw_only=True)
class Notice:
    """Something a source wants said in the trace beside its hits."""

    reason: Reason
    subject: str = ""
    detail: str = ""


class CoolDownError(Exception):
    """Raised by a source that was told to pause (HTTP 429): it is not asked again for this many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"asked to pause for {seconds:g} s")
        self.seconds = seconds


@runtime_checkable
class Source(Protocol):
    """A place skills come from.

    The pipeline calls a source in a daemon thread of its own and leaves it behind when its share of the deadline is
    over, so a source may be as slow or broken as it likes without harming the turn; it should still honour the
    deadline, since it is not asked again while it is stuck.
    """

    name: str
    """Unique, lower case, as it stands in skill ids before the colon."""
    weight: float
    """Its weight in fusion; the local library has 1.0."""
    trust: Trust
    """The highest trust a hit of this source may claim."""

    def search(self, query: str, limit: int, deadline: Deadline) -> Iterable[Hit] | Awaitable[Iterable[Hit]]:
        """At most `limit` hits, best first; may be a coroutine. Raise to report a failure."""
        ...

    def body(self, skill: Skill, deadline: Deadline) -> str | Awaitable[str]:
        """The Markdown body of a skill found by `search` that carried none; "" where it is gone."""
        ...


@runtime_checkable
class Reporting(Protocol):
    """What a source may offer besides: things to be said in the trace."""

    def notices(self) -> Iterable[Notice]:
        """What the last search wants said."""
        ...


@runtime_checkable
class Scoring(Protocol):
    """What a source may say of its scores."""

    proportional: bool
    """True where half a score means about half a match: then a turn gets nothing far below the first that fits."""


class TermStatistics(Protocol):
    """How common words are in a library; the relevance floor weighs matches by it."""

    @property
    def document_count(self) -> int:
        """Number of skills in the library."""
        ...

    def document_frequency(self, term: str) -> int:
        """Number of skills that hold an analysed term anywhere."""
        ...
