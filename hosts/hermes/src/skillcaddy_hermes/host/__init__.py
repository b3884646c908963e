"""What this host is; found by whatever asks which hosts there are, never imported inside a turn."""

from __future__ import annotations

from pathlib import Path

from skillcaddy.hookspecs import hookimpl
from skillcaddy.hosting import Host
from skillcaddy_hermes.host.manifest import FILE, plugin_manifest
from skillcaddy_hermes.surface.settings import HermesSettings

HOST = Host(
    id="hermes",
    title="Hermes",
    settings=HermesSettings,
    root=Path(__file__).parents[3],
    seams={
        "on_demand": "ctx.register_tool of an ordinary plugin, or get_tool_schemas of the memory slot",
        "auto": "hook pre_llm_call of an ordinary plugin, or prefetch of the memory slot",
    },
    retention="transcript",
    manifests={f"src/skillcaddy_hermes/{FILE}": plugin_manifest},
)


@hookimpl
def skillcaddy_host() -> Host:
    """This adapter's description."""
    return HOST
