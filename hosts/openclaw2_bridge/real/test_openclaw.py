"""What the real hosts do with the plugin, seen at the model's request.

The full matrix runs on one version; the proofs that matter most run on all three.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from installed import FULL, VERSIONS

from conftest import SIDE_REPLY, Start, asked, ended
from skillcaddy.guidance import tool_schemas
from skillcaddy.standin import Recorded, call, count, system_text, tool_messages, tool_names, tools, user_text
from skillcaddy.standin.driving import HostFailed
from skillcaddy.standin.facts import CANARY, DECK, LOAF, OTHER, SMALL_TALK
from skillcaddy.standin.played import Played, judgement
from skillcaddy_openclaw.driver import Gateway

TOOLS = {"skill_search", "skill_open"}
SEARCH = call("skill_search", query="build the quarterly review deck from our house template")
DEGRADED = ("degraded to", "quarantin", "assemble failed", "handler from skillcaddy failed")
every_host = pytest.mark.parametrize("version", VERSIONS)


def injected(request: Recorded, version: str) -> str:
    """What stands in the channel that this host's auto mode uses: the user's message, or the system prompt."""
    return asked(request) if version < "2026.8" else system_text(request)


def complaints(log: str) -> list[str]:
    """Lines by which a host says that it left us out, or we that something is wrong."""
    bad = ("skillcaddy:", *DEGRADED)
    lines = [line for line in log.splitlines() if any(word in line for word in bad)]
    return [line for line in lines if "[index_building]" not in line]  # a first turn may say so, and is served


def child_of(gateway: Gateway) -> int:
    """The id of the gateway's Python child."""
    listed = subprocess.run(
        ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(gateway.process.pid)],
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = [line for line in listed.stdout.splitlines() if "skillcaddy bridge" in line]
    return int(line.split()[0])


@every_host
@pytest.mark.requirement("openclaw:auto-channel")
@pytest.mark.requirement("openclaw:current-turn-fence")
def test_auto_delivers_the_fact_by_the_hosts_own_channel_and_offers_no_tool(
    version: str, openclaw: Start, model: Played
) -> None:
    turn = openclaw(version, "auto").turn(DECK)
    (seen,) = model.turns
    assert count(seen, CANARY) == 1
    assert CANARY in injected(seen, version)
    assert count(seen, OTHER) == 0
    assert not TOOLS & set(tool_names(seen))
    assert complaints(turn.log) == []


@every_host
@pytest.mark.requirement("openclaw:tools-listed")
@pytest.mark.requirement("openclaw:direct-only")
def test_on_demand_offers_both_tools_whole_runs_the_call_and_feeds_the_result_back(
    version: str, openclaw: Start, model: Played
) -> None:
    model.will(SEARCH)
    turn = openclaw(version, "on_demand").turn(DECK)
    first, second = model.turns
    for tool in tool_schemas("en"):
        assert tools(first)[tool.name] == {"description": tool.description, "parameters": tool.parameters}
    assert count(first, CANARY) == 0
    (result,) = tool_messages(second)
    assert CANARY in result
    assert count(second, CANARY) == 1
    assert complaints(turn.log) == []


@every_host
@pytest.mark.requirement("openclaw:turn-retention")
@pytest.mark.requirement("openclaw:compaction-delegated")
@pytest.mark.requirement("openclaw:child-survives-turns")
@pytest.mark.requirement("openclaw:turn-advancement")
@pytest.mark.requirement("openclaw:messages-untouched")
def test_a_gateway_serves_turn_after_turn(version: str, openclaw: Start, model: Played) -> None:
    with openclaw(version, "auto").gateway() as gateway:
        children = []
        for text in (DECK, SMALL_TALK, DECK):
            gateway.turn(text)
            children.append(child_of(gateway))
        compacted = gateway.command("sessions", "compact", "agent:main:main", "--json")
        assert json.loads(compacted.stdout)["compacted"] is True, compacted.stderr
        gateway.turn(DECK)
        children.append(child_of(gateway))
        assert len(set(children)) == 1, "one child serves all turns"
        os.kill(children[0], signal.SIGKILL)
        gateway.turn(DECK)
        again = child_of(gateway)
        assert again not in children
    log = gateway.log()
    assert [count(seen, CANARY) for seen in model.turns] == [1, 0, 1, 1, 1]
    ended(again)
    # The one complaint is about the child that was killed here.
    assert [line for line in complaints(log) if "SIGKILL" not in line] == []
    assert log.count("SIGKILL") == 1


