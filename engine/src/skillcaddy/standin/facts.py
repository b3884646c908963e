"""A small library whose facts no model could know, and what a user says who needs one of them.

A fact that turns up in a request to the model can only have come out of the library.
"""

from __future__ import annotations

from pathlib import Path

CANARY = "The heron slide comes first, drawer 7431."
"""The fact of the skill for a quarterly review deck."""
OTHER = "Proof it under a damp linen cloth, code RYE-88."
"""The fact of the skill for a sourdough loaf."""
SKILLS = {
    "quarterly-deck": ("Build the quarterly review deck from our house template", CANARY),
    "sourdough-loaf": ("Bake a sourdough loaf in the cast iron pot", OTHER),
    "rotate-signing-keys": ("Rotate the signing keys of the packaging service", "Vault phrase ZEBRA-42."),
}
"""Description and fact by name."""

DECK = "Please build the quarterly review deck from our house template."
LOAF = "Now bake a sourdough loaf in the cast iron pot, please."
SMALL_TALK = "Thanks, that is all for today. Good night!"
"""What no skill is for."""


def write_library(root: Path) -> Path:
    """Put the skills into that folder, which is returned."""
    for name, (description, fact) in SKILLS.items():
        write_skill(root, name, description, fact)
    return root


def write_skill(root: Path, name: str, description: str, body: str, extra: str = "") -> Path:
    """One SKILL.md below `root`, `extra` being further lines of its frontmatter; the path is returned."""
    path = root / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"---\nname: {name}\ndescription: {description}\n{extra}---\n\n{body}\n", encoding="utf-8")
    return path
