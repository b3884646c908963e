"""What this host is."""

from __future__ import annotations

from pathlib import Path

from skillcaddy.hookspecs import hookimpl
from skillcaddy.hosting import Host
from skillcaddy_raven.manifest import FILE, manifest
from skillcaddy_raven.settings import RavenSettings

HOST = Host(
    id="raven",
    title="Raven",
    settings=RavenSettings,
    root=Path(__file__).parents[2],
    modes=frozenset({"on_demand"}),
    seams={
        "on_demand": "[[plugin.contributes.tools]] in raven-plugin.toml",
        "auto": "[[plugin.contributes.context_segments]], which no released host reads",
    },
    retention="turn",
    manifests={f"src/skillcaddy_raven/{FILE}": manifest},
)


@hookimpl
def skillcaddy_host() -> Host:
    """This adapter's description."""
    return HOST
