"""Why a query gets what it gets: everything a retrieval decided, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from skillcaddy.library.analyze import query_terms, terms
from skillcaddy.library.spoken import spoken
from skillcaddy.reasons import SENTENCES, Reason
from skillcaddy.relevance import FLOOR
from skillcaddy.trace import Candidate, Event, ModelCall, SourceReport

if TYPE_CHECKING:
    from skillcaddy.engine import Engine
    from skillcaddy.request import Request
    from skillcaddy.settings import Settings
    from skillcaddy.skill import Retrieval
    from skillcaddy.source import TermStatistics

_ANSWERED = frozenset({Reason.SOURCE_OK, Reason.SOURCE_EMPTY})
_NOT_SEARCHED = frozenset({Reason.ROOT_MISSING, Reason.SKILL_SHADOWED, Reason.SKILL_UNREADABLE, Reason.INDEX_BUILDING})
_MODEL_STEPS = ("rewrite", "gate")
_MISSES = frozenset({Reason.BELOW_FLOOR, Reason.NO_CONTENT_WORDS})


@dataclass(frozen=True, kw_only=True, slots=True)
class Word:
    """One word of the query as the library knows it."""

    word: str
    """As it stands in the query, where it can be told."""
    term: str
    """As it is searched for: folded and without its ending."""
    skills: int
    """In how many skills it stands."""
    searched: bool
    """False for a word of a long query that was left out because others are rarer, or that stands nowhere."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """A reason with its sentence, and whom or what it concerns."""

    what: str
    reason: Reason
    sentence: str
    detail: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Closest:
    """The skill that came nearest to the floor without reaching it."""

    id: str
    evidence: float
    short_by: float
    """How much more evidence it would have needed."""
    matched: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """All there is to say about one retrieval."""

    query: str
    surface: str
    mode: str
    skills: int | None
    """Number of skills in the local library; None without one."""
    roots: tuple[str, ...]
    words: tuple[Word, ...]
    ignored: tuple[str, ...]
    """Words of the query that are too common in any text to be searched for."""
    added: tuple[str, ...]
    """Terms that were searched for though the query does not hold them."""
    candidates: tuple[Candidate, ...]
    closest: Closest | None
    """Set when nothing reached the floor."""
    not_searched: tuple[Said, ...]
    model_steps: tuple[Said, ...]
    events: tuple[Said, ...]
    """What else happened to the turn."""
    sources: tuple[SourceReport, ...]
    model_calls: tuple[ModelCall, ...]
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    chars: int = 0
    max_chars: int = 0
    est_tokens: int = 0
    elapsed_ms: float = 0.0

    @property
    def unmatched(self) -> tuple[str, ...]:
        """The words of the query that stand in no skill of the library."""
        return tuple(word.word for word in self.words if not word.skills)

    @property
    def missed(self) -> bool:
        """True when the agent gets nothing."""
        return not any(c.reason in (Reason.DELIVERED, Reason.CATALOGUED) for c in self.candidates)

    def spoken(self, matched: Sequence[str]) -> tuple[str, ...]:
        """Terms as the words of the query that they come from."""
        known = {word.term: word.word for word in self.words}
        return tuple(dict.fromkeys(known.get(term, term) for term in matched))

    def reasons(self) -> dict[Reason, str]:
        """Every reason that occurs with its sentence, those of candidates first."""
        said = (*self.not_searched, *self.model_steps, *self.events)
        found = [c.reason for c in self.candidates] + [s.reason for s in self.sources] + [s.reason for s in said]
        return {reason: SENTENCES[reason] for reason in dict.fromkeys(found)}

    def to_json(self) -> dict[str, Any]:
        """The explanation as JSON-ready data."""
        candidates = [
            {
                "position": position,
                **asdict(candidate),
                "shared": self.spoken(candidate.matched),
                "sentence": SENTENCES[candidate.reason],
            }
            for position, candidate in enumerate(self.candidates, start=1)
        ]
        return {**asdict(self), "floor": FLOOR, "unmatched": self.unmatched, "missed": self.missed} | {
            "candidates": candidates,
            "sources": [{**asdict(report), "sentence": SENTENCES[report.reason]} for report in self.sources],
        }


def explain(engine: Engine, request: Request) -> Explanation:
    """What this request gets from the engine and why; leaves no line in the decision log."""
    from dataclasses import replace

    retrieval = engine.retrieve(replace(request, recorded=False, thorough=True))
    local = engine.local
    return explanation(
        retrieval,
        request,
        engine.settings,
        statistics=local.statistics() if local is not None else None,
        roots=local.roots if local is not None else (),
        problems=[
            Said(what=problem.path, reason=problem.reason, sentence=SENTENCES[problem.reason], detail=problem.detail)
            for problem in (local.problems() if local is not None else ())
        ],
    )


def explanation(
    retrieval: Retrieval,
    request: Request,
    settings: Settings,
    *,
    statistics: TermStatistics | None = None,
    roots: Sequence[str] = (),
    problems: Sequence[Said] = (),
) -> Explanation:
    """The explanation of a finished retrieval; `problems` is what is known of files that could not be read or found."""
    from skillcaddy.markdown import estimated_tokens

    trace = retrieval.trace
    words, ignored, added = _words(str(request.query or ""), statistics)
    events = [event for event in trace.events if event.step not in _MODEL_STEPS]
    return Explanation(
        query=retrieval.query,
        surface=request.surface,
        mode=settings.mode,
        skills=statistics.document_count if statistics is not None else None,
        roots=tuple(roots),
        words=words,
        ignored=ignored,
        added=added,
        candidates=trace.candidates,
        closest=_closest(trace.candidates),
        not_searched=_not_searched(trace.sources, events, problems, settings, bool(roots)),
        model_steps=tuple(_said(event) for event in trace.events if event.step in _MODEL_STEPS),
        events=tuple(_said(event) for event in events if event.reason not in _NOT_SEARCHED),
        sources=trace.sources,
        model_calls=trace.model_calls,
        timings_ms=trace.timings_ms,
        chars=len(retrieval.text),
        max_chars=settings.max_chars,
        est_tokens=estimated_tokens(retrieval.text),
        elapsed_ms=retrieval.elapsed_ms,
    )


def _words(query: str, statistics: TermStatistics | None) -> tuple[tuple[Word, ...], tuple[str, ...], tuple[str, ...]]:
    own = list(dict.fromkeys(terms(query)))
    frequency = statistics.document_frequency if statistics is not None else (lambda term: 0)
    searched = [term for term, _ in query_terms(query, frequency if statistics is not None else None)]
    known, ignored = spoken(query)
    words = tuple(
        Word(word=known.get(term, term), term=term, skills=frequency(term), searched=term in searched) for term in own
    )
    return words, ignored, tuple(term for term in searched if term not in own)


def _closest(candidates: Sequence[Candidate]) -> Closest | None:
    if any(candidate.reason not in (*_MISSES, Reason.COPY_COLLAPSED) for candidate in candidates):
        return None
    judged = [(c.relevance, c) for c in candidates if c.relevance is not None and c.reason in _MISSES]
    if not judged:
        return None
    evidence, best = max(judged, key=lambda row: row[0])  # of equals the first, which ranks higher
    return Closest(id=best.id, evidence=evidence, short_by=round(max(0.0, FLOOR - evidence), 4), matched=best.matched)


def _not_searched(
    sources: Sequence[SourceReport],
    events: Sequence[Event],
    problems: Sequence[Said],
    settings: Settings,
    has_roots: bool,
) -> tuple[Said, ...]:
    found = [
        Said(what=report.source, reason=report.reason, sentence=SENTENCES[report.reason], detail=report.detail)
        for report in sources
        if report.reason not in _ANSWERED
    ]
    if settings.shared_library == "off":
        off = SENTENCES[Reason.SOURCE_OFF]
        found.append(
            Said(what="the shared library", reason=Reason.SOURCE_OFF, sentence=off, detail="shared_library = off")
        )
    if not has_roots and not sources:
        missing = SENTENCES[Reason.ROOT_MISSING]
        detail = "no skill folder is configured (skills_dirs)"
        found.append(Said(what="the local library", reason=Reason.ROOT_MISSING, sentence=missing, detail=detail))
    found += [_said(event) for event in events if event.reason in _NOT_SEARCHED]
    known = {said.what for said in found}
    return (*found, *(problem for problem in problems if problem.what not in known))


def _said(event: Event) -> Said:
    what = event.subject or event.step
    return Said(what=what, reason=event.reason, sentence=SENTENCES[event.reason], detail=event.detail)
