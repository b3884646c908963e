"""Auto mode: said to be impossible where it is, and ready for a host that can carry it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from raven_double import Generation, Raven, Segment, system_prompt

from skillcaddy.tools import Tools
from skillcaddy_raven import deployment
from skillcaddy_raven.plugin import make_segment, make_skill_search
from skillcaddy_raven.segment import SkillSegment

Host = Callable[..., Raven]


class HostSkills:
    """The host's own segment."""

    name, order, needs_prefix = "skills", 5, False

    async def build(self, ctx: Any) -> Segment:
        return Segment(text="# Skills")


def turn(message: str = "how do we rotate the signing keys?", **more: Any) -> Any:
    return SimpleNamespace(current_message=message, session_key="cli:direct", session_messages=[], **more)


@pytest.mark.requirement("raven:no-auto-slot")
@pytest.mark.parametrize("generation", ["released", "trunk"])
def test_auto_on_a_host_without_the_slot_is_said_once_with_what_is_missing(
    host: Host, generation: Generation, caplog: pytest.LogCaptureFixture
) -> None:
    """T21: inert, and said to be."""
    registry = host(generation).start(mode="auto")
    assert registry.tools == {}
    (warning,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert "context_segments" in warning
    assert 'mode to "on_demand"' in warning


def test_auto_on_a_host_with_the_slot_takes_it_and_offers_no_tool(host: Host, caplog: pytest.LogCaptureFixture) -> None:
    """T28: one way of delivery at a time."""
    raven = host(segments=True)
    registry = raven.start(mode="auto")
    segment = make_segment(raven.context(mode="auto"))
    assert registry.tools == {}
    assert caplog.records == []
    prompt = system_prompt([HostSkills(), segment], turn())
    assert prompt.startswith("# Skills\n\n---\n\n")
    assert "ZEBRA-42" in prompt


def test_on_demand_leaves_the_slot_alone(host: Host) -> None:
    raven = host(segments=True)
    assert make_segment(raven.context(mode="on_demand")) is None
    assert make_skill_search(raven.context(mode="on_demand")) is not None


@pytest.mark.requirement("raven:segment-attributes")
def test_a_segments_attributes_can_be_read_before_anything_is_built() -> None:
    assert (SkillSegment.name, SkillSegment.order, SkillSegment.needs_prefix) == ("skillcaddy", 5, False)


def test_an_unrelated_or_empty_turn_gets_nothing(host: Host, caplog: pytest.LogCaptureFixture) -> None:
    raven = host(segments=True)
    segment = make_segment(raven.context(mode="auto"))
    assert system_prompt([segment], turn("thanks, go on")) == ""
    (here,) = deployment._made.values()
    here.engine.retrieve = lambda _: pytest.fail("there was nothing to search for")
    for message in ("", "   "):
        assert system_prompt([segment], turn(message)) == ""
    for odd in (SimpleNamespace(), SimpleNamespace(current_message=None), None):
        assert asyncio.run(segment.build(odd)) is None
    assert caplog.records == []


def test_each_turn_gets_its_skill_again_since_the_prompt_is_made_anew(host: Host) -> None:
    raven = host(segments=True)
    segment = make_segment(raven.context(mode="auto"))
    for _ in range(2):
        assert "ZEBRA-42" in system_prompt([segment], turn())


def test_a_segment_that_fails_costs_itself(host: Host, caplog: pytest.LogCaptureFixture) -> None:
    raven = host(segments=True)
    segment = make_segment(raven.context(mode="auto"))
    (here,) = deployment._made.values()

    async def broken(*_: Any) -> str:
        raise KeyError("x")

    here.retrieve = broken
    assert system_prompt([segment], turn()) == ""
    assert "nothing was added to this turn (KeyError" in caplog.text


def test_the_rewriter_is_given_the_users_last_messages(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    raven = host(segments=True)
    segment = make_segment(raven.context(mode="auto"))
    (here,) = deployment._made.values()
    seen: list[Any] = []
    retrieve = here.engine.retrieve
    monkeypatch.setattr(here.engine, "retrieve", lambda request: seen.append(request) or retrieve(request))
    messages = [{"role": "user", "content": f"m{number}"} for number in range(6)]
    odd = [{"role": "assistant", "content": "no"}, {"role": "user", "content": [{"type": "text"}]}, "x"]
    context = SimpleNamespace(current_message="rotate keys", session_key="k", session_messages=[*odd, *messages])
    asyncio.run(segment.build(context))
    assert seen[0].history == ("m2", "m3", "m4", "m5")
    assert (seen[0].surface, seen[0].session, seen[0].host) == ("auto", "k", "raven")


def test_a_stale_call_of_a_tool_is_refused_in_auto_mode(host: Host) -> None:
    """T28: from the other end."""
    raven = host(segments=True)
    make_segment(raven.context(mode="auto"))
    (here,) = deployment._made.values()
    assert isinstance(here._tools, Tools)
    assert asyncio.run(here.answer("skill_search", {"query": "rotate keys"})) == here.words.tools_off
