"""The memory provider at its edge, in the order in which the host calls it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from hermes_double import Collector, Host, MemoryProvider

import skillcaddy_hermes
from conftest import CANARY, Slot
from skillcaddy.guidance import texts, tool_schemas

DECK = "Please build the quarterly review deck"
NAMES = [tool.name for tool in tool_schemas("en")]


@pytest.mark.requirement("hermes:provider-class")
def test_the_provider_is_the_hosts_own_kind_and_leaves_the_system_prompt_alone(slot: Slot) -> None:
    """T08."""
    provider = slot(mode="auto")
    assert isinstance(provider, MemoryProvider)
    assert (provider.name, provider.is_available(), provider.system_prompt_block()) == ("skillcaddy", True, "")


@pytest.mark.requirement("hermes:stable-schemas")
def test_on_demand_gives_the_same_bare_schemas_at_each_call(slot: Slot) -> None:
    provider = slot(mode="on_demand")
    first = provider.get_tool_schemas()
    assert [schema["name"] for schema in first] == NAMES
    assert [schema["description"] for schema in first] == [tool.description for tool in tool_schemas("en")]
    assert provider.get_tool_schemas() == first


def test_schemas_are_given_before_the_session_is_known(host: Host) -> None:
    collector = Collector()
    skillcaddy_hermes.register(collector)
    assert [schema["name"] for schema in collector.provider.get_tool_schemas()] == NAMES


def test_on_demand_answers_calls_and_adds_nothing(slot: Slot) -> None:
    provider = slot(mode="on_demand")
    assert provider.prefetch(DECK) == ""
    assert CANARY in provider.handle_tool_call("skill_search", {"query": "quarterly deck"})
    assert CANARY in provider.handle_tool_call("skill_open", {"id": "quarterly-deck"})
    assert "could not be searched" in provider.handle_tool_call("no_such_tool", {})


@pytest.mark.requirement("hermes:auto-channel")
def test_auto_adds_a_skill_once_and_refuses_a_stale_call(slot: Slot) -> None:
    """T28."""
    provider = slot(mode="auto")
    assert provider.get_tool_schemas() == []
    assert CANARY in provider.prefetch(DECK, session_id="")
    assert provider.prefetch(DECK, session_id="") == ""
    assert provider.handle_tool_call("skill_search", {"query": "quarterly deck"}) == texts("en").tools_off


@pytest.mark.requirement("hermes:compaction-brings-back")
@pytest.mark.parametrize(
    ("switch", "again"),
    [
        (("s1", {"parent_session_id": "s1", "reason": "compression"}), True),
        (("s2", {"parent_session_id": "s1", "reason": "compression"}), True),
        (("s1", {"rewound": True}), True),
        (("s1", {"reset": True}), True),
        (("s2", {"reset": True, "parent_session_id": "s1"}), True),
        (("s1", {}), False),
        (("s1", {"reason": "resume"}), False),
    ],
)
def test_a_skill_comes_back_where_the_conversation_lost_it_and_nowhere_else(
    slot: Slot, switch: tuple[str, dict[str, Any]], again: bool
) -> None:
    provider = slot(mode="auto")
    assert CANARY in provider.prefetch(DECK)
    session, about = switch
    provider.on_session_switch(session, **about)
    assert (CANARY in provider.prefetch(DECK)) is again


@pytest.mark.requirement("hermes:held-after-restart")
def test_a_resumed_session_knows_what_another_process_gave_it(slot: Slot) -> None:
    assert CANARY in slot(session="s9", mode="auto").prefetch(DECK)
    assert slot(session="s9", mode="auto").prefetch(DECK) == ""
    assert CANARY in slot(session="s10", mode="auto").prefetch(DECK)


@pytest.mark.requirement("hermes:nobodys-turns")
def test_agents_that_are_not_the_users_own_get_nothing(host: Host, slot: Slot) -> None:
    provider = slot(mode="auto")
    provider.initialize("s2", platform="subagent", agent_context="subagent")
    assert provider.prefetch(DECK) == ""


@pytest.mark.parametrize("query", ["", "  ", None, 7])
def test_a_query_that_is_none_is_left_alone(slot: Slot, query: Any) -> None:
    assert slot(mode="auto").prefetch(query) == ""


@pytest.mark.requirement("hermes:toolset-off-said")
def test_a_toolset_memory_that_is_off_is_reported(host: Host, slot: Slot, said: Callable[[], list[str]]) -> None:
    host.tools[:] = ["read_file"]
    slot(mode="on_demand")
    (line,) = said()
    assert line.startswith("toolset_off: ")
    host.tools[:] = ["read_file", "memory"]
    slot(mode="on_demand")
    assert len(said()) == 1


def test_sessions_on_several_threads_do_not_mix(slot: Slot) -> None:
    providers = [slot(session=f"t{number}", mode="auto") for number in range(4)]
    found: list[bool] = []
    threads = [
        threading.Thread(target=lambda provider=provider: found.append(CANARY in provider.prefetch(DECK)))
        for provider in providers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 4
