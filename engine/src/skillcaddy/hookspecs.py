"""Every extension point of skillcaddy on one page.

Write a module or class with functions of these names, mark them with `skillcaddy.hookspecs.hookimpl`, and name it
under the entry-point group `skillcaddy` of your distribution. What ships with skillcaddy is registered the same way.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from skillcaddy.hosting import Host
    from skillcaddy.settings import Settings
    from skillcaddy.source import Source

PROJECT = "skillcaddy"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def skillcaddy_sources(settings: Settings) -> Iterable[Source]:  # type: ignore[empty-body]
    """The sources of skills that this plugin adds; asked once per engine. An empty list is fine."""


@hookspec
def skillcaddy_host() -> Host:  # type: ignore[empty-body]
    """The description of the host that this adapter serves. Its entry point's name begins with `host`."""
