"""What serves a bridge's calls: one engine for each set of skill folders in use, and the host's model behind all."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from skillcaddy.deadline import Deadline
from skillcaddy.engine import Engine
from skillcaddy.model_choice import choose_model
from skillcaddy.models import Completion, Message
from skillcaddy.reasons import SENTENCES, Reason
from skillcaddy.request import Request
from skillcaddy.retention import Kind, Retention
from skillcaddy.rpc import Call, Peer
from skillcaddy.settings import Mode, Settings
from skillcaddy.skill import Hit
from skillcaddy.tools import Tools
from skillcaddy.trace import Trace
from skillcaddy.wire import complain

_MOST_DESKS = 16
_TROUBLES = frozenset(
    {
        Reason.STEP_FAILED,
        Reason.DEADLINE_REACHED,
        Reason.SOURCE_FAILED,
        Reason.SOURCE_ABANDONED,
        Reason.SOURCE_STUCK,
        Reason.SOURCE_NONSENSE,
        Reason.INDEX_IN_MEMORY,
        Reason.GATE_FAILED,
        Reason.MODEL_BUDGET_SPENT,
        Reason.ROOT_MISSING,
    }
)


_SERVED: ContextVar[Call | None] = ContextVar("skillcaddy_bridge_call", default=None)
"""Whose turn it is; no thread's own, for the model is asked from a thread that may be left behind."""


