"""Words that name one thing in Chinese, Japanese or Korean and in English, so that a request finds English skills.

No lexical index bridges languages by itself. The other direction is left out: measured, it gains nothing, for skills
described in Chinese name their subject in English too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, islice, pairwise, product
from pathlib import Path

from skillcaddy.library.analyze import terms
from skillcaddy.patterns import late

_GAP = 2
"""Characters that may stand between two words of one phrase: a particle, a space."""
_PHRASES = 120
"""So many pairs of words are given at most: a long turn must not cost thousands of look-ups."""
_LATIN = late("[A-Za-z][A-Za-z0-9]*")


@cache
def concepts() -> Mapping[str, str]:
    """The English words for each word of `concepts.txt`: one concept a line, its words as people write them."""
    found: dict[str, str] = {}
    for line in (Path(__file__).parent / "concepts.txt").read_text(encoding="utf-8").splitlines():
        words, _, english = line.partition(" = ")
        for word in words.split():
            found[word] = f"{found[word]} {english}" if word in found else english
    return found


@cache
def _shape() -> tuple[frozenset[str], int]:
    """The first characters of the known words, and the length of the longest."""
    return frozenset(word[0] for word in concepts()), max(map(len, concepts()))


def in_english(text: str) -> list[list[str]]:
    """What a text says in English, phrase by phrase: for each known word its English words, separated by spaces.

    The longest known word at a place counts. Words in Latin letters stand for themselves, since they make phrases with
    the others.
    """
    known, latin = concepts(), _LATIN()
    firsts, longest = _shape()
    phrases: list[list[str]] = []
    at, end = 0, 0
    while at < len(text):
        step, said = 1, ""
        for length in range(longest if text[at] in firsts else 0, 0, -1):
            said = known.get(text[at : at + length], "")
            if said:
                step = length
                break
        if not said and (match := latin.match(text, at)) is not None:
            said = match[0]
            step = len(said)
        if said:
            if at - end > _GAP or not phrases:
                phrases.append([])
            phrases[-1].append(said)
            end = at + step
        at += step
    return phrases


def english_terms(text: str) -> tuple[list[str], list[str]]:
    """The analysed English words for what a text says, and the pairs that neighbours make (`code_review`)."""
    said = in_english(text)
    words = chain.from_iterable(map(_said, chain.from_iterable(said)))
    return list(dict.fromkeys(words)), list(dict.fromkeys(islice(_pairs(said), _PHRASES)))


@lru_cache(maxsize=4096)
def _said(words: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(terms(words)))


def _pairs(said: Sequence[Sequence[str]]) -> Iterator[str]:
    for phrase in said:
        for lefts, rights in pairwise(map(_said, phrase)):
            for left, right in product(lefts, rights):
                yield f"{left}_{right}"
                yield left + right
