"""What the JavaScript shells read: they must register tools before any Python process runs."""

from __future__ import annotations

from skillcaddy.guidance.schemas import tool_schemas
from skillcaddy.guidance.words import LANGUAGES, texts

_SHELL_TEXTS = ("tools_off", "engine_missing", "timed_out", "failure")
"""The sentences a shell must be able to say by itself; every other text comes over the bridge."""


def as_json() -> str:
    """The content of `guidance.json`: per language the tools and the shell's own sentences; ends with a newline."""
    import json  # late: no hot path renders the file

    document = {
        language: {
            "tools": [
                {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
                for tool in tool_schemas(language)
            ],
            "texts": {name: getattr(texts(language), name) for name in _SHELL_TEXTS},
        }
        for language in LANGUAGES
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
