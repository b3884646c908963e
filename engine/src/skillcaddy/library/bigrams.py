"""How much each bigram of a query counts: a run of characters without spaces says neither word nor boundary."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from skillcaddy.library.lexicon import CJK_FUNCTION_CHARACTERS

FUNCTION_WEIGHT = 0.9
"""For each of its characters that is mostly a function word. Not less: skills quote how people ask for them."""
STRADDLE_WEIGHT = 0.7
"""Where both neighbours are commoner: such a bigram is mostly the end of one word and the beginning of the next."""


def bigram_weights(runs: list[str], document_frequency: Callable[[str], int] | None) -> dict[str, float]:
    """The weights of the terms of these runs; of a term that occurs twice the greater one."""
    found: dict[str, float] = {}
    for run in runs:
        common = [char in CJK_FUNCTION_CHARACTERS for char in run]
        if len(run) == 1:
            found[run] = max(found.get(run, 0.0), FUNCTION_WEIGHT ** common[0])
            continue
        bigrams = [left + right for left, right in pairwise(run)]
        counts = [document_frequency(bigram) for bigram in bigrams] if document_frequency is not None else []
        for at, bigram in enumerate(bigrams):
            weight = FUNCTION_WEIGHT ** (common[at] + common[at + 1])
            if 0 < at < len(counts) - 1 and counts[at] < counts[at - 1] and counts[at] < counts[at + 1]:
                weight *= STRADDLE_WEIGHT
            found[bigram] = max(found.get(bigram, 0.0), round(weight, 4))
    return found
