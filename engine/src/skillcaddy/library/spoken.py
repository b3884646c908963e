"""Terms as people wrote them: what a text's terms were before they were folded and lost their endings."""

from __future__ import annotations

from skillcaddy.library.analyze import terms

_AROUND = ".,;:!?\"'()[]{}<>`*。，；：！？“”「」（）"


def spoken(text: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """The word behind each term that comes from one word alone, and the words that are too common to give a term."""
    words: dict[str, str] = {}
    common: dict[str, None] = {}
    for word in text.split():
        plain = word.strip(_AROUND).lower()
        found = terms(plain)
        if not found and plain:
            common[plain] = None
        elif len(found) == 1:
            words.setdefault(found[0], plain)
    return words, tuple(common)
