"""What the real Hermes does with the plugin folder, seen at the model's request."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from installed import ROOT, build

from conftest import CANARY, OTHER, QUICK, Start, converse, count
from skillcaddy.guidance import tool_schemas
from skillcaddy.standin import (
    StandIn,
    call,
    echo,
    last_user_text,
    say,
    tool_messages,
    tool_names,
    tools,
    user_text,
    user_texts,
)
from skillcaddy.standin.facts import DECK, LOAF, SMALL_TALK, write_skill
from skillcaddy_hermes.host.driver import Hermes

TOOLS = {"skill_search", "skill_open"}
SEARCH = {"query": "quarterly review deck template"}
both = pytest.mark.parametrize("way", ["ordinary", "slot"])


def complaints(host: Hermes) -> list[str]:
    """Our lines in the host's log that are no mere status."""
    return [line for line in host.said() if not line.startswith(("status:", "slot_has_it:"))]


@both
@pytest.mark.requirement("hermes:auto-channel")
def test_auto_delivers_the_fact_with_the_users_message_and_offers_no_tool(
    way: str, hermes: Start, model: StandIn
) -> None:
    host = hermes(model, way, "auto")
    assert host.turn(DECK).reply == "Done."
    (seen,) = model.turns
    text = last_user_text(seen)
    assert text.startswith(DECK)
    assert text.count(CANARY) == 1
    assert OTHER not in text
    assert ("<memory-context>" in text) is (way == "slot")
    assert 'skill_view(name="office/quarterly-deck")' in text
    assert not TOOLS & set(tool_names(seen))
    assert complaints(host) == []


@both
@pytest.mark.requirement("hermes:tools-offered")
@pytest.mark.requirement("hermes:tool-text")
def test_on_demand_offers_both_tools_whole_runs_the_call_and_the_result_reaches_the_model(
    way: str, hermes: Start
) -> None:
    with StandIn([call("skill_search", **SEARCH), echo()]) as model:
        host = hermes(model, way, "on_demand")
        assert host.turn(DECK).reply == f"ECHO {CANARY}"
        first, second = model.turns
    offered = tools(first)
    for tool in tool_schemas("en"):
        assert offered[tool.name]["description"] == tool.description
        assert offered[tool.name]["parameters"] == tool.parameters
    assert count(first) == 0
    (result,) = tool_messages(second)
    assert CANARY in result
    assert complaints(host) == []


@both
def test_an_unrelated_turn_gets_nothing(way: str, hermes: Start, model: StandIn) -> None:
    hermes(model, way, "auto").turn(SMALL_TALK)
    (seen,) = model.turns
    assert user_texts(seen) == [SMALL_TALK]


@both
@pytest.mark.requirement("hermes:held-in-transcript")
@pytest.mark.requirement("hermes:compaction-brings-back")
def test_a_skill_is_given_once_in_a_conversation_and_again_after_a_compaction(
    way: str, hermes: Start, model: StandIn
) -> None:
    compression = {"protect_first_n": 0, "protect_last_n": 1, "target_ratio": 0.001}
    host = hermes(model, way, "auto", more={"compression": compression})
    talk = [SMALL_TALK, "And how are you?", "Fine, thanks.", "See you."]
    converse(host, DECK, LOAF, DECK, *talk, {"compact": True}, DECK)
    turns = [seen for seen in model.turns if last_user_text(seen)]
    assert [count(seen) for seen in turns] == [1, 1, 1, 1, 1, 1, 1, 1]
    assert [last_user_text(seen).count(CANARY) for seen in turns] == [1, 0, 0, 0, 0, 0, 0, 1]
    assert [last_user_text(seen).count(OTHER) for seen in turns] == [0, 1, 0, 0, 0, 0, 0, 0]
    assert len(user_texts(turns[-1])) < len(user_texts(turns[-2])), "the compaction must have shortened the history"


@both
@pytest.mark.requirement("hermes:held-in-transcript")
def test_an_undo_brings_a_skill_back(way: str, hermes: Start, model: StandIn) -> None:
    converse(hermes(model, way, "auto"), DECK, {"undo": True}, DECK)
    assert [count(seen) for seen in model.turns] == [1, 1]


@both
@pytest.mark.requirement("hermes:held-after-restart")
def test_a_resumed_session_is_not_given_a_skill_that_its_history_replays(
    way: str, hermes: Start, model: StandIn
) -> None:
    host = hermes(model, way, "auto")
    session = host.turn(DECK).session
    host.turn(DECK, session=session)
    first, second = model.turns
    assert [count(seen) for seen in (first, second)] == [1, 1]
    assert last_user_text(second) == DECK


