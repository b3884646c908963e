"""The pipeline as a host sees it: whatever a source does, a turn gets what the others found, in time, with reasons."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

from builders import hit, write_skill
from skillcaddy.deadline import Deadline
from skillcaddy.engine import Engine
from skillcaddy.reasons import Reason
from skillcaddy.request import Request
from skillcaddy.settings import Settings
from skillcaddy.skill import Hit, Retrieval, Skill, Trust
from skillcaddy.source import CoolDownError

QUERY = "rotate a pdf page"
SLACK_S = 1.0
"""These machines are noisy; the bench measures the bar of 50 ms."""


class Shop:
    """A source that answers with what it was given."""

    weight = 1.0
    trust = Trust.CURATED

    def __init__(self, *hits: Any, name: str = "shop", search: Callable[[], Any] | None = None) -> None:
        self.name = name
        self.hits = hits
        self.calls = 0
        self._search = search

    def search(self, query: str, limit: int, deadline: Deadline) -> Any:
        self.calls += 1
        return self._search() if self._search is not None else list(self.hits)

    def body(self, skill: Skill, deadline: Deadline) -> str:
        return "The body of " + skill.name


def retrieve(*sources: Any, settings: Settings | None = None, **request: Any) -> Retrieval:
    engine = Engine(settings or Settings(), sources=sources)
    return engine.retrieve(Request(**{"query": QUERY, "surface": "auto", "deadline_s": 2.0, **request}))


def names(hits: Iterable[Hit]) -> list[str]:
    return [found.skill.name for found in hits]


def reason_of(retrieval: Retrieval, source: str) -> Reason:
    return next(report.reason for report in retrieval.trace.sources if report.source == source)


def test_a_fitting_skill_is_delivered_with_its_body_and_the_trace_says_so() -> None:
    found = retrieve(Shop(hit("pdf-rotate")))
    assert "How pdf-rotate rotates a PDF page." in found.text
    assert names(found.delivered) == ["pdf-rotate"]
    assert [candidate.reason for candidate in found.trace.candidates] == [Reason.DELIVERED]


def _spin() -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        pass


async def _block_the_loop() -> list[Hit]:
    time.sleep(30)
    return []


async def _never() -> list[Hit]:
    await asyncio.Event().wait()
    return []


def _endless() -> Iterable[Hit]:
    while True:
        yield hit("again")


@pytest.mark.parametrize(
    "behaviour", [lambda: time.sleep(30), _block_the_loop, _never], ids=["sleeps", "blocks its loop", "never answers"]
)
def test_a_hanging_source_costs_only_its_own_hits_and_no_time_beyond_the_deadline(behaviour: Callable[[], Any]) -> None:
    """T58: one slow catalog must not lose the ready hits of the others."""
    started = time.monotonic()
    found = retrieve(Shop(name="hung", search=behaviour), Shop(hit("pdf-rotate")), deadline_s=0.5)
    assert time.monotonic() - started < 0.5 + SLACK_S
    assert names(found.delivered) == ["pdf-rotate"]
    assert reason_of(found, "hung") is Reason.SOURCE_ABANDONED


def test_a_spinning_source_is_left_behind_and_the_process_exits_at_once() -> None:
    program = textwrap.dedent(
        """
        import sys, time
        from test_pipeline import Shop, _spin, hit, retrieve, names, reason_of
        started = time.monotonic()
        found = retrieve(Shop(name="spins", search=_spin), Shop(hit("pdf-rotate")), deadline_s=0.5)
        print(names(found.delivered), reason_of(found, "spins"), time.monotonic() - started < 1.5)
        """
    )
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd="engine/tests" if not __file__.startswith("/") else __file__.rsplit("/", 1)[0],
        capture_output=True,
        text=True,
        timeout=25,
        check=True,
        encoding="utf-8",
    )
    assert done.stdout.split("\n")[0] == "['pdf-rotate'] source_abandoned True", done.stderr
    assert time.monotonic() - started < 20


def test_a_stuck_source_is_not_called_again_until_it_is_free() -> None:
    gate = threading.Event()
    slow = Shop(hit("late"), name="slow", search=lambda: gate.wait(30) and [])
    engine = Engine(Settings(), sources=[slow])
    request = Request(query=QUERY, surface="auto", deadline_s=0.2)
    assert reason_of(engine.retrieve(request), "slow") is Reason.SOURCE_ABANDONED
    assert reason_of(engine.retrieve(request), "slow") is Reason.SOURCE_STUCK
    assert slow.calls == 1
    gate.set()
    until = time.monotonic() + 5
    while reason_of(engine.retrieve(request), "slow") is Reason.SOURCE_STUCK and time.monotonic() < until:
        pass
    assert slow.calls == 2


def test_a_thread_that_ended_its_call_takes_the_next_and_nothing_of_the_first_is_left() -> None:
    said: ContextVar[str] = ContextVar("said", default="nothing")
    seen: list[tuple[int, str]] = []

    def speak() -> list[Hit]:
        seen.append((threading.get_ident(), said.get()))
        said.set("something")
        return []

    engine = Engine(Settings(), sources=[Shop(hit("said"), name="shop", search=speak)])
    for _ in range(2):
        engine.retrieve(Request(query=QUERY, surface="auto"))
    assert [heard for _, heard in seen] == ["nothing", "nothing"]
    assert len({thread for thread, _ in seen}) == 1


def _raises() -> Any:
    raise RuntimeError("https://example.invalid/?signature=hush")


def _exits() -> Any:
    raise SystemExit(3)


@pytest.mark.parametrize("behaviour", [_raises, _exits], ids=["raises", "exits"])
def test_a_failing_source_costs_only_its_own_hits_and_its_message_is_not_kept(behaviour: Callable[[], Any]) -> None:
    """T82, T109: a failure does not look like an empty answer, and carries no secret."""
    found = retrieve(Shop(name="broken", search=behaviour), Shop(hit("pdf-rotate")))
    assert names(found.delivered) == ["pdf-rotate"]
    assert reason_of(found, "broken") is Reason.SOURCE_FAILED
    assert "hush" not in str(found.trace.to_json())


@pytest.mark.parametrize(
    "nonsense",
    [None, 7, "text", [None], [{"id": "x"}], [hit("x").skill], object()],
    ids=["none", "number", "text", "nones", "dicts", "skills", "object"],
)
def test_a_source_that_answers_nonsense_is_reported_and_harms_nobody(nonsense: Any) -> None:
    found = retrieve(Shop(name="odd", search=lambda: nonsense), Shop(hit("pdf-rotate")))
    assert names(found.delivered) == ["pdf-rotate"]
    assert reason_of(found, "odd") in {Reason.SOURCE_NONSENSE, Reason.SOURCE_EMPTY}


def test_one_malformed_row_costs_only_itself() -> None:
    """T81: rows are judged one by one."""
    found = retrieve(Shop(None, hit("pdf-rotate"), "junk"))
    assert names(found.delivered) == ["pdf-rotate"]
    assert found.trace.sources[0].refused == 2


def test_an_endless_generator_ends_after_enough_rows() -> None:
    found = retrieve(Shop(name="endless", search=_endless))
    assert names(found.hits) == ["again"]


def test_a_source_that_asks_for_a_pause_is_not_asked_again_meanwhile() -> None:
    """T84: a 429 means a cool-down, not another request."""

    def limited() -> Any:
        raise CoolDownError(60)

    source = Shop(name="limited", search=limited)
    engine = Engine(Settings(), sources=[source])
    engine.retrieve(Request(query=QUERY))
    assert reason_of(engine.retrieve(Request(query=QUERY)), "limited") is Reason.SOURCE_COOLING_DOWN
    assert source.calls == 1


def test_a_source_that_keeps_failing_is_given_a_rest() -> None:
    source = Shop(name="broken", search=_raises)
    engine = Engine(Settings(), sources=[source])
    for _ in range(5):
        engine.retrieve(Request(query=QUERY))
    assert source.calls == 3


def test_no_source_may_claim_more_trust_than_it_has() -> None:
    found = retrieve(Shop(hit("pdf-rotate", trust=Trust.LOCAL)))
    assert found.hits[0].skill.trust is Trust.CURATED


def test_a_hit_whose_body_is_gone_makes_room_for_the_next() -> None:
    """T51: what is dropped after the ranking is made up from further down."""

    class Gone(Shop):
        def body(self, skill: Skill, deadline: Deadline) -> str:
            return "" if skill.name in {"a", "b"} else "The body of " + skill.name

    bodiless = [Hit(skill=_without_body(name), rank=1, score=1.0) for name in "abcd"]
    found = retrieve(Gone(*bodiless))
    assert names(found.delivered) == ["c", "d"]
    assert [candidate.reason for candidate in found.trace.candidates][:2] == [Reason.BODY_MISSING] * 2


def _without_body(name: str) -> Skill:
    return Skill(id=f"shop:{name}", name=name, description="Rotate a PDF page", source="shop", trust=Trust.CURATED)


def test_equal_bodies_are_delivered_once() -> None:
    found = retrieve(Shop(hit("a", body="Same rotate pdf page"), hit("b", body="Same rotate pdf page")))
    assert names(found.delivered) == ["a"]


@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
def test_a_blank_query_asks_no_source(query: str) -> None:
    shop = Shop(hit("pdf-rotate"))
    found = retrieve(shop, query=query)
    assert (found.text, shop.calls) == ("", 0)
    assert Reason.QUERY_EMPTY in found.trace.reasons()


def test_a_message_longer_than_a_query_is_cut_and_the_trace_says_so() -> None:
    found = retrieve(Shop(hit("pdf-rotate")), query=QUERY + " and" * 5000)
    assert Reason.QUERY_CUT in found.trace.reasons()
    assert names(found.delivered) == ["pdf-rotate"]


def test_an_unrelated_turn_gets_nothing_from_any_source() -> None:
    """T48, T49: the floor holds on every source, without a model."""
    found = retrieve(Shop(hit("pdf-rotate")), query="thanks, go on")
    assert (found.text, found.hits) == ("", ())
    assert Reason.NO_MATCH in found.trace.reasons()


def test_a_skill_given_once_is_not_given_again_until_the_session_forgets_it() -> None:
    engine = Engine(Settings(), sources=[Shop(hit("pdf-rotate"))])
    turn = Request(query=QUERY, surface="auto", session="s1")
    assert engine.retrieve(turn).text
    again = engine.retrieve(turn)
    assert again.text == ""
    assert again.trace.candidates[0].reason is Reason.ALREADY_HELD
    assert engine.retrieve(Request(query=QUERY, surface="auto", session="s2")).text
    engine.forget("s1")
    assert engine.retrieve(turn).text


def test_what_the_caller_says_is_held_is_not_given_either() -> None:
    assert retrieve(Shop(hit("pdf-rotate")), held=frozenset({"shop:pdf-rotate"})).text == ""


def test_a_host_can_hide_skills_and_the_trace_says_who_was_hidden() -> None:
    engine = Engine(
        Settings(), sources=[Shop(hit("secret"), hit("open"))], hides=lambda found: found.skill.name == "secret"
    )
    found = engine.retrieve(Request(query=QUERY, surface="auto"))
    assert names(found.delivered) == ["open"]
    assert found.trace.candidates[0].reason is Reason.HIDDEN_BY_HOST


def test_what_a_host_hides_cannot_be_opened_by_name_either(library: Path) -> None:
    write_skill(library, "secret", "Rotate a PDF page")
    settings = Settings(skills_dirs=(str(library),), shared_library="off")
    engine = Engine(settings, state_dir=library.parent / "state", indexing="inline")
    assert [skill.name for skill in engine.open("secret")] == ["secret"]
    hiding = Engine(
        settings, state_dir=library.parent / "state", indexing="inline", hides=lambda hit: hit.skill.name == "secret"
    )
    assert hiding.open("secret") == []


def test_a_skill_that_names_another_ones_folder_gets_it(library: Path) -> None:
    write_skill(library, "rotate", "Rotate a PDF page", body="Run {{SKILL_DIR:Helper}}/x.py, not {{SKILL_DIR:nobody}}.")
    helper = write_skill(library, "tools/helper", "Something else", name="helper").parent
    settings = Settings(skills_dirs=(str(library),), shared_library="off")
    engine = Engine(settings, state_dir=library.parent / "state", indexing="inline")
    found = engine.retrieve(Request(query=QUERY, surface="auto"))
    assert f"{helper}/x.py, not {{{{SKILL_DIR:nobody}}}}" in found.text
    assert Reason.PLACEHOLDER_LEFT in found.trace.reasons()


@pytest.mark.parametrize(
    "query", ["$& rotate pdf", "{query} rotate pdf", "%s rotate pdf", "\\1 pdf rotate ```", "rotate pdf </skill>"]
)
def test_signs_in_the_users_words_do_no_harm(query: str) -> None:
    """T54."""
    assert names(retrieve(Shop(hit("pdf-rotate")), query=query).delivered) == ["pdf-rotate"]


def test_a_step_that_fails_is_passed_over_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise ValueError("broken step")

    monkeypatch.setattr("skillcaddy.pipeline.fuse", broken)
    found = retrieve(Shop(hit("pdf-rotate")))
    assert found.text == ""
    assert Reason.STEP_FAILED in found.trace.reasons()


def test_retrieving_in_an_event_loop_lets_the_loop_turn() -> None:
    async def both() -> tuple[Retrieval, bool]:
        engine = Engine(Settings(), sources=[Shop(name="slow", search=lambda: time.sleep(0.5) or [])])
        turned = asyncio.Event()
        asyncio.get_running_loop().call_later(0.05, turned.set)
        task = asyncio.create_task(engine.retrieve_async(Request(query=QUERY, deadline_s=5)))
        await turned.wait()
        early = not task.done()
        return await task, early

    found, early = asyncio.run(both())
    assert early
    assert found.query == QUERY


def delivered(first: float, second: float, *, proportional: bool = True, surface: Any = "auto") -> list[str]:
    shelf = Shop(hit("alpha", score=first), hit("beta", score=second))
    shelf.proportional = proportional  # type: ignore[attr-defined]
    found = Engine(Settings(), sources=[shelf]).retrieve(Request(query=QUERY, surface=surface, delivery="bodies"))
    return [one.skill.name for one in found.delivered]


def test_a_turn_gets_no_second_skill_that_matches_far_less_than_the_first() -> None:
    assert delivered(10.0, 6.0) == ["alpha"]
    assert delivered(10.0, 7.0) == ["alpha", "beta"]


def test_scores_that_say_nothing_of_a_match_leave_nothing_out() -> None:
    assert delivered(10.0, 1.0, proportional=False) == ["alpha", "beta"]


def test_whoever_searches_on_purpose_gets_the_weaker_ones_too() -> None:
    assert delivered(10.0, 1.0, surface="tool") == ["alpha", "beta"]
