"""Which of the two ways in is taken, and what is said when neither can be."""

from __future__ import annotations

import logging
import sys
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from typing import Any

NAME = "skillcaddy"


def enter(ctx: Any) -> None:
    """Register with this context. Never raises: a plugin that raises is dropped with a line nobody reads."""
    if find_spec("skillcaddy") is None:
        # Without the engine its vocabulary is missing too, so this is said here.
        logging.getLogger("skillcaddy.hermes").warning(
            "skillcaddy [engine_missing]: the package skillcaddy is not installed for %s, so no skills are offered. "
            "Run `%s -m pip install skillcaddy` (or the same with uv pip).",
            sys.executable,
            sys.executable,
        )
        return
    from .obstacles import Obstacle, say

    try:
        if hasattr(ctx, "register_memory_provider"):
            from .slot import provider

            ctx.register_memory_provider(provider())
            return
        if _slot_is_ours():
            say(Obstacle.SLOT_HAS_IT, "the memory slot serves skills here, so the ordinary plugin rests.", logging.INFO)
            return
        from .ordinary import Ordinary

        Ordinary(ctx).enter()
    except Exception as error:  # noqa: BLE001 - see above
        say(
            Obstacle.STEP_FAILED,
            f"skillcaddy could not start ({type(error).__name__}: {error}), so no skills are offered.",
        )


def _slot_is_ours() -> bool:
    """True when the memory slot really holds us; says so when it only means to, or names what is not there."""
    from .home import host_config, section
    from .obstacles import Obstacle, say

    named = section(host_config(), "memory").get("provider")
    if not isinstance(named, str) or not named.strip():
        return False
    named = named.strip()
    try:
        found = import_module("plugins.memory").find_provider_dir(named)
    except Exception:  # noqa: BLE001 - a host that cannot be asked: the name has to do
        return named == NAME
    if named == NAME and found is None:
        say(
            Obstacle.SLOT_WITHOUT_FOLDER,
            f"memory.provider is {NAME}, but the host finds providers only as folders in its plugins folder, and there "
            "is none; the ordinary plugin serves instead. Copy the plugin's folder there, or unset memory.provider.",
        )
    elif found is None:
        close = get_close_matches(named, [NAME], 1, 0.7)
        say(
            Obstacle.SLOT_NAME_UNKNOWN,
            f'memory.provider is "{named}", and the host knows no such provider, so that slot is empty.'
            + (f' Did you mean "{NAME}"?' if close else ""),
        )
    return named == NAME and found is not None
