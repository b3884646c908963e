"""`skill_search` and `skill_open`: one implementation behind every host's tools, with a sentence for every case."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol

from skillcaddy.alike import alike
from skillcaddy.arguments import delivery, mapping, text, whole
from skillcaddy.deadline import Deadline
from skillcaddy.guidance import OPEN_TOOL, SEARCH_TOOL, Texts, texts
from skillcaddy.guidance.schemas import MOST_SKILLS
from skillcaddy.hydrate import hydrate
from skillcaddy.opened import skill_page
from skillcaddy.quoting import field
from skillcaddy.reasons import Reason
from skillcaddy.refs import resolve
from skillcaddy.request import Request
from skillcaddy.retention import Retention
from skillcaddy.seen import Seen
from skillcaddy.settings import Mode, Settings
from skillcaddy.skill import Hit, Retrieval, Skill
from skillcaddy.source import Source
from skillcaddy.trace import Recorder, Trace

_MOST_NAMED = 8
_NO_REQUEST = Request(query="")


class SkillEngine(Protocol):
    """What the tools need of an engine; `skillcaddy.engine.Engine` is one."""

    settings: Settings
    retention: Retention

    @property
    def sources(self) -> Sequence[Source]:
        """The sources that are searched."""
        ...

    def retrieve(self, request: Request) -> Retrieval:
        """What one request gets."""
        ...

    def open(self, reference: str, deadline: Deadline | None = None) -> list[Skill]:
        """The skills that an id or a name refers to, with their bodies."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolAnswer:
    """What a call gives: the text for the model, and what it is about for hosts that show or log more."""

    text: str
    hits: tuple[Hit, ...] = ()
    """The skills in the text, those with their bodies first."""
    is_miss: bool = False
    """Nothing fits: a normal answer."""
    is_failure: bool = False
    """The call did not do its work: wrong use, a mode without tools, or no source within reach."""


