"""The settings as this host narrows them, and the two that are the shell's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from skillcaddy.settings import Settings, setting


@dataclass(frozen=True, kw_only=True)
class DshSettings(Settings):
    """What the config of the plugin's row may say."""

    deadline_auto_s: float = setting(
        8.0, "Seconds an automatic retrieval may take in all; the host waits for it.", ge=0.1, le=60.0
    )
    max_chars: int = setting(
        8000,
        "Characters one delivery may have in all; the host prunes longer tool answers to 5,000 when the context fills.",
        ge=500,
        le=200_000,
    )
    python: str = setting("", "Absolute path of the Python that has skillcaddy.")
    tool_names: Literal["plain", "prefixed"] = setting(
        "plain",
        "Names of the tools: skill_search and skill_open, or both with skillcaddy_ in front where another plugin "
        "has taken them.",
    )


SHELL_KEYS = ("python", "tool_names")
"""Read by the shell alone; the engine is not told."""
