"""The record of one retrieval: the one thing that `explain`, the decision log and the tests read."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from skillcaddy.frozen import dataclass, field, replace
from skillcaddy.reasons import Reason


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened to the turn as a whole, with its reason code."""

    step: str
    reason: Reason
    subject: str = ""
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class SourceReport:
    """What one source was asked, what it found and why it stopped; times are milliseconds."""

    source: str
    query: str
    limit: int
    found: int
    refused: int
    """Rows that were no hits (malformed, without an id, or repeated)."""
    reason: Reason
    elapsed_ms: float
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """What became of one skill: where each source ranked it and the reason it was kept or dropped."""

    id: str
    name: str
    ranks: Mapping[str, int]
    fusion: float
    reason: Reason
    relevance: float | None = None
    matched: tuple[str, ...] = ()
    detail: str = ""
    shares: Mapping[str, float] = field(default_factory=dict)
    """What each source's ranking adds to `fusion`."""


@dataclass(frozen=True, kw_only=True)
class ModelCall:
    """One call of a language model by a step, with its cost in tokens (estimated where the model says none)."""

    step: str
    model: str
    tokens_in: int
    tokens_out: int
    elapsed_ms: float
    estimated: bool


@dataclass(frozen=True, kw_only=True)
class Trace:
    """The finished record of one retrieval."""

    events: tuple[Event, ...] = ()
    sources: tuple[SourceReport, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    """Best first; dropped ones keep the place they had."""
    model_calls: tuple[ModelCall, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    """Milliseconds a step took."""

    def reasons(self) -> frozenset[Reason]:
        """Every reason code that occurs anywhere in the record."""
        return frozenset(
            [e.reason for e in self.events] + [s.reason for s in self.sources] + [c.reason for c in self.candidates]
        )

    def to_json(self) -> dict[str, Any]:
        """The record as JSON-ready data; reason codes are their wire words."""
        rows = {
            "events": self.events,
            "sources": self.sources,
            "candidates": self.candidates,
            "model_calls": self.model_calls,
        }
        shown: dict[str, Any] = {name: [dict(vars(row)) for row in those] for name, those in rows.items()}
        return {**shown, "timings_ms": dict(self.timings_ms)}


class Recorder:
    """Collects a trace while the pipeline runs; the only mutable thing about a retrieval."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._sources: list[SourceReport] = []
        self._candidates: dict[str, Candidate] = {}
        self._model_calls: list[ModelCall] = []
        self._timings: dict[str, float] = {}

    def event(self, step: str, reason: Reason, *, subject: str = "", detail: str = "") -> None:
        """Note something that concerns the turn."""
        self._events.append(Event(step=step, reason=reason, subject=subject, detail=detail))

    def source(self, report: SourceReport) -> None:
        """Note how asking a source ended."""
        self._sources.append(report)

    def candidate(self, candidate: Candidate) -> None:
        """Note, or correct, what became of a skill; the last word counts."""
        self._candidates[candidate.id] = candidate

    def outcome(self, skill_id: str, reason: Reason, detail: str = "") -> None:
        """Change the reason of a candidate already noted."""
        known = self._candidates.get(skill_id)
        if known is not None:
            self._candidates[skill_id] = replace(known, reason=reason, detail=detail or known.detail)

    def judged(self, skill_id: str, relevance: float, matched: tuple[str, ...], reason: Reason) -> None:
        """Add the floor's verdict to a candidate already noted."""
        known = self._candidates.get(skill_id)
        if known is not None:
            self._candidates[skill_id] = replace(known, relevance=relevance, matched=matched, reason=reason)

    def model_call(self, call: ModelCall) -> None:
        """Note one call of a language model."""
        self._model_calls.append(call)

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Add the time spent inside to the step's total."""
        start = time.perf_counter()
        try:
            yield
        finally:
            spent = (time.perf_counter() - start) * 1000
            self._timings[step] = round(self._timings.get(step, 0.0) + spent, 3)

    def trace(self) -> Trace:
        """The record so far, frozen."""
        return Trace(
            events=tuple(self._events),
            sources=tuple(self._sources),
            candidates=tuple(self._candidates.values()),
            model_calls=tuple(self._model_calls),
            timings_ms=dict(self._timings),
        )
