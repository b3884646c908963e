"""The real hosts, from npm."""

from __future__ import annotations

from pathlib import Path

from skillcaddy.standin.installing import npm

VERSIONS = ("2026.7.1", "2026.8.1", "2026.9.6")
FULL = "2026.8.1"
"""The version that gets the whole matrix; the others get the proofs that matter most."""


def openclaw(version: str) -> Path:
    """The package folder of that version of the host."""
    return npm(f"openclaw-{version}", f"openclaw@{version}", "--omit=optional") / "openclaw"
