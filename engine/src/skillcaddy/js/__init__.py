"""The half that the JavaScript shells share: the modules of this folder, which every plugin carries as they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

PARTS = ("bridge-child.mjs", "bridge-engine.mjs", "bridge-wire.mjs", "bridge.mjs")
"""The modules; `bridge.mjs` is the one that a shell imports."""


def shared_half(folder: str) -> dict[str, Callable[[], str]]:
    """A plugin's rendered files of the shared half: path below that folder -> what renders it."""
    return {f"{folder}/{name}": partial(_source, name) for name in PARTS}


def _source(name: str) -> str:
    from importlib.resources import files  # late: only the renderer reads it

    return (files(__name__) / name).read_text(encoding="utf-8")
