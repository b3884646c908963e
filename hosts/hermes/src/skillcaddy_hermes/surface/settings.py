"""The settings as this host narrows them."""

from __future__ import annotations

from dataclasses import dataclass

from skillcaddy.settings import Settings, setting


@dataclass(frozen=True, kw_only=True)
class HermesSettings(Settings):
    """The memory slot drops what comes after 8 s, and text of a hook beyond 10,000 characters becomes a file."""

    deadline_auto_s: float = setting(
        6.0, "Seconds an automatic retrieval may take in all; the host drops what comes after eight.", ge=0.1, le=7.0
    )
    max_chars: int = setting(
        9000,
        "Characters one delivery may have in all; the host moves longer text of a hook to a file.",
        ge=500,
        le=10_000,
    )
