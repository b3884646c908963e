"""The settings as this host narrows them."""

from __future__ import annotations

from dataclasses import dataclass

from skillcaddy.settings import Settings, setting


@dataclass(frozen=True, kw_only=True)
class WorkBuddySettings(Settings):
    """A hook has ten seconds; the process ends itself after eight and a half, so the retrieval must be done by then."""

    deadline_auto_s: float = setting(
        7.0, "Seconds an automatic retrieval may take in all; the host's own limit for a hook is ten.", ge=0.1, le=8.0
    )
