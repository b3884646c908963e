"""The relevance floor: which hits share enough with the turn to be worth the agent's attention. Needs no model.

Evidence is what a hit holds of the words that could name a task (`turn.py`), plus signs that the turn is a task at
all, less signs that it points back at the conversation or is private talk. The few weights were fitted by logistic
regression to labelled queries against everyday turns, then rounded. The floor keeps talk out, not near misses: those no
lexical score keeps out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from skillcaddy.library.analyze import terms
from skillcaddy.library.rerank import card_of
from skillcaddy.reasons import Reason
from skillcaddy.skill import Hit
from skillcaddy.source import TermStatistics
from skillcaddy.turn import Turn, read_turn

FLOOR = 1.0
"""The evidence that a hit needs."""

_UNIT = 5.15
"""What the weighted sum must come to; all weights are relative to it."""
_TOLD = 1.6
"""Of a task word in name, description or tags."""
_NAMED = 0.8
"""Of a task word in the name, on top."""
_BODY = 1.5
"""Of a task word in the body alone."""
_TECHNICAL = 1.6
_LENGTH = 1.9
"""Of the logarithm of the turn's words: whoever writes more asks for more, up to a point."""
_LENGTH_CAP = 19.0
_POINTING = -7.0
_PERSONAL = -10.0
"""Both of the share of such words among all."""
_LEAST_MATCH = 0.1
"""However much speaks for a task, a hit that holds nothing of it is none."""

_SMALL_LIBRARY = 200
"""With fewer documents, how rare a term is among them says nothing."""
_FULL_RARITY = 5.0
"""The logarithm of documents by document frequency from which on a term counts fully."""
_BODY_CHARS = 4000


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
    """One verdict a hit, in the given order; `statistics` of the hits' library sharpen it where there are any."""
    turn = read_turn(query)
    weights = _weighed(turn, statistics)
    signs = (
        _TECHNICAL * turn.technical
        + _LENGTH * math.log1p(min(turn.words, _LENGTH_CAP))
        + (_POINTING * turn.pointing + _PERSONAL * turn.personal) / (turn.words + 1)
    )
    return [_verdict(hit, turn, weights, signs) for hit in hits]


def _verdict(hit: Hit, turn: Turn, weights: Mapping[str, float], signs: float) -> Verdict:
    name, told, _ = card_of(hit.skill)
    body = _body_terms((hit.skill.body or hit.skill.excerpt)[:_BODY_CHARS]) if weights else frozenset()
    in_told = sum(weight for term, weight in weights.items() if term in told)
    in_name = sum(weight for term, weight in weights.items() if term in name)
    in_body = sum(weight for term, weight in weights.items() if term in body and term not in told)
    evidence = max(0.0, (_TOLD * in_told + _NAMED * in_name + _BODY * in_body + signs) / _UNIT)
    if in_told + in_body < _LEAST_MATCH:
        evidence = min(evidence, in_told + in_body)
    kept = evidence >= FLOOR
    if kept:
        reason = Reason.DELIVERED
    else:
        reason = Reason.BELOW_FLOOR if turn.strong or turn.weak else Reason.NO_CONTENT_WORDS
    own = told | body
    matched = sorted((term for term in weights if term in own), key=lambda term: -weights[term])
    matched += [term for term in turn.weak if term in own]
    return Verdict(hit=hit, kept=kept, score=evidence, matched=tuple(matched), reason=reason)


def _weighed(turn: Turn, statistics: TermStatistics | None) -> dict[str, float]:
    if statistics is None or statistics.document_count < _SMALL_LIBRARY:
        return turn.strong
    count = statistics.document_count + 1
    return {
        term: weight * min(1.0, math.log(count / (statistics.document_frequency(term) + 0.5)) / _FULL_RARITY)
        for term, weight in turn.strong.items()
    }


@lru_cache(maxsize=512)
def _body_terms(body: str) -> frozenset[str]:
    return frozenset(terms(body))