class Tools:
    """The two tools over one engine, for any number of sessions and threads. No method raises."""

    def __init__(self, engine: SkillEngine, *, mode: Mode | None = None) -> None:
        self._engine = engine
        self._mode = mode or engine.settings.mode
        self._words: Texts = texts(engine.settings.language)
        self._seen = Seen()

    def call(self, name: str, arguments: object, *, request_defaults: Request = _NO_REQUEST) -> ToolAnswer | None:
        """The answer of the tool of that name, None when there is no such tool."""
        if name == SEARCH_TOOL:
            return self.skill_search(arguments, request_defaults=request_defaults)
        if name == OPEN_TOOL:
            return self.skill_open(arguments, request_defaults=request_defaults)
        return None

    def skill_search(self, arguments: object, *, request_defaults: Request = _NO_REQUEST) -> ToolAnswer:
        """The best skills for `query`; `request_defaults` carries host, session, tools and the like."""
        try:
            return self._search(mapping(arguments, "query"), request_defaults)
        except Exception as error:  # noqa: BLE001 - the model gets a sentence whatever happens
            return self._failed(error)

    def skill_open(self, arguments: object, *, request_defaults: Request = _NO_REQUEST) -> ToolAnswer:
        """The text of the skill `id`, or its file `path`, and the `part` of it that was asked for."""
        try:
            answer = self._open(mapping(arguments, "id"), request_defaults)
        except Exception as error:  # noqa: BLE001 - the model gets a sentence whatever happens
            answer = self._failed(error)
        with suppress(Exception):
            self._log_open(arguments, answer, request_defaults)
        return answer

    def _search(self, arguments: Mapping[str, Any], defaults: Request) -> ToolAnswer:
        if self._mode == "auto":
            return ToolAnswer(text=self._words.tools_off, is_failure=True)
        query = text(arguments, "query", "q", "text", "keywords", "search", "task")
        if not query:
            return ToolAnswer(text=self._words.usage_search, is_failure=True)
        top_k = whole(arguments, "top_k", "k", "limit")
        request = replace(
            defaults,
            query=query,
            surface="tool",
            delivery=delivery(arguments),
            top_k=defaults.top_k if top_k is None else min(max(top_k, 1), MOST_SKILLS),
        )
        retrieval = self._engine.retrieve(request)
        hits = (*retrieval.delivered, *retrieval.catalog)
        if not hits:
            return self._miss(retrieval.trace)
        self._seen.add([hit.skill for hit in hits])
        return ToolAnswer(text=retrieval.text, hits=hits)

    def _miss(self, trace: Trace) -> ToolAnswer:
        """The sentence for an empty answer, which says so when not everything could be searched."""
        words = self._words
        down, reached = self._unreached(trace)
        if down and not reached:
            return ToolAnswer(text=words.nothing_reached.format(sources=down), is_failure=True)
        broken = [event for event in trace.events if event.reason is Reason.STEP_FAILED]
        if broken and not reached:
            return ToolAnswer(text=words.failure.format(cause=field(broken[0].detail)), is_failure=True)
        sentences = [words.miss]
        if Reason.INDEX_BUILDING in trace.reasons():
            sentences.append(words.building)
        if down:
            sentences.append(words.unreached.format(sources=down))
        return ToolAnswer(text="\n".join(sentences), is_miss=True)

    def _unreached(self, trace: Trace) -> tuple[str, bool]:
        """The sources that gave nothing because of a fault, each with its cause, and whether any other one answered."""
        words = self._words
        causes = {
            Reason.SOURCE_FAILED: words.cause_failed,
            Reason.SOURCE_ABANDONED: words.cause_late,
            Reason.SOURCE_STUCK: words.cause_stuck,
            Reason.SOURCE_COOLING_DOWN: words.cause_cooling,
            Reason.SOURCE_NONSENSE: words.cause_nonsense,
        }
        down: dict[str, str] = {}
        for report in trace.sources:
            if report.reason in causes:
                cause = ", ".join(piece for piece in (causes[report.reason], field(report.detail, 80)) if piece)
                down[report.source] = words.source_cause.format(source=report.source, cause=cause)
        return ", ".join(down.values()), any(report.reason not in causes for report in trace.sources)

    def _open(self, arguments: Mapping[str, Any], defaults: Request) -> ToolAnswer:
        if self._mode == "auto":
            return ToolAnswer(text=self._words.tools_off, is_failure=True)
        reference = text(arguments, "id", "skill_id", "name", "skill").strip("`'\"<>[]() ")
        if not reference:
            return ToolAnswer(text=self._words.usage_open, is_failure=True)
        deadline = Deadline.after(defaults.deadline_s or self._engine.settings.deadline_tool_s)
        found = self._found(reference, deadline)
        if not found:
            return self._no_such(reference, defaults)
        if len(found) > 1:
            ids = ", ".join(field(skill.id, 300) for skill in found[:_MOST_NAMED])
            return ToolAnswer(
                text=self._words.open_ambiguous.format(name=field(reference), ids=ids),
                hits=_as_hits(found[:_MOST_NAMED]),
                is_miss=True,
            )
        return self._opened(found[0], arguments, defaults)

    def _opened(self, skill: Skill, arguments: Mapping[str, Any], defaults: Request) -> ToolAnswer:
        if self._engine.settings.resolve_refs == "on" and skill.directory:
            skill = replace(skill, body=resolve(skill.body, skill.directory).body)
        self._seen.add([skill])
        page = skill_page(
            skill,
            path=text(arguments, "path", "file"),
            part=whole(arguments, "part", "page") or 1,
            words=self._words,
            max_chars=self._engine.settings.max_chars,
        )
        if page.is_body:
            self._engine.retention.remember(defaults.session, [skill.id])
        return ToolAnswer(text=page.text, hits=_as_hits([skill]), is_miss=page.is_miss)

    def _found(self, reference: str, deadline: Deadline) -> list[Skill]:
        """The skills meant: by the engine, else one that an earlier answer named, fetched from its source."""
        found = self._engine.open(reference, deadline)
        exact = [skill for skill in found if skill.id == reference]
        if found:
            return exact[:1] or list({skill.id: skill for skill in found}.values())
        named = self._seen.named(reference)
        if len(named) != 1:
            return named
        sources = {source.name: source for source in self._engine.sources}
        fetched = hydrate(_as_hits(named), sources, deadline, Recorder())
        return [hit.skill for hit in fetched] or named

    def _no_such(self, reference: str, defaults: Request) -> ToolAnswer:
        sentences = [self._words.open_miss.format(id=field(reference))]
        near, down = self._near(reference, defaults)
        if near:
            sentences.append(self._words.open_near.format(ids=", ".join(field(skill.id, 300) for skill in near)))
        if down:
            sentences.append(self._words.unreached.format(sources=down))
        return ToolAnswer(text=" ".join(sentences), hits=_as_hits(near), is_miss=True)

    def _near(self, reference: str, defaults: Request) -> tuple[list[Skill], str]:
        """The skills whose id or name looks like this, and the sources that could not be asked."""
        query = " ".join(re.split(r"[\W_]+", reference)).strip()
        request = replace(
            defaults,
            query=query,
            surface="tool",
            delivery="catalog",
            session="",
            held=frozenset(),
            top_k=MOST_SKILLS,
            recorded=False,
        )
        retrieval = self._engine.retrieve(request)
        known = self._seen.by_id() | {hit.skill.id: hit.skill for hit in (*retrieval.hits, *retrieval.catalog)}
        return alike(reference, known.values()), self._unreached(retrieval.trace)[0]

    def _log_open(self, arguments: object, answer: ToolAnswer, request: Request) -> None:
        """A line in the decision log of an engine that keeps one."""
        log = getattr(self._engine, "decisions", None)
        if log is None or self._engine.settings.decision_log == "off":
            return
        given = mapping(arguments, "id")
        if answer.is_failure:
            outcome = "failed"
        elif answer.is_miss:
            outcome = "ambiguous" if len(answer.hits) > 1 else "miss"
        else:
            outcome = "file" if text(given, "path", "file") else "opened"
        ids = [] if outcome in ("miss", "failed") else [hit.skill.id for hit in answer.hits]
        log.opened(request, text(given, "id", "skill_id", "name", "skill"), ids, outcome, Deadline.after(1.0))

    def _failed(self, error: Exception) -> ToolAnswer:
        return ToolAnswer(text=self._words.failure.format(cause=type(error).__name__), is_failure=True)


def _as_hits(skills: Sequence[Skill]) -> tuple[Hit, ...]:
    return tuple(Hit(skill=skill, rank=rank, score=0.0) for rank, skill in enumerate(skills, start=1))
