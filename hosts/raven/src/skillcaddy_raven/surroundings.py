"""What this Raven is like: where its Tool class is, whether it takes segments, whether it injects skills by itself."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

_TOOL_PLACES = ("raven.contracts.tool", "raven.agent.tools.base")
"""The newest first."""
_SKILLS_DEPTH = 5
"""As deep as the host itself looks for a SKILL.md."""
_MOST_FOLDERS = 2000


def tool_class() -> type[Any]:
    """The host's Tool class. LookupError where no known place has it."""
    for place in _TOOL_PLACES:
        try:
            found = getattr(import_module(place), "Tool", None)
        except ImportError:
            continue
        if isinstance(found, type):
            return found
    raise LookupError(f"Raven's Tool class was found in none of {', '.join(_TOOL_PLACES)}")


def takes_segments() -> bool:
    """Whether this host's plugins may contribute parts of the context; no released one lets them."""
    try:
        contributes = import_module("raven.plugin.manifest").Contributes
    except (ImportError, AttributeError):
        return False
    return "context_segments" in getattr(contributes, "model_fields", {})


def injects_skills() -> bool:
    """Whether this host adds skills from its workspace to each turn's system prompt, which nothing switches off."""
    try:
        package = Path(next(iter(import_module("raven").__path__)))
    except (ImportError, AttributeError, StopIteration):
        return False
    return (package / "context_engine" / "segments" / "skills.py").is_file()


def holds_skills(folder: Path) -> bool:
    """Whether there is a SKILL.md in or below the folder, as deep as the host looks; False for no folder."""
    level, seen = [folder], 0
    for _ in range(_SKILLS_DEPTH + 1):
        below: list[Path] = []
        for each in level:
            try:
                if (each / "SKILL.md").is_file():
                    return True
                below += [path for path in each.iterdir() if path.is_dir()]
            except OSError:
                continue
            seen += 1
            if seen > _MOST_FOLDERS:
                return False
        level = below
    return False


def as_written(config: object, defaults: Mapping[str, Any]) -> object:
    """What the user wrote of the configuration.

    Newer hosts add the manifest's default for each key that the user left out; taken for the user's own words, they
    would override the shared config file. So where every key is there, those that say the default are dropped.
    """
    if not isinstance(config, Mapping) or not defaults.keys() <= config.keys():
        return config
    return {key: value for key, value in config.items() if key not in defaults or value != defaults[key]}