@pytest.mark.requirement("openclaw:turn-retention")
def test_two_sessions_at_once_each_get_what_they_asked_for_and_no_child_outlives_a_killed_host(
    openclaw: Start, model: Played
) -> None:
    with openclaw(FULL, "auto").gateway() as gateway, ThreadPoolExecutor(2) as both:
        turns = [both.submit(gateway.turn, text, session=name) for name, text in (("a", DECK), ("b", LOAF))]
        for each in turns:
            each.result()
        child = child_of(gateway)
        gateway.process.kill()
        gateway.process.wait()
    ended(child)
    deck, loaf = sorted(model.turns, key=lambda seen: LOAF in asked(seen))
    assert (count(deck, CANARY), count(deck, OTHER)) == (1, 0)
    assert (count(loaf, CANARY), count(loaf, OTHER)) == (0, 1)


@pytest.mark.requirement("openclaw:held-until-compaction")
def test_a_gateways_agent_is_not_told_twice_until_its_conversation_is_compacted(openclaw: Start, model: Played) -> None:
    model.will(SEARCH, SEARCH, SEARCH)
    with openclaw(FULL, "on_demand").gateway() as gateway:
        gateway.turn(DECK)
        gateway.turn(DECK)
        assert gateway.command("sessions", "compact", "agent:main:main", "--json").returncode == 0
        gateway.turn(DECK)
    answered = model.turns[1::2]
    assert [CANARY in tool_messages(seen)[-1] for seen in answered] == [True, False, True]
    assert complaints(gateway.log()) == []


@every_host
@pytest.mark.requirement("openclaw:closed-schema")
@pytest.mark.parametrize(
    ("settings", "named"),
    [({"mode": "atuo"}, ("config.mode", '"on_demand", "auto"')), ({"top_kk": 3}, ("top_kk",))],
    ids=["mode", "unknown"],
)
def test_a_bad_configuration_stops_the_host_with_an_error_that_names_it(
    version: str, openclaw: Start, settings: dict[str, Any], named: tuple[str, ...]
) -> None:
    with pytest.raises(HostFailed) as failed:
        openclaw(version, "on_demand", settings=settings).turn(DECK)
    assert "plugins.entries.skillcaddy.config" in str(failed.value)
    assert all(word in str(failed.value) for word in named)


@pytest.mark.requirement("openclaw:tool-profile")
@pytest.mark.parametrize("tools", [{"profile": "coding"}, {"profile": "coding", "alsoAllow": ["skillcaddy"]}])
def test_a_tool_profile_that_hides_the_tools_is_reported_with_the_fix_that_works(
    openclaw: Start, model: Played, tools: dict[str, Any]
) -> None:
    turn = openclaw(FULL, "on_demand", more={"tools": tools}).turn(DECK)
    offered = TOOLS & set(tool_names(model.turns[0]))
    told = [line for line in complaints(turn.log) if 'Add "skillcaddy" to tools.alsoAllow' in line]
    assert (offered, len(told)) == ((TOOLS, 0) if "alsoAllow" in tools else (set(), 1))


@pytest.mark.requirement("openclaw:slot-selected")
def test_a_slot_that_is_not_selected_is_reported(openclaw: Start, model: Played) -> None:
    turn = openclaw(FULL, "auto", slot=None).turn(DECK)
    assert count(model.turns[0], CANARY) == 0
    (told,) = complaints(turn.log)
    assert 'Set plugins.slots.contextEngine to "skillcaddy"' in told


@pytest.mark.requirement("openclaw:slot-without-auto")
@pytest.mark.parametrize("version", ["2026.7.1", FULL])
def test_a_slot_left_selected_in_on_demand_mode_costs_nothing(version: str, openclaw: Start, model: Played) -> None:
    turn = openclaw(version, "on_demand", slot="skillcaddy").turn(DECK)
    (seen,) = model.turns
    assert count(seen, CANARY) == 0
    assert set(tool_names(seen)) >= TOOLS
    assert complaints(turn.log) == []


@pytest.mark.requirement("openclaw:python-found")
def test_without_a_python_the_fix_is_named_once_and_the_tool_answers_honestly(openclaw: Start, model: Played) -> None:
    model.will(SEARCH)
    turn = openclaw(FULL, "on_demand", settings={"python": "/no/such/python"}).turn(DECK)
    (told,) = complaints(turn.log)
    assert "/no/such/python" in told
    assert "plugins.entries.skillcaddy.config.python" in told
    assert "out of reach" in tool_messages(model.turns[1])[0]


