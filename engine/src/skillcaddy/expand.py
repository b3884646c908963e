"""Expands `~` and `$VARIABLES` in paths from settings, makes them absolute, and remembers the variables it used."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

_VARIABLE = re.compile(r"\$(?:\{([^}]+)\}|([A-Za-z_][A-Za-z0-9_]*))")


class Expander:
    """Expands paths with the given environment; `used` and `warnings` fill while it works."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.used: dict[str, str | None] = {}
        self.warnings: list[str] = []

    def setting(self, value: str | tuple[str, ...], *, folder: Path | None, where: str) -> str | tuple[str, ...] | None:
        """The setting's value with each path expanded; None, for "not set", where all are blank."""
        if isinstance(value, str):
            return self.path(value, folder=folder, where=where) if value.strip() else ""
        kept = tuple(self.path(entry, folder=folder, where=where) for entry in value if entry.strip())
        if len(kept) < len(value):
            self.warnings.append(f"{where} has a blank entry, which is ignored. Remove it, or write [] for none.")
        return kept if kept or not value else None

    def path(self, text: str, *, folder: Path | None, where: str = "") -> str:
        """The absolute path that the text means; a relative one starts at the folder, or at the working directory."""
        expanded = _VARIABLE.sub(lambda found: self._value(found, where), text.strip())
        if expanded.startswith("~"):
            expanded = self._home(expanded)
        joined = os.path.join(folder or "", expanded)
        try:
            return os.path.abspath(joined)
        except OSError:  # the working directory is gone
            self.warnings.append(f"{where}: {joined} cannot be made absolute, since the working directory is gone.")
            return joined

    def _value(self, found: re.Match[str], where: str) -> str:
        name = found[1] or found[2]
        value = self._environ.get(name)
        self.used[name] = value
        if value is None:
            self.warnings.append(f"{where}: the variable {name} is not set, so {found[0]} stays as it is.")
            return found[0]
        return value

    def _home(self, text: str) -> str:
        name = "USERPROFILE" if os.name == "nt" else "HOME"
        home = self._environ.get(name)
        self.used[name] = home
        if home and (text == "~" or text[1] in "/\\"):
            return home + text[1:]
        return os.path.expanduser(text)
