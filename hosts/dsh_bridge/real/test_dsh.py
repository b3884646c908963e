"""What the real DeepSeek Harness does with the plugin, seen at the model's request."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillcaddy.guidance import tool_schemas
from skillcaddy.standin import (
    all_text,
    call,
    count,
    last_user_text,
    messages,
    say,
    tool_messages,
    tool_names,
    tools,
    user_text,
)
from skillcaddy.standin.driving import Turn
from skillcaddy.standin.facts import CANARY, DECK, OTHER, SMALL_TALK
from skillcaddy.standin.played import REPLY, Played, judgement
from skillcaddy_dsh import plugin_folder
from skillcaddy_dsh.driver import Harness
from skillcaddy_dsh.manifests import NAME, ROW

Start = Callable[..., Harness]
TOOLS = {"skill_search", "skill_open"}
SEARCH = call("skill_search", query="quarterly review deck template")
CONVERSATION = str(Path(__file__).parent / "conversation.mjs")


def complaints(turn: Turn) -> list[str]:
    """What we said to the user; that a fresh home's index is still being built is no fault."""
    return [line for line in turn.log.splitlines() if "skillcaddy" in line and "[index_building]" not in line]


def conversation(*steps: Any) -> dict[str, Any]:
    """Rows by which the host runs these steps in one session, and ends."""
    row = {"id": "conversation", "name": CONVERSATION, "config": {"steps": list(steps)}}
    return {"rows": [{"id": "headless-runner", "disabled": True}, {"insert": [row]}]}


def test_auto_delivers_the_fact_as_a_message_of_its_own_and_offers_no_tool(harness: Start, model: Played) -> None:
    turn = harness("auto").turn(DECK)
    (seen,) = model.turns
    assert count(seen, CANARY) == 1
    assert CANARY in last_user_text(seen)
    assert DECK not in last_user_text(seen)
    assert count(seen, OTHER) == 0
    assert not TOOLS & set(tool_names(seen))
    assert (turn.code, turn.reply, complaints(turn)) == (0, REPLY, [])


def test_auto_adds_nothing_to_small_talk(harness: Start, model: Played) -> None:
    turn = harness("auto").turn(SMALL_TALK)
    (seen,) = model.turns
    assert "skill-library" not in json.dumps(list(messages(seen)))
    assert complaints(turn) == []


@pytest.mark.requirement("dsh:tool-output")
def test_on_demand_offers_both_tools_whole_runs_the_call_and_feeds_the_result_back(
    harness: Start, model: Played
) -> None:
    model.will(SEARCH)
    turn = harness("on_demand").turn(DECK)
    first, second = model.turns
    for tool in tool_schemas("en"):
        assert tools(first)[tool.name] == {"description": tool.description, "parameters": tool.parameters}
    assert count(first, CANARY) == 0
    (result,) = tool_messages(second)
    assert CANARY in result
    assert count(second, CANARY) == 1
    assert (turn.code, complaints(turn)) == (0, [])


def test_a_skill_is_opened_by_its_id(harness: Start, model: Played) -> None:
    model.will(call("skill_open", id="local:sourdough-loaf"))
    harness("on_demand").turn("How do I open the loaf's procedure?")
    assert OTHER in tool_messages(model.turns[1])[0]


@pytest.mark.requirement("dsh:user-batch")
def test_the_steps_after_a_tool_call_add_nothing_more(harness: Start, model: Played) -> None:
    model.will(call("bash", command="true", description="nothing"))
    harness("auto").turn(DECK)
    assert [count(seen, CANARY) for seen in model.turns] == [1, 1]


@pytest.mark.requirement("dsh:user-batch")
def test_a_sub_agents_task_is_no_users_message_though_it_is_marked_as_one(harness: Start, model: Played) -> None:
    task = call("subagent", description="loaf", prompt="Bake a sourdough loaf in the pot.", run_in_background=False)
    model.will(task)
    model.then(say("The loaf is baked."))
    harness("auto").turn(DECK)
    _, child, _ = model.turns
    assert "Bake a sourdough loaf" in json.dumps(list(messages(child)))
    assert (count(child, OTHER), count(child, CANARY)) == (0, 0)


