"""skillcaddy for OpenClaw: the plugin folder, what it declares, and a driver for the real host."""

from __future__ import annotations

from pathlib import Path

__version__ = "0.1.0"
ID = "openclaw"
"""The host's id."""
PLUGIN = "skillcaddy"
"""The plugin's id, which is the npm package's name too."""


def member_root() -> Path:
    """The folder that holds `plugin/`: the member's own in a checkout, this module's in an installed wheel."""
    here = Path(__file__).parent
    return here if (here / "plugin").is_dir() else here.parents[1]


def plugin_folder() -> Path:
    """The npm package folder that OpenClaw loads."""
    return member_root() / "plugin"
