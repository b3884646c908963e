"""What we are measured against, each written from its description: a peer-style index and a plain BM25 recipe."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, Protocol

from labelled import SkillRow

_PEER_TOKENS = re.compile(r"[a-z0-9]{2,}|[\u4e00-\u9fff]+")
_PRUNE_ABOVE = 0.5
_PRUNE_FROM = 10


class Reference(Protocol):
    """Ranks skills for a query."""

    name: str

    def rank(self, query: str, limit: int = 10) -> list[str]:
        """Ids of at most `limit` skills, best first; skills that match nothing are left out."""
        ...


def peer_tokens(text: str) -> list[str]:
    """Lower-cased ASCII runs of two or more, and overlapping bigrams of CJK runs; a lone character stays."""
    tokens: list[str] = []
    for run in _PEER_TOKENS.findall(text.lower()):
        if run[0] < "\u4e00" or len(run) == 1:
            tokens.append(run)
        else:
            tokens += [run[at : at + 2] for at in range(len(run) - 1)]
    return tokens


class PeerIndex:
    """The comparable public system's lexical method: Okapi BM25 over the name twice and the description, in memory."""

    name = "peer-style"

    def __init__(self, skills: Sequence[SkillRow], k1: float = 1.5, b: float = 0.75) -> None:
        self.ids = [skill.id for skill in skills]
        lengths: list[int] = []
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for position, skill in enumerate(skills):
            counts = Counter(peer_tokens(f"{skill.name} {skill.name} {skill.description}"))
            lengths.append(sum(counts.values()))
            for token, count in counts.items():
                self._postings[token].append((position, count))
        mean = sum(lengths) / max(1, len(lengths)) or 1.0
        self._damping = [k1 * (1 - b + b * length / mean) for length in lengths]
        self._gain = k1 + 1

    def rank(self, query: str, limit: int = 10) -> list[str]:
        """Scores every skill that shares a token; words of more than half of the skills are left out of the query."""
        total = len(self.ids)
        scores: dict[int, float] = defaultdict(float)
        for token in peer_tokens(query):
            postings = self._postings.get(token, ())
            if not postings or (total >= _PRUNE_FROM and len(postings) > _PRUNE_ABOVE * total):
                continue
            weight = math.log(1 + (total - len(postings) + 0.5) / (len(postings) + 0.5)) * self._gain
            for position, count in postings:
                scores[position] += weight * count / (count + self._damping[position])
        best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:limit]
        return [self.ids[position] for position, _ in best]


class PlainRecipe:
    """One weighted field (name x6, description x4, body 4,000 characters), BM25 k1 1.2 b 0.4, by the bm25s package."""

    name = "plain recipe"

    def __init__(self, skills: Sequence[SkillRow]) -> None:
        import bm25s

        self.ids = [skill.id for skill in skills]
        corpus = [
            peer_tokens(skill.name) * 6 + peer_tokens(skill.description) * 4 + peer_tokens(skill.body[:4000])
            for skill in skills
        ]
        self._index: Any = bm25s.BM25(method="lucene", k1=1.2, b=0.4)
        self._index.index(corpus, show_progress=False)

    def rank(self, query: str, limit: int = 10) -> list[str]:
        """The index's own ranking over the query's distinct tokens."""
        tokens = list(dict.fromkeys(peer_tokens(query)))
        if not tokens:
            return []
        found, scores = self._index.retrieve([tokens], k=min(limit, len(self.ids)), show_progress=False)
        return [self.ids[int(at)] for at, score in zip(found[0], scores[0], strict=True) if score > 0]
