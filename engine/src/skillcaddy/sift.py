"""Which of a turn's hits are worth giving: those above the relevance floor that the first of them does not outshine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skillcaddy.reasons import Reason
from skillcaddy.relevance import judge
from skillcaddy.skill import Hit
from skillcaddy.source import Scoring, TermStatistics
from skillcaddy.sources import Ranking
from skillcaddy.trace import Recorder

NEAR_THE_FIRST = 0.65
"""Share of the first one's score that a further skill needs where nobody asked for any.

Measured on labelled queries over 10,000 skills: a quarter of the second skills go, of the labelled ones among them one
in twelve.
"""


def sift(
    queries: Sequence[str],
    hits: Sequence[Hit],
    scores: Mapping[str, float],
    statistics: TermStatistics | None,
    *,
    unasked: bool,
    enough: int,
    recorder: Recorder,
) -> list[Hit]:
    """The hits that pass the floor for any of the queries, best first, until there are enough; each with its reason.

    `scores` (by skill id, see `proportional`) leave out what lies far below the first hit that passes; without them
    nothing is.
    """
    kept: list[Hit] = []
    first = 0.0
    for verdicts in zip(*(judge(query, hits, statistics, unasked=unasked) for query in queries), strict=True):
        # What counts is the last query that lets it through, else the last of all.
        verdict = next((verdict for verdict in reversed(verdicts) if verdict.kept), verdicts[-1])
        skill_id, reason = verdict.hit.skill.id, verdict.reason
        if verdict.kept:
            score = scores.get(skill_id, first)
            reason = Reason.OUTSHONE if score < NEAR_THE_FIRST * first else Reason.BEYOND_TOP_K
            first = first or score
        if reason is Reason.BEYOND_TOP_K:
            kept.append(verdict.hit)
        recorder.judged(skill_id, round(verdict.score, 4), verdict.matched, reason)
        if len(kept) == enough:
            break
    return kept


def proportional(rankings: Sequence[Ranking]) -> dict[str, float]:
    """The best score of each skill among sources whose scores say how much of a match it is."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        if isinstance(ranking.source, Scoring) and ranking.source.proportional:
            for hit in ranking.hits:
                scores[hit.skill.id] = max(hit.score, scores.get(hit.skill.id, 0.0))
    return scores
