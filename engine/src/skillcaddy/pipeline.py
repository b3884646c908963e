"""The steps of a retrieval in their order, under one deadline."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from skillcaddy.deadline import Deadline
from skillcaddy.frozen import replace
from skillcaddy.fuse import fuse
from skillcaddy.hydrate import hydrate
from skillcaddy.library.analyze import terms
from skillcaddy.patterns import late
from skillcaddy.reasons import Reason
from skillcaddy.refs import resolve
from skillcaddy.render import Rendered, render, shares
from skillcaddy.request import Request
from skillcaddy.settings import Settings
from skillcaddy.sift import proportional, sift
from skillcaddy.skill import Hit, Retrieval, Trust
from skillcaddy.source import Reporting, TermStatistics
from skillcaddy.sources import GuardedSources, Ranking
from skillcaddy.trace import Recorder

if TYPE_CHECKING:
    from skillcaddy.guarded_model import GuardedModel

T = TypeVar("T")

_LEAST_PER_SOURCE = 20
_SEARCH_SHARE = 0.85
_SEARCH_SHARE_BEFORE_GATE = 0.5
_HYDRATE_SHARE_BEFORE_GATE = 0.5
_SPARE = 2
_SIBLING = late(r"\{\{SKILL_DIR:([^{}\n]{1,200})\}\}")


class Parts(NamedTuple):
    """What an engine lends to each of its retrievals."""

    settings: Settings
    sources: GuardedSources
    model: GuardedModel | None
    placeholders: Mapping[str, str]
    note: Callable[[Hit], str] | None = None
    """A host's extra line for a hit, or ""."""
    hides: Callable[[Hit], bool] | None = None
    """A host's own rule for skills that its user must not see."""


def run(request: Request, parts: Parts, held: frozenset[str], deadline: Deadline) -> Retrieval:
    """What this turn gets, with the trace that says why; never raises, never later than the deadline.

    A step that fails is passed over (its input goes on unchanged where that is safe) and leaves a reason code; a
    source that fails or is late costs its own hits only.
    """
    started, recorder, settings = time.perf_counter(), Recorder(), parts.settings
    query = _query(request, settings, recorder)
    hits: list[Hit] = []
    if query:
        model = parts.model
        judge_model = model if model is not None and _gate_wanted(request, parts) else None
        wanted = shares(settings, request)
        limit = max(_LEAST_PER_SOURCE, 2 * settings.gate_pool, 2 * (wanted.bodies + wanted.names))

        def step(name: str, work: Callable[[], T], instead: T) -> T:
            return _step(name, work, instead, recorder)

        queries = step("rewrite", lambda: _queries(query, request, parts, deadline, recorder), [query])
        nothing: list[Ranking] = []
        search_by = deadline.share(_SEARCH_SHARE if judge_model is None else _SEARCH_SHARE_BEFORE_GATE)
        rankings = step("search", lambda: parts.sources.search(queries, limit, search_by, recorder), nothing)
        _note_sources(parts.sources, recorder)
        hits = step("fuse", lambda: fuse(rankings, settings.fusion_k, recorder), [])
        hits = step("host", lambda: _visible(hits, parts.hides, recorder), [])
        gated, unasked = judge_model is not None, request.surface == "auto"
        if settings.relevance == "on":
            # Unasked, nothing below the places to fill is ever looked at again, and a gate knows better than scores.
            few = unasked and not gated
            scores = proportional(rankings) if few else {}
            enough = wanted.bodies + _SPARE if few and not request.thorough else limit
            found, statistics = hits, _statistics(parts.sources)
            hits = step(
                "relevance",
                lambda: sift(queries, found, scores, statistics, unasked=unasked, enough=enough, recorder=recorder),
                [],
            )
        ready_by = deadline.share(_HYDRATE_SHARE_BEFORE_GATE) if gated else deadline
        ready = step("hydrate", lambda: _ready(hits, held, gated, request, parts, ready_by, recorder), _Ready())
        if judge_model is None:
            recorder.event("gate", Reason.NO_MODEL if model is None else Reason.GATE_OFF)
            hits = ready.among(hits)
        else:
            from skillcaddy.gate import gate

            seen = [hit for hit in hits if hit.skill.id in held]
            chosen = step(
                "gate",
                lambda: gate(
                    queries,
                    ready.hits[: settings.gate_pool],
                    seen,
                    request=request,
                    settings=settings,
                    model=judge_model,
                    most=wanted.bodies + wanted.names,
                    deadline=deadline,
                    recorder=recorder,
                ),
                _local_only(ready.hits),
            )
            hits = _with_held(chosen, seen, request, recorder)
        if not hits:
            recorder.event("relevance", Reason.NO_MATCH)
            if not terms(query):
                recorder.event("relevance", Reason.NO_CONTENT_WORDS)
    rendered = _step("render", lambda: _render(hits, request, parts, held), Rendered(), recorder)
    for skill_id, reason in rendered.outcomes.items():
        recorder.outcome(skill_id, reason)
    for skill_id in rendered.truncated:
        recorder.event("render", Reason.BODY_CUT, subject=skill_id)
    if deadline.passed():
        recorder.event("deadline", Reason.DEADLINE_REACHED, detail="called off" if deadline.called_off() else "")
    return Retrieval(
        query=request.query,
        hits=tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1)),
        delivered=rendered.delivered,
        catalog=rendered.catalogued,
        text=rendered.text,
        trace=recorder.trace(),
        elapsed_ms=round((time.perf_counter() - started) * 1000, 3),
    )


def _step(name: str, work: Callable[[], T], instead: T, recorder: Recorder) -> T:
    with recorder.timed(name):
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - a turn goes on whatever a step does; the trace says that it failed
            recorder.event(name, Reason.STEP_FAILED, detail=f"{type(error).__name__}: {error}"[:200])
            return instead


