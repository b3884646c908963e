"""Which installed distributions offer plugins, known without scanning them at each start.

The answer is recorded in the state folder and holds until one of the folders that distributions are installed in
changes. An entry point named `host`, or `host_` and more, only describes a host; retrieval does not need it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from skillcaddy import __version__
from skillcaddy.digest import digest
from skillcaddy.frozen import dataclass
from skillcaddy.paths import state_dir
from skillcaddy.storage import read_sealed, write_sealed

GROUP = "skillcaddy"
_KEPT = 16
_SETTLED_NS = 10_000_000_000
"""An installer fills a distribution's folder after the one around it last changed, so young folders are not trusted."""


@dataclass(frozen=True, kw_only=True)
class PluginEntry:
    """One entry point of the group `skillcaddy`."""

    distribution: str
    name: str
    value: str
    """What to import, as `module` or `module:attribute`."""

    @property
    def describes_host(self) -> bool:
        """True for an adapter's entry that only describes its host."""
        return self.name == "host" or self.name.startswith("host_")


def third_party_plugins(environ: Mapping[str, str] | None = None) -> bool:
    """True when retrieval must load entry points: another distribution offers more than a host's description."""
    return any(entry.distribution != GROUP and not entry.describes_host for entry in plugin_entries(environ))


def plugin_entries(
    environ: Mapping[str, str] | None = None, *, folders: Sequence[str] | None = None
) -> tuple[PluginEntry, ...]:
    """Every installed entry point of the group, in the order of sys.path; an unreadable distribution has none."""
    folders = distribution_folders() if folders is None else folders
    signatures = [[folder, _mtime(folder)] for folder in folders]
    name = digest("\0".join([__version__, *folders]).encode("utf-8", "backslashreplace"))[:32]
    path = state_dir(environ) / "plugins" / f"{name}.json"
    record = read_sealed(path)
    if record is not None and record.get("folders") == signatures:
        return tuple(PluginEntry(**entry) for entry in record["entries"])
    entries = _scan(folders)
    if all(time.time_ns() - mtime > _SETTLED_NS for _, mtime in signatures if isinstance(mtime, int)):
        rows = [{"distribution": each.distribution, "name": each.name, "value": each.value} for each in entries]
        write_sealed(path, {"folders": signatures, "entries": rows}, keep=_KEPT)
    return entries


def distribution_folders() -> list[str]:
    """The folders of sys.path that may hold distributions: not the standard library's, nor the script's own."""
    # sys.path[0] is the script's folder or the working directory, which changes all day
    places = sys.path if sys.flags.safe_path else sys.path[1:]
    library = os.path.dirname(os.__file__)
    own = (library, os.path.join(library, "lib-dynload"))
    return [place for place in dict.fromkeys(places) if place and place not in own and os.path.isdir(place)]


def _mtime(folder: str) -> int | None:
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return None


def _scan(folders: Sequence[str]) -> tuple[PluginEntry, ...]:
    from importlib.metadata import distributions  # late: the record is there to spare it

    found: dict[tuple[str, str], PluginEntry] = {}
    for distribution in distributions(path=list(folders)):
        try:
            name = (distribution.name or "").lower().replace("_", "-")
            for entry in distribution.entry_points:
                if entry.group == GROUP:  # the first on the path shadows later ones, as on import
                    row = PluginEntry(distribution=name, name=entry.name, value=entry.value)
                    found.setdefault((name, entry.name), row)
        except Exception:  # noqa: BLE001 - a broken installation of something else is not ours to report
            continue
    return tuple(found.values())
