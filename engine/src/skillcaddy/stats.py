"""The decision log summed up: how often skills were found, delivered and opened, how long it took, what sources did."""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

KINDS = frozenset({"retrieval", "open"})
GROUPED_BY = ("host", "mode", "surface")
_DAY_S = 86_400.0
_ANSWERED = ("source_ok", "source_empty")


@dataclass(kw_only=True, slots=True)
class Group:
    """The retrievals of one kind: their number, how they ended, what they cost."""

    retrievals: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    est_tokens: int = 0
    """Estimated tokens of all texts handed over."""
    model_tokens: int = 0
    """Tokens that the rewriter's and the gate's model took in and gave out."""
    times_ms: list[float] = field(default_factory=list)


@dataclass(kw_only=True, slots=True)
class Source:
    """What one source did: how often it was asked, with what end, and how long it took when it answered."""

    asked: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    times_ms: list[float] = field(default_factory=list)


@dataclass(kw_only=True, slots=True)
class SkillUse:
    """How often one skill was a candidate, was delivered with its body, was named in a list, and was opened."""

    found: int = 0
    delivered: int = 0
    listed: int = 0
    opened: int = 0


@dataclass(kw_only=True, slots=True)
class Summary:
    """A log's sums."""

    records: int = 0
    bad_lines: int = 0
    lost: int = 0
    """Records that their writers could not write, as far as they came to say so."""
    first: str = ""
    last: str = ""
    total: Group = field(default_factory=Group)
    groups: defaultdict[tuple[str, str, str], Group] = field(default_factory=lambda: defaultdict(Group))
    """By host, mode and surface."""
    opens: Counter[str] = field(default_factory=Counter)
    sources: defaultdict[str, Source] = field(default_factory=lambda: defaultdict(Source))
    skills: defaultdict[str, SkillUse] = field(default_factory=lambda: defaultdict(SkillUse))
    reasons: Counter[str] = field(default_factory=Counter)
    """In how many retrievals each reason code occurs."""

    def to_json(self) -> dict[str, Any]:
        """The sums as JSON-ready data; times are milliseconds, tokens are estimates."""
        skills = sorted(self.skills.items(), key=lambda row: (-row[1].delivered, -row[1].opened, -row[1].found, row[0]))
        return {
            "records": self.records,
            "bad_lines": self.bad_lines,
            "lost": self.lost,
            "first": self.first,
            "last": self.last,
            **_group_json(self.total),
            "opens": dict(self.opens),
            "groups": [
                {**dict(zip(GROUPED_BY, key, strict=True)), **_group_json(group)}
                for key, group in sorted(self.groups.items(), key=lambda row: (-row[1].retrievals, row[0]))
            ],
            "sources": {
                name: {"asked": source.asked, "reasons": dict(source.reasons), "latency_ms": latency(source.times_ms)}
                for name, source in sorted(self.sources.items())
            },
            "skills": [
                {"id": name, "found": u.found, "delivered": u.delivered, "listed": u.listed, "opened": u.opened}
                for name, u in skills
            ],
            "reasons": dict(self.reasons.most_common()),
        }


def summarise(rows: Iterable[Mapping[str, Any] | None], *, days: float | None = None) -> Summary:
    """The sums of a log's rows (`journal.Journal.rows`), of the last `days` only where given; bad rows are counted."""
    summary = Summary()
    oldest = "" if days is None else time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - days * _DAY_S))
    for row in rows:
        if row is None or row.get("kind") not in KINDS or not isinstance(row.get("at"), str):
            summary.bad_lines += 1
            continue
        if row["at"] < oldest:
            continue
        summary.records += 1
        summary.lost += _whole(row.get("lost_before"))
        summary.first = min(summary.first or row["at"], row["at"])
        summary.last = max(summary.last, row["at"])
        if row["kind"] == "open":
            summary.opens[_word(row.get("outcome"))] += 1
            if row.get("outcome") in ("opened", "file"):
                for skill in _words(row.get("ids")):
                    summary.skills[skill].opened += 1
        else:
            _add_retrieval(summary, row)
    return summary


def latency(times_ms: Sequence[float]) -> dict[str, float] | None:
    """Nearest-rank percentiles of the times, milliseconds; None where there are none."""
    if not times_ms:
        return None
    ordered = sorted(times_ms)
    at = {f"p{share}": ordered[max(0, math.ceil(share / 100 * len(ordered)) - 1)] for share in (50, 95, 99)}
    return {name: round(value, 1) for name, value in {**at, "max": ordered[-1]}.items()}


def _add_retrieval(summary: Summary, row: Mapping[str, Any]) -> None:
    calls = _rows(row.get("model_calls"))
    model_tokens = sum(_whole(call.get("tokens_in")) + _whole(call.get("tokens_out")) for call in calls)
    key = (_word(row.get("host")), _word(row.get("mode")), _word(row.get("surface")))
    for group in (summary.total, summary.groups[key]):
        group.retrievals += 1
        group.outcomes[_word(row.get("outcome"))] += 1
        group.est_tokens += _whole(row.get("est_tokens"))
        group.model_tokens += model_tokens
        group.times_ms += _times(row.get("elapsed_ms"))
    reasons = row.get("reasons")
    summary.reasons.update(_words(list(reasons)) if isinstance(reasons, dict) else [])
    for report in _rows(row.get("sources")):
        source = summary.sources[_word(report.get("source"))]
        source.asked += 1
        source.reasons[_word(report.get("reason"))] += 1
        if report.get("reason") in _ANSWERED:
            source.times_ms += _times(report.get("elapsed_ms"))
    for candidate in _rows(row.get("candidates")):
        summary.skills[_word(candidate.get("id"))].found += 1
    for skill in _words(row.get("delivered")):
        summary.skills[skill].delivered += 1
    for skill in _words(row.get("catalog")):
        summary.skills[skill].listed += 1


def _group_json(group: Group) -> dict[str, Any]:
    return {
        "retrievals": group.retrievals,
        "outcomes": dict(group.outcomes),
        "est_tokens": group.est_tokens,
        "model_tokens": group.model_tokens,
        "latency_ms": latency(group.times_ms),
    }


# What a line holds may be anything; what is not of the right kind counts as nothing.


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _words(value: Any) -> list[str]:
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []


def _rows(value: Any) -> list[Mapping[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _times(value: Any) -> list[float]:
    return [float(value)] if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else []
