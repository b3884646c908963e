"""Bodies that are the same or almost: a digest for copies, a bottom-k sketch of word shingles for near copies."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from heapq import nsmallest
from zlib import crc32

SIZE = 64
"""Hashes kept of a body."""
_CHARS = 20_000
_KEYS = 6
_PER_BUCKET = 8
_LEAST_SHINGLES = 20
_WORD = re.compile(r"[a-z0-9]+|[^\x00-\x7f\s]")
_MASK = (1 << 64) - 1

Sketch = tuple[int, ...]


def digest(body: str) -> str:
    """Equal for bodies that differ in white space only; "" for an empty one."""
    words = body.split()
    return hashlib.blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest() if words else ""


def sketch(body: str) -> Sketch:
    """The smallest hashes of the body's four-word shingles; () for a body too short to be compared.

    The bottom-k variant of Broder's resemblance sketches (On the resemblance and containment of documents, 1997).
    """
    codes = [crc32(word.encode("utf-8", "surrogatepass")) for word in _WORD.findall(body[:_CHARS].lower())]
    shingles = {
        ((a * 0x9E3779B1 + b * 0x85EBCA77 + c * 0xC2B2AE3D + d * 0x27D4EB2F) * 0x9E3779B97F4A7C15) & _MASK
        for a, b, c, d in zip(codes, codes[1:], codes[2:], codes[3:], strict=False)
    }
    return tuple(nsmallest(SIZE, shingles)) if len(shingles) >= _LEAST_SHINGLES else ()


def resemblance(one: Sketch, other: Sketch) -> float:
    """The estimated share of shingles, 0 to 1, that two bodies have in common."""
    if not one or not other:
        return 0.0
    a, b = set(one), set(other)
    union = nsmallest(min(SIZE, max(len(one), len(other))), a | b)
    return sum(1 for value in union if value in a and value in b) / len(union)


def groups(
    sketches: Sequence[Sketch], least: float, progress: Callable[[int, int], None] | None = None
) -> list[list[tuple[int, float]]]:
    """The groups of two and more positions whose sketches resemble each other, each with its likeness to the first.

    Only sketches that share one of their smallest hashes are compared, each with the first few of those, so the time
    grows with the number of bodies and not with its square.
    """
    leader = list(range(len(sketches)))
    likeness = [1.0] * len(sketches)

    buckets: defaultdict[int, list[int]] = defaultdict(list)
    for position, mine in enumerate(sketches):
        seen: set[int] = set()
        for key in mine[:_KEYS]:
            bucket = buckets[key]
            for other in bucket:
                first = leader[other]
                if leader[position] == position and first not in seen:
                    seen.add(first)
                    alike = resemblance(sketches[first], mine)
                    if alike >= least:
                        leader[position], likeness[position] = first, alike
            if len(bucket) < _PER_BUCKET and leader[position] == position:
                bucket.append(position)
        if progress is not None and (position % 256 == 255 or position + 1 == len(sketches)):
            progress(position + 1, len(sketches))
    found: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    for position, first in enumerate(leader):
        found[first].append((position, likeness[position]))
    return [members for members in found.values() if len(members) > 1]
