"""The real host, installed from npm into a cache outside the checkout; a second run takes it from there.

Nothing here is skipped: what cannot be installed is an error that names the command and what it printed.
"""

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
NODE_VERSION = "24.18.1"
TYPESCRIPT_VERSION = "5.9.3"
NODE_TYPES_VERSION = "24.10.1"
VERSION = "0.1.0-rc.8"
"""The newest set that is published whole: 0.1.5-rc.2 depends on a package that is not."""
# npm's own resolution of the peers runs for many minutes, so they are named here; with a newer hmr the launcher dies.
_PEERS = (
    "invariants",
    "scope",
    "fs",
    "atomic-write",
    "shell",
    "bash-local",
    "sandbox",
    "compaction",
    "workflow",
    "code-runtime",
    "timeout",
    "session-telemetry",
    "anonymous-user-id",
    "output-retention",
    "session-title-llm",
    "spill",
    "subagent-in-process-driver",
)
_CORDIS = (
    "cordis-plugin-group@^1.0.1",
    "cordis@4.0.1",
    "cordis-plugin-hmr@1.0.16",
    "cordis-plugin-loader@1.0.2",
    "cordis-plugin-include@1.0.6",
)
_INSTALL_S = 600


def node() -> Path:
    """The Node binary that the host runs with."""
    systems = {"linux": "linux", "darwin": "darwin", "win32": "win"}
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    package = f"node-{systems[sys.platform]}-{machine}"
    folder = _installed(f"node-{NODE_VERSION}", f"{package}@{NODE_VERSION}")
    return folder / package / "bin" / ("node.exe" if os.name == "nt" else "node")


def harness() -> Path:
    """The package folder of the host."""
    packages = [f"dsh@{VERSION}", *(f"dsh-{name}@{VERSION}" for name in _PEERS), *_CORDIS]
    what = [f"@deepseek-ai/{package}" for package in packages]
    return _installed(f"dsh-{VERSION}", "--legacy-peer-deps", *what) / "@deepseek-ai" / "dsh"


def typescript() -> Path:
    """A `node_modules` folder with the compiler and Node's types."""
    return _installed(
        f"typescript-{TYPESCRIPT_VERSION}", f"typescript@{TYPESCRIPT_VERSION}", f"@types/node@{NODE_TYPES_VERSION}"
    )


def _installed(name: str, *what: str) -> Path:
    """The `node_modules` of the cache's folder of that name, filled by npm unless it was before."""
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("npm is not on PATH; it is needed to install the real host")
    root = Path(os.environ.get(CACHE_VARIABLE) or user_cache_path("skillcaddy-hosts"))
    root.mkdir(parents=True, exist_ok=True)
    folder, done = root / name, root / name / "installed.json"
    with FileLock(root / f"{name}.lock"):
        if not done.is_file() or json.loads(done.read_text(encoding="utf-8")) != list(what):
            shutil.rmtree(folder, ignore_errors=True)  # half an installation is worse than none
            folder.mkdir()
            (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
            command = [npm, "install", *what, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
            run = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=_INSTALL_S, check=False
            )
            if run.returncode:
                raise RuntimeError(f"{' '.join(command)} failed with {run.returncode}:\n{run.stderr[-3000:]}")
            done.write_text(json.dumps(list(what)), encoding="utf-8")
    return folder / "node_modules"