def _query(request: Request, settings: Settings, recorder: Recorder) -> str:
    query = request.query.strip() if isinstance(request.query, str) else ""
    if not query:
        recorder.event("request", Reason.QUERY_EMPTY)
    elif len(query) > settings.max_query_chars:
        recorder.event("request", Reason.QUERY_CUT, detail=f"{len(query)} characters")
        query = query[: settings.max_query_chars]
    return query


def _queries(query: str, request: Request, parts: Parts, deadline: Deadline, recorder: Recorder) -> list[str]:
    # The model steps are imported where there is a model: a turn's process has none, and waits for every import.
    if parts.model is None:
        recorder.event("rewrite", Reason.REWRITE_OFF if parts.settings.rewrite == "off" else Reason.NO_MODEL)
        return [query]
    from skillcaddy.rewrite import rewrite

    return rewrite(query, request, parts.settings, parts.model, deadline, recorder)


def _gate_wanted(request: Request, parts: Parts) -> bool:
    from skillcaddy.gate import gate_wanted

    return gate_wanted(parts.settings, request, any(source.trust < Trust.CURATED for source in parts.sources.sources))


def _note_sources(sources: GuardedSources, recorder: Recorder) -> None:
    for source in sources.sources:
        if isinstance(source, Reporting):
            for notice in source.notices():
                recorder.event("library", notice.reason, subject=notice.subject, detail=notice.detail)


def _visible(hits: Sequence[Hit], hides: Callable[[Hit], bool] | None, recorder: Recorder) -> list[Hit]:
    if hides is None:
        return list(hits)
    kept = []
    for hit in hits:
        if hides(hit):
            recorder.outcome(hit.skill.id, Reason.HIDDEN_BY_HOST)
        else:
            kept.append(hit)
    return kept


def _statistics(sources: GuardedSources) -> TermStatistics | None:
    for source in sources.sources:
        offered = getattr(source, "statistics", None)
        if callable(offered):
            found: TermStatistics | None = offered()
            return found
    return None


class _Ready(NamedTuple):
    """Hits with bodies, and the ids of all that were asked for one."""

    hits: tuple[Hit, ...] = ()
    asked: frozenset[str] = frozenset()

    def among(self, hits: Sequence[Hit]) -> list[Hit]:
        """All hits in their order: these with their bodies, those that turned out to have none left out."""
        bodies = {hit.skill.id: hit for hit in self.hits}
        lost = self.asked - bodies.keys()
        return [bodies.get(hit.skill.id, hit) for hit in hits if hit.skill.id not in lost]


def _ready(
    hits: Sequence[Hit],
    held: frozenset[str],
    gated: bool,
    request: Request,
    parts: Parts,
    deadline: Deadline,
    recorder: Recorder,
) -> _Ready:
    """The first hits with their bodies, references resolved; as many as the next steps need, dropped ones made up."""
    wanted = parts.settings.gate_pool if gated else shares(parts.settings, request).bodies
    waiting = [hit for hit in hits if hit.skill.id not in held]
    if request.surface == "auto" and not gated:
        # A held skill takes one of the places, so nothing below the last place is needed.
        waiting = [hit for hit in hits[: wanted + _SPARE] if hit.skill.id not in held]
    ready: list[Hit] = []
    asked: set[str] = set()
    while waiting and len(ready) < wanted and not deadline.passed():
        size = wanted - len(ready) + (_SPARE if ready else 0)
        batch, waiting = waiting[:size], waiting[size:]
        asked.update(hit.skill.id for hit in batch)
        # Those with bodies already come along, so that a duplicate of one of them is seen.
        ready = hydrate([*ready, *batch], parts.sources.by_name(), deadline, recorder)
    if parts.settings.resolve_refs == "on":
        ready = [_resolved(hit, parts, recorder) for hit in ready]
    return _Ready(hits=tuple(ready), asked=frozenset(asked))


def _resolved(hit: Hit, parts: Parts, recorder: Recorder) -> Hit:
    skill = hit.skill
    if not skill.directory:
        return hit
    names = {}
    if "{{SKILL_DIR:" in skill.body:
        names = {name.strip(): _directory(name.strip(), parts.sources) for name in _SIBLING().findall(skill.body)}
    resolved = resolve(skill.body, skill.directory, placeholders=parts.placeholders, names=names)
    for placeholder in resolved.left:
        recorder.event("refs", Reason.PLACEHOLDER_LEFT, subject=skill.id, detail=placeholder)
    return hit if resolved.body == skill.body else replace(hit, skill=replace(skill, body=resolved.body))


def _directory(name: str, sources: GuardedSources) -> str:
    """The folder of a skill named in another's text, as far as a source on this machine knows it."""
    for source in sources.sources:
        look_up = getattr(source, "directory", None)
        found = look_up(name) if callable(look_up) else ""
        if found:
            return str(found)
    return ""


def _local_only(hits: Sequence[Hit]) -> list[Hit]:
    return [hit for hit in hits if hit.skill.trust is Trust.LOCAL]


def _with_held(chosen: Sequence[Hit], seen: Sequence[Hit], request: Request, recorder: Recorder) -> list[Hit]:
    """What the gate chose; where an answer lists skills, those that the conversation has already follow."""
    for hit in seen:
        recorder.outcome(hit.skill.id, Reason.ALREADY_HELD)
    if request.surface == "auto":
        return list(chosen)
    return [*chosen, *(hit for hit in seen if hit not in chosen)]


def _render(hits: Sequence[Hit], request: Request, parts: Parts, held: frozenset[str]) -> Rendered:
    return render(hits, settings=parts.settings, request=request, held=held, note=parts.note)
