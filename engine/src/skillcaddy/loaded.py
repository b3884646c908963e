"""What loading settings gives: the settings, where each value came from, and what was wrong on the way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from skillcaddy.frozen import dataclass, field
from skillcaddy.paths import Locations
from skillcaddy.settings import Settings

Kind = Literal["argument", "environment", "host", "file", "default"]


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a value came from."""

    kind: Kind
    where: str = ""
    """The variable, the file, the host or the argument; "" for a default."""

    def __str__(self) -> str:
        if self.kind == "default":
            return f"the default ({self.where})" if self.where else "the default"
        return f"from {'argument ' if self.kind == 'argument' else ''}{self.where}"


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """Settings ready for use, with where each came from and what was wrong on the way."""

    settings: Settings
    origins: Mapping[str, Origin]
    locations: Locations
    """Where state, shared library and logs live under these settings."""
    warnings: tuple[str, ...] = ()
    """What was wrong, one sentence or two each, with the value that stands in."""
    problems: tuple[str, ...] = ()
    """The same, said to the person who can correct it."""
    config_file: str = ""
    """The shared config file that was looked for; "" where none was wanted."""
    expanded: Mapping[str, str | None] = field(default_factory=dict)
    """The variables that paths were expanded with, and their values."""
