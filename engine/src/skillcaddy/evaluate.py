"""How good the retrieval is on labelled queries: the ranking, and what would really be injected."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillcaddy.reasons import Reason
from skillcaddy.request import Request
from skillcaddy.skill import Hit, Retrieval

DEPTH = 10
INJECTED = 2

Retrieve = Callable[[Request], Retrieval]
Keys = frozenset[str]
"""The words by which one skill may be named: its id, its name, its folder relative to its root."""


class BadQueryFileError(ValueError):
    """A row of a query file that can't be used; the message names the file and the line."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledQuery:
    """One query with what should and what must not be offered for it."""

    query: str
    relevant: tuple[Keys, ...]
    """Groups of words that name a skill; any member of a group counts, each group once."""
    forbidden: tuple[Keys, ...] = ()
    has_forbidden: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What the pipeline did for one query: the raw ranking and the skills it would inject, as keys."""

    ranking: tuple[Keys, ...]
    injected: tuple[Keys, ...]
    elapsed_ms: float


def load_queries(file: Path) -> list[LabelledQuery]:
    """The rows of a JSON-lines file; raises BadQueryFileError for a row that is not one."""
    rows = []
    for number, line in enumerate(file.read_text(encoding="utf-8-sig").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            query = row["query"]
            if not isinstance(query, str):
                raise TypeError(f"query is {type(query).__name__}, not a string")
            rows.append(
                LabelledQuery(
                    query=query,
                    relevant=_groups(row.get("relevant", ())),
                    forbidden=_groups(row.get("forbidden", ())),
                    has_forbidden=bool(row.get("forbidden")),
                )
            )
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BadQueryFileError(
                f'{file}, line {number}: {error!r}. A row is {{"query": "...", "relevant": ["folder, id or name"]}}'
                ' with an optional "forbidden" of the same form.'
            ) from error
    return rows


def _groups(entries: Any) -> tuple[Keys, ...]:
    if not isinstance(entries, (list, tuple)):
        raise TypeError(f"a list of skills was expected, not {type(entries).__name__}")
    groups = []
    for entry in entries:
        members = [entry] if isinstance(entry, str) else entry
        if not isinstance(members, list) or not all(isinstance(member, str) for member in members):
            raise TypeError(f"a skill or a list of equal skills was expected, not {entry!r}")
        groups.append(frozenset(_normal(member) for member in members))
    return tuple(groups)


def _normal(reference: str) -> str:
    return reference.strip().strip("/").removesuffix("/SKILL.md")


def answer(retrieve: Retrieve, query: str) -> Answer:
    """Run one query as an automatic turn would, and keep what the metrics need."""
    retrieval = retrieve(Request(query=query, surface="auto", top_k=INJECTED, deadline_s=60.0, recorded=False))
    ranking = tuple(
        _keys(candidate.id, candidate.name)
        for candidate in retrieval.trace.candidates
        if candidate.reason is not Reason.COPY_COLLAPSED
    )
    return Answer(
        ranking=ranking[:DEPTH],
        injected=tuple(_keys_of(hit) for hit in retrieval.delivered),
        elapsed_ms=retrieval.elapsed_ms,
    )


def _keys(skill_id: str, name: str) -> Keys:
    return frozenset({skill_id, name, skill_id.partition(":")[2]})


def _keys_of(hit: Hit) -> Keys:
    return _keys(hit.skill.id, hit.skill.name) | {hit.skill.folder}


def metrics(queries: Sequence[LabelledQuery], answers: Sequence[Answer]) -> dict[str, float | int | None]:
    """The figures of a run; a share of nothing is None.

    nDCG@10 has gain 1 for the first member found of each relevant group (Jarvelin and Kekalainen, 2002); recall@k is
    the share of groups with a member in the first k; mrr is the mean reciprocal rank of the first relevant hit within
    ten. A row without `relevant` is a negative: `false_injection_rate` is the share of them for which anything would be
    injected, `forbidden_rate` the share of rows with `forbidden` for which one of those would be.
    """
    pairs = list(zip(queries, answers, strict=True))
    positive = [(query, found) for query, found in pairs if query.relevant]
    negative = [found for query, found in pairs if not query.relevant]
    guarded = [(query, found) for query, found in pairs if query.has_forbidden]
    times = sorted(found.elapsed_ms for found in answers)
    return {
        "n": len(positive),
        "ndcg@10": _mean(_ndcg(query.relevant, found.ranking) for query, found in positive),
        "recall@5": _mean(_recall(query.relevant, found.ranking[:5]) for query, found in positive),
        "recall@2": _mean(_recall(query.relevant, found.ranking[:INJECTED]) for query, found in positive),
        "mrr": _mean(_reciprocal_rank(query.relevant, found.ranking) for query, found in positive),
        "hit@1": _mean(float(_reciprocal_rank(query.relevant, found.ranking[:1]) > 0) for query, found in positive),
        "negatives": len(negative),
        "false_injection_rate": _mean(float(bool(found.injected)) for found in negative),
        "forbidden_rate": _mean(
            float(any(keys & group for keys in found.injected for group in query.forbidden)) for query, found in guarded
        ),
        "injected_recall@2": _mean(_recall(query.relevant, found.injected[:INJECTED]) for query, found in positive),
        "p50_ms": _percentile(times, 0.50),
        "p95_ms": _percentile(times, 0.95),
    }


def _ndcg(relevant: Sequence[Keys], ranking: Sequence[Keys]) -> float:
    waiting = list(relevant)
    gain = 0.0
    for position, keys in enumerate(ranking[:DEPTH]):
        group = next((group for group in waiting if group & keys), None)
        if group is not None:
            waiting.remove(group)
            gain += 1 / math.log2(position + 2)
    return gain / sum(1 / math.log2(position + 2) for position in range(min(len(relevant), DEPTH)))


def _recall(relevant: Sequence[Keys], ranking: Sequence[Keys]) -> float:
    return sum(1 for group in relevant if any(group & keys for keys in ranking)) / len(relevant)


def _reciprocal_rank(relevant: Sequence[Keys], ranking: Sequence[Keys]) -> float:
    for position, keys in enumerate(ranking, start=1):
        if any(group & keys for group in relevant):
            return 1 / position
    return 0.0


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return round(sum(numbers) / len(numbers), 4) if numbers else None


def _percentile(ordered: Sequence[float], share: float) -> float | None:
    if not ordered:
        return None
    return round(ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)], 3)
