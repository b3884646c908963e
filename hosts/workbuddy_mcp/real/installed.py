"""The real clients, installed into a cache outside the checkout; a second run takes them from there.

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
CODEBUDDY = "codebuddy-agent-sdk==0.3.274"
CLAUDE = "@anthropic-ai/claude-code"
_INSTALL_S = 600


def codebuddy() -> Path:
    """The binary of CodeBuddy's core."""
    installer = [sys.executable, "-m", "pip"] if _has_pip() else ["uv", "pip"]
    folder = _installed("codebuddy-0.3.274", [*installer, "install", "--quiet", "--target", ".", CODEBUDDY])
    binary = folder / "codebuddy_agent_sdk" / "bin" / "codebuddy-headless"
    binary.chmod(0o755)
    return binary


def claude() -> Path:
    """The binary of Claude Code; its npm package needs no Node to run."""
    # The script that the package would run after its installation only links this binary.
    command = ["npm", "install", CLAUDE, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    folder = _installed("claude-code", command)
    system = {"linux": "linux", "darwin": "darwin"}[sys.platform]
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine().lower(), platform.machine().lower())
    return folder / "node_modules" / "@anthropic-ai" / f"claude-code-{system}-{machine}" / "claude"


def _has_pip() -> bool:
    return subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0


def _installed(name: str, command: list[str]) -> Path:
    """The cache's folder of that name, filled by the command run inside it, unless it was before."""
    if shutil.which(command[0]) is None:
        raise RuntimeError(f"{command[0]} is not on PATH; it is needed to install the real clients")
    root = Path(os.environ.get(CACHE_VARIABLE) or user_cache_path("skillcaddy-hosts"))
    root.mkdir(parents=True, exist_ok=True)
    folder, done = root / name, root / name / "installed.json"
    what = command[command.index("install") :]
    with FileLock(root / f"{name}.lock"):
        if not done.is_file() or json.loads(done.read_text(encoding="utf-8")) != what:
            shutil.rmtree(folder, ignore_errors=True)  # half an installation is worse than none
            folder.mkdir()
            if command[0] == "npm":
                (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
            run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_INSTALL_S, check=False)
            if run.returncode:
                raise RuntimeError(f"{' '.join(command)} failed with {run.returncode}:\n{run.stderr[-3000:]}")
            done.write_text(json.dumps(what), encoding="utf-8")
    return folder
