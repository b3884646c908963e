"""The relevance floor: which hits share enough with the turn to be worth the agent's attention. Needs no model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillcaddy.library.analyze import terms
from skillcaddy.reasons import Reason
from skillcaddy.skill import Hit
from skillcaddy.source import TermStatistics


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What the floor decided about one hit."""

    hit: Hit
    kept: bool
    score: float
    """Evidence that the hit serves the turn; 0 means none, the floor lies at 1."""
    matched: tuple[str, ...]
    """The query's terms that the hit's own text holds, strongest first."""
    reason: Reason
    """`delivered` for a kept hit, else `below_floor` or `no_content_words`."""


def judge(query: str, hits: Sequence[Hit], statistics: TermStatistics | None = None) -> list[Verdict]:
    """One verdict a hit, in the given order; `statistics` of the library the hits come from sharpen it, if there are any."""
    asked = dict.fromkeys(terms(query))
    verdicts = []
    for hit in hits:
        skill = hit.skill
        text = frozenset(terms(f"{skill.name} {skill.description} {' '.join(skill.tags)} {skill.body[:4000]}"))
        matched = tuple(term for term in asked if term in text)
        kept = bool(matched)
        reason = Reason.DELIVERED if kept else Reason.BELOW_FLOOR if asked else Reason.NO_CONTENT_WORDS
        verdicts.append(Verdict(hit=hit, kept=kept, score=float(len(matched)), matched=matched, reason=reason))
    return verdicts
