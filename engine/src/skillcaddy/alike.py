"""Which skills somebody may have meant by an id that does not exist."""

from __future__ import annotations

from collections.abc import Iterable

from skillcaddy.skill import Skill

_MOST = 5
_LEAST_LIKENESS = 0.55
"""Below this ratio of matching characters an id is no slip of the pen (difflib's own default is 0.6)."""


def alike(reference: str, skills: Iterable[Skill]) -> list[Skill]:
    """At most five of the skills, those whose id, id without its source, or name looks most like the reference."""
    from difflib import SequenceMatcher  # late: only a miss pays for it

    wanted = reference.casefold()

    def likeness(skill: Skill) -> float:
        names = (skill.id.casefold(), skill.id.casefold().rpartition(":")[2], skill.name.casefold())
        return max(SequenceMatcher(None, wanted, name).ratio() for name in names)

    scored = [(likeness(skill), skill) for skill in skills]
    scored = [row for row in scored if row[0] >= _LEAST_LIKENESS]
    return [skill for _, skill in sorted(scored, key=lambda row: (-row[0], row[1].id))[:_MOST]]
