"""The real host, from npm."""

from __future__ import annotations

from pathlib import Path

from skillcaddy.standin.installing import npm

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


def harness() -> Path:
    """The package folder of the host."""
    packages = [f"dsh@{VERSION}", *(f"dsh-{name}@{VERSION}" for name in _PEERS), *_CORDIS]
    what = [f"@deepseek-ai/{package}" for package in packages]
    return npm(f"dsh-{VERSION}", "--legacy-peer-deps", *what) / "@deepseek-ai" / "dsh"