@both
def test_a_tools_answer_is_not_repeated_in_the_same_conversation(way: str, hermes: Start) -> None:
    script = [call("skill_search", **SEARCH), "One.", call("skill_search", **SEARCH), "Two."]
    with StandIn(script) as model:
        converse(hermes(model, way, "on_demand"), DECK, DECK)
        first, second = tool_messages(model.turns[-1])
    assert CANARY in first
    assert CANARY not in second
    assert "already in this conversation" in second


@pytest.mark.parametrize("mode", ["auto", "on_demand"])
@pytest.mark.requirement("hermes:beside-a-provider")
def test_the_ordinary_plugin_works_beside_another_memory_provider(mode: str, hermes: Start) -> None:
    with StandIn([call("skill_search", **SEARCH), echo()]) as model:
        host = hermes(model, "ordinary", mode, more={"memory": {"provider": "holographic"}})
        assert host.turn(DECK).reply == f"ECHO {CANARY}"
        assert "fact_store" in tool_names(model.turns[0])
    assert complaints(host) == []


def slow_source(folder: Path, seconds: float) -> dict[str, str]:
    """An installed plugin whose source never answers in time, on a path of its own."""
    about = folder / "slow_source-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: slow-source\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text("[skillcaddy]\nslow = slow_source\n", encoding="utf-8")
    (folder / "slow_source.py").write_text(
        "import time\n"
        "from skillcaddy.hookspecs import hookimpl\n"
        "from skillcaddy.skill import Trust\n"
        "class Slow:\n"
        "    name, weight, trust = 'slow', 1.0, Trust.CURATED\n"
        "    def search(self, query, limit, deadline):\n"
        f"        time.sleep({seconds})\n"
        "        return []\n"
        "    def body(self, skill, deadline):\n"
        "        return ''\n"
        "@hookimpl\n"
        "def skillcaddy_sources(settings):\n"
        "    return [Slow()]\n",
        encoding="utf-8",
    )
    return {"PYTHONPATH": str(folder)}


@both
@pytest.mark.parametrize("seconds", [10, 3600], ids=["10s", "hangs"])
@pytest.mark.requirement("hermes:prefetch-cut")
def test_a_slow_source_costs_only_its_own_hits(
    way: str, seconds: float, hermes: Start, model: StandIn, tmp_path: Path
) -> None:
    """T58: what was ready at the deadline is delivered; in the slot the host would drop it at eight seconds."""
    host = hermes(model, way, "auto", environment=slow_source(tmp_path / "slow", seconds))
    host.turn(DECK)
    (seen,) = model.turns
    assert count(seen) == 1
    assert "timed out" not in host.log()


@both
@pytest.mark.requirement("hermes:bad-mode-said")
@pytest.mark.parametrize("where", ["file", "environment"])
def test_a_mode_that_is_none_is_named_in_the_log_and_the_default_holds(
    way: str, where: str, hermes: Start, model: StandIn
) -> None:
    """T10."""
    environment = {"SKILLCADDY_MODE": "atuo"} if where == "environment" else {}
    host = hermes(model, way, "atuo" if where == "file" else "on_demand", environment=environment)
    host.turn(DECK)
    assert set(tool_names(model.turns[0])) >= TOOLS
    (said,) = complaints(host)
    assert said.startswith("bad_settings: ")
    assert all(word in said for word in ("atuo", "mode" if where == "file" else "SKILLCADDY_MODE", '"auto"'))


@pytest.mark.parametrize("mode", ["auto", "on_demand"])
@pytest.mark.requirement("hermes:pip-entry-point")
def test_pip_alone_is_enough_for_the_ordinary_plugin(mode: str, hermes: Start, python: Path, tmp_path: Path) -> None:
    wheel = build("hosts/hermes", tmp_path / "wheels")
    target = tmp_path / "pip"
    subprocess.run(
        ["uv", "pip", "install", "--quiet", "--no-deps", "--python", str(python), "--target", str(target), str(wheel)],
        check=True,
    )
    with StandIn([call("skill_search", **SEARCH), echo()]) as model:
        # The slot is meant too, which pip alone cannot fill on this host.
        more = {"memory": {"provider": "skillcaddy"}}
        host = hermes(model, "none", mode, more=more, environment={"PYTHONPATH": str(target)})
        assert host.turn(DECK).reply == f"ECHO {CANARY}"
    (said,) = complaints(host)
    assert said.startswith("slot_without_folder: ")


