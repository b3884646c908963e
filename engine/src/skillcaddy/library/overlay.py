"""Skills searched from memory: files that changed since the index was written, or a library not indexed yet."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from skillcaddy.library.documents import Reading
from skillcaddy.library.index import Index, Match

K1 = 1.2
B = 0.75
"""Those of tantivy, which has no others."""


class Overlay:
    """Documents in memory, scored as the index would score them so that both lists merge by score."""

    def __init__(self, index: Index | None = None, mean_length: float = 0.0) -> None:
        self._index = index
        self._mean_length = mean_length
        self._counts: dict[str, Counter[str]] = {}
        self._readings: dict[str, Reading] = {}
        self._frequency: Counter[str] = Counter()
        self._total_length = 0

    def __len__(self) -> int:
        return len(self._readings)

    def add(self, readings: Iterable[Reading]) -> None:
        """Take documents in; a path read before is not read again."""
        for reading in readings:
            if reading.document is None or reading.document.key in self._readings:
                continue
            counts = Counter(reading.document.text.split(" "))
            self._readings[reading.document.key] = reading
            self._counts[reading.document.key] = counts
            self._frequency.update(counts.keys())
            self._total_length += reading.length

    @property
    def document_count(self) -> int:
        """Number of documents by which terms are weighed: the index's, or those in memory where there is no index."""
        return len(self._index) if self._index is not None and len(self._index) else len(self._readings)

    def document_frequency(self, term: str) -> int:
        """Number of those documents that hold an analysed term; a term that only memory knows is counted there."""
        indexed = self._index.document_frequency(term) if self._index is not None else 0
        return indexed or self._frequency[term]

    def named(self, name_key: str) -> list[Match]:
        """The documents in memory of one name."""
        return [_match(r, 0.0) for r in self._readings.values() if r.document and r.document.name_key == name_key]

    def search(self, terms: Sequence[tuple[str, float]], limit: int) -> list[Match]:
        """The best matches among the documents in memory, best first.

        BM25 as tantivy computes it: k1 1.2, b 0.75, idf ln(1 + (N - n + 0.5) / (n + 0.5)), over the statistics of the
        index and the memory together (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009).
        """
        if not self._readings:
            return []
        count = self.document_count
        mean = self._mean_length or self._total_length / len(self._readings) or 1.0
        weights = []
        for term, boost in terms:
            found_in = self.document_frequency(term)
            if self._frequency[term]:
                weights.append((term, boost * math.log(1 + (count - found_in + 0.5) / (found_in + 0.5)) * (K1 + 1)))
        scored: list[tuple[float, str]] = []
        for key, counts in self._counts.items():
            damping = K1 * (1 - B + B * _rounded(self._readings[key].length) / mean)
            score = sum(weight * counts[term] / (counts[term] + damping) for term, weight in weights if counts[term])
            if score > 0:
                scored.append((score, key))
        scored.sort(key=lambda row: (-row[0], row[1]))
        return [_match(self._readings[key], score) for score, key in scored[:limit]]


def _rounded(length: int) -> int:
    """A document's length as tantivy keeps it in one byte: exact up to 40, then in steps that double every eight."""
    if length <= 40:
        return length
    base, step = 40, 2
    while length >= base + 8 * step:
        base, step = base + 8 * step, 2 * step
    return base + (length - base) // step * step


def _match(reading: Reading, score: float) -> Match:
    document = reading.document
    assert document is not None, "only readings with a document are taken in"
    return Match(key=document.key, score=score, root=document.root, record=document.record)
