"""Where this plugin keeps its own files: its configuration, and what each session already holds."""

from __future__ import annotations

import os
import re
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG_NAME = "config.json"
HELD_NAME = "held.jsonl"
_DATA = ("CODEBUDDY_PLUGIN_DATA", "CLAUDE_PLUGIN_DATA")
_ROOT = ("CODEBUDDY_PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT")
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def data_folder(environ: Mapping[str, str] | None = None) -> Path | None:
    """The plugin's data folder as the host names it, else as its install path tells, else None.

    The folder's name holds the marketplace the plugin came from, which is not always the same one.
    """
    environ = os.environ if environ is None else environ
    for name in _DATA:
        text = environ.get(name, "").strip()
        if text and Path(text).is_absolute():
            return Path(text)
    for name in _ROOT:
        found = _beside(environ.get(name, "").strip())
        if found is not None:
            return found
    return None


def _beside(root: str) -> Path | None:
    """`<config>/plugins/data/<plugin>-<marketplace>` for `<config>/plugins/cache/<marketplace>/<plugin>/<version>`."""
    parts = Path(root).parts if root else ()
    if len(parts) < 6 or parts[-5:-3] != ("plugins", "cache") or not Path(root).is_absolute():
        return None
    marketplace, plugin = parts[-3], parts[-2]
    if not _SAFE.fullmatch(marketplace) or not _SAFE.fullmatch(plugin):
        return None
    return Path(*parts[:-4], "data", f"{plugin}-{marketplace}")
