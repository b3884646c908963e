"""Bodies for hits that came without one, fetched at once; what has no body or repeats another's is dropped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from skillcaddy.deadline import Deadline
from skillcaddy.fanout import call_all
from skillcaddy.frozen import replace
from skillcaddy.reasons import Reason
from skillcaddy.skill import Hit, Skill
from skillcaddy.source import Source
from skillcaddy.trace import Recorder


def hydrate(
    hits: Sequence[Hit], sources_by_name: Mapping[str, Source], deadline: Deadline, recorder: Recorder
) -> list[Hit]:
    """The hits that have a body, in their order, each body once; every other one is recorded with its reason.

    Each body is asked for once, all at the same time, and none is waited for beyond the deadline. Of copies with the
    same body the most trusted one is kept, and it takes the place of the best ranked.
    """
    lacking = [hit for hit in hits if not hit.skill.body.strip()]
    bodies = dict(zip((hit.skill.id for hit in lacking), _fetched(lacking, sources_by_name, deadline), strict=True))
    ready: list[Hit] = []
    for hit in hits:
        body, cause = bodies.get(hit.skill.id, (hit.skill.body, ""))
        if not body.strip():
            recorder.outcome(hit.skill.id, Reason.BODY_MISSING, cause)
            continue
        ready.append(hit if body is hit.skill.body else replace(hit, skill=replace(hit.skill, body=body)))
    return _without_copies(ready, recorder)


def _fetched(hits: Sequence[Hit], sources_by_name: Mapping[str, Source], deadline: Deadline) -> list[tuple[str, str]]:
    """A body and, where it is "", the cause, for each hit."""

    def body(source: Source, skill: Skill) -> Any:
        return source.body(skill, deadline)  # looked up here, so that a source without it fails in its own thread

    calls: list[Callable[[], Any]] = []
    asked: list[int] = []
    answers = [("", "no such source")] * len(hits)
    for position, hit in enumerate(hits):
        source = sources_by_name.get(hit.skill.source)
        if source is not None:
            calls.append(partial(body, source, hit.skill))
            asked.append(position)
    for position, outcome in zip(asked, call_all(calls, deadline), strict=True):
        if outcome.abandoned:
            answers[position] = ("", "not in time")
        elif outcome.error is not None:
            # The type only: an error's text may carry a signed address or a key.
            answers[position] = ("", type(outcome.error).__name__)
        elif isinstance(outcome.value, str):
            answers[position] = (outcome.value, "" if outcome.value.strip() else "empty")
        else:
            answers[position] = ("", f"no text but {type(outcome.value).__name__}")
    return answers


def _without_copies(hits: Sequence[Hit], recorder: Recorder) -> list[Hit]:
    kept: dict[str, Hit] = {}
    for hit in hits:
        key = _normal(hit.skill.body)
        known = kept.get(key)
        if known is None:
            kept[key] = hit
            continue
        winner, loser = (hit, known) if hit.skill.trust > known.skill.trust else (known, hit)
        recorder.outcome(loser.skill.id, Reason.DUPLICATE_BODY, winner.skill.id)
        others = tuple(name for name in (*known.sources, *hit.sources) if name not in winner.sources)
        # The place in the dictionary, and so in the ranking, stays that of the first.
        kept[key] = replace(
            winner, rank=known.rank, score=known.score, sources=(*winner.sources, *dict.fromkeys(others))
        )
    return list(kept.values())


def _normal(body: str) -> str:
    """The body as it is compared: line ends, trailing spaces and outer blank lines do not make a difference."""
    text = body.replace("\r\n", "\n").replace("\r", "\n")
    return "\n".join(line.rstrip() for line in text.split("\n")).strip()
