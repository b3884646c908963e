"""The plugin in the real clients, judged by what reaches the model. Run by `nox -s "real(workbuddy)"`."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conftest import Watched
from skillcaddy.guidance import tool_schemas
from skillcaddy.standin import Recorded, all_text, call, tools
from skillcaddy_workbuddy.places import marketplace_folder

PROMPT = "how do we rotate the signing keys"
CANARY = "ZEBRA-42"
SEARCH = call("skill_search", query="how do we rotate the release signing keys")
LONG = "START-77 " + "lorem ipsum " * 16_000 + " END-77"
LIMITS = {"SKILLCADDY_MAX_CHARS": "200000", "SKILLCADDY_MAX_BODY_CHARS": "200000"}


def our_tools(client: Watched, request: Recorded) -> dict[str, Any]:
    """Our tools in a request, by their own names."""
    prefix = client.client.tool_prefix
    return {name.removeprefix(prefix): tool for name, tool in tools(request).items() if name.startswith(prefix)}


def is_clean(request: Recorded) -> bool:
    """True when no trace of a hook's document is in the conversation."""
    text = all_text(request)
    return all(word not in text for word in ("skill-library", "hookSpecificOutput", '{"continue'))


@pytest.mark.requirement("workbuddy:exclusive-modes")
def test_auto_adds_the_skill_to_the_prompt_and_offers_no_tool(client: Watched) -> None:
    (request,) = client.ask(PROMPT, SKILLCADDY_MODE="auto")
    assert all_text(request).count(CANARY) == 1
    assert our_tools(client, request) == {}
    assert '{"continue' not in all_text(request)


@pytest.mark.requirement("workbuddy:say-nothing")
def test_auto_adds_nothing_to_an_unrelated_prompt(client: Watched) -> None:
    (request,) = client.ask("thanks, that is all for now", SKILLCADDY_MODE="auto")
    assert is_clean(request)


@pytest.mark.requirement("workbuddy:always-load")
def test_on_demand_offers_both_tools_whole_and_brings_the_result_back(client: Watched) -> None:
    """T14: descriptions with their paragraphs, at the model's request, in turn one, not behind a tool search."""
    client.script += [SEARCH]
    first, second = client.ask(PROMPT, SKILLCADDY_MODE="on_demand")
    assert is_clean(first)
    assert CANARY not in all_text(first)
    offered = our_tools(client, first)
    for schema in tool_schemas("en"):
        assert offered[schema.name]["description"].strip() == schema.description.strip()
        assert set(offered[schema.name]["parameters"]["properties"]) == set(schema.parameters["properties"])
    assert CANARY in all_text(second)


@pytest.mark.requirement("workbuddy:no-repeat")
def test_a_skill_is_not_repeated_in_the_second_turn_of_a_session(client: Watched) -> None:
    with client.talk(SKILLCADDY_MODE="auto") as session:
        session.ask(PROMPT)
        second = session.ask(f"and once more: {PROMPT}?")[-1]
        third = session.ask("thanks")[-1]
    assert all_text(second).count(CANARY) == 1
    assert all_text(third).count(CANARY) == 1
    assert '{"continue' not in all_text(third)


def test_a_skill_comes_again_after_the_conversation_was_compacted(client: Watched) -> None:
    with client.talk(SKILLCADDY_MODE="auto") as session:
        for prompt in (PROMPT, "thanks", "go on"):
            session.ask(prompt)
        session.command("/compact")
        (request,) = session.ask(f"and once more: {PROMPT}?")
    assert all_text(request).count(CANARY) == 1


