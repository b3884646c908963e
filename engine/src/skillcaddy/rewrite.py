"""Step 1: the query, or queries, to search for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from skillcaddy.deadline import Deadline
from skillcaddy.guarded_model import BudgetSpentError, GuardedModel, ModelError
from skillcaddy.reasons import Reason
from skillcaddy.request import Request
from skillcaddy.settings import Settings
from skillcaddy.trace import Recorder

_SHARE = 0.35
"""Of the deadline: the search and the gate need the rest."""
_MAX_TOKENS = 1024
"""A ceiling that leaves room for a model's thoughts; the answer itself is a line."""
_MESSAGE_CHARS = (1400, 600)
"""What is sent of a long message: its beginning and its end, where people put what they want."""
_EARLIER = 3
_EARLIER_CHARS = 300
_QUERY_CHARS = 300
_MOST_TERMS = 9
"""Content words of a message that is a query as it stands: one line, little to strip. As they are, such messages have
the right skill among the first five in 0.69 to 0.79 of cases, those of 10 to 25 words in 0.77 to 0.82 (3,000 skills;
`bench/gate.py` prints it anew, and with a named model what the rewriter adds)."""
_POINTS_BACK = re.compile(
    r"\b(?:it|its|that|this|these|those|them|same|again|above|previous|earlier|instead|too)\b|这|那|它|同样|刚才|上面|之前|继续",
    re.IGNORECASE,
)
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "english": {"type": "string"}},
    "required": ["query", "english"],
    "additionalProperties": False,
}


def rewrite(
    query: str,
    request: Request,
    settings: Settings,
    model: GuardedModel | None,
    deadline: Deadline,
    recorder: Recorder,
) -> list[str]:
    """The queries to search for, the most important first; the user's own words are always among them.

    A model may sharpen the words and add the same in English, it may not veto a search: whatever it fails to give,
    the words are searched as they are. In `auto` it is asked in automatic turns only, for an agent that calls a tool
    has written its query itself.
    """
    if settings.rewrite == "off":
        recorder.event("rewrite", Reason.REWRITE_OFF)
        return [query]
    if settings.rewrite == "auto" and request.surface != "auto":
        recorder.event("rewrite", Reason.REWRITE_OFF, detail="the query was written for this search")
        return [query]
    if model is None:
        recorder.event("rewrite", Reason.NO_MODEL)
        return [query]
    skipped = _good_as_it_stands(query, bool(request.history))
    if skipped:
        recorder.event("rewrite", Reason.REWRITE_SKIPPED, detail=skipped)
        return [query]
    try:
        sharpened = _sharpened(query, request, settings, model, deadline.share(_SHARE), recorder)
    except BudgetSpentError as error:
        recorder.event("rewrite", Reason.MODEL_BUDGET_SPENT, detail=str(error))
        return [query]
    except ModelError as error:
        recorder.event("rewrite", Reason.REWRITE_FAILED, detail=str(error))
        return [query]
    if sharpened is None:
        recorder.event("rewrite", Reason.REWRITE_FAILED, detail="the reply holds no query")
        return [query]
    queries = _distinct([*sharpened, query])
    if len(queries) == 1:
        recorder.event("rewrite", Reason.REWRITE_SKIPPED, detail="the model left the words as they are")
    else:
        recorder.event("rewrite", Reason.REWRITTEN, detail=f"{len(queries)} queries")
    return queries


def _good_as_it_stands(query: str, has_history: bool) -> str:
    """Why a model need not be asked for this message, "" where it should be."""
    from skillcaddy.library.analyze import terms

    words = set(terms(query))
    if not words:
        return "no word names a task"
    is_one_line = "\n" not in query.strip() and len(query) <= 120
    if not (is_one_line and len(words) <= _MOST_TERMS and _is_english(query)):
        return ""
    if has_history and _POINTS_BACK.search(query):
        return ""
    return "it is short and plain"


def _is_english(query: str) -> bool:
    """False where letters beyond ASCII say that the message is in another language."""
    letters = [sign for sign in query if sign.isalpha()]
    return sum(not sign.isascii() for sign in letters) <= len(letters) // 20


def _sharpened(
    query: str, request: Request, settings: Settings, model: GuardedModel, deadline: Deadline, recorder: Recorder
) -> list[str] | None:
    """What the model makes of the message: no, one or two queries; None for a reply without an answer."""
    from skillcaddy.guidance.judging import judging
    from skillcaddy.models import Message
    from skillcaddy.quoting import one_line, quoted
    from skillcaddy.replies import reply_object

    words = judging(settings.language)
    parts = [
        quoted(one_line(earlier, _EARLIER_CHARS), words.rewrite_earlier)
        for earlier in request.history[-_EARLIER:]
        if isinstance(earlier, str) and earlier.strip()
    ]
    parts += [quoted(_shortened(query), words.rewrite_message), words.rewrite_end]
    reply = model.ask(
        "rewrite",
        [Message(role="system", content=words.rewrite_system), Message(role="user", content="\n\n".join(parts))],
        max_tokens=_MAX_TOKENS,
        deadline=deadline,
        session=request.session,
        recorder=recorder,
        schema=_SCHEMA,
    )
    answer = reply_object(reply, _is_answer)
    if answer is None:
        return None
    given = [answer["query"], answer.get("english")]
    return [one_line(text, _QUERY_CHARS) for text in given if isinstance(text, str) and text.strip()]


def _is_answer(fields: Mapping[str, Any]) -> bool:
    return isinstance(fields.get("query"), str)


def _shortened(query: str) -> str:
    head, tail = _MESSAGE_CHARS
    return query if len(query) <= head + tail else f"{query[:head]}\n…\n{query[-tail:]}"


def _distinct(queries: list[str]) -> list[str]:
    """The queries that search for different words, in their order; the last one, the user's own, always stays."""
    from skillcaddy.library.analyze import terms

    found: dict[frozenset[str], str] = {}
    for query in queries:
        key = frozenset(terms(query))
        if key:
            found.setdefault(key, query)
    own = frozenset(terms(queries[-1]))
    found[own] = queries[-1]
    return list(found.values())
