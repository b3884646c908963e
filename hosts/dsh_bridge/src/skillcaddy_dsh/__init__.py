"""skillcaddy for DeepSeek Harness: the plugin folder, the host's declaration, and a driver for the real host."""

from __future__ import annotations

from pathlib import Path


def member_root() -> Path:
    """The folder that holds `plugin/`: the member's own in a checkout, this module's in an installed wheel."""
    here = Path(__file__).parent
    return here if (here / "plugin").is_dir() else here.parents[1]


def plugin_folder() -> Path:
    """The npm package folder that the host loads."""
    return member_root() / "plugin"
