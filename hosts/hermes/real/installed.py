"""The real Hermes, installed from PyPI into a cache outside the checkout; a second run takes it from there.

Nothing here is skipped: what cannot be installed is an error that names the command and what it printed.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from filelock import FileLock

from skillcaddy.standin.installing import cache_folder, run

VERSION = "0.19.0"
ROOT = Path(__file__).parents[3]


def host_python() -> Path:
    """The interpreter of an environment with the host and this checkout's engine, and nothing else of ours."""
    root = cache_folder()
    # The host takes Python 3.11 to 3.13.
    folder = root / f"hermes-{VERSION}-py{sys.version_info.major}{sys.version_info.minor}"
    done = folder / "installed.txt"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    with FileLock(f"{folder}.lock"):
        if not done.is_file():
            shutil.rmtree(folder, ignore_errors=True)  # half an installation is worse than none
            run("uv", "venv", "--quiet", "--python", sys.executable, str(folder))
            run("uv", "pip", "install", "--quiet", "--python", str(python), f"hermes-agent=={VERSION}")
            done.write_text(VERSION, encoding="utf-8")
        wheel = build("engine", root / "wheels")
        run("uv", "pip", "install", "--quiet", "--python", str(python), "--reinstall-package", "skillcaddy", str(wheel))
    return python


def build(member: str, out: Path) -> Path:
    """A member's wheel, fresh from the checkout."""
    folder = out / member.replace("/", "-")
    shutil.rmtree(folder, ignore_errors=True)
    run("uv", "build", "--wheel", "--quiet", "--out-dir", str(folder), str(ROOT / member))
    (wheel,) = folder.glob("*.whl")
    return wheel
