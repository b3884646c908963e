"""Small makers of the things that many tests need."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from skillcaddy.skill import Hit, Skill, Trust


def write_skill(
    root: Path, folder: str, description: str, body: str = "Do it.", *, name: str = "", extra: str = ""
) -> Path:
    """Write one plain SKILL.md below a root and return its path."""
    path = root / folder / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    name = name or folder.rsplit("/", 1)[-1]
    path.write_text(f"---\nname: {name}\ndescription: {description}\n{extra}---\n\n{body}\n", encoding="utf-8")
    return path


def hit(
    name: str,
    *,
    source: str = "shop",
    rank: int = 1,
    score: float = 1.0,
    description: str = "Rotate a PDF page",
    body: str = "",
    trust: Trust = Trust.CURATED,
    origin: str = "",
    directory: str = "",
) -> Hit:
    """A hit of a source, with a body unless it says otherwise."""
    skill = Skill(
        id=f"{source}:{name}",
        name=name,
        description=description,
        source=source,
        trust=trust,
        origin=origin,
        body=body or f"How {name} rotates a PDF page.",
        directory=directory,
    )
    return Hit(skill=skill, rank=rank, score=score, sources=(source,))


def cli_runner() -> CliRunner:
    """A runner that keeps stdout and stderr apart; releases of click before 8.2 mix them unless told otherwise."""
    apart: dict[str, Any] = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}
    return CliRunner(**apart)
