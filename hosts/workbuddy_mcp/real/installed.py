"""The real clients, from PyPI and from npm."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from skillcaddy.standin.installing import NPM_FLAGS, cached, npm_install, platform_word, run

CODEBUDDY = "codebuddy-agent-sdk==0.3.274"
CLAUDE = "@anthropic-ai/claude-code"


def codebuddy() -> Path:
    """The binary of CodeBuddy's core."""
    installer = [sys.executable, "-m", "pip"] if _has_pip() else ["uv", "pip"]
    what = ["install", "--quiet", "--target", ".", CODEBUDDY]
    folder = cached("codebuddy-0.3.274", what, lambda folder: run(*installer, *what, cwd=folder))
    binary = folder / "codebuddy_agent_sdk" / "bin" / "codebuddy-headless"
    binary.chmod(0o755)
    return binary


def claude() -> Path:
    """The binary of Claude Code; its npm package needs no Node to run."""
    # The script that the package would run after its installation only links this binary.
    folder = cached("claude-code", ["install", CLAUDE, *NPM_FLAGS], lambda folder: npm_install(folder, CLAUDE))
    return folder / "node_modules" / "@anthropic-ai" / f"claude-code-{platform_word()}" / "claude"


def _has_pip() -> bool:
    return subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0
