"""Hermes' own rules for skills that its user must not see, applied to what the engine finds on disk."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import PurePath
from typing import Any

from skillcaddy.skill import Hit

from .home import tools_now, toolsets_of

_NEVER = frozenset({".archive", ".hub"})
"""Folders with skills that the host has retired, or not yet installed."""


def hidden(hit: Hit) -> bool:
    """True when the host hides this skill: retired, disabled, for another platform or place, or short of a tool.

    Where the host cannot be asked, only what needs no asking is applied.
    """
    skill = hit.skill
    if not skill.path:
        return False
    if _NEVER & set(PurePath(skill.folder).parts):
        return True
    disabled = _asked("agent.skill_utils", "get_disabled_skill_names") or frozenset()
    if skill.name in disabled or PurePath(skill.directory).name in disabled:
        return True
    platforms, environments = _words(hit, "platforms"), _words(hit, "environments")
    if platforms and _asked("agent.skill_utils", "skill_matches_platform_list", platforms) is False:
        return True
    if (
        environments
        and _asked("agent.skill_utils", "skill_matches_environment", {"environments": environments}) is False
    ):
        return True
    return _short_of_tools(hit)


def _short_of_tools(hit: Hit) -> bool:
    wanted = {
        rule: _words(hit, f"metadata.hermes.{rule}")
        for rule in ("requires_tools", "requires_toolsets", "fallback_for_tools", "fallback_for_toolsets")
    }
    tools = tools_now() if any(wanted.values()) else None
    if tools is None:
        return False  # the host shows everything as well where it does not know the tools
    toolsets = toolsets_of(tools)
    return (
        not set(wanted["requires_tools"]) <= tools
        or not set(wanted["requires_toolsets"]) <= toolsets
        or bool(set(wanted["fallback_for_tools"]) & tools)
        or bool(set(wanted["fallback_for_toolsets"]) & toolsets)
    )


def _words(hit: Hit, key: str) -> list[str]:
    """A list of the front matter, which the engine keeps as text."""
    return [word.strip(" \"'[]") for word in hit.skill.meta.get(key, "").split(",") if word.strip(" \"'[]")]


def _asked(module: str, name: str, *arguments: Any) -> Any:
    """The host's own answer, None where it has none."""
    try:
        function: Callable[..., Any] = getattr(import_module(module), name)
        return function(*arguments)
    except Exception:  # noqa: BLE001 - a rule that cannot be asked hides nothing
        return None
