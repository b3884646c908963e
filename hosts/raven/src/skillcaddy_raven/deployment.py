"""What one configuration of the plugin stands for: its settings, its engine, its tools, and what it has to say."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from skillcaddy.engine import Engine
from skillcaddy.guidance import SEARCH_TOOL, texts, tool_schemas
from skillcaddy.model_choice import model_choice
from skillcaddy.request import Request
from skillcaddy.retention import Retention
from skillcaddy.settings import setting_fields
from skillcaddy.snapshot import load_fast
from skillcaddy.tools import Tools
from skillcaddy_raven import surroundings
from skillcaddy_raven.model import ProviderModel
from skillcaddy_raven.off_loop import off_loop
from skillcaddy_raven.segment import SkillSegment
from skillcaddy_raven.settings import RavenSettings
from skillcaddy_raven.tool import tool_of

HOST = "raven"
_GRACE_S = 2.0
"""How much later than the engine's own deadline an answer is still taken."""
_NO_SLOT = (
    "skillcaddy: mode is auto, but this Raven takes no parts of the context from plugins "
    "([[plugin.contributes.context_segments]] is what would be needed), so nothing is added to any turn and no tool is "
    'offered. Set plugins.config.skillcaddy.mode to "on_demand" to give the agent its tools.'
)
_TWICE = (
    "skillcaddy: there are skills in %s, which this Raven also adds to each turn's system prompt by itself, so the "
    "agent may get one twice. Keep the skills in another folder and name it in plugins.config.skillcaddy.skills_dirs."
)

_lock = threading.Lock()
_made: dict[str, Deployment] = {}


class Deployment:
    """One engine behind both tools, or behind the segment."""

    def __init__(self, config: object, services: Any, log: logging.Logger) -> None:
        self.log = log
        workspace = getattr(services, "workspace", None)
        self.workspace = "" if workspace is None else str(workspace)
        loaded = load_fast(
            host=cast("Mapping[str, Any] | None", surroundings.as_written(config, _defaults())),
            host_name="Raven",
            settings_class=RavenSettings,
            host_folder=Path(self.workspace) if self.workspace else None,
        )
        folders = [str(Path(self.workspace) / "skills")] if self.workspace else []
        self.settings = replace(
            loaded.settings, skills_dirs=tuple(dict.fromkeys([*folders, *loaded.settings.skills_dirs]))
        )
        provider = getattr(services, "provider", None)
        self.provider = None if provider is None else ProviderModel(provider)
        chosen = model_choice(self.settings, self.provider)
        # The answer of a tool stays in the conversation, but the host does not tell a tool which one that is; the
        # system prompt is made anew for each turn.
        self.engine = Engine(self.settings, model=chosen.model, retention=Retention("turn"))
        self._tools = Tools(self.engine, mode=self.settings.mode)
        self.words = texts(self.settings.language)
        for text in loaded.warnings:
            log.warning("skillcaddy: %s", text)
        log.info("skillcaddy: mode is %s. %s", self.settings.mode, chosen.why)
        self._report_obstacles(Path(folders[0]) if folders else None)

    def tool(self, name: str) -> Any:
        """The tool of that name for the host's registry, None in auto mode."""
        if self.settings.mode == "auto":
            return None
        schema = next(tool for tool in tool_schemas(self.settings.language) if tool.name == name)
        more = f"\n\n{self.words.search_fenced}" if name == SEARCH_TOOL else ""
        return tool_of(self, schema, schema.description + more)

    def segment(self) -> Any:
        """The segment for the host's context, None in on_demand mode."""
        return SkillSegment(self) if self.settings.mode == "auto" else None

    async def answer(self, name: str, arguments: Mapping[str, Any]) -> str:
        """The text for an agent's call. Never raises, never later than the tool's deadline and a little."""
        self._attend()
        request = Request(query="", surface="tool", host=HOST, workspace=self.workspace)
        try:
            answer = await off_loop(
                lambda: self._tools.call(name, arguments, request_defaults=request),
                self.settings.deadline_tool_s + _GRACE_S,
            )
        except TimeoutError:
            return self.words.timed_out
        except Exception as error:  # noqa: BLE001 - the model gets a sentence whatever happens
            return self.words.failure.format(cause=type(error).__name__)
        return self.words.failure.format(cause=name) if answer is None else answer.text

    async def retrieve(self, message: str, history: tuple[str, ...], session: str) -> str:
        """The text for a user's turn, "" where nothing fits. TimeoutError past the deadline and a little."""
        self._attend()
        request = Request(
            query=message, history=history, surface="auto", host=HOST, session=session, workspace=self.workspace
        )
        found = await off_loop(lambda: self.engine.retrieve(request), self.settings.deadline_auto_s + _GRACE_S)
        return found.text

    def _attend(self) -> None:
        if self.provider is not None:
            self.provider.attend()

    def _report_obstacles(self, own_skills: Path | None) -> None:
        """What keeps this configuration from doing what it says, with the cure."""
        if self.settings.mode == "auto" and not surroundings.takes_segments():
            self.log.warning(_NO_SLOT)
        if own_skills is not None and surroundings.injects_skills() and surroundings.holds_skills(own_skills):
            self.log.warning(_TWICE, own_skills)


def deployment(ctx: Any, log: logging.Logger) -> Deployment:
    """The deployment for this context; the factories of one start share it, so that each thing is said once."""
    services = getattr(ctx, "services", None)
    config = getattr(ctx, "config", None)
    provider = getattr(services, "provider", None)
    key = json.dumps([config, str(getattr(services, "workspace", "")), id(provider)], default=repr, sort_keys=True)
    with _lock:
        if key not in _made:
            _made[key] = Deployment(config, services, log)
        return _made[key]


def _defaults() -> dict[str, Any]:
    """Each setting's default, as the manifest tells it to the host."""
    return {
        each.name: list(each.default) if isinstance(each.default, tuple) else each.default
        for each in setting_fields(RavenSettings)
    }
