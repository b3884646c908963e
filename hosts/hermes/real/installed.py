"""The real Hermes, installed from PyPI into a cache outside the checkout; a second run takes it from there.

Nothing here is skipped: what cannot be installed is an error that names the command and what it printed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from filelock import FileLock
from platformdirs import user_cache_path

CACHE_VARIABLE = "SKILLCADDY_HOSTS_CACHE"
VERSION = "0.19.0"
ROOT = Path(__file__).parents[3]
_INSTALL_S = 600


def host_python() -> Path:
    """The interpreter of an environment with the host and this checkout's engine, and nothing else of ours."""
    root = Path(os.environ.get(CACHE_VARIABLE) or user_cache_path("skillcaddy-hosts"))
    root.mkdir(parents=True, exist_ok=True)
    # The host takes Python 3.11 to 3.13.
    folder = root / f"hermes-{VERSION}-py{sys.version_info.major}{sys.version_info.minor}"
    done = folder / "installed.txt"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    with FileLock(f"{folder}.lock"):
        if not done.is_file():
            shutil.rmtree(folder, ignore_errors=True)  # half an installation is worse than none
            _run("uv", "venv", "--quiet", "--python", sys.executable, str(folder))
            _run("uv", "pip", "install", "--quiet", "--python", str(python), f"hermes-agent=={VERSION}")
            done.write_text(VERSION, encoding="utf-8")
        wheel = build("engine", root / "wheels")
        _run(
            "uv", "pip", "install", "--quiet", "--python", str(python), "--reinstall-package", "skillcaddy", str(wheel)
        )
    return python


def build(member: str, out: Path) -> Path:
    """A member's wheel, fresh from the checkout."""
    folder = out / member.replace("/", "-")
    shutil.rmtree(folder, ignore_errors=True)
    _run("uv", "build", "--wheel", "--quiet", "--out-dir", str(folder), str(ROOT / member))
    (wheel,) = folder.glob("*.whl")
    return wheel


def _run(*command: str) -> None:
    if shutil.which(command[0]) is None:
        raise RuntimeError(f"{command[0]} is not on PATH; it is needed to install the real host")
    run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=_INSTALL_S, check=False)
    if run.returncode:
        raise RuntimeError(f"{' '.join(command)} failed with {run.returncode}:\n{run.stderr[-3000:]}")
