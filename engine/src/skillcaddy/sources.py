"""Asking every source at once: validation of what they answer, a circuit breaker, and a cool-down."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from skillcaddy.deadline import Deadline
from skillcaddy.fanout import Outcome, call_all
from skillcaddy.frozen import replace
from skillcaddy.reasons import Reason
from skillcaddy.skill import Hit, Skill, Trust
from skillcaddy.source import CoolDownError, Source
from skillcaddy.trace import Recorder, SourceReport

_FAILURES_BEFORE_A_BREAK = 3
_BREAK_S = 30.0


class Ranking(NamedTuple):
    """One source's validated answer to one query; ranks are positions, whatever the source claimed."""

    source: Source
    query: str
    hits: tuple[Hit, ...]


class GuardedSources:
    """The sources of one engine, each remembered with how it behaved; safe to use from many threads."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = tuple(sources)
        self._lock = threading.Lock()
        self._busy: dict[str, Callable[[], bool]] = {}
        self._failures: dict[str, int] = {}
        self._pause_until: dict[str, float] = {}

    def search(self, queries: Sequence[str], limit: int, deadline: Deadline, recorder: Recorder) -> list[Ranking]:
        """The rankings of all sources that answered in time, in the order of the sources, then of the queries."""
        asked: list[tuple[Source, str]] = []
        for source in self.sources:
            refusal = self._refusal(source.name)
            if refusal is not None:
                self._report(recorder, source, queries[0], limit, refusal)
                continue
            asked += [(source, query) for query in queries]

        def call(source: Source, query: str) -> Any:
            answer = source.search(query, limit, deadline)
            # An endless generator must be read in the thread that may be left behind.
            return list(islice(answer, limit * 4)) if isinstance(answer, Iterator) else answer

        outcomes = call_all([partial(call, source, query) for source, query in asked], deadline)
        rankings: list[Ranking] = []
        for (source, query), outcome in zip(asked, outcomes, strict=True):
            hits, refused, reason, detail = self._judge(source, outcome, limit)
            self._report(recorder, source, query, limit, reason, hits, refused, outcome.elapsed_ms, detail)
            if hits:
                rankings.append(Ranking(source=source, query=query, hits=tuple(hits)))
        return rankings

    def by_name(self) -> dict[str, Source]:
        """The sources by their names."""
        return {source.name: source for source in self.sources}

    def _refusal(self, name: str) -> Reason | None:
        with self._lock:
            busy = self._busy.get(name)
            if busy is not None:
                if busy():
                    return Reason.SOURCE_STUCK
                del self._busy[name]
            if time.monotonic() < self._pause_until.get(name, 0.0):
                return Reason.SOURCE_COOLING_DOWN
        return None

    def _judge(self, source: Source, outcome: Outcome, limit: int) -> tuple[list[Hit], int, Reason, str]:
        name = source.name
        if outcome.abandoned:
            if outcome.busy is not None:
                with self._lock:
                    self._busy[name] = outcome.busy
            return [], 0, Reason.SOURCE_ABANDONED, ""
        if outcome.error is not None:
            self._note_failure(name, outcome.error)
            # The type only: an error's text may carry a signed address or a key.
            return [], 0, Reason.SOURCE_FAILED, type(outcome.error).__name__
        with self._lock:
            self._failures.pop(name, None)
        try:
            rows = list(islice(outcome.value, limit * 4))
        except TypeError:
            return [], 0, Reason.SOURCE_NONSENSE, type(outcome.value).__name__
        hits: list[Hit] = []
        seen: set[str] = set()
        for row in rows:
            if len(hits) == limit:
                break
            if not _is_hit(row) or row.skill.identity in seen:
                continue
            seen.add(row.skill.identity)
            skill = row.skill
            if skill.trust > source.trust:
                skill = replace(skill, trust=Trust(source.trust))
            hits.append(Hit(skill=skill, rank=len(hits) + 1, score=row.score, sources=(name,)))
        refused = min(len(rows), limit) - len(hits) if rows else 0
        if rows and not hits:
            return [], len(rows), Reason.SOURCE_NONSENSE, ""
        return hits, max(0, refused), Reason.SOURCE_OK if hits else Reason.SOURCE_EMPTY, ""

    def _note_failure(self, name: str, error: BaseException) -> None:
        with self._lock:
            failures = self._failures.get(name, 0) + 1
            self._failures[name] = failures
            pause = 0.0
            if isinstance(error, CoolDownError):
                pause = error.seconds
            elif failures >= _FAILURES_BEFORE_A_BREAK:
                pause = _BREAK_S
            if pause > 0:
                self._pause_until[name] = time.monotonic() + pause

    @staticmethod
    def _report(
        recorder: Recorder,
        source: Source,
        query: str,
        limit: int,
        reason: Reason,
        hits: Sequence[Hit] = (),
        refused: int = 0,
        elapsed_ms: float = 0.0,
        detail: str = "",
    ) -> None:
        recorder.source(
            SourceReport(
                source=source.name,
                query=query,
                limit=limit,
                found=len(hits),
                refused=refused,
                reason=reason,
                elapsed_ms=elapsed_ms,
                detail=detail,
            )
        )


def _is_hit(row: object) -> bool:
    if not isinstance(row, Hit) or not isinstance(row.skill, Skill):
        return False
    skill = row.skill
    texts = (skill.id, skill.name, skill.description, skill.source, skill.origin, skill.body, skill.directory)
    return all(isinstance(text, str) for text in texts) and bool(skill.id) and isinstance(skill.trust, int)
