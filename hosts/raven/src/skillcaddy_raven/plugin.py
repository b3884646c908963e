"""The factories that raven-plugin.toml names. The host drops *all* plugins when importing this module fails.

So nothing of the host or of the engine is imported before a factory is called, and a factory that cannot do its work
says so in the host's log and returns None, which the host takes for "not this time".
"""

from __future__ import annotations

import logging
from typing import Any

TOOLS = ("skill_search", "skill_open")


def make_skill_search(ctx: Any) -> Any:
    """The search tool, or None in auto mode and where something it needs is missing."""
    return _made(ctx, "skill_search")


def make_skill_open(ctx: Any) -> Any:
    """The tool that reads a skill that was found, or None as above."""
    return _made(ctx, "skill_open")


def make_segment(ctx: Any) -> Any:
    """What adds skills to each turn, for a host that takes such a thing from plugins; None in on_demand mode."""
    return _made(ctx, "")


def _made(ctx: Any, tool: str) -> Any:
    log = getattr(ctx, "logger", None) or logging.getLogger("skillcaddy")
    try:
        from skillcaddy_raven.deployment import deployment  # late: it brings the engine

        here = deployment(ctx, log)
        return here.tool(tool) if tool else here.segment()
    except ImportError as error:
        _warn_once(log, f"skillcaddy: nothing is offered, because {error} in this Python; `pip install skillcaddy`.")
    except Exception as error:  # noqa: BLE001 - a plugin that raises is a nuisance to the host's whole start
        what = f"the tool {tool}" if tool else "the segment"
        log.warning("skillcaddy: %s could not be made (%s: %s).", what, type(error).__name__, error)
    return None


_said: set[str] = set()


def _warn_once(log: logging.Logger, text: str) -> None:
    if text not in _said:
        _said.add(text)
        log.warning("%s", text)
