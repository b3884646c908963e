"""The two tools as an MCP client sees them, over an engine that follows the settings while the server lives."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from skillcaddy.engine import Engine
from skillcaddy.guidance import tool_schemas
from skillcaddy.loaded import Loaded
from skillcaddy.model_choice import choose_model
from skillcaddy.models import ChatModel
from skillcaddy.request import Request
from skillcaddy.tools import ToolAnswer, Tools


class Toolbox:
    """`tools/list` and `tools/call` for one client; safe to use from many threads.

    Settings are read at each use, which costs about a millisecond: a mode that was changed meanwhile must not leave
    the hook and the tools both at work.
    """

    def __init__(
        self,
        load: Callable[[], Loaded],
        *,
        host: str,
        client_model: Callable[[], ChatModel | None] = lambda: None,
        injects: bool = False,
    ) -> None:
        """`injects` says that this host also has a hook, so that `auto` mode works on it."""
        self._load = load
        self._client_model = client_model
        self._injects = injects
        self._defaults = Request(query="", surface="tool", host=host)
        self._lock = threading.Lock()
        self._loaded: Loaded | None = None
        self._tools: Tools | None = None
        self._offered: ChatModel | None = None
        self._said: set[str] = set()
        self._current()

    def tools(self) -> list[dict[str, Any]]:
        """What `tools/list` offers: both tools in `on_demand`, none in `auto`."""
        loaded, _ = self._current()
        if loaded.settings.mode != "on_demand":
            return []
        return [
            {
                "name": tool.name,
                "description": tool.description,
                "inputSchema": tool.parameters,
                "annotations": {"readOnlyHint": True, "openWorldHint": False},
            }
            for tool in tool_schemas(loaded.settings.language)
        ]

    def call(self, name: str, arguments: object) -> ToolAnswer | None:
        """The answer of the tool of that name, a refusal included; None when there is no such tool."""
        _, tools = self._current()
        # No session: a server outlives conversations and never hears of a compaction, so nothing counts as held.
        return tools.call(name, arguments, request_defaults=self._defaults)

    def _current(self) -> tuple[Loaded, Tools]:
        with self._lock:
            loaded = self._load()
            if self._tools is None or self._loaded is None or loaded.settings != self._loaded.settings:
                engine = Engine(
                    loaded.settings,
                    model=choose_model(loaded.settings, self._client_model()),
                    state_dir=loaded.locations.state_dir,
                    data_dir=loaded.locations.data_dir,
                )
                self._loaded, self._tools = loaded, Tools(engine)
            for warning in loaded.warnings:
                self._say(warning)
            if loaded.settings.mode == "auto" and not self._injects:
                self._say(
                    "mode is auto, which needs a host that adds skills to each message; an MCP client can't, so no "
                    "tool is offered. Set SKILLCADDY_MODE=on_demand in this client's entry."
                )
            return self._loaded, self._tools

    def _say(self, sentence: str) -> None:
        if sentence not in self._said:
            self._said.add(sentence)
            print(f"skillcaddy: {sentence}", file=sys.stderr)  # noqa: T201 - stderr is the server's log
