"""Where this adapter's files are, in the checkout and in the wheel."""

from __future__ import annotations

from pathlib import Path


def marketplace_folder() -> Path:
    """The folder that the client's `plugin marketplace add` takes; the plugin is its folder `plugin`."""
    here = Path(__file__).parent
    packed = here / "marketplace"
    return packed if packed.is_dir() else here.parent.parent
