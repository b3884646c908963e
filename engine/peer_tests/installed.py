"""The protocol's inspector and the Node it needs, from npm, in a cache outside the checkout."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from filelock import FileLock
from platformdirs import user_cache_path

CACHE_VARIABLE = "SKILLCADDY_HOSTS_CACHE"
NODE = "24.18.1"
INSPECTOR = "2.12.0"


def inspector() -> tuple[Path, Path]:
    """The Node binary and the inspector's script; what cannot be installed is an error, never a skip."""
    system = {"linux": "linux", "darwin": "darwin", "win32": "win"}[sys.platform]
    machine = platform.machine().lower()
    package = f"node-{system}-{ {'x86_64': 'x64', 'amd64': 'x64', 'aarch64': 'arm64'}.get(machine, machine) }"
    what = [f"{package}@{NODE}", f"@modelcontextprotocol/inspector@{INSPECTOR}"]
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("npm is not on PATH; it is needed to install the inspector")
    root = Path(os.environ.get(CACHE_VARIABLE) or user_cache_path("skillcaddy-hosts"))
    folder, done = root / f"inspector-{INSPECTOR}", root / f"inspector-{INSPECTOR}" / "installed.json"
    root.mkdir(parents=True, exist_ok=True)
    with FileLock(root / f"inspector-{INSPECTOR}.lock"):
        if not done.is_file() or json.loads(done.read_text(encoding="utf-8")) != what:
            shutil.rmtree(folder, ignore_errors=True)  # half an installation is worse than none
            folder.mkdir()
            (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
            command = [npm, "install", *what, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
            run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
            if run.returncode:
                raise RuntimeError(f"{' '.join(command)} failed with {run.returncode}:\n{run.stderr[-3000:]}")
            done.write_text(json.dumps(what), encoding="utf-8")
    modules = folder / "node_modules"
    script = modules / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
    return modules / package / "bin" / ("node.exe" if os.name == "nt" else "node"), script
