"""OpenClaw described: its settings, its modes and the files it reads."""

from __future__ import annotations

from dataclasses import dataclass

from skillcaddy.guidance import as_json
from skillcaddy.hookspecs import hookimpl
from skillcaddy.hosting import Host
from skillcaddy.js import shared_half
from skillcaddy.settings import Settings, setting
from skillcaddy_openclaw import ID, member_root
from skillcaddy_openclaw.manifest import manifest, package


@dataclass(frozen=True, kw_only=True)
class OpenClawSettings(Settings):
    """What OpenClaw's configuration may say to us; `python` is read by the shell, everything else by the engine."""

    deadline_auto_s: float = setting(
        8.0,
        "Seconds an automatic retrieval may take in all. OpenClaw 1.x gets 12 unless this is set.",
        ge=0.1,
        le=60.0,
    )
    python: str = setting(
        "", "Absolute path of the Python that has skillcaddy; else SKILLCADDY_PYTHON, else skillcaddy on PATH."
    )


HOST = Host(
    id=ID,
    title="OpenClaw",
    settings=OpenClawSettings,
    root=member_root(),
    seams={
        "on_demand": "tools skill_search and skill_open",
        "auto": "1.x: hook before_prompt_build (prependContext); 2.0: context engine (systemPromptAddition)",
    },
    retention="turn",
    manifests={
        "plugin/openclaw.plugin.json": lambda: manifest(OpenClawSettings),
        "plugin/package.json": package,
        "plugin/guidance.json": as_json,
        **shared_half("plugin"),
    },
)


@hookimpl
def skillcaddy_host() -> Host:
    """OpenClaw, for whatever asks which hosts there are."""
    return HOST
