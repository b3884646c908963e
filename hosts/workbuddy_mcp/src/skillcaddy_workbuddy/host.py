"""What this host is."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from skillcaddy.hookspecs import hookimpl
from skillcaddy.hosting import Host
from skillcaddy_workbuddy.entry import HOST_ID
from skillcaddy_workbuddy.manifests import render
from skillcaddy_workbuddy.settings import WorkBuddySettings


def _rendered(path: str) -> str:
    return render()[path]


HOST = Host(
    id=HOST_ID,
    title="WorkBuddy, CodeBuddy and Claude Code",
    settings=WorkBuddySettings,
    root=Path(__file__).parents[2],
    seams={"on_demand": "the MCP server in mcp/servers.json", "auto": "the hook UserPromptSubmit in hooks/hooks.json"},
    retention="process",
    manifests={path: partial(_rendered, path) for path in render()},
)


@hookimpl
def skillcaddy_host() -> Host:
    """This adapter's description."""
    return HOST
