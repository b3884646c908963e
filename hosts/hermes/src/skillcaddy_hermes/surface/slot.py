"""The memory slot: the same retrieval as the host's one external memory provider."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from skillcaddy.loaded import Loaded
from skillcaddy.retention import Retention

from . import home as host_home
from .desk import Desk
from .obstacles import Obstacle, say
from .setup_fields import fields, saved
from .transcript import is_nobodys

NAME = "skillcaddy"
HELD_NAME = "hermes-slot-held.jsonl"


def provider() -> Any:
    """A fresh provider for one agent, a subclass of the host's own MemoryProvider. Makes no engine."""
    base: type = import_module("agent.memory_provider").MemoryProvider

    class SkillCaddyProvider(base):  # type: ignore[misc]  # the host's class is known only inside the host
        """What the host calls; every method answers, whatever is wrong."""

        def __init__(self) -> None:
            self._desk: Desk | None = None
            self._session = ""
            self._active = True
            self._platform = ""

        @property
        def name(self) -> str:
            """The name in `memory.provider`."""
            return NAME

        def is_available(self) -> bool:
            """True: that this module was imported shows that the engine is installed."""
            return True

        def initialize(self, session_id: str, **about: Any) -> None:
            """Note the session; sub-agents and jobs, which newer hosts may bring along, are left alone."""
            self._session = session_id or ""
            self._platform = str(about.get("platform") or "")
            self._active = about.get("agent_context", "primary") == "primary"
            self._at_desk()

        def get_tool_schemas(self) -> list[dict[str, Any]]:
            """Both tools in on_demand mode, none in auto."""
            desk = self._at_desk()
            return desk.schemas() if desk.mode == "on_demand" and self._active else []

        def handle_tool_call(self, tool_name: str, args: Any, **_: Any) -> str:
            """The answer to a call of one of them."""
            return self._at_desk().answer(tool_name, args, session=self._session)

        def prefetch(self, query: str, *, session_id: str = "") -> str:
            """What to add to a user's turn, within the eight seconds the host waits; "" in on_demand mode."""
            desk = self._at_desk()
            if desk.mode != "auto" or not self._active or is_nobodys(self._platform, query):
                return ""
            if not isinstance(query, str) or not query.strip():
                return ""
            return desk.text_for_turn(query, session=session_id or self._session)

        def on_session_switch(
            self,
            new_session_id: str,
            *,
            parent_session_id: str = "",
            reset: bool = False,
            rewound: bool = False,
            **about: Any,
        ) -> None:
            """Forget what is held where the conversation lost some of it: compaction, undo, a new start."""
            held = self._at_desk().retention
            if reset or rewound or about.get("reason") == "compression":
                for session in (self._session, parent_session_id, new_session_id):
                    held.clear(session)
            self._session = new_session_id or self._session

        def get_config_schema(self) -> list[dict[str, Any]]:
            """Every setting, for the host's own setup."""
            return fields(host_home.home())

        def save_config(self, values: Any, hermes_home: str) -> None:
            """Write what setup asked for. BadSettingsError names everything that is wrong; nothing is written then."""
            saved(values, Path(hermes_home))

        def shutdown(self) -> None:
            """Nothing is open that the end of the process would not close."""

        def _at_desk(self) -> Desk:
            if self._desk is None:
                self._desk = Desk(host_home.home(), retention=_retention, llm=_llm)
                if self._desk.mode == "on_demand":
                    self._look_at_toolsets()
            return self._desk

        def _look_at_toolsets(self) -> None:
            tools = host_home.tools_now()
            if tools is not None and "memory" not in tools:
                say(
                    Obstacle.TOOLSET_OFF,
                    "the agent is not offered skill_search, because the toolset memory is off here and the host hides "
                    "a provider's tools with it. Switch it on in `hermes tools`, or enable skillcaddy as an ordinary "
                    "plugin instead (hermes plugins enable skillcaddy, memory.provider something else).",
                )

    return SkillCaddyProvider()


def _llm() -> Any:
    """The facade that ordinary plugins get as `ctx.llm`; a provider is not handed one."""
    return import_module("agent.plugin_llm").PluginLlm(plugin_id=NAME)


def _retention(loaded: Loaded) -> Retention:
    """Kept in a file: a session that is resumed in another process still replays what it was given."""
    return Retention("transcript", path=loaded.locations.state_dir / HELD_NAME)
