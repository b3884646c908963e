"""The relevance floor: which hits share enough with the turn to be worth the agent's attention. Needs no model.

A logistic regression. Its figures are what a hit holds of the words that could name a task, the signs that a turn is
a task at all, the signs that it points back at the conversation or is private talk (`turn.py`), and the words as they
are: people thank, chat, correct and set timers in much the same words everywhere. The weights are data, `floor.json`,
fitted by `bench/floor.py` to real requests against everyday turns. The floor keeps talk out, not near misses: those no
lexical score keeps out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from skillcaddy.frozen import dataclass, replace
from skillcaddy.library.analyze import terms_at_once
from skillcaddy.library.documents import skill_terms
from skillcaddy.reasons import Reason
from skillcaddy.skill import Hit, Skill
from skillcaddy.source import TermStatistics
from skillcaddy.turn import Turn, read_turn

FLOOR = 1.0
"""The evidence that a hit needs."""

ASKED_FOR = 1.3
"""Log-odds added when an agent or a person searches on purpose: then it is a request, whatever its words."""
_MEANT = 0.5
"""What an everyday word counts in a search made on purpose, beside a word of a task."""
_COVERED = 0.25
"""Share of what is searched for on purpose, by weight, that a hit must hold, ..."""
_ENOUGH = 2.0
"""... unless it holds this much."""
_LEAST_MATCH = 0.1
_EVERYDAY = 0.1
_EVERYDAY_CAP = 4
_LENGTH_CAP = 19.0
"""Words from which on a longer turn is no likelier to be a task."""
_STRONG_CAP = 8
_SMALL_LIBRARY = 200
"""With fewer documents, how rare a term is among them says nothing."""
_SMALLNESS = 3.0
"""Log-odds added for the smallest library: a match says more where few skills could match by chance."""
_NO_LONGER_SMALL = 1000
_FULL_RARITY = 0.54
"""A term counts fully from this share on of the rarity (logarithmic) that a term of one document has."""
_BODY_CHARS = 4000


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the floor decided about one hit."""

    hit: Hit
    kept: bool
    score: float
    """Evidence that the hit serves the turn, from 0 to 2; the floor lies at 1."""
    matched: tuple[str, ...]
    """The query's terms that the hit's own text holds, strongest first."""
    reason: Reason
    """`delivered` for a kept hit, else `below_floor` or `no_content_words`."""


class Weights(NamedTuple):
    """The fitted log-odds: one for each figure of a turn and of a hit, and one for each known word."""

    bias: float
    figures: Mapping[str, float]
    words: Mapping[str, float]


@cache
def weights() -> Weights:
    """The weights that are shipped."""
    return Weights(**json.loads((Path(__file__).parent / "floor.json").read_bytes()))


def judge(
    query: str, hits: Iterable[Hit], statistics: TermStatistics | None = None, *, unasked: bool = True
) -> Iterator[Verdict]:
    """One verdict a hit, in the given order, each made when it is asked for; `statistics` are of the hits' library.

    `unasked` says that the query is a user's turn, which may want nothing at all, and not a search made on purpose.
    """
    turn = read_turn(query) if unasked else searched_for(read_turn(query))
    weighed = weigh(turn, statistics)
    fitted = weights()
    odds = fitted.bias + (0.0 if unasked else ASKED_FOR) + _sum(turn_figures(turn), fitted)
    odds += _SMALLNESS * _smallness(statistics)
    odds += sum(fitted.words.get(word, 0.0) for word in turn.spoken)
    least = _LEAST_MATCH if unasked else min(_ENOUGH, _COVERED * sum(weighed.values()))
    for hit in hits:
        yield _verdict(hit, turn, weighed, odds, least, fitted)


def turn_figures(turn: Turn) -> dict[str, float]:
    """What speaks for a task, or against one, in the turn itself; each figure lies between 0 and about 3."""
    return {
        "technical": float(turn.technical),
        "length": math.log1p(min(turn.words, _LENGTH_CAP)),
        "strong": min(len(turn.strong), _STRONG_CAP) / 4,
        "pointing": 5 * turn.pointing / (turn.words + 1),
        "personal": 5 * turn.personal / (turn.words + 1),
    }


