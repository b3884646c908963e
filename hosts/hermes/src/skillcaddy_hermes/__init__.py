"""skillcaddy for Hermes: one folder that is an ordinary plugin and, where the host asks for one, a MemoryProvider.

The host finds out by looking for that word here, among the first 8192 characters. It also runs every module beside
this one when it lists memory providers, so all that does anything lies in the folders below.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def register(ctx: Any) -> None:
    """Called by the host: offer what this context can take. Costs milliseconds and never raises."""
    from .surface.entry import enter

    enter(ctx)