@pytest.mark.requirement("dsh:visible-tools")
def test_the_gate_is_told_which_tools_this_agent_has(harness: Start, model: Played) -> None:
    """T18: the host offers no model, so an endpoint judges; it would be silence if it never did."""
    model.aside = lambda request: judgement(request, "quarterly-deck")
    endpoint = {"model_base_url": model.url, "model_name": "judge", "gate": "on", "rewrite": "off"}
    turn = harness("auto", settings=endpoint).turn(DECK + " Or else, bake a sourdough loaf in the cast iron pot.")
    (question,) = [seen for seen in model.others if "quarterly-deck" in user_text(seen)]
    assert "sourdough-loaf" in user_text(question)
    assert all(name in all_text(question) for name in ("str_replace_editor", "todo_write"))
    assert (count(model.turns[0], CANARY), count(model.turns[0], OTHER)) == (1, 0)
    assert complaints(turn) == []


@pytest.mark.requirement("dsh:compaction")
def test_a_skill_is_told_once_until_the_conversation_is_compacted(harness: Start, model: Played) -> None:
    host = harness("auto", **conversation(DECK, SMALL_TALK, DECK, {"compact": True}, DECK))
    turn = host.run("--patch", str(host.configure()), "unused")
    assert turn.code == 0, turn.log
    # The fourth request is for the summary; it replays what it summarizes.
    first, second, third, _, after = model.turns
    assert [count(seen, CANARY) for seen in (first, second, third, after)] == [1, 1, 1, 1]
    assert [CANARY in last_user_text(seen) for seen in (first, second, third, after)] == [True, False, False, True]
    assert complaints(turn) == []


@pytest.mark.requirement("dsh:compaction")
def test_an_answer_is_not_repeated_until_the_conversation_is_compacted(harness: Start, model: Played) -> None:
    model.will(SEARCH, SEARCH)
    model.then(say("A summary."))
    model.will(SEARCH)
    host = harness("on_demand", **conversation(DECK, DECK, {"compact": True}, DECK))
    turn = host.run("--patch", str(host.configure()), "unused")
    assert turn.code == 0, turn.log
    _, first, _, second, _, _, third = model.turns
    assert [CANARY in tool_messages(seen)[-1] for seen in (first, second, third)] == [True, False, True]
    assert complaints(turn) == []


@pytest.mark.requirement("dsh:mode-refused")
@pytest.mark.parametrize(
    ("settings", "named"),
    [({"mode": "atuo"}, ('"atuo"', '"on_demand" or "auto"')), ({"modee": "auto"}, ("modee", "Did you mean mode?"))],
    ids=["mode", "unknown"],
)
def test_a_bad_configuration_keeps_the_host_from_booting_and_is_named(
    harness: Start, model: Played, settings: dict[str, Any], named: tuple[str, ...]
) -> None:
    turn = harness("on_demand", settings=settings).turn(DECK)
    assert turn.code == 1
    assert all(word in turn.log for word in named)
    assert model.requests == []


@pytest.mark.requirement("dsh:stderr")
def test_a_bad_mode_in_the_environment_is_said_where_people_see_it(harness: Start, model: Played) -> None:
    turn = harness("on_demand", environment={"SKILLCADDY_MODE": "atuo"}).turn(DECK)
    (told,) = complaints(turn)
    assert 'SKILLCADDY_MODE is "atuo"' in told
    assert set(tool_names(model.turns[0])) >= TOOLS