@pytest.mark.requirement("openclaw:python-found")
def test_without_a_python_auto_adds_nothing_and_the_turn_goes_on(openclaw: Start, model: Played) -> None:
    turn = openclaw(FULL, "auto", settings={"python": None}).turn(DECK)
    assert turn.reply
    assert count(model.turns[0], CANARY) == 0
    assert len(complaints(turn.log)) == 1


@pytest.mark.requirement("openclaw:python-found")
def test_the_environment_can_name_the_python(openclaw: Start, model: Played) -> None:
    host = openclaw(FULL, "auto", settings={"python": None}, environment={"SKILLCADDY_PYTHON": sys.executable})
    assert complaints(host.turn(DECK).log) == []
    assert count(model.turns[0], CANARY) == 1


@every_host
@pytest.mark.requirement("openclaw:host-model")
def test_the_engines_call_for_a_model_reaches_the_hosts_own_and_comes_back(
    version: str, openclaw: Start, model: Played, asking_python: Path
) -> None:
    openclaw(version, "auto", settings={"python": str(asking_python)}).turn(DECK)
    (question,) = [seen for seen in model.others if "JUDGE-THIS" in user_text(seen)]
    assert tool_names(question) == []
    assert "You are terse." in system_text(question)
    assert count(model.turns[0], f"The host's model said: {SIDE_REPLY}") == 1


@pytest.mark.requirement("openclaw:host-model")
def test_the_gate_judges_by_the_hosts_own_model(openclaw: Start, model: Played) -> None:
    """T18: a model at hand that is never asked would be silence."""
    model.aside = lambda request: judgement(request, "quarterly-deck")
    turn = openclaw(FULL, "auto", settings={"gate": "on"}).turn(DECK + " Or else, bake a sourdough loaf.")
    (question,) = [seen for seen in model.others if "quarterly-deck" in user_text(seen)]
    assert "sourdough-loaf" in user_text(question)
    assert (count(model.turns[0], CANARY), count(model.turns[0], OTHER)) == (1, 0)
    assert complaints(turn.log) == []


@pytest.fixture
def asking_python(tmp_path: Path) -> Path:
    """An engine that asks the host's model in each turn and adds what it said."""
    script = tmp_path / "asking.py"
    script.write_text(
        "import skillcaddy.bridge_desks as desks\n"
        "from skillcaddy.bridge import run\n"
        "from skillcaddy.deadline import Deadline\n"
        "from skillcaddy.models import Message\n"
        "def retrieve(self, call, prompt, history, params, deadline_s):\n"
        "    asked = [Message(role='system', content='You are terse.'), Message(role='user', content='JUDGE-THIS')]\n"
        "    with self._model.serving(call):\n"
        "        said = self._model.complete(asked, max_tokens=64, deadline=Deadline.after(deadline_s))\n"
        "    return {'text': f\"The host's model said: {said.text}\", 'ids': [], 'reasons': [], 'elapsed_ms': 1}\n"
        "desks.Desks.retrieve = retrieve\n"
        "run()\n",
        encoding="utf-8",
    )
    launcher = tmp_path / "asking-python"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}"\n', encoding="utf-8")
    launcher.chmod(0o755)
    return launcher


@pytest.mark.requirement("openclaw:no-kind")
def test_installing_the_packed_package_leaves_the_slot_alone_and_works(openclaw: Start, model: Played) -> None:
    host = openclaw(FULL, "on_demand", settings={"python": None}, environment={"SKILLCADDY_PYTHON": sys.executable})
    packed = subprocess.run(
        ["npm", "pack", "--json", str(host.plugin)], cwd=host.folder.parent, capture_output=True, text=True, check=True
    )
    archive = host.folder.parent / json.loads(packed.stdout)[0]["filename"]
    installed = host.install(archive)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    document = json.loads((host.folder / "openclaw.json").read_text(encoding="utf-8"))
    assert document["plugins"]["entries"]["skillcaddy"]["enabled"] is True
    assert "contextEngine" not in document["plugins"].get("slots", {})
    host.turn_as_configured(DECK)
    assert set(tool_names(model.turns[0])) >= TOOLS
