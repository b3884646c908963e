"""The plugin's rendered files: what the host checks its configuration with, how npm and the host's loader find it."""

from __future__ import annotations

import json
from typing import Any

from skillcaddy import __version__

NAME = "skillcaddy-dsh"
"""The npm package; `skillcaddy` itself is the plugin for OpenClaw."""
ROW = "skillcaddy"
"""The id of the row under which a user configures the plugin."""
_DESCRIPTION = "Hands the agent the one skill it needs, out of a library of any size."


def package() -> str:
    """`package.json`, with the key by which the host's profiles take the package in as a bundle."""
    return _text(
        {
            "name": NAME,
            "version": __version__,
            "description": _DESCRIPTION,
            "license": "Apache-2.0",
            "type": "module",
            "main": "./index.mjs",
            "exports": {".": "./index.mjs", "./package.json": "./package.json"},
            "files": ["*.mjs", "*.json", "*.yml"],
            "keywords": ["dsh", "deepseek", "cordis", "skills", "agent"],
            "engines": {"node": ">=22"},
            "dsh": {"bundle": {"patch": "./cordis.patch.yml"}},
        }
    )


def bundle() -> str:
    """`cordis.patch.yml`: the row that the package adds to a profile which lists it among its bundles."""
    return f"- insert:\n    - id: {ROW}\n      name: {NAME}\n"


def settings_schema() -> str:
    """`settings.schema.json`: the settings as JSON Schema; the shell checks the row's config with it."""
    from skillcaddy.validation import json_schema  # late: it brings pydantic
    from skillcaddy_dsh.settings import DshSettings

    return _text(json_schema(DshSettings))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
