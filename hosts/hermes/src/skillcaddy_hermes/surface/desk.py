"""One home's settings, engine and tools, with whatever the host can tell to them; shared by both ways in."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillcaddy.loaded import Loaded
from skillcaddy.retention import Retention
from skillcaddy.snapshot import load_fast

from . import home as host_home
from .obstacles import Obstacle, say
from .settings import HermesSettings

if TYPE_CHECKING:
    from skillcaddy.engine import Engine
    from skillcaddy.skill import Hit
    from skillcaddy.tools import Tools

HOST = "hermes"


def load(folder: Path) -> Loaded:
    """The settings for this home folder, `skillcaddy.json` in it as the host's layer; never raises."""
    written = host_home.read_config(folder)
    loaded = load_fast(
        host=written.values,  # type: ignore[arg-type]  # a text is refused there, and cautious defaults hold
        host_name=str(folder / host_home.CONFIG_NAME),
        settings_class=HermesSettings,
        host_folder=folder,
    )
    if written.problem:
        loaded = replace(loaded, warnings=(written.problem, *loaded.warnings))
    return loaded


class Desk:
    """Everything one home folder needs; made cheaply, the engine comes with the first question. Never raises."""

    def __init__(
        self, folder: Path, *, retention: Callable[[Loaded], Retention], llm: Callable[[], Any] | None = None
    ) -> None:
        self.folder = folder
        self.loaded = load(folder)
        self.mode = self.loaded.settings.mode
        self.retention = retention(self.loaded)
        self._llm = llm
        self._lock = threading.Lock()
        self._made: tuple[tuple[str, ...], Engine, Tools] | None = None
        for warning in self.loaded.warnings:
            say(Obstacle.BAD_SETTINGS, warning)

    def schemas(self) -> list[dict[str, Any]]:
        """Both tools as bare function schemas; the same at each call."""
        from skillcaddy.guidance import tool_schemas

        return [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in tool_schemas(self.loaded.settings.language)
        ]

    def text_for_turn(
        self, message: str, *, session: str, held: frozenset[str] = frozenset(), history: tuple[str, ...] = ()
    ) -> str:
        """What to add to a user's message; "" where nothing fits."""
        from skillcaddy.reasons import Reason
        from skillcaddy.request import Request

        try:
            engine, _ = self._at_work()
            request = Request(
                query=message,
                history=history,
                surface="auto",
                host=HOST,
                session=session,
                workspace=_working_folder(),
                tools=host_home.tools_now(),
                held=held,
            )
            found = engine.retrieve(request)
            if not found.text and Reason.OVER_BUDGET in found.trace.reasons():
                say(
                    Obstacle.NO_ROOM,
                    f"a skill fits a turn, but not into {engine.settings.max_chars} characters (max_chars, or the "
                    "host's hooks.output_spill.max_chars), so nothing was added.",
                )
            return found.text
        except Exception as error:  # noqa: BLE001 - the turn goes on, and the log says what was lost
            say(Obstacle.STEP_FAILED, f"nothing could be added to a turn ({type(error).__name__}: {error})")
            return ""

    def answer(self, tool: str, arguments: object, *, session: str) -> str:
        """The answer to the agent's call, as text."""
        from skillcaddy.guidance import texts
        from skillcaddy.request import Request

        words = texts(self.loaded.settings.language)
        try:
            _, tools = self._at_work()
            request = Request(
                query="",
                surface="tool",
                host=HOST,
                session=session,
                workspace=_working_folder(),
                tools=host_home.tools_now(),
            )
            answer = tools.call(tool, arguments, request_defaults=request)
        except Exception as error:  # noqa: BLE001 - the agent gets a sentence whatever happens
            say(Obstacle.STEP_FAILED, f"a call of {tool} failed ({type(error).__name__}: {error})")
            return words.failure.format(cause=type(error).__name__)
        return words.failure.format(cause=tool) if answer is None else answer.text

    def _at_work(self) -> tuple[Engine, Tools]:
        """The engine for the folders of this moment, and the tools over it."""
        roots = host_home.skill_roots(self.folder)
        with self._lock:
            if self._made is None or self._made[0] != roots:
                engine = self._engine(roots)
                from skillcaddy.tools import Tools

                self._made = (roots, engine, Tools(engine, mode=self.mode))
            return self._made[1], self._made[2]

    def _engine(self, roots: tuple[str, ...]) -> Engine:
        from skillcaddy.engine import Engine
        from skillcaddy.model_choice import model_choice

        from .hiding import hidden
        from .host_model import HostModel

        settings, places = self.loaded.settings, self.loaded.locations
        settings = replace(
            settings,
            skills_dirs=tuple(dict.fromkeys((*roots, *settings.skills_dirs))),
            max_chars=max(500, min(settings.max_chars, host_home.most_chars())),
        )
        chosen = model_choice(settings, None if self._llm is None else HostModel(self._llm))
        say(Obstacle.STATUS, f"mode is {self.mode}. {chosen.why}", logging.INFO)
        return Engine(
            settings,
            model=chosen.model,
            state_dir=places.state_dir,
            data_dir=places.data_dir,
            indexing="detached",
            retention=self.retention,
            note=lambda hit: self._same_as(hit, roots),
            hides=hidden,
        )

    def _same_as(self, hit: Hit, roots: tuple[str, ...]) -> str:
        """The line that says how the host itself opens this skill; "" for one that only we know."""
        from skillcaddy.guidance import texts

        skill = hit.skill
        if not skill.folder or not any(skill.path.startswith(root + os.sep) for root in roots):
            return ""
        # By its place, not its name: the host refuses a name that two skills share.
        call = f'skill_view(name="{skill.folder}")'
        return texts(self.loaded.settings.language).same_as.format(call=call)


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it is gone
        return ""
