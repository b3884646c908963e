"""The one analyzer: text in, terms out, for both sides of a match.

Text is NFKC-normalised, case- and accent-folded; ASCII words are cut at punctuation and kept whole; runs of CJK, kana
and hangul become overlapping bigrams; a few names that are mostly symbols (C++, C#, .NET, node.js) get a spelling of
letters. Terms in other scripts follow those in ASCII letters, so order is kept within a script only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, pairwise
from operator import add
from unicodedata import normalize

from skillcaddy.library.lexicon import STOP_WORDS
from skillcaddy.patterns import late
from skillcaddy.skill import Skill

ANALYZER_VERSION = 4
"""Part of an index's identity: raised with every change of what `terms` returns or `document_text` weighs."""

# Measured on labelled queries over 10,000 real skills; the neighbours of each value do within 0.005 nDCG@10 as well.
NAME_WEIGHT = 4
DESCRIPTION_WEIGHT = 2
BODY_CHARS = 4000
LEAST_TERMS = 800
"""Shorter documents are filled up to this length, since BM25's fixed b = 0.75 would punish full descriptions."""
FILLER = "_"
QUERY_TERMS = 40
QUERY_PAIRS = 24
PAIR_BOOST = 0.5
NAMED_BOOST = 1.4
"""Of Latin words in a query in Chinese or Japanese: they name its subject, and other words count as several bigrams."""
CONCEPT_BOOST = 0.6
"""Of the English words for what a query says in Chinese."""

# Ideographs with the extensions A to H, kana, hangul syllables and Thai: written without spaces, or glued.
_CJK = "\u0e01-\u0e4e\u3005-\u3007\u3041-\u3096\u309d\u309e\u30a1-\u30fe\u31f0-\u31ff\u3400-\u4dbf"
_CJK += "\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0002f7ff\U00030000-\U000323af"
# ASCII and what only separates words and stays as it is under NFKC: punctuation, arrows, boxes, pictures, flags.
_PLAIN = (
    "\x00-\x7f\u00a0-\u00a7\u00a9\u00ab-\u00ae\u00b0\u00b1\u00b6\u00b7\u00bb\u00bf\u00d7\u00f7\u2010-\u2023\u2026\u2027"
)
_PLAIN += (
    "\u2030-\u203a\u2190-\u23ff\u2500-\u2bff\u3000-\u3003\u3008-\u301f\uff01\uff02\uff04-\uff06\uff08-\uff0a\uff0c"
)
_PLAIN += "\uff0d\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\ufe0f\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff"
# Vowel signs and the like, which Python holds to be no letters, belong to the word they stand in.
_SIGNS = "\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0962\u0963\u0980-\u0983\u09bc-\u09cd\u0a3c-\u0a4d"
_SIGNS += "\u0abc-\u0acd\u0b3c-\u0b57\u0bbe-\u0bcd\u0c3e-\u0c56\u0cbc-\u0cd6\u0d3b-\u0d4d\u0dca-\u0ddf"
_CJK_RUN = late(f"[{_CJK}]+")
_HARD = late(f"[^{_PLAIN}{_CJK}]")
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
_OTHER_RUN = late(f"([{_CJK}]+)|((?:[^\\W_{_CJK}]|[{_SIGNS}])+)")
_LETTERS = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_ASCII_RUN = re.compile(r"[\x00-\x7f]+")
_MARKS = re.compile("[\u0300-\u036f]+")

