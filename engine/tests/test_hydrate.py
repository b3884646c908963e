"""Bodies arrive once, together and in time; copies and hits without a body are dropped with their reason."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

import pytest

from skillcaddy.deadline import Deadline
from skillcaddy.hydrate import hydrate
from skillcaddy.reasons import Reason
from skillcaddy.skill import Hit, Skill, Trust
from skillcaddy.trace import Candidate, Recorder


def hit(name: str, *, source: str = "hub", trust: Trust = Trust.CURATED, body: str = "", rank: int = 1) -> Hit:
    skill = Skill(id=f"{source}:{name}", name=name, description="d", source=source, trust=trust, body=body)
    return Hit(skill=skill, rank=rank, score=1 / rank, sources=(source,))


class Shelf:
    """A source whose bodies are values, exceptions or functions."""

    weight = 1.0
    trust = Trust.CURATED

    def __init__(self, name: str = "hub", **bodies: Any) -> None:
        self.name = name
        self.bodies = bodies
        self.asked: list[str] = []

    def search(self, query: str, limit: int, deadline: Deadline) -> Iterable[Hit]:
        return []

    def body(self, skill: Skill, deadline: Deadline) -> Any:
        self.asked.append(skill.name)
        value = self.bodies[skill.name]
        if isinstance(value, BaseException):
            raise value
        return value() if callable(value) else value


def noting(*hits: Hit) -> Recorder:
    recorder = Recorder()
    for one in hits:
        recorder.candidate(
            Candidate(id=one.skill.id, name=one.skill.name, ranks={}, fusion=0.0, reason=Reason.BEYOND_TOP_K)
        )
    return recorder


def reasons(recorder: Recorder) -> dict[str, tuple[Reason, str]]:
    return {
        candidate.id: (candidate.reason, candidate.detail)
        for candidate in recorder.trace().candidates
        if candidate.reason is not Reason.BEYOND_TOP_K
    }


def test_only_lacking_bodies_are_fetched_and_each_once() -> None:
    """T75: what is known already is not asked for again."""
    shelf = Shelf(a="text of a")
    hits = [hit("b", body="text of b"), hit("a", rank=2)]
    ready = hydrate(hits, {"hub": shelf}, Deadline.after(10), noting(*hits))
    assert [one.skill.body for one in ready] == ["text of b", "text of a"]
    assert shelf.asked == ["a"]


def test_bodies_are_fetched_at_the_same_time() -> None:
    meeting = threading.Barrier(3, timeout=20)

    def together(text: str) -> Any:
        return lambda: (meeting.wait(), text)[1]

    hits = [hit(name) for name in "abc"]
    shelf = Shelf(a=together("a"), b=together("b"), c=together("c"))
    assert len(hydrate(hits, {"hub": shelf}, Deadline.after(30), noting(*hits))) == 3


def test_a_coroutine_for_a_body_is_awaited() -> None:
    async def text() -> str:
        return "text"

    ready = hydrate([hit("a")], {"hub": Shelf(a=text)}, Deadline.after(10), Recorder())
    assert [one.skill.body for one in ready] == ["text"]


@pytest.mark.parametrize(
    ("value", "cause"),
    [
        (RuntimeError("https://signed.example/?key=secret"), "RuntimeError"),
        (SystemExit(3), "SystemExit"),
        ("  \n", "empty"),
        (None, "no text but NoneType"),
        (b"x", "no text but bytes"),
    ],
)
def test_a_hit_whose_body_cannot_be_had_is_dropped_with_the_cause_but_not_its_words(value: object, cause: str) -> None:
    hits = [hit("a"), hit("b", body="kept")]
    recorder = noting(*hits)
    ready = hydrate(hits, {"hub": Shelf(a=value)}, Deadline.after(10), recorder)
    assert [one.skill.name for one in ready] == ["b"]
    assert reasons(recorder) == {"hub:a": (Reason.BODY_MISSING, cause)}


def test_a_source_that_is_not_there_costs_its_own_hits_only() -> None:
    hits = [hit("a", source="gone"), hit("b", body="kept")]
    recorder = noting(*hits)
    assert [one.skill.name for one in hydrate(hits, {}, Deadline.after(10), recorder)] == ["b"]
    assert reasons(recorder) == {"gone:a": (Reason.BODY_MISSING, "no such source")}


def test_a_body_that_hangs_is_left_behind_at_the_deadline() -> None:
    """T58: what is ready is used."""
    never = threading.Event()
    hits = [hit("slow"), hit("quick")]
    recorder = noting(*hits)
    try:
        ready = hydrate(hits, {"hub": Shelf(slow=never.wait, quick="text")}, Deadline.after(0.5), recorder)
    finally:
        never.set()
    assert [one.skill.name for one in ready] == ["quick"]
    assert reasons(recorder) == {"hub:slow": (Reason.BODY_MISSING, "not in time")}


def test_of_equal_bodies_the_most_trusted_stays_and_takes_the_best_place() -> None:
    hits = [
        hit("first", body="# T\r\n\r\ntext  \r\n"),
        hit("other", body="something else", rank=2),
        hit("mine", source="local", trust=Trust.LOCAL, body="\n# T\n\ntext\n\n", rank=3),
        hit("third", body="# T\n\ntext", rank=4),
    ]
    recorder = noting(*hits)
    ready = hydrate(hits, {}, Deadline.after(10), recorder)
    assert [(one.skill.id, one.rank, one.sources) for one in ready] == [
        ("local:mine", 1, ("local", "hub")),
        ("hub:other", 2, ("hub",)),
    ]
    assert reasons(recorder) == {
        "hub:first": (Reason.DUPLICATE_BODY, "local:mine"),
        "hub:third": (Reason.DUPLICATE_BODY, "local:mine"),
    }


def test_bodies_that_differ_inside_a_line_are_no_copies() -> None:
    hits = [hit("a", body="one  two"), hit("b", body="one two")]
    assert len(hydrate(hits, {}, Deadline.after(10), Recorder())) == 2


def test_nothing_in_gives_nothing_out() -> None:
    assert hydrate([], {}, Deadline.after(1), Recorder()) == []
