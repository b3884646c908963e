"""The one analyzer: text in, terms out, for both sides of a match.

Text is NFKC-normalised, case- and accent-folded; ASCII words are cut at punctuation and kept whole; runs of CJK, kana
and hangul become overlapping bigrams; a few names that are mostly symbols (C++, C#, .NET, node.js) get a spelling of
letters. Terms in other scripts follow those in ASCII letters, so order is kept within a script only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from operator import add
from unicodedata import normalize

from skillcaddy.library.lexicon import STOP_WORDS
from skillcaddy.patterns import late

ANALYZER_VERSION = 5
"""Part of an index's identity: raised with every change of what `terms` returns or a document weighs."""

# Measured on labelled queries over 10,000 real skills; the neighbours of each value do within 0.005 nDCG@10 as well.
QUERY_TERMS = 32
QUERY_PAIRS = 16
TRANSLATED_TERMS = 12
PAIR_BOOST = 0.5
NAMED_BOOST = 2.0
"""Of Latin words in a query in Chinese or Japanese: they name its subject, and other words count as several bigrams."""
CONCEPT_BOOST = 0.6
"""Of the English words for what a query says in Chinese, Japanese or Korean."""
PHRASE_BOOST = 0.8
"""Of two such words that follow one another (`code_review`)."""

