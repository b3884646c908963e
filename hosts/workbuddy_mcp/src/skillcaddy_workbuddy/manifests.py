"""The plugin's manifests for CodeBuddy and Claude Code, rendered from one source."""

from __future__ import annotations

import json
from typing import Any

from skillcaddy import __version__
from skillcaddy.guidance import texts

NAME = "skillcaddy"
HOOK_TIMEOUT_S = 10
"""The host kills the hook after this many seconds and, in CodeBuddy, the user's message with it."""
_DESCRIPTION = (
    "Finds the right skill in a library of any size: added to each prompt, or searched by the agent on demand."
)
_LINK = "https://pypi.org/project/skillcaddy-workbuddy/"
# Both hosts fill in this spelling.
_BIN = "${CLAUDE_PLUGIN_ROOT}/bin"


def render() -> dict[str, str]:
    """Every rendered file of this host: path relative to the host's folder -> its content."""
    # `hooks/hooks.json` is always loaded; naming it in a manifest would load it twice.
    plugin = {
        "name": NAME,
        "version": __version__,
        "description": _DESCRIPTION,
        "homepage": _LINK,
        "license": "Apache-2.0",
        "keywords": ["skills", "search", "mcp"],
        "mcpServers": "./mcp/servers.json",
    }
    market = {
        "name": NAME,
        "owner": {"name": NAME},
        "metadata": {"description": _DESCRIPTION},
        "plugins": [{"name": NAME, "source": "./plugin", "version": __version__, "description": _DESCRIPTION}],
    }
    return {
        **{f"plugin/{folder}/plugin.json": _text(plugin) for folder in (".claude-plugin", ".codebuddy-plugin")},
        **{f"{folder}/marketplace.json": _text(market) for folder in (".claude-plugin", ".codebuddy-plugin")},
        "plugin/hooks/hooks.json": _text(hooks()),
        "plugin/mcp/servers.json": _text(servers()),
        "plugin/notice.json": notice(),
    }


def hooks() -> dict[str, Any]:
    """One process for each prompt, and one where the model stops seeing what earlier ones added."""

    def run(event: str) -> list[dict[str, Any]]:
        command = f'"{_BIN}/skillcaddy-hook" {event}'
        return [{"hooks": [{"type": "command", "command": command, "timeout": HOOK_TIMEOUT_S}]}]

    events = ("UserPromptSubmit", "SessionStart", "PreCompact")
    return {"description": _DESCRIPTION, "hooks": {event: run(event) for event in events}}


def servers() -> dict[str, Any]:
    """The MCP entry. Without `alwaysLoad` CodeBuddy shows the model a bare name and hides the description."""
    return {
        "mcpServers": {NAME: {"type": "stdio", "command": f"{_BIN}/skillcaddy-mcp", "args": [], "alwaysLoad": True}}
    }


def notice() -> str:
    """What the hook prints once when no engine is found, for the user: by way of the host, or else of the model."""
    cause = (
        "no Python 3.11 or newer with the package skillcaddy-workbuddy was found "
        "(the fix: `pip install skillcaddy-workbuddy`, then `skillcaddy install workbuddy`)"
    )
    said = texts("en").engine_missing.format(cause=cause)
    document = {
        "continue": True,
        "systemMessage": f"skillcaddy: {cause}. Until then no skills are offered; nothing else is affected.",
        "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": said},
    }
    return json.dumps(document, ensure_ascii=True) + "\n"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