@pytest.mark.requirement("dsh:inject-inside")
def test_a_host_without_the_tools_service_boots_without_ours(harness: Start, model: Played) -> None:
    """The real negative beside it: a plugin whose module waits for a service that nobody provides stops the boot."""
    host = harness("on_demand", rows=[{"insert": [{"id": "waits", "name": _module(harness, WAITS)}]}])
    turn = host.turn(DECK)
    assert turn.code != 0
    assert "no-such-service" in turn.log
    shutil.rmtree(host.folder)
    turn = harness("on_demand", rows=[{"insert": [{"id": "asks", "name": _module(harness, ASKS)}]}]).turn(DECK)
    assert turn.code == 0


WAITS = 'export const name = "waits"; export const inject = ["no-such-service"]; export function apply() {}'
ASKS = 'export const name = "asks"; export function apply(ctx) { ctx.inject(["no-such-service"], () => {}); }'
TAKES = """
export const name = "takes";
export function apply(ctx) {
  ctx.inject(["tools"], (tctx) => {
    tctx.tools.register({
      name: "skill_search", description: "mine", parameters: { type: "object", properties: {} },
      output: { schema: { type: "string" }, render: (_, value) => [{ type: "text", text: value }] },
      execute: async () => "mine",
    });
    ctx.provide("taken", true); // a row that waits for it comes second
  });
}
"""


def _module(harness: Start, source: str) -> str:
    path = harness("on_demand").folder.parent / f"plugin-{abs(hash(source))}.mjs"
    path.write_text(source, encoding="utf-8")
    return str(path)


@pytest.mark.requirement("dsh:name-clash")
@pytest.mark.parametrize("names", ["plain", "prefixed"])
def test_a_name_that_another_plugin_has_taken_is_left_to_it(harness: Start, model: Played, names: str) -> None:
    host = harness("on_demand", settings={"tool_names": names})
    ours = {"id": ROW, "name": str(host.plugin), "config": dict(host.settings), "inject": ["taken"]}
    rows = [{"insert": [{"id": "takes", "name": _module(harness, TAKES)}, ours]}]
    model.will(call("skillcaddy_skill_search", query="quarterly review deck template"))
    turn = harness("on_demand", plugin=None, rows=rows).turn(DECK)
    assert turn.code == 0, turn.log
    opened = "skill_open" if names == "plain" else "skillcaddy_skill_open"
    assert {"skill_search", "skillcaddy_skill_search", opened} <= set(tool_names(model.turns[0]))
    assert CANARY in tool_messages(model.turns[1])[0]
    told = ["offered as skillcaddy_skill_search instead" in line for line in complaints(turn)]
    assert told == ([True] if names == "plain" else [])


@pytest.mark.requirement("dsh:pre-step-throw")
@pytest.mark.parametrize("mode", ["auto", "on_demand"])
def test_a_child_that_dies_costs_its_answer_and_one_warning(
    harness: Start, model: Played, tmp_path: Path, mode: str
) -> None:
    dying = tmp_path / "python"
    dying.write_text("#!/bin/sh\necho Traceback >&2\nexit 3\n", encoding="utf-8")
    dying.chmod(0o755)
    model.will(SEARCH)
    turn = harness(mode, settings={"python": str(dying)}).turn(DECK)
    assert (turn.code, turn.reply) == (0, REPLY)
    (told,) = complaints(turn)
    assert "exit code 3" in told
    if mode == "on_demand":
        assert "out of reach" in tool_messages(model.turns[1])[0]


def test_without_a_python_the_fix_is_named_once_and_the_tool_answers_honestly(harness: Start, model: Played) -> None:
    model.will(SEARCH)
    turn = harness("on_demand", settings={"python": "/no/such/python"}).turn(DECK)
    (told,) = complaints(turn)
    assert "/no/such/python" in told
    assert "in the config of the row `skillcaddy`" in told
    assert "out of reach" in tool_messages(model.turns[1])[0]


