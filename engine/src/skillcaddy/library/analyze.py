"""The one analyzer: text in, terms out, for both sides of a match.

Text is NFKC-normalised, case- and accent-folded; ASCII words are cut at punctuation and kept whole; runs of CJK, kana
and hangul become overlapping bigrams; a few names that are mostly symbols (C++, C#, .NET, node.js) get a spelling of
letters. Terms in other scripts follow those in ASCII letters, so order is kept within a script only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from unicodedata import category, normalize

from skillcaddy.library.lexicon import STOP_WORDS
from skillcaddy.skill import Skill

ANALYZER_VERSION = 1
"""Part of an index's identity: raised with every change of what `terms` returns or `document_text` weighs."""

NAME_WEIGHT = 6
DESCRIPTION_WEIGHT = 4
BODY_CHARS = 4000
QUERY_TERMS = 24

_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
_SYMBOLS = re.compile(r"(?<![a-z0-9])([cfj])(#|\+\+)(?![a-z0-9])|(?<![a-z0-9])((?:asp)?)\.net(?![a-z0-9])|([a-z0-9]+)\.js(?![a-z0-9])")
_SIGNS = {"#": "sharp", "++": "plusplus"}
_CAMEL = re.compile(r"[A-Za-z]*[a-z0-9][A-Z][A-Za-z0-9]*")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_WORDS = {code: " " for code in range(128) if not chr(code).isalnum()}
_LETTERS = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
_KEPT_LETTERS = frozenset("cr")
_RUN = re.compile(
    # CJK (with extensions A and B to H, compatibility forms and iteration marks), kana, hangul | any other word
    "([\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+)"
    r"|([^\W_]+)"
)
_CACHE_LIMIT = 50_000


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
    if word in STOP_WORDS or (len(word) == 1 and word not in _KEPT_LETTERS):
        return ""
    return word


_TERMS = _Memo(_term)


def terms(text: str) -> list[str]:
    """The terms of a text in order, repeats kept, stop words left out; never raises."""
    words = _words(text)
    return [term for term in map(_TERMS.__getitem__, words) if term]


def _words(text: str) -> list[str]:
    others: list[str] = []
    if not text.isascii():
        text = _NON_ASCII.sub(lambda run: _fold(run.group(), others), text)
    humps: list[str] = []
    for word in _CAMEL.findall(text):
        parts = _HUMP.findall(word)
        if len(parts) > 2 or word[0].islower():
            humps.extend(parts)
    text = text.lower()
    if "#" in text or "++" in text or ".net" in text or ".js" in text:
        text = _SYMBOLS.sub(_spell, text)
    words = text.translate(_WORDS).split()
    if humps:
        words.extend(part.lower() for part in humps)
    words.extend(others)
    return words


def _spell(match: re.Match[str]) -> str:
    letter, sign, asp, script = match.groups()
    if letter:
        return f"{letter}{_SIGNS[sign]} "
    if script:
        return f"{script}js {script} "
    return f"{asp}net dotnet " if asp else " dotnet "


def _fold(run: str, others: list[str]) -> str:
    """The ASCII text that stands for a run of other characters; the terms in other scripts go to `others`."""
    run = normalize("NFD", normalize("NFKC", run).casefold())
    run = "".join(_LETTERS.get(char, char) for char in run if not "\u0300" <= char <= "\u036f")
    if run.isascii():
        return run if run else ""
    inline: list[str] = []
    for piece in re.split(r"([\x00-\x7f]+)", normalize("NFC", run)):
        if piece.isascii():
            inline.append(piece)
            continue
        inline.append(" ")
        for cjk, word in _RUN.findall(piece):
            if word:
                others.append(word)
            elif len(cjk) == 1:
                others.append(cjk)
            else:
                others.extend(map("".join, zip(cjk, cjk[1:])))
    return "".join(inline)


def document_text(skill: Skill) -> str:
    """A skill's weighted terms, white-space-separated, as the index takes them in."""
    name = terms(skill.name) * NAME_WEIGHT
    description = terms(skill.description) * DESCRIPTION_WEIGHT
    return " ".join([*name, *description, *terms(" ".join(skill.tags)) * DESCRIPTION_WEIGHT, *terms(skill.body[:BODY_CHARS])])


def query_terms(
    text: str, document_frequency: Callable[[str], int] | None = None, limit: int = QUERY_TERMS
) -> list[tuple[str, float]]:
    """The distinct terms of a query with their boosts; of a long one only the rarest that the library knows."""
    found = list(dict.fromkeys(terms(text)))
    if document_frequency is not None:
        known = [(document_frequency(term), position, term) for position, term in enumerate(found)]
        known = sorted(entry for entry in known if entry[0] > 0)[:limit]
        found = [term for _, _, term in sorted(known, key=lambda entry: entry[1])]
    return [(term, 1.0) for term in found[:limit]]
