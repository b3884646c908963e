"""What a host is: the one description that each adapter gives of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from skillcaddy.settings import Mode, Settings

Retained = Literal["transcript", "process", "turn"]
"""How long a delivery is held: replayed in every later request, kept by the running process, or gone after the turn."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Host:
    """One adapter. Everything that is shown to the host itself is rendered from this and from the settings."""

    id: str
    """The word by which nox, contracts, doctor, commands and the registry know it."""
    title: str
    """Its name for people."""
    settings: type[Settings]
    """The settings as this host narrows them."""
    root: Path
    """The adapter's folder in the workspace; manifests are written below it."""
    modes: frozenset[Mode] = frozenset({"on_demand", "auto"})
    """The modes that the stock host can carry."""
    seams: Mapping[Mode, str] = field(default_factory=dict)
    """Per mode the place at which the host takes us in, for people."""
    retention: Retained = "transcript"
    manifests: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    """Rendered files: path below `root` -> what renders it."""


def hosts() -> tuple[Host, ...]:
    """Every installed adapter's description, by id; each comes through the hook `skillcaddy_host`, like a plugin's.

    Raises ImportError when an adapter can't be imported, and pluggy's PluginValidationError when it implements a hook
    that there is not: both are faults of an installation, found outside any turn.
    """
    from importlib import import_module

    import pluggy

    from skillcaddy import hookspecs
    from skillcaddy.installed import plugin_entries

    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    for entry in plugin_entries():
        if entry.describes_host:
            manager.register(import_module(entry.value))
    manager.check_pending()
    found: list[Host] = manager.hook.skillcaddy_host()
    return tuple(sorted(found, key=lambda host: host.id))
