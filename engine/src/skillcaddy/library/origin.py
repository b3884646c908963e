"""The marker that installing leaves beside a skill: where it came from and how far it is trusted."""

from __future__ import annotations

import json
import os

from skillcaddy.frozen import dataclass
from skillcaddy.skill import Trust

MARKER = ".skillcaddy-origin.json"
"""JSON object with `origin` (what the skill is, such as `clawhub:owner/slug`), `source` and `trust` (a word)."""
_MAX_BYTES = 65_536
_WORDS = {trust.word: trust for trust in Trust}


@dataclass(frozen=True, kw_only=True)
class Origin:
    """What a marker states; anything it does not state well is unvetted and nameless."""

    origin: str = ""
    source: str = ""
    trust: Trust = Trust.UNVETTED


def read_marker(path: str) -> Origin | None:
    """What the marker at this path states; None only where there is none, `Origin()` for one that makes no sense."""
    try:
        os.lstat(path)
    except (OSError, ValueError):
        return None
    try:
        with open(path, "rb", opener=_open) as file:
            stated = json.loads(file.read(_MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return Origin()
    if not isinstance(stated, dict):
        return Origin()
    origin, source, trust = (stated.get(key) for key in ("origin", "source", "trust"))
    return Origin(
        origin=_text(origin),
        source=_text(source),
        trust=_WORDS.get(trust.lower(), Trust.UNVETTED) if isinstance(trust, str) else Trust.UNVETTED,
    )


def installed_origin(directory: str, root: str) -> Origin | None:
    """The marker that holds for a folder: its own, or the nearest above it up to and including the root.

    The folders above count because a skill nested in an installed bundle is as much a stranger's as the bundle.
    """
    while True:
        found = read_marker(f"{directory}{os.sep}{MARKER}")
        parent = os.path.dirname(directory)
        if found is not None or len(directory) <= len(root) or parent == directory:
            return found
        directory = parent


def _text(value: object) -> str:
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
