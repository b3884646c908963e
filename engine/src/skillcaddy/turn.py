"""What a turn is made of: the words that could name a task, and the signs that it is only talk."""

from __future__ import annotations

import re
from itertools import pairwise
from unicodedata import normalize

from skillcaddy.frozen import dataclass
from skillcaddy.library.analyze import terms
from skillcaddy.library.everyday import (
    ENGLISH_WORDS,
    OTHER_WORDS,
    PERSONAL_WORDS,
    POINTING_WORDS,
    everyday_cjk,
    folded,
)
from skillcaddy.library.lexicon import ENGLISH_STOP_WORDS, STOP_WORDS
from skillcaddy.patterns import late

MAX_CHARS = 4000
_WORD = re.compile(r"[^\W_]+")
_CJK = "\u3005-\u3007\u3041-\u3096\u30a1-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af"
_CJK_RUN = late(f"[{_CJK}]+")
_HIRAGANA = re.compile("[\u3041-\u3096]")
_TECHNICAL = re.compile(
    r"`|https?:|\w/\w|\w\.\w|\w_\w|[a-z][A-Z]|\b[A-Z]{3,}\b|--\w|[{}<>=|]|\w@\w|\d[A-Za-z]|[A-Za-z]\d|/[a-z]{3}"
)
_ENDINGS = ("s", "es", "ed", "d", "ing", "er", "est", "ly")

# A word of Chinese is mostly one bigram that means it and one that does not; a Korean one has two as well.
_BIGRAM_WEIGHT = 0.5
_LOOSE_BIGRAM_WEIGHT = 0.2
_FOREIGN_WEIGHT = 0.5


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One message of a user, taken apart."""

    strong: dict[str, float]
    """Analysed terms that could name a task, each with how much it counts (0 to 1)."""
    weak: tuple[str, ...]
    """Analysed terms that everyone uses about everything."""
    words: float
    """Its length in words; two CJK characters count as one."""
    pointing: int
    """Words that point at what was said before."""
    personal: int
    """Words of feelings, company, home and errands."""
    technical: bool
    """Whether it holds code, paths, addresses, acronyms or names with digits."""
    spoken: frozenset[str]
    """Its words as people say them, function words included; of CJK and hangul the bigrams."""


def read_turn(text: str) -> Turn:
    """The turn that a text makes; never raises. Only its first 4,000 characters count."""
    text = normalize("NFKC", text[:MAX_CHARS])
    low = text.casefold()
    runs = [] if low.isascii() else _CJK_RUN().findall(low)
    words = _WORD.findall(folded(_CJK_RUN().sub(" ", low) if runs else low))
    common = [word for word in words if len(word) == 1 or word in STOP_WORDS or _everyday(word)]
    rest = " ".join(word for word in words if not (len(word) == 1 or word in STOP_WORDS or _everyday(word)))
    strong = {term: _BIGRAM_WEIGHT if "\uac00" <= term[0] <= "\ud7a3" else 1.0 for term in terms(rest)}
    if runs:
        strong.update(_cjk_terms(low))
    if _foreign(words):
        # Only what its words share with other languages can match at all, and that is seldom the task.
        strong = {term: weight * _FOREIGN_WEIGHT for term, weight in strong.items()}
    return Turn(
        strong=strong,
        weak=tuple(term for term in dict.fromkeys(terms(" ".join(common))) if term not in strong),
        words=len(words) + sum(map(len, runs)) / 2,
        pointing=sum(word in POINTING_WORDS for word in words),
        personal=sum(word in PERSONAL_WORDS for word in words),
        technical=_TECHNICAL.search(text) is not None,
        spoken=frozenset(words).union(*map(_pairs, [*runs, *filter(_is_hangul, words)])),
    )


def _is_hangul(word: str) -> bool:
    return "\uac00" <= word[0] <= "\ud7a3"


def _pairs(run: str) -> set[str]:
    return {left + right for left, right in pairwise(run)} or {run}


def _everyday(word: str) -> bool:
    if word in ENGLISH_WORDS or word in OTHER_WORDS or word.isdecimal():
        return True
    if not word.isascii():
        return False
    for ending in _ENDINGS:
        if word.endswith(ending):
            stem = word[: -len(ending)]
            doubled = len(stem) > 3 and stem[-1] == stem[-2]
            if stem in ENGLISH_WORDS or f"{stem}e" in ENGLISH_WORDS or (doubled and stem[:-1] in ENGLISH_WORDS):
                return True
    return False


def _foreign(words: list[str]) -> bool:
    english = sum(word in ENGLISH_WORDS or word in ENGLISH_STOP_WORDS for word in words)
    foreign = sum(
        (word in OTHER_WORDS or word in STOP_WORDS) and word not in ENGLISH_WORDS and word not in ENGLISH_STOP_WORDS
        for word in words
    )
    return foreign >= 2 and foreign > english


def _cjk_terms(text: str) -> dict[str, float]:
    phrases, single = everyday_cjk()
    for phrase in phrases:
        if phrase in text:
            text = text.replace(phrase, "\n")
    found: dict[str, float] = {}
    for run in () if text.isascii() else _CJK_RUN().findall(text):
        for left, right in pairwise(run):
            particles = (left in single or bool(_HIRAGANA.match(left))) + (
                right in single or bool(_HIRAGANA.match(right))
            )
            if particles < 2:
                found[left + right] = _LOOSE_BIGRAM_WEIGHT if particles else _BIGRAM_WEIGHT
    return found
