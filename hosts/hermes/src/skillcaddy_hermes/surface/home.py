"""What this adapter asks the host about: its home, its skill folders, its configuration, the agent's tools."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

CONFIG_NAME = "skillcaddy.json"
SPILL_CHARS = 10_000
"""The host's own limit for the text of a hook, where its configuration names no other."""


def home() -> Path:
    """The host's home folder of this moment; with named profiles it is the profile's."""
    try:
        return Path(import_module("hermes_constants").get_hermes_home())
    except Exception:  # noqa: BLE001 - without the host's word its documented default counts
        return Path(os.environ.get("HERMES_HOME") or os.path.expanduser("~/.hermes"))


class Written(NamedTuple):
    """What the adapter's own configuration file holds, and what is wrong with it."""

    values: Mapping[str, Any] | str
    """The settings; a text for a file that is there and of no use, which keeps cautious defaults in force."""
    problem: str = ""


def read_config(folder: Path) -> Written:
    """`skillcaddy.json` of the home folder; nothing where there is none. Never raises."""
    path = folder / CONFIG_NAME
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return Written({})
    except (OSError, ValueError) as error:
        return Written("unreadable", f"{path} cannot be read ({error}), so its settings are not used.")
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Written("unreadable", f"{path} is no JSON ({error}), so its settings are not used.")
    if not isinstance(values, dict):
        return Written("unreadable", f"{path} should hold one JSON object with settings, so it is not used.")
    return Written(values)


def host_config() -> Mapping[str, Any]:
    """The host's own configuration; empty where it cannot be had."""
    try:
        config = import_module("hermes_cli.config").load_config()
    except Exception:  # noqa: BLE001 - what cannot be asked is as if it were not set
        return {}
    return config if isinstance(config, dict) else {}


def section(config: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """A nested section of a configuration; empty where it is none."""
    found: Any = config
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def skill_roots(folder: Path) -> tuple[str, ...]:
    """The folders the host itself reads skills from: its own, then `skills.external_dirs`; only those that exist."""
    roots = [folder / "skills"]
    with suppress(Exception):  # without them, the host's own folder is still worth searching
        roots += import_module("agent.skill_utils").get_external_skills_dirs()
    return tuple(dict.fromkeys(str(root) for root in roots if Path(root).is_dir()))


def most_chars() -> int:
    """Characters of a hook's text that reach the model as they are."""
    spill = section(host_config(), "hooks", "output_spill")
    if spill.get("enabled") is False:
        return sys.maxsize
    limit = spill.get("max_chars")
    return limit if isinstance(limit, int) and not isinstance(limit, bool) and limit > 0 else SPILL_CHARS


def tools_now() -> frozenset[str] | None:
    """The names of the tools the host resolved last in this process; None before it has resolved any."""
    names = getattr(sys.modules.get("model_tools"), "_last_resolved_tool_names", None)
    return frozenset(name for name in names if isinstance(name, str)) if names else None


def toolsets_of(tools: frozenset[str]) -> frozenset[str]:
    """The toolsets that these tools belong to."""
    try:
        registry = import_module("tools.registry").registry
        return frozenset(filter(None, (registry.get_toolset_for_tool(name) for name in tools)))
    except Exception:  # noqa: BLE001 - no toolsets known
        return frozenset()


def is_deferred(tool: str, tools: frozenset[str]) -> bool:
    """True when the host offers this tool only behind its `tool_search`."""
    if tool not in tools:
        return "tool_search" in tools
    try:
        search = import_module("tools.tool_search")
        definitions = import_module("tools.registry").registry.get_definitions(set(tools), quiet=True)
        length = import_module("model_tools")._resolve_active_context_length()
        shown = search.assemble_tool_defs(definitions, context_length=length, config=search.load_config()).tool_defs
        return tool not in {each["function"]["name"] for each in shown}
    except Exception:  # noqa: BLE001 - a host without tool search defers nothing
        return False
