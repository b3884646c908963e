"""What a real Raven does with the plugin, seen at the model's request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillcaddy.guidance import texts, tool_schemas
from skillcaddy.standin import call, count, system_text, tool_messages, tool_names, tools
from skillcaddy.standin.driving import Turn
from skillcaddy.standin.facts import CANARY, DECK, OTHER, write_library
from skillcaddy.standin.played import REPLY, Played
from skillcaddy_raven.driver import Raven

Start = Callable[..., Raven]
TOOLS = {"skill_search", "skill_open"}
# The number as a text: the host is expected to cast it.
SEARCH = call("skill_search", query="quarterly review deck template", top_k="2")


def complaints(turn: Turn) -> list[str]:
    """What we said to the user, wherever the host printed it."""
    return [line for line in (turn.log + turn.reply).splitlines() if "skillcaddy" in line]


@pytest.mark.requirement("raven:drop-in")
@pytest.mark.requirement("raven:entry-point")
@pytest.mark.requirement("raven:cast-and-validate")
@pytest.mark.parametrize("via", ["user", "project", "pip"])
def test_on_demand_offers_both_tools_whole_runs_the_call_and_feeds_the_result_back(
    raven: Start, model: Played, via: str
) -> None:
    model.will(SEARCH)
    turn = raven(via=via).turn(DECK)
    first, second = model.turns
    fence = texts("en").search_fenced
    for tool in tool_schemas("en"):
        said = tool.description + (f"\n\n{fence}" if tool.name == "skill_search" else "")
        assert tools(first)[tool.name] == {"description": said, "parameters": tool.parameters}
    assert count(first, CANARY) == 0
    (result,) = tool_messages(second)
    assert result.startswith("[BEGIN UNTRUSTED skill_search #")
    assert CANARY in result
    assert count(second, OTHER) == 0
    assert REPLY in turn.reply
    assert complaints(turn) == []


def test_a_skill_is_opened_by_its_id(raven: Start, model: Played) -> None:
    model.will(call("skill_open", id="local:sourdough-loaf"))
    raven().turn("How do I open the loaf's procedure?")
    assert OTHER in tool_messages(model.turns[1])[0]


def test_a_miss_is_a_normal_answer(raven: Start, model: Played) -> None:
    model.will(call("skill_search", query="repair a bicycle chain"))
    raven().turn("How do I repair a bicycle chain?")
    (result,) = tool_messages(model.turns[1])
    assert texts("en").miss in result
    assert "try a different approach" not in result


@pytest.mark.requirement("raven:no-auto-slot")
def test_auto_is_said_to_be_impossible_once_and_nothing_is_offered(raven: Start, model: Played) -> None:
    turn = raven("auto").turn(DECK)
    (seen,) = model.turns
    assert count(seen, CANARY) == 0
    assert not TOOLS & set(tool_names(seen))
    (told,) = complaints(turn)
    assert "context_segments" in told
    assert REPLY in turn.reply


@pytest.mark.requirement("raven:mode-checked")
def test_a_mode_that_is_none_is_named_and_the_tools_stay(raven: Start, model: Played) -> None:
    turn = raven("atuo").turn(DECK)
    (told,) = complaints(turn)
    assert '"atuo"' in told
    assert set(tool_names(model.turns[0])) >= TOOLS


@pytest.mark.requirement("raven:double-delivery")
def test_skills_in_the_hosts_own_folder_come_twice_and_that_is_explained(raven: Start, model: Played) -> None:
    model.will(SEARCH)
    host = raven()
    write_library(host.workspace / "skills")
    turn = host.turn(DECK)
    first, second = model.turns
    assert CANARY in system_text(first), "the host's own retrieval"
    assert CANARY in tool_messages(second)[0], "and ours"
    (told,) = complaints(turn)
    assert "skills_dirs" in told


@pytest.mark.requirement("raven:import-inside")
def test_without_the_engine_the_host_goes_on_and_one_line_says_why(raven: Start, model: Played, tmp_path: Path) -> None:
    shadow = tmp_path / "shadow"
    shadow.mkdir()
    (shadow / "skillcaddy.py").write_text("raise ImportError('No module named skillcaddy')\n", encoding="utf-8")
    turn = raven(environment={"PYTHONPATH": str(shadow)}).turn(DECK)
    assert not TOOLS & set(tool_names(model.turns[0]))
    (told,) = complaints(turn)
    assert "pip install skillcaddy" in told
    assert REPLY in turn.reply


@pytest.mark.requirement("raven:enabled")
def test_the_hosts_own_switch_leaves_the_plugin_out(raven: Start, model: Played) -> None:
    raven(more={"plugins": {"disabled": ["everos-memory", "skillcaddy"]}}).turn(DECK)
    assert not TOOLS & set(tool_names(model.turns[0]))


@pytest.mark.requirement("raven:cheap-import")
def test_a_plugin_that_cannot_be_imported_takes_ours_with_it(raven: Start, model: Played) -> None:
    """The host's harshest rule, and the reason for the care that plugin.py takes."""
    host = raven()
    broken = host.home / ".raven" / "plugins" / "broken"
    broken.mkdir(parents=True)
    (broken / "raven-plugin.toml").write_text(
        '[plugin]\nid = "broken"\nversion = "1"\nenabled_by_default = true\n'
        '[[plugin.contributes.tools]]\nname = "x"\nfactory = "no_such_module_here:make"\n',
        encoding="utf-8",
    )
    host.turn(DECK)
    assert not TOOLS & set(tool_names(model.turns[0]))


@pytest.mark.requirement("raven:own-deadline")
def test_a_library_that_hangs_costs_the_call_not_the_turn(raven: Start, model: Played, tmp_path: Path) -> None:
    patch = tmp_path / "patch"
    patch.mkdir()
    (patch / "sitecustomize.py").write_text(
        "import time\n"
        "import skillcaddy.plugins as plugins\n"
        "from skillcaddy.skill import Trust\n"
        "class Hanging:\n"
        "    name, weight, trust = 'hanging', 1.0, Trust.CURATED\n"
        "    def search(self, *args, **more):\n"
        "        time.sleep(600)\n"
        "    def fetch(self, *args, **more):\n"
        "        time.sleep(600)\n"
        "found = plugins.sources\n"
        "plugins.sources = lambda *args, **more: [*found(*args, **more), Hanging()]\n",
        encoding="utf-8",
    )
    model.will(SEARCH)
    turn = raven(settings={"deadline_tool_s": 2.0}, environment={"PYTHONPATH": str(patch)}).turn(DECK)
    assert CANARY in tool_messages(model.turns[1])[0]
    assert REPLY in turn.reply


def test_the_host_lists_the_plugin(raven: Start, model: Played) -> None:
    listed = raven().run("plugins", "-v")
    assert "skillcaddy" in listed.reply, listed.log


@pytest.mark.requirement("raven:tool-search")
def test_a_host_with_many_tools_hides_ours_unless_it_is_told_not_to(raven: Start, model: Played) -> None:
    search: dict[str, Any] = {"enabled": True, "compactionThreshold": 1}
    host = raven(more={"tools": {"toolSearch": search}})
    host.turn(DECK)
    assert not TOOLS & set(tool_names(model.turns[0]))
    search["alwaysVisible"] = sorted(TOOLS)
    raven(library=host.folder.parent / "library", more={"tools": {"toolSearch": search}}).turn(DECK)
    assert set(tool_names(model.turns[-1])) >= TOOLS