# Ideographs with the extensions A to H, kana, hangul syllables and Thai (but a vowel that is folded into two):
# written without spaces, or glued.
_CJK = "\u0e01-\u0e32\u0e34-\u0e4e\u3005-\u3007\u3041-\u3096\u309d\u309e\u30a1-\u30fe\u31f0-\u31ff\u3400-\u4dbf"
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
_NO_CJK = late(f"[^{_CJK}]+")
_HARD = late(f"[^{_PLAIN}{_CJK}]")
_OTHER_WORD = late(f"(?:[^\\W\x00-\x7f{_CJK}]|[{_SIGNS}])+")
# Words of one stretch are folded together; what stands between them in ASCII is not changed by folding.
_FOREIGN = late(r"[^\x00-\x7f]+(?:[ ,.\n-]{1,2}[^\x00-\x7f]+)*")
_LETTERS = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_CAPITAL = re.compile("[A-Z]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_MARKS = re.compile("[\u0300-\u036f]+")

# A space between two runs to zeros, any character of a run to ones.
_INSIDE = bytes(0 if code == 32 else 255 for code in range(256))
# Over bytes: several times faster than over text, and a scan of thousands is mostly this.
_ALNUM = bytes(b if chr(b).isalnum() and b < 128 else 32 for b in range(256))
_HUMP_INSIDE = re.compile("[a-z][A-Z]")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# It starts with the sign, and no flag folds its case: else every character of a text would be tried.
_SYMBOLS = re.compile(rb"(?:(?<=[cfjCFJ])(?:#|\+\+)|\.(?:[nN][eE][tT]|[jJ][sS]))(?![A-Za-z0-9])")
_ELIDED = re.compile(rb"(?<![A-Za-z0-9])[cC]'(?=[A-Za-z])")  # c'est is not the language C
_BEFORE = re.compile(rb"[A-Za-z0-9]*$")
_NET_FAMILIES = frozenset((b"asp", b"ado", b"vb"))
_LONE = frozenset("abdefghijklmnopqstuvwxyz0123456789")  # but C and R are languages
_VOWELS = frozenset("aeiouy")
_CACHE_LIMIT = 100_000


class _Memo(dict[bytes, bytes]):
    """A bounded cache in front of `_terms_of`; a hit costs one dictionary look-up in C."""

    def __missing__(self, key: bytes) -> bytes:
        value = _terms_of(key.decode("ascii")).encode("ascii")
        if len(self) < _CACHE_LIMIT:
            self[key] = value
        return value


def _terms_of(word: str) -> str:
    """The terms of one word as it is written: "" for a stop word, several for an identifier of several words."""
    low = word.lower()
    term = _term(low)
    if low == word or _HUMP_INSIDE.search(word) is None:
        return term
    parts = _HUMP.findall(word)
    # Names of two capitalised parts are mostly brands (JavaScript, GitHub), not compounds of their parts.
    if len(parts) == 2 and not parts[0].islower():
        return term
    return " ".join(filter(None, (term, *(_term(part.lower()) for part in parts))))


def _term(word: str) -> str:
    if word in STOP_WORDS or (len(word) == 1 and word in _LONE):
        return ""
    return _stem(word) if word.isalpha() else word


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


_TERMS_OF = _Memo()


def terms(text: str) -> list[str]:
    """The terms of a text in order, repeats kept, stop words left out; never raises."""
    if text.isascii():
        return _ascii_terms(text).split()
    text, other = _folded(text)
    found = [*_ascii_terms(text).split(), *other]
    for run in _CJK_RUN().findall(text):
        found += map(add, run, run[1:]) if len(run) > 1 else (run,)
    return found


def terms_at_once(text: str) -> tuple[str, str]:
    """The terms of a long text and its CJK runs, each a space apart: `terms` at half the cost."""
    if text.isascii():
        return _ascii_terms(text), ""
    text, other = _folded(text)
    return " ".join([_ascii_terms(text), *other]), _NO_CJK().sub(" ", text).strip()


def bigrams(runs: str) -> str:
    """The overlapping bigrams of each of the runs, which are separated by spaces, as those are; lone characters go.

    Whole texts at a time, by strides and bits over fixed-width code points: a string for each bigram is what a scan of
    Chinese skills would wait for.
    """
    pairs_of = len(runs) - 1
    if pairs_of < 1:
        return ""
    inside = runs.encode("latin-1", "replace").translate(_INSIDE)
    both = (_number(inside[:-1]) & _number(inside[1:])).to_bytes(pairs_of, "little")
    wide = bytearray(4 * pairs_of)
    wide[0::4] = wide[1::4] = wide[2::4] = wide[3::4] = both
    mask, points = _number(wide), runs.encode("utf-32-le", "surrogatepass")
    woven = bytearray(b" \0\0\0" * (3 * pairs_of))
    places = memoryview(woven).cast("I")
    places[0::3] = memoryview((_number(points[:-4]) & mask).to_bytes(4 * pairs_of, "little")).cast("I")
    places[1::3] = memoryview((_number(points[4:]) & mask).to_bytes(4 * pairs_of, "little")).cast("I")
    return woven.decode("utf-32-le", "surrogatepass").replace("\0\0 ", "")[:-1]


def _number(data: bytes | bytearray) -> int:
    return int.from_bytes(data, "little")


def _ascii_terms(text: str) -> str:
    """The terms of the words in ASCII letters and digits, a space between two."""
    plain = text.encode("ascii", "replace")
    low = plain.lower()
    if b"c'" in low:
        plain = _ELIDED.sub(b" ", plain)
    if b"c#" in low or b"f#" in low or b"++" in low or b".net" in low or b".js" in low:
        plain = _SYMBOLS.sub(_spell, plain)
    return b" ".join(filter(None, map(_TERMS_OF.__getitem__, plain.translate(_ALNUM).split()))).decode("ascii")


def is_bigram(term: str) -> bool:
    """Whether a term is one that a run of characters without spaces gives."""
    return len(term) <= 2 and not term.isascii() and _CJK_RUN().fullmatch(term) is not None


def _spell(match: re.Match[bytes]) -> bytes:
    sign, text = match.group().lower(), match.string
    before = _BEFORE.search(text, max(0, match.start() - 40), match.start())
    word = before.group().lower() if before else b""
    if sign == b".js":
        return b"js " + word + b" " if word else b" js "
    if sign == b".net":
        return b" dotnet " if not word else b"net dotnet " if word in _NET_FAMILIES else b" net "
    if len(word) > 1:
        return sign
    return b"sharp " if sign == b"#" else b"plusplus "


def _folded(text: str) -> tuple[str, list[str]]:
    """The text with its other characters folded, and its words that are neither in ASCII letters nor CJK."""
    if _HARD().search(text) is None:
        return text, []
    text = _FOREIGN().sub(_fold, text)
    return text, _OTHER_WORD().findall(text)


def _fold(stretch: re.Match[str]) -> str:
    plain = normalize("NFKC", stretch.group())
    # What becomes a capital of ASCII stays one: a full-width GitHub is taken apart like any other.
    low = _NOT_ASCII.sub(_casefolded, plain) if _CAPITAL.search(plain) else plain.casefold()
    return normalize("NFC", _MARKS.sub("", normalize("NFD", low))).translate(_LETTERS)


def _casefolded(run: re.Match[str]) -> str:
    return run.group().casefold()


def pairs(found: Sequence[str]) -> list[str]:
    """Neighbouring terms as terms of their own (`api_workflow`); CJK bigrams overlap already and give none."""
    return [f"{left}_{right}" for left, right in pairwise(found) if left.isascii() and right.isascii()]


def query_terms(
    text: str, document_frequency: Callable[[str], int] | None = None, limit: int = QUERY_TERMS
) -> list[tuple[str, float]]:
    """The distinct terms of a query with their boosts; of a long one only the rarest that the library knows.

    Neighbouring words are also looked for as pairs and in one word ("web forms": `web_forms`, `webforms`), at half
    weight. A query in Chinese, Japanese or Korean is also searched for by its words in English, and its bigrams count
    by how likely they are words.
    """
    found = terms(text)
    single = [term for term in dict.fromkeys(found) if not term.isdecimal()] or list(dict.fromkeys(found))
    chosen = single[:limit] if document_frequency is None else _rarest(single, document_frequency, limit)
    # Not of words that are too common to be searched for: a long turn must not cost hundreds of look-ups.
    rare = set(chosen) if document_frequency is None else {*chosen, *(t for t in single if not document_frequency(t))}
    near = [(a, b) for a, b in pairwise(found) if a in rare and b in rare and a.isascii() and b.isascii()]
    double = list(dict.fromkeys([f"{left}_{right}" for left, right in near] + [left + right for left, right in near]))
    translated: list[str] = []
    phrases: list[str] = []
    weights: Mapping[str, float] = {}
    named = 1.0
    plain = text if text.isascii() else normalize("NFKC", text)
    if not plain.isascii() and (runs := _CJK_RUN().findall(plain)):
        # Late: most queries of most users never need them.
        from skillcaddy.library.bigrams import bigram_weights
        from skillcaddy.library.concepts import english_terms

        translated, phrases = english_terms(plain)
        weights = bigram_weights(runs, document_frequency)
        named = NAMED_BOOST
    boosts: dict[str, float] = {}
    for words, boost, most in (
        (chosen, 1.0, limit),
        (double, PAIR_BOOST, QUERY_PAIRS),
        (translated, CONCEPT_BOOST, TRANSLATED_TERMS),
        (phrases, PHRASE_BOOST, TRANSLATED_TERMS),
    ):
        for term in words[:most] if document_frequency is None else _rarest(words, document_frequency, most):
            boosts.setdefault(term, weights.get(term, named if term.isascii() else 1.0) if boost == 1.0 else boost)
    return list(boosts.items())


def _rarest(found: Sequence[str], document_frequency: Callable[[str], int], limit: int) -> list[str]:
    known = [(count, term) for term in found if (count := document_frequency(term)) > 0]
    if len(known) > limit:
        known = sorted(known, key=lambda entry: entry[0])[:limit]
    return [term for _, term in known]