@pytest.mark.requirement("hermes:folder-install")
def test_the_host_installs_the_folder_from_a_repository(hermes: Start, model: StandIn, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    inside = repository / "hosts" / "hermes" / "src" / "skillcaddy_hermes"
    source = ROOT / "hosts" / "hermes" / "src" / "skillcaddy_hermes"
    shutil.copytree(source, inside, ignore=shutil.ignore_patterns("__pycache__"))
    git = ["git", "-C", str(repository), "-c", "user.name=x", "-c", "user.email=x@localhost"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *command], check=True)
    host = hermes(model, "none", "auto", more={"plugins": {"enabled": []}})
    url = f"file://{repository}#hosts/hermes/src/skillcaddy_hermes"
    installed = host.command("plugins", "install", url, "--enable")
    assert installed.returncode == 0, installed.stdout + installed.stderr
    assert (host.home / "plugins" / "skillcaddy" / "plugin.yaml").is_file()
    host.turn(DECK)
    assert count(model.turns[0]) == 1


@both
@pytest.mark.requirement("hermes:toolset-off-said")
def test_a_toolset_that_is_off_is_reported_with_the_cure(way: str, hermes: Start, model: StandIn) -> None:
    host = hermes(model, way, "on_demand")
    host.turn(DECK, "-t", "file")
    assert not TOOLS & set(tool_names(model.turns[0]))
    (said,) = complaints(host)
    assert said.startswith("toolset_off: ")
    cure = "skillcaddy" if way == "ordinary" else "memory"
    assert f"toolset {cure} is off" in said
    host.turn(DECK, "-t", f"file,{cure}")
    assert set(tool_names(model.turns[1])) >= TOOLS


@both
@pytest.mark.requirement("hermes:tools-deferred-said")
def test_tools_behind_tool_search_are_reported_and_the_slots_are_never_there(
    way: str, hermes: Start, model: StandIn
) -> None:
    host = hermes(model, way, "on_demand", more={"tools": {"tool_search": {"enabled": "on"}}})
    host.turn(DECK)
    offered = bool(TOOLS & set(tool_names(model.turns[0])))
    said = [line for line in complaints(host) if line.startswith("tools_deferred: ")]
    assert (offered, len(said)) == ((False, 1) if way == "ordinary" else (True, 0))


@pytest.mark.requirement("hermes:provider-name-said")
def test_a_memory_provider_that_does_not_exist_is_reported(hermes: Start, model: StandIn) -> None:
    host = hermes(model, "ordinary", "auto", more={"memory": {"provider": "skillcady"}})
    host.turn(DECK)
    assert count(model.turns[0]) == 1
    (said,) = complaints(host)
    assert said.startswith("slot_name_unknown: ")
    assert 'Did you mean "skillcaddy"?' in said


@pytest.mark.requirement("hermes:hide-rules")
def test_what_the_host_hides_is_hidden(hermes: Start) -> None:
    def hiding(host: Hermes) -> None:
        folder, about = host.skills, "How to build the quarterly review deck from the house template"
        write_skill(folder, "deck-disabled", about, "HIDDEN-1")
        write_skill(folder, "deck-elsewhere", about, "HIDDEN-2", "platforms: [windows]\n")
        needs = "metadata:\n  hermes:\n    requires_toolsets: [no-such-toolset]\n"
        write_skill(folder, "deck-needs-toolset", about, "HIDDEN-3", needs)
        needs = "metadata:\n  hermes:\n    requires_tools: [no_such_tool]\n"
        write_skill(folder, "deck-needs-tool", about, "HIDDEN-4", needs)
        fallback = "metadata:\n  hermes:\n    fallback_for_tools: [read_file]\n"
        write_skill(folder, "deck-fallback", about, "HIDDEN-5", fallback)
        write_skill(folder / ".archive", "deck-archived", about, "HIDDEN-6")
        write_skill(folder, "deck-in-s6", about, "HIDDEN-7", "environments: [s6]\n")
        needs = "metadata:\n  hermes:\n    requires_tools: [read_file]\n    requires_toolsets: [file]\n"
        write_skill(folder, "deck-shown", about, "SHOWN-1", needs)

    search = {**SEARCH, "delivery": "bodies", "top_k": 10}
    with StandIn([call("skill_search", **search)]) as model:
        host = hermes(model, "ordinary", "on_demand", more={"skills": {"disabled": ["deck-disabled"]}})
        hiding(host)
        host.turn(DECK)
        (result,) = tool_messages(model.turns[1])
    assert "HIDDEN" not in result
    assert "SHOWN-1" in result
    assert CANARY in result


