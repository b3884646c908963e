"""The protocol's inspector and the Node it needs, from npm."""

from __future__ import annotations

from pathlib import Path

from skillcaddy.standin.installing import node_in, node_package, npm

INSPECTOR = "2.12.0"


def inspector() -> tuple[Path, Path]:
    """The Node binary and the inspector's script."""
    modules = npm(f"inspector-{INSPECTOR}", node_package(), f"@modelcontextprotocol/inspector@{INSPECTOR}")
    script = modules / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
    return node_in(modules), script
