"""The settings as this host narrows them."""

from __future__ import annotations

from dataclasses import dataclass

from skillcaddy.settings import Settings, setting


@dataclass(frozen=True, kw_only=True)
class RavenSettings(Settings):
    """What `plugins.config.skillcaddy` may say."""

    max_chars: int = setting(
        9000,
        "Characters one delivery may have in all; the host keeps 16,000 of a tool's answer, its own marks included.",
        ge=500,
        le=15_000,
    )
