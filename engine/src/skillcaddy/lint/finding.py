"""What the linter can say: its rules with their levels, and one finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Level = Literal["error", "warning", "hint"]
LEVELS: tuple[Level, ...] = ("error", "warning", "hint")
"""Worst first. error: some host cannot read or will not load it. warning: it loads, but is lost, or found for the wrong
request, or not for its own. hint: it could say better what it is for."""

RULES: Mapping[str, tuple[Level, str]] = {
    "unreadable": ("error", "the file can't be read as a skill"),
    "folder-unreadable": ("error", "a folder can't be listed"),
    "front-matter": ("error", "the front matter is not valid YAML"),
    "file-name": ("error", "the file is not called SKILL.md"),
    "name-missing": ("error", "the front matter has no name"),
    "name-standard": ("error", "the name breaks the Agent Skills standard"),
    "name-folder": ("error", "the name is not that of the folder"),
    "description-missing": ("error", "the front matter has no description"),
    "description-long": ("error", "the description is longer than the standard allows"),
    "description-vague": ("warning", "the description has too few words of its own to be found by"),
    "description-cut": ("warning", "what sets it apart comes after a host's cut at 60 characters"),
    "body-empty": ("warning", "there are no instructions"),
    "file-long": ("warning", "the file is longer than what is read of it"),
    "shadowed": ("warning", "a skill of the same name in an earlier folder hides it"),
    "name-twice": ("warning", "another skill of the library has the same name"),
    "copy": ("warning", "its body is another skill's, word for word"),
    "near-copy": ("warning", "its body is almost another skill's"),
    "confusable": ("warning", "its own description finds another skill first"),
    "trigger-lost": ("warning", "a trigger of its own does not find it"),
    "trigger-second": ("hint", "a trigger of its own finds another skill first"),
    "trigger-weak": ("hint", "a trigger of its own is too weak to pass the relevance floor"),
    "no-trigger": ("hint", "the description does not say when to use it"),
}
"""Each rule with its level and what it is about."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing that is wrong with one skill, and how to mend it."""

    rule: str
    path: str
    """The SKILL.md, or the folder that could not be listed."""
    message: str
    fix: str
    id: str = ""
    """"" for a file that is no skill."""
    others: tuple[str, ...] = ()
    """Ids of the skills it is mixed up with, the worst first."""

    @property
    def level(self) -> Level:
        """How bad it is."""
        return RULES[self.rule][0]

    def to_json(self) -> dict[str, Any]:
        """The finding as JSON-ready data."""
        return {"level": self.level, **asdict(self)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """All findings about a library, by path, the worst of a skill first."""

    roots: tuple[str, ...]
    skills: int
    findings: tuple[Finding, ...]
    elapsed_s: float

    def counts(self) -> dict[Level, int]:
        """Number of findings of each level."""
        found = Counter(finding.level for finding in self.findings)
        return {level: found[level] for level in LEVELS}

    def passes(self, *, strict: bool = False) -> bool:
        """Whether a build may go on: no errors, and with `strict` no warnings either."""
        counts = self.counts()
        return not counts["error"] and not (strict and counts["warning"])


def in_order(findings: list[Finding]) -> tuple[Finding, ...]:
    """The findings by path, and for one path by level and rule."""
    return tuple(sorted(findings, key=lambda f: (f.path, LEVELS.index(f.level), f.rule, f.message)))
