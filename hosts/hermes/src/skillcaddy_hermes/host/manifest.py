"""The file by which Hermes knows the plugin folder."""

from __future__ import annotations

import json

from skillcaddy import __version__
from skillcaddy.guidance import OPEN_TOOL, SEARCH_TOOL

FILE = "plugin.yaml"
_DESCRIPTION = "Finds the right skill in a library of any size: searched by the agent on demand, or added to each turn."


def plugin_manifest() -> str:
    """`plugin.yaml`. `kind` is written out: without it the host would take the folder for a memory provider only."""
    lines = {
        "name": "skillcaddy",
        "version": __version__,
        "description": _DESCRIPTION,
        "kind": "standalone",
        "manifest_version": 1,
        "provides_tools": [SEARCH_TOOL, OPEN_TOOL],
        "provides_hooks": ["pre_llm_call"],
        # A bare name: the host checks whether a module of that name can be imported.
        "pip_dependencies": ["skillcaddy"],
    }
    return "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in lines.items())
