"""The engine: what every host, command and server holds to search one deployment's skills."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from skillcaddy.deadline import Deadline
from skillcaddy.fanout import call_all
from skillcaddy.library.view import Indexing
from skillcaddy.pipeline import Parts, run
from skillcaddy.reasons import Reason
from skillcaddy.request import Request
from skillcaddy.retention import Retention
from skillcaddy.settings import Settings
from skillcaddy.skill import Hit, Retrieval, Skill
from skillcaddy.source import Source
from skillcaddy.sources import GuardedSources
from skillcaddy.trace import Recorder

if TYPE_CHECKING:
    import threading

    from skillcaddy.decisions import DecisionLog
    from skillcaddy.guarded_model import GuardedModel
    from skillcaddy.library.local import LocalSource
    from skillcaddy.models import ChatModel


class Engine:
    """One deployment's retrieval: its sources, its model, and what each session still holds. Safe to share by threads.

    Making one does no I/O and imports no plugin when `sources` are given; else plugins are imported where any is
    installed, which `third_party=False` forbids. `indexing` says who writes the local index: `inline` (this process,
    while its caller waits), `command` (the same for large work, and a background process for a few changed files),
    `detached` (hosts: one background process), `turn` (the same for a process that ends after one query) or `never`.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        model: ChatModel | None = None,
        sources: Sequence[Source] | None = None,
        state_dir: Path | None = None,
        data_dir: Path | None = None,
        indexing: Indexing = "detached",
        third_party: bool | None = None,
        retention: Retention | None = None,
        placeholders: Mapping[str, str] | None = None,
        note: Callable[[Hit], str] | None = None,
        hides: Callable[[Hit], bool] | None = None,
    ) -> None:
        self.settings = settings
        if sources is None:
            from skillcaddy.paths import locations
            from skillcaddy.plugins import sources as configured

            if state_dir is None or (data_dir is None and settings.shared_library == "on"):
                places = locations(state_dir=settings.state_dir)
                state_dir, data_dir = state_dir or places.state_dir, data_dir or places.data_dir
            if third_party is None:
                from skillcaddy.installed import third_party_plugins

                third_party = third_party_plugins()
            sources = configured(settings, state_dir, indexing=indexing, data_dir=data_dir, third_party=third_party)
        self.retention = retention or Retention("transcript")
        self._parts = Parts(
            settings=settings,
            sources=GuardedSources(sources),
            model=_guarded(model, settings, self.retention, state_dir),
            placeholders=dict(placeholders or {}),
            note=note,
            hides=hides,
        )
        self._log: DecisionLog | None = None

    @property
    def sources(self) -> tuple[Source, ...]:
        """The sources that are asked, in their order."""
        return self._parts.sources.sources

    @property
    def local(self) -> LocalSource | None:
        """The local library, where there is one."""
        from skillcaddy.library.local import LocalSource

        return next((source for source in self.sources if isinstance(source, LocalSource)), None)

    def retrieve(self, request: Request, *, cancelled: threading.Event | None = None) -> Retrieval:
        """What this turn gets, always within its deadline; never raises, a loss has its reason code in the trace.

        Set `cancelled` when the turn is called off: a model's request is then dropped, and the answer comes at once.
        """
        default = self.settings.deadline_auto_s if request.surface == "auto" else self.settings.deadline_tool_s
        deadline = Deadline.after(default if request.deadline_s is None else request.deadline_s, cancelled)
        try:
            held = request.held | self.retention.held(request.session)
            retrieval = run(request, self._parts, held, deadline)
            if not deadline.called_off():
                self.retention.remember(request.session, [hit.skill.id for hit in retrieval.delivered])
        except Exception as error:  # noqa: BLE001 - a host's turn must go on whatever is wrong here
            recorder = Recorder()
            recorder.event("engine", Reason.STEP_FAILED, detail=f"{type(error).__name__}: {error}"[:200])
            retrieval = Retrieval(
                query=request.query, hits=(), delivered=(), catalog=(), text="", trace=recorder.trace(), elapsed_ms=0.0
            )
        if request.recorded and self.settings.decision_log != "off":
            with suppress(Exception):
                self.decisions.retrieval(request, retrieval, deadline)
        return retrieval

    @property
    def decisions(self) -> DecisionLog:
        """The log of what was decided, which `skillcaddy stats` sums up."""
        if self._log is None:
            from skillcaddy.decisions import DecisionLog  # late: its cost comes after the answer is found

            self._log = DecisionLog(self.settings)
        return self._log

    async def retrieve_async(self, request: Request) -> Retrieval:
        """The same for an event loop, which goes on turning meanwhile; cancelling the task calls the turn off."""
        import asyncio
        import threading

        cancelled = threading.Event()
        try:
            return await asyncio.to_thread(self.retrieve, request, cancelled=cancelled)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    def open(self, reference: str, deadline: Deadline | None = None) -> list[Skill]:
        """The skills an id or name refers to, with their bodies; empty where there is none, several for a shared name.

        Never outlives the deadline (by default that of a tool call); raises only what a host's own `hides` raises.
        """
        deadline = deadline or Deadline.after(self.settings.deadline_tool_s)
        finders = [getattr(source, "find", None) for source in self.sources]
        calls = [lambda find=find: find(reference, deadline) for find in finders if callable(find)]
        found: list[Skill] = []
        for outcome in call_all(calls, deadline):
            if isinstance(outcome.value, list):
                found += [skill for skill in outcome.value if isinstance(skill, Skill)]
        hides = self._parts.hides
        if hides is None:
            return found
        # What a host hides from a search must not come in by its name.
        return [skill for skill in found if not hides(Hit(skill=skill, rank=1, score=0.0))]

    def forget(self, session: str) -> None:
        """Treat nothing as held in that session any more: after a compaction, an undo or a new start."""
        self.retention.clear(session)


def _guarded(
    model: ChatModel | None, settings: Settings, retention: Retention, state: Path | None
) -> GuardedModel | None:
    if model is None:
        return None
    # Where a process ends with every turn, only a file can tell what its session has used up.
    from skillcaddy.guarded_model import GuardedModel

    folder = state / "model-tokens" if retention.kind == "process" and state is not None else None
    return GuardedModel(model, tokens_per_session=settings.model_tokens_per_session, folder=folder)
