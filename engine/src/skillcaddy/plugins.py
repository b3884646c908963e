"""The sources of an engine: the local library, and what plugins add."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from skillcaddy.library.local import LocalSource
from skillcaddy.library.view import Indexing
from skillcaddy.settings import Settings
from skillcaddy.source import Source

if TYPE_CHECKING:
    import pluggy

ENTRY_POINT_GROUP = "skillcaddy"


def plugin_manager(*, entry_points: bool = True) -> pluggy.PluginManager:
    """A manager with every plugin of this environment registered and checked against the hooks.

    Raises pluggy's PluginValidationError, which names the plugin and the hook, when one implements a hook that does
    not exist or takes arguments that a hook does not have.
    """
    import pluggy

    from skillcaddy import hookspecs

    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    if entry_points:
        manager.load_setuptools_entrypoints(ENTRY_POINT_GROUP)
    manager.check_pending()
    return manager


def local_roots(settings: Settings, data_dir: Path | None) -> tuple[str, ...]:
    """The folders to search, in order of precedence; the shared library last, and only where it exists."""
    roots = [os.path.abspath(os.path.expanduser(folder)) for folder in settings.skills_dirs if folder.strip()]
    if settings.shared_library == "on" and data_dir is not None:
        shared = data_dir / "skills"
        if shared.is_dir():
            roots.append(str(shared))
    return tuple(dict.fromkeys(roots))


def sources(
    settings: Settings,
    state: Path,
    *,
    indexing: Indexing,
    data_dir: Path | None = None,
    third_party: bool = True,
) -> list[Source]:
    """The sources in their order: the local library first, then those of plugins.

    `third_party=False` skips the look for plugins, for a process that knows there are none (the settings snapshot
    says so) and cannot afford the scan of entry points.
    """
    found: list[Source] = []
    roots = local_roots(settings, data_dir)
    if roots:
        found.append(LocalSource(roots, state, weight=settings.weight_local, indexing=indexing))
    if third_party:
        for offered in plugin_manager().hook.skillcaddy_sources(settings=settings):
            found.extend(offered or ())
    return found
