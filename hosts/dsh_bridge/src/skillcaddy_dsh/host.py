"""What this host is."""

from __future__ import annotations

from skillcaddy.guidance import as_json
from skillcaddy.hookspecs import hookimpl
from skillcaddy.hosting import Host
from skillcaddy.js import shared_half
from skillcaddy_dsh import member_root
from skillcaddy_dsh.manifests import bundle, package, settings_schema
from skillcaddy_dsh.settings import DshSettings

HOST = Host(
    id="dsh",
    title="DeepSeek Harness",
    settings=DshSettings,
    root=member_root(),
    seams={"on_demand": "ctx.tools.register", "auto": "the event agent/pre-step"},
    retention="transcript",
    manifests={
        "plugin/package.json": package,
        "plugin/cordis.patch.yml": bundle,
        "plugin/settings.schema.json": settings_schema,
        "plugin/guidance.json": as_json,
        **shared_half("plugin"),
    },
)


@hookimpl
def skillcaddy_host() -> Host:
    """This adapter's description."""
    return HOST
