"""What this host is."""

from __future__ import annotations

from skillcaddy.hookspecs import hookimpl
from skillcaddy.hosting import Host
from skillcaddy_workbuddy.entry import HOST_ID
from skillcaddy_workbuddy.manifests import MANIFESTS
from skillcaddy_workbuddy.places import marketplace_folder
from skillcaddy_workbuddy.settings import WorkBuddySettings

HOST = Host(
    id=HOST_ID,
    title="WorkBuddy, CodeBuddy and Claude Code",
    settings=WorkBuddySettings,
    root=marketplace_folder(),
    seams={"on_demand": "MCP server", "auto": "hook UserPromptSubmit (additionalContext)"},
    retention="process",
    manifests=MANIFESTS,
)


@hookimpl
def skillcaddy_host() -> Host:
    """This adapter's description."""
    return HOST