_SHAPES = {
    code: "a" if chr(code).islower() else "A" if chr(code).isupper() else "0" if chr(code).isdigit() else " "
    for code in range(128)
}
_WORDS = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SYMBOLS = re.compile(r"[cfj](?:#|\+\+)(?![a-z0-9])|\.(?:net|js)(?![a-z0-9])")
_ELIDED = re.compile(r"(?<![a-z0-9])c'(?=[a-z])")  # c'est is not the language C
_BEFORE = re.compile(r"[a-z0-9]*$")
_SPELLINGS = {"#": "sharp ", "++": "plusplus "}
_NET_FAMILIES = frozenset(("asp", "ado", "vb"))
_LONE = frozenset("abdefghijklmnopqstuvwxyz0123456789")  # but C and R are languages
_VOWELS = frozenset("aeiouy")
_CACHE_LIMIT = 100_000
_JOINED_NAME = 5
"""Names of up to so many terms are also searched for in one word."""


class _Memo(dict[str, str]):
    """A bounded cache in front of a pure function; a hit costs one dictionary look-up in C."""

    def __init__(self, function: Callable[[str], str]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, key: str) -> str:
        value = self._function(key)
        if len(self) < _CACHE_LIMIT:
            self[key] = value
        return value


def _term(word: str) -> str:
    if word in STOP_WORDS or (len(word) == 1 and word in _LONE):
        return ""
    return _stem(word) if word.isascii() and word.isalpha() else word


def _stem(word: str) -> str:
    """An English word without plural, -ing, -ed and final e; both sides of a match get it."""
    if len(word) > 3 and word[-1] == "s" and word[-2] not in "sui":
        if word.endswith("ies") and len(word) > 4:
            word = word[:-3] + "y"
        else:
            word = word[:-2] if word.endswith(("sses", "xes", "ches", "shes", "zes")) else word[:-1]
    shorter = ""
    if len(word) > 5 and word.endswith("ing"):
        shorter = word[:-3]
    elif len(word) > 4 and word.endswith("ed") and word[-3] != "e":
        shorter = word[:-2]
    if not _VOWELS.isdisjoint(shorter):
        word = shorter[:-1] if len(shorter) > 3 and shorter[-1] == shorter[-2] and shorter[-1] not in "lsz" else shorter
    return word[:-1] if len(word) > 4 and word[-1] == "e" else word


_TERMS = _Memo(_term)


def terms(text: str) -> list[str]:
    """The terms of a text in order, repeats kept, stop words left out; never raises."""
    others: list[str] = []
    found = [term for term in map(_TERMS.__getitem__, _words(text, others.extend)) if term]
    found += others
    return found


def _distinct(text: str) -> dict[str, None]:
    """The terms of a text without repeats, at half the cost; the order is the same in every process, unlike a set's."""
    others: list[str] = []
    words = dict.fromkeys(_words(text, others.extend))
    found = dict.fromkeys(chain(map(_TERMS.__getitem__, words), others))
    found.pop("", None)
    return found


def _words(text: str, take: Callable[[Iterable[str]], None]) -> list[str]:
    """The words in ASCII letters; `take` is handed the finished terms in other scripts."""
    if not text.isascii():
        if _HARD().search(text) is not None:
            text = _NON_ASCII.sub(lambda run: _fold(run.group(), take), text)
        else:
            for run in _CJK_RUN().findall(text):
                take(_bigrams(run))
            text = _NON_ASCII.sub(" ", text)
    shapes = text.translate(_SHAPES)
    low = text.lower()
    if "c'" in low:
        low = _ELIDED.sub(" ", low)
    if "c#" in low or "f#" in low or "++" in low or ".net" in low or ".js" in low:
        low = _SYMBOLS.sub(_spell, low)
    words = low.translate(_WORDS).split()
    hump = shapes.find("aA")
    while hump >= 0:
        end = shapes.find(" ", hump)
        end = end if end >= 0 else len(shapes)
        parts = _HUMP.findall(text, shapes.rfind(" ", 0, hump) + 1, end)
        # Names of two capitalised parts are mostly brands (JavaScript, GitHub), not compounds of their parts.
        if len(parts) > 2 or parts[0].islower():
            words.extend(part.lower() for part in parts)
        hump = shapes.find("aA", end)
    return words


