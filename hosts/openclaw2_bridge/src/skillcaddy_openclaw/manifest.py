"""The rendered files of the plugin folder that OpenClaw and npm read."""

from __future__ import annotations

import json
from typing import Any

from skillcaddy.guidance import tool_schemas
from skillcaddy.js import PARTS
from skillcaddy.json_schema import property_schemas
from skillcaddy.settings import Settings, setting_fields
from skillcaddy_openclaw import PLUGIN, __version__

_DESCRIPTION = "Hands the agent the one skill it needs, out of a library of any size."
_OLDEST_HOST = ">=2026.7.1"
_REMOVED: dict[str, dict[str, Any]] = {}
"""Keys of earlier versions with their schemas: a configuration that still has one must not stop the host."""
_FILES = (
    *PARTS,
    "checks.js",
    "guidance.json",
    "index.js",
    "openclaw.plugin.json",
    "README.md",
    "tools.js",
    "turns.js",
)


def manifest(settings: type[Settings]) -> str:
    """`openclaw.plugin.json`. It claims no `kind`: with one, installing takes the exclusive slot in every mode."""
    removed = {key: {**schema, "deprecated": True} for key, schema in _REMOVED.items()}
    return _json(
        {
            "id": PLUGIN,
            "name": PLUGIN,
            "description": _DESCRIPTION,
            "version": __version__,
            "activation": {"onStartup": True},
            "contracts": {"tools": [tool.name for tool in tool_schemas("en")]},
            "configSchema": {
                "type": "object",
                "additionalProperties": False,
                "properties": {**property_schemas(settings, defaults=False), **removed},
            },
            "uiHints": {
                each.name: _hint(each.metadata["help"], each.default, secret=bool(each.metadata["secret"]))
                for each in setting_fields(settings)
            },
        }
    )


def package() -> str:
    """`package.json`: no dependency, no script, and both generations of the host."""
    return _json(
        {
            "name": PLUGIN,
            "version": __version__,
            "description": _DESCRIPTION,
            "license": "Apache-2.0",
            "type": "module",
            "main": "./index.js",
            "files": list(_FILES),
            "keywords": ["openclaw", "openclaw-plugin", "skills", "agent"],
            "engines": {"node": ">=22"},
            "openclaw": {
                "extensions": ["./index.js"],
                "compat": {"pluginApi": _OLDEST_HOST},
                "install": {"minHostVersion": _OLDEST_HOST},
            },
        }
    )


def _hint(text: str, default: Any, *, secret: bool) -> dict[str, Any]:
    value = ", ".join(default) if isinstance(default, tuple) else str(default)
    return {
        "help": text,
        **({"placeholder": value} if value and not secret else {}),
        **({"sensitive": True} if secret else {}),
    }


def _json(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