@both
@pytest.mark.requirement("hermes:host-model")
def test_the_hosts_own_model_judges_and_what_it_rejects_is_not_delivered(way: str, hermes: Start) -> None:
    answers = iter(['{"ids": []}'])
    with StandIn(
        side=None, script=lambda request: say(next(answers)) if not tool_names(request) else say("x")
    ) as model:
        host = hermes(model, way, "auto", settings={"gate": "on"})
        host.turn(DECK)
        (judged,) = model.others
        (turn,) = model.turns
    assert "quarterly-deck" in user_text(judged)
    assert "read_file" in user_text(judged), "the judge is told the tools this agent has"
    assert count(turn) == 0
    assert any(line.startswith("status: ") and "host's own model" in line for line in host.said())


@pytest.mark.requirement("hermes:spill")
def test_a_long_skill_stays_below_the_size_at_which_the_host_moves_a_hooks_text_to_a_file(
    hermes: Start, model: StandIn
) -> None:
    host = hermes(model, "ordinary", "auto", settings={"max_chars": 10_000, "max_body_chars": 200_000})
    body = f"The code is {CANARY}-long.\n\n" + "All work and no play makes a long skill.\n\n" * 1000
    write_skill(host.skills, "tax-return", "How to file the annual tax return of the bakery", body)
    host.turn("Please file the annual tax return of the bakery.")
    (seen,) = model.turns
    assert f"{CANARY}-long" in last_user_text(seen)
    assert 8_000 < len(last_user_text(seen)) < 10_200
    assert not (host.home / "hook_outputs").exists()


@pytest.mark.requirement("hermes:nobodys-turns")
def test_the_background_review_is_not_searched_for(hermes: Start, model: StandIn) -> None:
    host = hermes(model, "ordinary", "auto", more={"memory": {"nudge_interval": 1}})
    converse(host, DECK, {"wait": "bg-review"}, toolsets=["file", "memory", "skills"])
    reviews = [seen for seen in model.requests if "Review the conversation above" in last_user_text(seen)]
    assert reviews, "the host must have started its review"
    assert all("<skill-library>" not in last_user_text(seen) for seen in reviews)


@pytest.mark.requirement("hermes:nobodys-turns")
def test_a_sub_agents_turn_gets_nothing(hermes: Start, model: StandIn) -> None:
    converse(hermes(model, "ordinary", "auto"), DECK, platform="subagent")
    assert count(model.turns[0]) == 0


@pytest.mark.requirement("hermes:pinned-dependencies")
def test_the_hosts_environment_stays_consistent(python: Path) -> None:
    checked = subprocess.run(
        ["uv", "pip", "check", "--python", str(python)], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert checked.returncode == 0, checked.stderr


@pytest.mark.requirement("hermes:setup-round-trip")
@pytest.mark.requirement("hermes:provider-class")
def test_setup_selects_the_provider_and_every_key_it_offers_is_kept_and_read(hermes: Start, model: StandIn) -> None:
    """T107, T08."""
    host = hermes(model, "none", "on_demand")
    host.prepare()
    host.copy_plugin()
    setup = host.command("memory", "setup", "skillcaddy")
    assert setup.returncode == 0, setup.stdout + setup.stderr
    status = host.command("memory", "status")
    assert "skillcaddy" in status.stdout
    script = (
        "import json, sys\n"
        "from plugins.memory import load_memory_provider\n"
        "from agent.memory_provider import MemoryProvider\n"
        "provider = load_memory_provider('skillcaddy')\n"
        "assert isinstance(provider, MemoryProvider) and provider.is_available()\n"
        "heavy = sorted({'tantivy', 'pydantic', 'skillcaddy.engine'} & set(sys.modules))\n"
        "fields = provider.get_config_schema()\n"
        "provider.save_config({'mode': 'auto', 'top_k': '3', 'skills_dirs': '/a:/b'}, sys.argv[1])\n"
        "again = {field['key']: field['default'] for field in provider.get_config_schema()}\n"
        "print(json.dumps({'heavy': heavy, 'keys': [f['key'] for f in fields], 'again': again}))\n"
    )
    run = host.run([str(host.program.with_name("python")), "-c", script, str(host.home)])
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout.splitlines()[-1])
    assert "skillcaddy.engine" not in told["heavy"]
    assert "tantivy" not in told["heavy"]
    assert (told["again"]["mode"], told["again"]["top_k"], told["again"]["skills_dirs"]) == ("auto", "3", "/a:/b")
    written = json.loads((host.home / "skillcaddy.json").read_text(encoding="utf-8"))
    assert (written["mode"], written["top_k"], written["skills_dirs"]) == ("auto", 3, ["/a", "/b"])
    assert written["gate"] == QUICK["gate"], "what was there before stays"
    host.turn(DECK)
    assert count(model.turns[0]) == 1
