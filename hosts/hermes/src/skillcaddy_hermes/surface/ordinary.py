"""The ordinary plugin: two tools of a toolset of our own, or text added before a turn's first model call."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from skillcaddy.loaded import Loaded
from skillcaddy.retention import Retention

from . import home as host_home
from .desk import Desk
from .obstacles import Obstacle, say
from .transcript import earlier_messages, held_in, is_nobodys, question

TOOLSET = "skillcaddy"


class Ordinary:
    """One instance serves all sessions of the process, and a desk each home folder (a gateway may have several)."""

    def __init__(self, ctx: Any) -> None:
        self._ctx = ctx
        self._lock = threading.Lock()
        self._desks: dict[Path, Desk] = {}
        self._looked_at_tools = False

    def enter(self) -> None:
        """Register what the mode asks for, and in either mode the hook that reads along."""
        desk = self._desk()
        self._mode = desk.mode
        if desk.mode == "on_demand":
            for schema in desk.schemas():
                self._ctx.register_tool(
                    name=schema["name"],
                    toolset=TOOLSET,
                    schema=schema,
                    handler=self._handler(schema["name"]),
                    description=schema["description"],
                    emoji="🧰",
                )
        self._ctx.register_hook("pre_llm_call", self.before_turn)

    def before_turn(self, **turn: Any) -> dict[str, str] | None:
        """The host's hook: what to add to this turn, None for nothing. Never raises."""
        message, history = turn.get("user_message"), turn.get("conversation_history")
        if is_nobodys(turn.get("platform"), message):
            return None
        session = str(turn.get("session_id") or "")
        desk = self._desk()
        held = held_in(history)
        if self._mode == "on_demand":
            # The conversation is the truth about what the agent still sees; after a compaction it sees less.
            desk.retention.clear(session)
            desk.retention.remember(session, held)
            self._look_at_tools()
            return None
        asked = question(message)
        if not asked.strip():
            return None
        earlier = earlier_messages(history, message if isinstance(message, str) else "")
        text = desk.text_for_turn(asked, session=session, held=held, history=earlier)
        return {"context": text} if text else None

    def _handler(self, tool: str) -> Callable[..., str]:
        def handler(args: object = None, **call: Any) -> str:
            return self._desk().answer(tool, args, session=str(call.get("session_id") or ""))

        return handler

    def _desk(self) -> Desk:
        folder = host_home.home()
        with self._lock:
            if folder not in self._desks:
                self._desks[folder] = Desk(folder, retention=_retention, llm=lambda: self._ctx.llm)
            return self._desks[folder]

    def _look_at_tools(self) -> None:
        """Once, at the first turn: say when the agent does not get the tools that were registered."""
        tools = host_home.tools_now()
        if self._looked_at_tools or tools is None:
            return
        self._looked_at_tools = True
        if host_home.is_deferred("skill_search", tools):
            say(
                Obstacle.TOOLS_DEFERRED,
                "the agent reaches skill_search only through tool_search, because many tools are configured. Set "
                "tools.tool_search.enabled to off, or let the memory slot hold skillcaddy (hermes memory setup "
                "skillcaddy), whose tools are never put behind it.",
            )
        elif "skill_search" not in tools:
            say(
                Obstacle.TOOLSET_OFF,
                f"the agent is not offered skill_search, because its toolset {TOOLSET} is off here. Switch it on in "
                f"`hermes tools`, or name it where toolsets are named (hermes chat -t ...,{TOOLSET}).",
            )


def _retention(loaded: Loaded) -> Retention:
    """In auto the history that comes with each turn says what is held; tools are not given one, so it is noted."""
    return Retention("turn" if loaded.settings.mode == "auto" else "transcript")
