"""The plugin's manifests for CodeBuddy and Claude Code, rendered from one source."""

from __future__ import annotations

import json
from typing import Any

from skillcaddy import __version__
from skillcaddy.guidance import texts

NAME = "skillcaddy"
EVENTS = ("UserPromptSubmit", "SessionStart")
HOOK_TIMEOUT_S = 10
"""The host kills the hook after this many seconds and, in CodeBuddy, the user's message with it."""
_DESCRIPTION = (
    "Finds the right skill in a library of any size: added to each prompt, or searched by the agent on demand."
)
# Both hosts fill in this spelling.
_BIN = "${CLAUDE_PLUGIN_ROOT}/bin"


def plugin() -> str:
    """The plugin's manifest."""
    # `hooks/hooks.json` is always loaded; naming it here would load it twice.
    return _text(
        {
            "name": NAME,
            "version": __version__,
            "description": _DESCRIPTION,
            "license": "Apache-2.0",
            "keywords": ["skills", "search", "mcp"],
            "mcpServers": "./mcp/servers.json",
        }
    )


def marketplace(source: str = "./plugin") -> str:
    """A marketplace of this one plugin, which lies at `source` as seen from the marketplace's folder."""
    entry = {"name": NAME, "source": source, "version": __version__, "description": _DESCRIPTION}
    return _text({"name": NAME, "owner": {"name": NAME}, "metadata": {"description": _DESCRIPTION}, "plugins": [entry]})


def hooks() -> str:
    """One process for each prompt, and one where the model stops seeing what earlier ones added."""

    def run(event: str) -> list[dict[str, Any]]:
        # Through sh, since an archive may have lost the file's mode; where there is no sh, Windows finds the .cmd file.
        command = f'sh "{_BIN}/skillcaddy-hook" {event} || "{_BIN}/skillcaddy-hook" {event}'
        return [{"hooks": [{"type": "command", "command": command, "timeout": HOOK_TIMEOUT_S}]}]

    # SessionStart comes after a compaction that succeeded; PreCompact would come before one that may not.
    return _text({"description": _DESCRIPTION, "hooks": {event: run(event) for event in EVENTS}})


def servers() -> str:
    """The MCP entry. Without `alwaysLoad` CodeBuddy shows the model a bare name and hides the description."""
    entry = {"type": "stdio", "command": f"{_BIN}/skillcaddy-mcp", "args": [], "alwaysLoad": True}
    return _text({"mcpServers": {NAME: entry}})


def notice() -> str:
    """What the hook prints once when no engine is found, for the user: by way of the host, or else of the model."""
    cause = (
        "no Python 3.11 or newer with the package skillcaddy-workbuddy was found "
        "(the fix: `pip install skillcaddy-workbuddy`, and set SKILLCADDY_PYTHON to that Python)"
    )
    said = texts("en").engine_missing.format(cause=cause)
    document = {
        "continue": True,
        "systemMessage": f"skillcaddy: {cause}. Until then no skills are offered; nothing else is affected.",
        "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": said},
    }
    return json.dumps(document, ensure_ascii=True) + "\n"


MANIFESTS = {
    "plugin/.claude-plugin/plugin.json": plugin,
    "plugin/.codebuddy-plugin/plugin.json": plugin,
    ".claude-plugin/marketplace.json": marketplace,
    ".codebuddy-plugin/marketplace.json": marketplace,
    "plugin/hooks/hooks.json": hooks,
    "plugin/mcp/servers.json": servers,
    "plugin/notice.json": notice,
}
"""Every rendered file of this host, by its path in the host's folder."""


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
