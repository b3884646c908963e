"""The decision log: one line for each retrieval and each opened skill, on every surface, failures included.

It holds ids, counts, reason codes, times and estimated tokens. What somebody wrote or what a skill says is in it only
with `decision_log = "content"`, and then redacted.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from skillcaddy.deadline import Deadline
from skillcaddy.journal import Journal
from skillcaddy.paths import log_dir
from skillcaddy.reasons import Reason
from skillcaddy.request import Request
from skillcaddy.settings import Settings
from skillcaddy.skill import Retrieval
from skillcaddy.trace import Candidate, Trace

FILE_NAME = "decisions.jsonl"
VERSION = 1
_MOST_CANDIDATES = 20
_MOST_EVENTS = 20
_MOST_TEXT = 12_000
_MOST_WAIT_S = 0.25
_LEAST_WAIT_S = 0.02

_UNREACHED = frozenset(
    {
        Reason.SOURCE_FAILED,
        Reason.SOURCE_ABANDONED,
        Reason.SOURCE_STUCK,
        Reason.SOURCE_COOLING_DOWN,
        Reason.SOURCE_NONSENSE,
    }
)


class DecisionLog:
    """Writes what the settings allow to `decisions.jsonl` in the log folder. No method raises or waits for long.

    The line is written by a thread that is waited for only while the turn has time, so a disk that hangs costs the
    line, not the turn; while one hangs, further lines are dropped and counted in the next one.
    """

    def __init__(self, settings: Settings, journal: Journal | None = None) -> None:
        self._settings = settings
        self._journal = journal or Journal(log_dir(configured=settings.state_dir) / FILE_NAME)
        self._lock = threading.Lock()
        self._writer: threading.Thread | None = None
        self._lost = 0

    def retrieval(self, request: Request, retrieval: Retrieval, deadline: Deadline) -> None:
        """Note how a retrieval ended."""
        self._write(lambda: retrieval_record(request, retrieval, self._settings), deadline)

    def opened(self, request: Request, reference: str, ids: Iterable[str], outcome: str, deadline: Deadline) -> None:
        """Note a call of `skill_open`: `outcome` is `opened`, `file`, `miss`, `ambiguous` or `failed`."""
        found = list(ids)
        self._write(lambda: open_record(request, reference, found, outcome, self._settings), deadline)

    def _write(self, record: Callable[[], dict[str, Any]], deadline: Deadline) -> None:
        if self._settings.decision_log == "off":
            return
        with self._lock:
            if self._writer is not None and self._writer.is_alive():
                self._lost += 1
                return
            lost, self._lost = self._lost, 0
            writer = threading.Thread(target=self._append, args=(record, lost), name="skillcaddy-log", daemon=True)
            self._writer = writer
            writer.start()
        writer.join(max(_LEAST_WAIT_S, min(_MOST_WAIT_S, deadline.left())))

    def _append(self, record: Callable[[], dict[str, Any]], lost: int) -> None:
        try:
            row = record()
            if lost:
                row["lost_before"] = lost
            done = self._journal.append(row)
        except Exception:  # noqa: BLE001 - nothing about a log is worth a turn
            done = False
        if not done:
            with self._lock:
                self._lost += lost + 1


def retrieval_record(request: Request, retrieval: Retrieval, settings: Settings) -> dict[str, Any]:
    """The line for a retrieval; JSON-ready."""
    from skillcaddy.markdown import estimated_tokens

    trace, content = retrieval.trace, settings.decision_log == "content"
    query = request.query if isinstance(request.query, str) else ""
    row = {
        **_head("retrieval", request, settings),
        "surface": request.surface,
        "delivery": request.delivery,
        "outcome": outcome_of(retrieval),
        "elapsed_ms": retrieval.elapsed_ms,
        "query_chars": len(query),
        "found": sum(report.found for report in trace.sources),
        "hits": len(retrieval.hits),
        "delivered": [_short(hit.skill.id) for hit in retrieval.delivered],
        "catalog": [_short(hit.skill.id) for hit in retrieval.catalog],
        "chars": len(retrieval.text),
        "est_tokens": estimated_tokens(retrieval.text),
        "reasons": _reason_counts(trace),
        "sources": [
            {
                "source": _short(report.source, 60),
                "reason": report.reason.value,
                "found": report.found,
                "refused": report.refused,
                "elapsed_ms": report.elapsed_ms,
                **({"detail": _safe(report.detail, 80)} if report.detail else {}),
            }
            for report in trace.sources
        ],
        "events": [
            _event(event.step, event.reason, event.subject, event.detail, content)
            for event in trace.events[:_MOST_EVENTS]
        ],
        "candidates": [_candidate(candidate, content) for candidate in trace.candidates[:_MOST_CANDIDATES]],
        "model_calls": [
            {
                "step": call.step,
                "model": _safe(call.model, 80),
                "tokens_in": call.tokens_in,
                "tokens_out": call.tokens_out,
                "elapsed_ms": call.elapsed_ms,
                "estimated": call.estimated,
            }
            for call in trace.model_calls
        ],
        "timings_ms": dict(trace.timings_ms),
    }
    if content:
        row["query"] = _safe(query, settings.max_query_chars)
        searched = dict.fromkeys(report.query for report in trace.sources if report.query != query.strip())
        row["searched"] = [_safe(query, 500) for query in searched]
        row["text"] = _safe(retrieval.text, _MOST_TEXT)
    return row


def open_record(request: Request, reference: str, ids: list[str], outcome: str, settings: Settings) -> dict[str, Any]:
    """The line for a call of `skill_open`; JSON-ready."""
    row = {**_head("open", request, settings), "surface": "tool", "outcome": outcome, "ids": [_short(i) for i in ids]}
    if not ids and settings.decision_log == "content":
        row["reference"] = _safe(reference, 300)
    return row


def outcome_of(retrieval: Retrieval) -> str:
    """In one word: `delivered`, `listed`, `held`, `nothing`, or `failed` where a fault may be why there is nothing."""
    if retrieval.delivered:
        return "delivered"
    if retrieval.catalog:
        return "listed"
    trace = retrieval.trace
    if any(event.reason is Reason.STEP_FAILED for event in trace.events):
        return "failed"
    if trace.sources and all(report.reason in _UNREACHED for report in trace.sources):
        return "failed"
    return "held" if Reason.ALREADY_HELD in trace.reasons() else "nothing"


def _head(kind: str, request: Request, settings: Settings) -> dict[str, Any]:
    now = time.time()
    head: dict[str, Any] = {
        "v": VERSION,
        "kind": kind,
        "at": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z",
        "host": _short(request.host, 60),
        "mode": settings.mode,
    }
    if request.session:
        # A session's id may hold a chat's or a person's number; the digest still tells sessions apart.
        head["session"] = _digest(request.session)
        if settings.decision_log == "content":
            head["session_id"] = _safe(request.session, 120)
    return head


def _reason_counts(trace: Trace) -> dict[str, int]:
    counts: dict[str, int] = {}
    for reason in (
        *(event.reason for event in trace.events),
        *(report.reason for report in trace.sources),
        *(candidate.reason for candidate in trace.candidates),
    ):
        counts[reason.value] = counts.get(reason.value, 0) + 1
    return counts


def _event(step: str, reason: Reason, subject: str, detail: str, content: bool) -> dict[str, Any]:
    row: dict[str, Any] = {"step": step, "reason": reason.value}
    if subject:
        row["subject"] = _safe(subject, 300)
    if detail and content:
        row["detail"] = _safe(detail, 300)
    elif detail and reason is Reason.STEP_FAILED:
        row["detail"] = detail.partition(":")[0][:80]  # the error's type; its text may quote the query
    return row


def _candidate(candidate: Candidate, content: bool) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": _short(candidate.id),
        "reason": candidate.reason.value,
        "ranks": _ranks(candidate.ranks),
        "fusion": candidate.fusion,
        "relevance": candidate.relevance,
    }
    if content and candidate.matched:
        row["matched"] = [_safe(word, 60) for word in candidate.matched[:12]]
    return row


def _ranks(ranks: Mapping[str, int]) -> dict[str, int]:
    return {_short(name, 60): rank for name, rank in ranks.items()}


def _digest(text: str) -> str:
    from skillcaddy.digest import digest

    return digest(text.encode("utf-8", "surrogatepass"))[:16]


def _short(text: str, size: int = 300) -> str:
    return text[:size]


def _safe(text: str, size: int) -> str:
    from skillcaddy.redact import redacted

    # Cut with some to spare first: a key cut in two would no longer look like one.
    return redacted(text[: size + 200])[:size]