def _smallness(statistics: TermStatistics | None) -> float:
    """1 for a library of nothing, falling with the logarithm of its size to 0; 0 where the size is unknown."""
    if statistics is None:
        return 0.0
    return max(0.0, 1.0 - math.log1p(statistics.document_count) / math.log1p(_NO_LONGER_SMALL))


def hit_figures(turn: Turn, weighed: Mapping[str, float], skill: Skill) -> dict[str, float]:
    """How much of the turn's task words stands in the name, in what is told of the skill, and in its body alone."""
    name, told, *_ = skill_terms(skill)
    everyday = told.intersection(turn.weak)
    in_told = told.intersection(weighed)
    weight = sum(map(weighed.__getitem__, in_told))
    return {
        "told": weight,
        "named": sum(map(weighed.__getitem__, name.intersection(weighed))),
        "body": sum(map(weighed.__getitem__, _in_body(skill, weighed.keys() - in_told))),
        # A search in keywords is short and all of it is found.
        "focus": weight / max(1.0, turn.words),
        "everyday": min(len(everyday), _EVERYDAY_CAP) / 2,
        "whole name": sum(term in weighed or term in everyday for term in name) / len(name) if name else 0.0,
    }


def searched_for(turn: Turn) -> Turn:
    """The turn as a search made on purpose: then words that everyone uses about everything mean something too."""
    return replace(turn, strong={**dict.fromkeys(turn.weak, _MEANT), **turn.strong}, weak=())


def weigh(turn: Turn, statistics: TermStatistics | None) -> Mapping[str, float]:
    """The turn's task words, each with how much it counts: less where it is common in the library."""
    if statistics is None or statistics.document_count < _SMALL_LIBRARY:
        return turn.strong
    count = statistics.document_count + 1
    full = _FULL_RARITY * math.log(count)
    return {
        term: weight * min(1.0, math.log(count / (statistics.document_frequency(term) + 0.5)) / full)
        for term, weight in turn.strong.items()
    }


def matches(figures: Mapping[str, float], least: float = _LEAST_MATCH) -> bool:
    """Whether a hit holds enough of what a turn is about; without that, no sign of a task makes it one for it."""
    return figures["told"] + figures["body"] + _EVERYDAY * figures["everyday"] >= least


def _verdict(hit: Hit, turn: Turn, weighed: Mapping[str, float], odds: float, least: float, fitted: Weights) -> Verdict:
    figures = hit_figures(turn, weighed, hit.skill)
    odds += _sum(figures, fitted)
    evidence = 2 * FLOOR / (1 + math.exp(-max(-50.0, min(50.0, odds))))
    if not matches(figures, least):
        evidence = 0.0
    kept = evidence >= FLOOR
    if kept:
        reason = Reason.DELIVERED
    else:
        reason = Reason.BELOW_FLOOR if turn.strong or turn.weak else Reason.NO_CONTENT_WORDS
    told = skill_terms(hit.skill).told
    own = _in_body(hit.skill, frozenset((*weighed, *turn.weak)) - told) | told
    matched = sorted((term for term in weighed if term in own), key=lambda term: -weighed[term])
    matched += [term for term in turn.weak if term in own]
    return Verdict(hit=hit, kept=kept, score=evidence, matched=tuple(matched), reason=reason)


def _sum(figures: Mapping[str, float], fitted: Weights) -> float:
    return sum(fitted.figures.get(name, 0.0) * figure for name, figure in figures.items())


def _in_body(skill: Skill, wanted: AbstractSet[str]) -> AbstractSet[str]:
    """Which of these terms the beginning of the skill's body holds."""
    if not wanted:
        return wanted
    words, cjk = _body_terms((skill.body or skill.excerpt)[:_BODY_CHARS])
    return {term for term in wanted if term in words or (term in cjk and not term.isascii())}


@lru_cache(maxsize=1024)
def _body_terms(body: str) -> tuple[frozenset[str], str]:
    words, cjk = terms_at_once(body)
    return frozenset(words.split()), cjk
