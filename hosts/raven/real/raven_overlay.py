"""A Python that has the Raven that the tests are pointed at, and the engine beside it; that Raven is not touched.

Raven is on no package index, so nothing is installed here: RAVEN_PYTHON names the Python of an installation, RAVEN_ROOT
a checkout to import it from where that Python does not have it. Without either this is an error, never a skip.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

from skillcaddy.standin.installing import run

ROOT = Path(__file__).parents[3]
_ASK = """
import importlib.util, json, sys, sysconfig
from importlib.metadata import PackageNotFoundError, version
def has(name):
    try:
        return bool(version(name))
    except PackageNotFoundError:
        return False
sys.path += filter(None, sys.argv[2:])
spec = importlib.util.find_spec("raven")
print(json.dumps({
    "raven": spec and spec.origin, "site": sysconfig.get_paths()["purelib"], "python": sys.version_info[:3],
    "missing": [name for name in json.loads(sys.argv[1]) if not has(name)],
}))
"""


def overlay(folder: Path) -> Path:
    """The Python to run, in a new environment in `folder`. RuntimeError says what to set or what is wrong with it."""
    named, checkout = os.environ.get("RAVEN_PYTHON", "").strip(), os.environ.get("RAVEN_ROOT", "").strip()
    if not named:
        raise RuntimeError(
            "real(raven) needs a Raven: set RAVEN_PYTHON to the Python of an installation (3.12 or newer), and "
            "RAVEN_ROOT to a checkout if that Python has only Raven's dependencies. No package index has it."
        )
    project = tomllib.loads((ROOT / "engine" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.split(r"[^A-Za-z0-9._-]", text, maxsplit=1)[0]: text for text in project["dependencies"]}
    asked = subprocess.run(
        [named, "-P", "-c", _ASK, json.dumps(list(needed)), checkout], capture_output=True, text=True, check=False
    )
    if asked.returncode:
        raise RuntimeError(f"RAVEN_PYTHON is {named}, which does not run: {asked.stderr[-1000:]}")
    answer = json.loads(asked.stdout)
    if not answer["raven"]:
        raise RuntimeError(f"RAVEN_PYTHON is {named} and RAVEN_ROOT is {checkout!r}, and neither has `raven`.")
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    run("uv", "venv", "--python", named, str(folder))
    (site,) = [*folder.glob("lib/python*/site-packages"), *folder.glob("Lib/site-packages")]
    (site / "raven-of-the-tests.pth").write_text(f"{answer['site']}\n{checkout}\n", encoding="utf-8")
    # What Raven's Python has already is used as it is: that they get on is part of the proof.
    run("uv", "pip", "install", "--python", str(python), "--no-deps", str(ROOT / "engine"))
    if answer["missing"]:
        run("uv", "pip", "install", "--python", str(python), *(needed[name] for name in answer["missing"]))
    return python


def packed(folder: Path) -> Path:
    """A folder for PYTHONPATH that holds our distribution as pip installs it, entry point included."""
    run("uv", "pip", "install", "--target", str(folder), "--no-deps", str(ROOT / "hosts" / "raven"))
    return folder
