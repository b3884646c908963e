"""A real host driven from outside: in a folder of its own, in bare surroundings, a command to its end."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class HostFailed(Exception):  # noqa: N818 - what happened to the host
    """The host did not do what was asked; holds what it printed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """What one turn in a process of its own gave."""

    code: int = 0
    """The host's exit code; some hosts end with 0 even when every call of the model failed."""
    reply: str
    """The agent's last text, or all that the host wrote to stdout."""
    log: str
    """What the host wrote beside that."""
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Driven:
    """One host with its own home and configuration; nothing of the user's is read or written."""

    folder: Path
    """Where home, working folder and configuration go; made if need be."""
    model_url: str
    """An OpenAI-compatible base URL, ending in /v1."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The plugin's own configuration."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Further variables for the host; they win over ours."""
    timeout_s: float = 180.0
    """How long one command may take."""

    def bare(self, *, program: Path, home: Path, **own: str) -> dict[str, str]:
        """The host's environment: as bare as a service manager's, so that nothing is found by accident, and `own`."""
        return {
            "PATH": os.pathsep.join([str(program.parent), "/usr/bin", "/bin"]),
            "HOME": str(home),
            "TMPDIR": str(self.folder),
            "LANG": "C.UTF-8",
            "SKILLCADDY_HOME": str(self.folder / "skillcaddy"),
            **own,
            **self.environment,
        }

    def to_its_end(
        self, command: Sequence[str], *, cwd: Path, environment: Mapping[str, str], given: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """The finished command, whatever its exit code. TimeoutExpired when it takes too long."""
        return subprocess.run(
            command,
            env=environment,
            cwd=cwd,
            input=given,
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=self.timeout_s,
            check=False,
        )


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with `over` laid on it; mappings are merged key by key."""
    laid = dict(base)
    for key, value in over.items():
        known = laid.get(key)
        laid[key] = merged(known, value) if isinstance(known, Mapping) and isinstance(value, Mapping) else value
    return laid
