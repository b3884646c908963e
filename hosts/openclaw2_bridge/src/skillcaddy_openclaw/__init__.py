"""skillcaddy for OpenClaw: the plugin folder, what it declares, and a driver for the real host."""

from __future__ import annotations

from pathlib import Path

__version__ = "0.1.0"


def plugin_folder() -> Path:
    """The npm package folder that OpenClaw loads, in a checkout as in an installed wheel."""
    inside = Path(__file__).parent / "plugin"
    return inside if inside.is_dir() else Path(__file__).parents[2] / "plugin"