@pytest.mark.requirement("workbuddy:own-deadline")
def test_a_hook_that_hangs_ends_itself_and_leaves_the_turn_intact(client: Watched) -> None:
    """T31: CodeBuddy stops the user's message when a hook runs into the host's own limit."""
    marker = client.root / "hung"
    hang = (
        "import sys, time, pathlib\n"
        "if any('entry import hook' in word for word in sys.orig_argv):\n"
        "    import skillcaddy.snapshot\n"
        f"    hang = lambda **_: (pathlib.Path({str(marker)!r}).touch(), time.sleep(600))\n"
        "    skillcaddy.snapshot.load_fast = hang\n"
    )
    (client.root / "sitecustomize.py").write_text(hang, encoding="utf-8")
    (request,) = client.ask(PROMPT, SKILLCADDY_MODE="auto", PYTHONPATH=str(client.root))
    assert marker.exists()
    assert is_clean(request)


def test_an_answer_of_200_kilobytes_arrives_whole(client: Watched) -> None:
    """T32"""
    client.skill("archive", "The archive of the zeppelin mooring procedure.", LONG)
    client.script += [call("skill_search", query="zeppelin mooring procedure")]
    last = client.ask("tell me of the zeppelin mooring procedure", SKILLCADDY_MODE="on_demand", **LIMITS)[-1]
    assert "START-77" in arrived(client, last)
    assert "END-77" in arrived(client, last)


@pytest.mark.requirement("workbuddy:whole-document")
def test_a_long_text_added_by_the_hook_arrives_whole(client: Watched) -> None:
    """T32"""
    client.skill("archive", "The archive of the zeppelin mooring procedure.", LONG)
    (request,) = client.ask("tell me of the zeppelin mooring procedure", SKILLCADDY_MODE="auto", **LIMITS)
    assert "START-77" in arrived(client, request)
    assert "END-77" in arrived(client, request)


def arrived(client: Watched, request: Recorded) -> str:
    """What reached the model, and the file into which the client puts a text that is too long for it."""
    spilled = [path for path in client.client.home.rglob("tool-results/*") if path.name in all_text(request)]
    return all_text(request) + "".join(path.read_text(encoding="utf-8") for path in spilled)


def test_a_killed_server_costs_no_turn_and_the_next_session_has_its_tools(client: Watched) -> None:
    client.script += [SEARCH]
    with client.talk(SKILLCADDY_MODE="on_demand") as session:
        assert CANARY in all_text(session.ask(PROMPT)[-1])
        for number in servers(client.root):
            os.kill(number, signal.SIGKILL)
        session.ask("thanks, and now something else")
    client.script += [SEARCH]
    assert CANARY in all_text(client.ask(PROMPT, SKILLCADDY_MODE="on_demand")[-1])
    assert servers(client.root) == []


def servers(root: Path) -> list[int]:
    """The processes of our server whose environment belongs to this test."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            ours = entry.name.isdigit() and b"skillcaddy_workbuddy.entry import mcp" in (entry / "cmdline").read_bytes()
            if ours and str(root).encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@pytest.mark.requirement("workbuddy:python-missing")
def test_without_an_engine_the_turn_goes_on_and_the_user_is_told_once(client: Watched) -> None:
    client.client.environ["SKILLCADDY_PYTHON"] = ""
    client.client.environ["PATH"] = "/usr/bin:/bin"
    (first,) = client.ask(PROMPT, SKILLCADDY_MODE="on_demand")
    (second,) = client.ask(PROMPT, SKILLCADDY_MODE="on_demand")
    assert "pip install skillcaddy-workbuddy" in all_text(first)
    assert is_clean(second)
    assert "pip install skillcaddy-workbuddy" not in all_text(second)
    assert our_tools(client, second) == {}


def test_a_mode_that_is_none_is_on_demand(client: Watched) -> None:
    """T10"""
    (request,) = client.ask(PROMPT, SKILLCADDY_MODE="atuo")
    assert set(our_tools(client, request)) == {"skill_search", "skill_open"}
    assert is_clean(request)


def test_the_host_finds_nothing_wrong_with_the_plugin(client: Watched) -> None:
    plugin = marketplace_folder() / "plugin"
    done: subprocess.CompletedProcess[str] = client.client.run("plugin", "validate", str(plugin))
    assert done.returncode == 0, done.stdout + done.stderr