class HostModel:
    """The host's own model, reached by a call back over the wire; the host's credentials never come here."""

    name = "host"

    def __init__(self, peer: Peer) -> None:
        self._peer = peer

    @contextmanager
    def serving(self, call: Call) -> Iterator[None]:
        """What is asked of the model meanwhile belongs to this call, so that the host can tell whose it is."""
        token = _SERVED.set(call)
        try:
            yield
        finally:
            _SERVED.reset(token)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        deadline: Deadline,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        """The reply of the host's model. Raises what `Peer.call` raises, and ValueError for a reply without text."""
        call = _SERVED.get()
        if call is not None and call.cancelled.is_set():
            raise TimeoutError("the host called the turn off")
        params: dict[str, Any] = {
            "turn": None if call is None else call.id,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "max_tokens": max_tokens,
            "purpose": "skillcaddy",
            "deadline_s": round(deadline.left(), 3),
        }
        if schema is not None:
            params["schema"] = dict(schema)
        reply = self._peer.call("model.complete", params, deadline)
        if not isinstance(reply, dict) or not isinstance(reply.get("text"), str):
            raise ValueError("the host's model gave no text")
        return Completion(
            text=reply["text"],
            model=str(reply.get("model") or ""),
            tokens_in=_count(reply.get("tokens_in")),
            tokens_out=_count(reply.get("tokens_out")),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Desk:
    engine: Engine
    tools: Tools


class Desks:
    """The engines of one host process. Workspaces with the same folders share one; sessions are told apart by id."""

    def __init__(
        self,
        settings: Settings,
        *,
        mode: Mode,
        host: str,
        retention: Kind,
        model: HostModel | None = None,
        say: Callable[[str, str], object] = lambda level, text: complain(text),
    ) -> None:
        """`say` takes a level (`warn` or `info`) and a line for the host's log, its reason code included."""
        self._settings = replace(settings, mode=mode)
        self._host = host
        self._retention = Retention(retention)
        self._model = model
        self._say = say
        self._lock = threading.Lock()
        self._desks: OrderedDict[tuple[tuple[str, ...], frozenset[str]], _Desk] = OrderedDict()

    def retrieve(
        self, call: Call, prompt: str, history: tuple[str, ...], params: Mapping[str, Any], deadline_s: float
    ) -> dict[str, Any]:
        """The text for a user's turn, "" where nothing fits, with the ids in it and every reason code."""
        request = replace(self._request(params, deadline_s), query=prompt, history=history, surface="auto")
        with self._serving(call):
            retrieval = self._desk(params).engine.retrieve(request, cancelled=call.cancelled)
        for text in troubles(retrieval.trace):
            self._say("warn", text)
        for event in retrieval.trace.events:
            if event.reason is Reason.INDEX_BUILDING:
                self._say("info", f"{event.step}: {event.detail or SENTENCES[event.reason]} [{event.reason}]")
        return {
            "text": retrieval.text,
            "ids": [hit.skill.id for hit in retrieval.delivered],
            "reasons": sorted(retrieval.trace.reasons()),
            "elapsed_ms": retrieval.elapsed_ms,
        }

    def tool(
        self, call: Call, name: str, arguments: object, params: Mapping[str, Any], deadline_s: float
    ) -> dict[str, Any] | None:
        """The answer to an agent's call, None when there is no such tool. In auto mode it says that tools are off."""
        with self._serving(call):
            answer = self._desk(params).tools.call(name, arguments, request_defaults=self._request(params, deadline_s))
        if answer is None:
            return None
        return {"text": answer.text, "ids": [hit.skill.id for hit in answer.hits], "failed": answer.is_failure}

    def forget(self, session: str) -> None:
        """Treat nothing as held in that session any more."""
        self._retention.clear(session)

    @contextmanager
    def _serving(self, call: Call) -> Iterator[None]:
        if self._model is None:
            yield
            return
        with self._model.serving(call):
            yield

    def _request(self, params: Mapping[str, Any], deadline_s: float) -> Request:
        tools = params.get("tools")
        return Request(
            query="",
            surface="tool",
            deadline_s=deadline_s,
            host=self._host,
            session=_text(params.get("session")),
            workspace=_text(params.get("workspace")),
            tools=frozenset(str(tool) for tool in tools) if isinstance(tools, list) else None,
        )

    def _desk(self, params: Mapping[str, Any]) -> _Desk:
        """The engine over the host's folders that exist now, then the configured ones."""
        wanted = [root for root in _list(params.get("roots")) if os.path.isabs(root)]
        roots = tuple(dict.fromkeys(os.path.normpath(root) for root in wanted if os.path.isdir(root)))
        hidden = frozenset(_list(params.get("hidden")))
        with self._lock:
            desk = self._desks.get((roots, hidden))
            if desk is None:
                desk = self._desks[roots, hidden] = self._open(roots, hidden)
                if len(self._desks) > _MOST_DESKS:
                    self._desks.popitem(last=False)
            self._desks.move_to_end((roots, hidden))
            return desk

    def _open(self, roots: tuple[str, ...], hidden: frozenset[str]) -> _Desk:
        settings = replace(self._settings, skills_dirs=tuple(dict.fromkeys((*roots, *self._settings.skills_dirs))))

        def hides(hit: Hit) -> bool:
            """A skill that the user has switched off in the host, in one of the host's own folders."""
            return hit.skill.name in hidden and any(hit.skill.path.startswith(root + os.sep) for root in roots)

        model = choose_model(settings, self._model)
        parts: dict[str, Any] = {"model": model, "retention": self._retention, "hides": hides if hidden else None}
        try:
            engine = Engine(settings, **parts)
        except Exception as error:  # noqa: BLE001 - one plugin that cannot be loaded must not cost the local library
            self._say(
                "warn", f"plugins: {type(error).__name__}: {error}; only the local library is searched [source_failed]"
            )
            engine = Engine(settings, third_party=False, **parts)
        return _Desk(engine=engine, tools=Tools(engine, mode=settings.mode))


def troubles(trace: Trace) -> list[str]:
    """What went wrong in a retrieval, a line each with its reason code: an empty turn must not look like a miss."""
    found = [f"{e.step}: {e.detail or SENTENCES[e.reason]} [{e.reason}]" for e in trace.events if e.reason in _TROUBLES]
    return found + [
        f"source {report.source}: {report.detail or SENTENCES[report.reason]} [{report.reason}]"
        for report in trace.sources
        if report.reason in _TROUBLES
    ]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str) and item] if isinstance(value, list) else []


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