def test_a_source_that_hangs_costs_the_turn_its_own_skills_only(harness: Start, model: Played, tmp_path: Path) -> None:
    """The child is the real one, with a source beside the library that never answers."""
    script = tmp_path / "hanging.py"
    script.write_text(
        "import time\n"
        "import skillcaddy.plugins as plugins\n"
        "from skillcaddy.bridge import run\n"
        "from skillcaddy.skill import Trust\n"
        "class Hanging:\n"
        "    name, weight, trust = 'hanging', 1.0, Trust.CURATED\n"
        "    def search(self, *args, **more):\n"
        "        time.sleep(600)\n"
        "    def fetch(self, *args, **more):\n"
        "        time.sleep(600)\n"
        "found = plugins.sources\n"
        "plugins.sources = lambda *args, **more: [*found(*args, **more), Hanging()]\n"
        "run()\n",
        encoding="utf-8",
    )
    launcher = tmp_path / "python"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}"\n', encoding="utf-8")
    launcher.chmod(0o755)
    turn = harness("auto", settings={"python": str(launcher), "deadline_auto_s": 3.0}).turn(DECK)
    assert count(model.turns[0], CANARY) == 1
    assert turn.code == 0
    assert any("source hanging" in line and "source_abandoned" in line for line in complaints(turn))


@pytest.mark.requirement("dsh:effect")
def test_the_child_ends_with_the_host(harness: Start, model: Played, tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    launcher = tmp_path / "python"
    launcher.write_text(f'#!/bin/sh\necho $$ > "{noted}"\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    launcher.chmod(0o755)
    harness("auto", settings={"python": str(launcher)}).turn(DECK)
    assert count(model.turns[0], CANARY) == 1
    end = time.monotonic() + 30
    while Path(f"/proc/{noted.read_text().strip()}").exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert not Path(f"/proc/{noted.read_text().strip()}").exists()


@pytest.mark.requirement("dsh:bundle")
def test_the_packed_package_works_as_a_bundle_of_the_profile(harness: Start, model: Played) -> None:
    host = harness("on_demand", plugin=None)
    host.run("--dump-config")  # makes the profile
    packed = subprocess.run(
        ["npm", "pack", "--json", str(plugin_folder())], cwd=host.folder, capture_output=True, text=True, check=True
    )
    target = host.profile / "node_modules" / NAME
    target.mkdir(parents=True)
    archive = host.folder / json.loads(packed.stdout)[0]["filename"]
    shutil.unpack_archive(archive, host.folder / "unpacked")
    shutil.copytree(host.folder / "unpacked" / "package", target, dirs_exist_ok=True)
    manifest = host.profile / "package.json"
    document = json.loads(manifest.read_text(encoding="utf-8"))
    document["dsh"]["profile"]["bundles"].append(NAME)
    manifest.write_text(json.dumps(document), encoding="utf-8")
    options = [{"id": ROW, "config": dict(host.settings)}]
    turn = harness("on_demand", plugin=None, rows=options).turn(DECK)
    assert turn.code == 0, turn.log
    assert set(tool_names(model.turns[0])) >= TOOLS


@pytest.mark.requirement("dsh:mcp-row")
def test_the_plain_mcp_row_works_without_any_javascript_of_ours(harness: Start, model: Played, library: Path) -> None:
    model.will(call("mcp__skillcaddy__skill_search", query="quarterly review deck template"))
    server = {
        "serverName": "skillcaddy",
        "transport": "stdio",
        "command": sys.executable,
        "args": ["-m", "skillcaddy", "mcp"],
        "env": {"SKILLCADDY_SKILLS_DIRS": str(library)},
    }
    rows = [{"insert": [{"id": "skillcaddy-mcp", "name": "@deepseek-ai/dsh-mcp-client", "config": server}]}]
    turn = harness("on_demand", plugin=None, rows=rows).turn(DECK)
    assert turn.code == 0, turn.log
    first, second = model.turns
    assert {f"mcp__skillcaddy__{name}" for name in TOOLS} <= set(tool_names(first))
    assert CANARY in tool_messages(second)[0]