def _bigrams(run: str) -> Iterable[str]:
    return map(add, run, run[1:]) if len(run) > 1 else (run,)


def _spell(match: re.Match[str]) -> str:
    sign, text = match.group(), match.string
    before = _BEFORE.search(text, max(0, match.start() - 40), match.start())
    word = before.group() if before else ""
    if sign == ".js":
        return f"js {word} " if word else " js "
    if sign == ".net":
        return " dotnet " if not word else "net dotnet " if word in _NET_FAMILIES else " net "
    return sign if word else f"{sign[0]}{_SPELLINGS[sign[1:]]}"


def _fold(run: str, take: Callable[[Iterable[str]], None]) -> str:
    """The ASCII text that stands for a run of other characters; the terms in other scripts go to `take`."""
    run = normalize("NFC", _MARKS.sub("", normalize("NFD", normalize("NFKC", run).casefold()))).translate(_LETTERS)
    for cjk, word in _OTHER_RUN().findall(_ASCII_RUN.sub(" ", run)):
        take((word,) if word else _bigrams(cjk))
    return _NON_ASCII.sub(" ", run)


def document_text(skill: Skill) -> str:
    """A skill's weighted terms, white-space-separated, as the index takes them in."""
    name = terms(skill.name)
    description = terms(f"{skill.description} {' '.join(skill.tags)}" if skill.tags else skill.description)
    found = name * NAME_WEIGHT + description * DESCRIPTION_WEIGHT
    found += pairs(name)
    if 1 < len(name) <= _JOINED_NAME:
        found += ["".join(name)] * NAME_WEIGHT
    found += pairs(description)
    # Once each: code repeats its identifiers without being more about them, and a scan of thousands stays quick.
    found += _distinct(skill.body[:BODY_CHARS])
    if len(found) < LEAST_TERMS:
        found += [FILLER] * (LEAST_TERMS - len(found))
    return " ".join(found)


def pairs(found: Sequence[str]) -> list[str]:
    """Neighbouring terms as terms of their own (`api_workflow`); CJK bigrams overlap already and give none."""
    return [f"{left}_{right}" for left, right in pairwise(found) if left.isascii() and right.isascii()]


def query_terms(
    text: str, document_frequency: Callable[[str], int] | None = None, limit: int = QUERY_TERMS
) -> list[tuple[str, float]]:
    """The distinct terms of a query with their boosts; of a long one only the rarest that the library knows.

    Neighbouring words are also looked for as pairs and in one word ("web forms": `web_forms`, `webforms`), at half
    weight, and a query in Chinese also by its words in English.
    """
    found = terms(text)
    single = [term for term in dict.fromkeys(found) if not term.isdecimal()] or list(dict.fromkeys(found))
    joined = [a + b for a, b in pairwise(found) if a.isascii() and b.isascii()]
    double = list(dict.fromkeys((*pairs(found), *joined)))
    translated: list[str] = []
    named = 1.0
    if not text.isascii() and _CJK_RUN().search(text) is not None:
        from skillcaddy.library.concepts import in_english  # late: most queries of most users never need it

        translated = list(dict.fromkeys(terms(in_english(text))))
        named = NAMED_BOOST
    boosts: dict[str, float] = {}
    for words, boost, most in (
        (single, 1.0, limit),
        (double, PAIR_BOOST, QUERY_PAIRS),
        (translated, CONCEPT_BOOST, limit),
    ):
        for term in words[:most] if document_frequency is None else _rarest(words, document_frequency, most):
            boosts.setdefault(term, named if boost == 1.0 and term.isascii() else boost)
    return list(boosts.items())


def _rarest(found: Sequence[str], document_frequency: Callable[[str], int], limit: int) -> list[str]:
    known = [(count, term) for term in found if (count := document_frequency(term)) > 0]
    if len(known) > limit:
        known = sorted(known, key=lambda entry: entry[0])[:limit]
    return [term for _, term in known]
