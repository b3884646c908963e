"""The plugin as a folder for `~/.raven/plugins`, for a Raven that cannot be installed into."""

from __future__ import annotations

import shutil
from pathlib import Path

from skillcaddy_raven.manifest import FILE, ID


def lay_out(plugins: Path) -> Path:
    """Write the plugin's folder below `plugins` anew and return it. The host's Python must still have `skillcaddy`.

    The host puts the plugin's folder itself on its path, so the package has to lie inside it: with the package's files
    directly in the folder the import fails, and the host then goes without any plugin.
    """
    package = Path(__file__).parent
    folder, aside = plugins / ID, plugins / f".{ID}.new"
    shutil.rmtree(aside, ignore_errors=True)
    shutil.copytree(package, aside / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(package / FILE, aside / FILE)
    shutil.rmtree(folder, ignore_errors=True)
    aside.rename(folder)
    return folder
