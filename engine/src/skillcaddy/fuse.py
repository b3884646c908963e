"""One ranking out of several, by weighted reciprocal rank."""

from __future__ import annotations

from collections.abc import Sequence

from skillcaddy.reasons import Reason
from skillcaddy.skill import Hit
from skillcaddy.sources import Ranking
from skillcaddy.trace import Candidate, Recorder


def fuse(rankings: Sequence[Ranking], k: int, recorder: Recorder) -> list[Hit]:
    """One list of hits, best first; `score` is the fused score, `sources` names all that found the skill.

    Weighted reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009): a skill's score is the sum of
    weight / (k + rank) over the rankings that hold it. Copies collapse by identity, not by source; the one shown is
    the copy with the highest trust, then with the best weighted rank, never the one with the highest raw score, since
    raw scores of different sources mean nothing to each other.
    """
    totals: dict[str, float] = {}
    ranks: dict[str, dict[str, int]] = {}
    shares: dict[str, dict[str, float]] = {}
    best: dict[str, tuple[tuple[int, float], Hit]] = {}
    copies: dict[str, dict[str, Hit]] = {}
    for ranking in rankings:
        for hit in ranking.hits:
            identity = hit.skill.identity
            claim = ranking.source.weight / (k + hit.rank)
            totals[identity] = totals.get(identity, 0.0) + claim
            places = ranks.setdefault(identity, {})
            places[ranking.source.name] = min(hit.rank, places.get(ranking.source.name, hit.rank))
            claims = shares.setdefault(identity, {})
            claims[ranking.source.name] = round(claims.get(ranking.source.name, 0.0) + claim, 6)
            copies.setdefault(identity, {}).setdefault(hit.skill.id, hit)
            standing = (int(hit.skill.trust), claim)
            if identity not in best or standing > best[identity][0]:
                best[identity] = (standing, hit)
    # Python's sort is stable, so equals stay in the order in which the sources are configured.
    order = sorted(totals, key=lambda identity: -totals[identity])
    fused: list[Hit] = []
    for position, identity in enumerate(order, start=1):
        shown = best[identity][1]
        others = tuple(name for name in ranks[identity] if name != shown.skill.source)
        fused.append(
            Hit(skill=shown.skill, rank=position, score=totals[identity], sources=(shown.skill.source, *others))
        )
        for copy in copies[identity].values():
            kept = copy.skill.id == shown.skill.id
            recorder.candidate(
                Candidate(
                    id=copy.skill.id,
                    name=copy.skill.name,
                    ranks=ranks[identity],
                    fusion=round(totals[identity], 6),
                    reason=Reason.BEYOND_TOP_K if kept else Reason.COPY_COLLAPSED,
                    detail="" if kept else shown.skill.id,
                    shares=shares[identity],
                )
            )
    return fused
