"""The plugin in the real clients, judged by what reaches the model. Run by `nox -s "real(workbuddy)"`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from conftest import Watched
from skillcaddy.guidance import tool_schemas
from skillcaddy_workbuddy.places import marketplace_folder

PROMPT = "how do we rotate the signing keys"
CANARY = "ZEBRA-42"
QUERY = {"query": "rotate signing keys"}
LONG = "START-77 " + "lorem ipsum " * 16_000 + " END-77"
LIMITS = {"SKILLCADDY_MAX_CHARS": "200000", "SKILLCADDY_MAX_BODY_CHARS": "200000"}


def tools(client: Watched, request: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Our tools in a request, by their own names, as {description, parameters}."""
    found: dict[str, dict[str, Any]] = {}
    for tool in request["tools"]:
        entry = tool.get("function", tool)
        if entry["name"].startswith(client.client.tool_prefix):
            parameters = entry.get("parameters") or entry.get("input_schema")
            found[entry["name"].removeprefix(client.client.tool_prefix)] = {**entry, "parameters": parameters}
    return found


def said(request: dict[str, Any]) -> str:
    """The whole conversation of a request, as one text."""
    return json.dumps(request["messages"], ensure_ascii=False)


def is_clean(request: dict[str, Any]) -> bool:
    """True when no trace of a hook's document is in the conversation."""
    text = said(request)
    return "skill-library" not in text and "hookSpecificOutput" not in text and '{\\"continue' not in text


def test_auto_adds_the_skill_to_the_prompt_and_offers_no_tool(client: Watched) -> None:
    (request,) = client.ask(PROMPT, SKILLCADDY_MODE="auto")
    assert said(request).count(CANARY) == 1
    assert tools(client, request) == {}
    assert '{\\"continue' not in said(request)


def test_auto_adds_nothing_to_an_unrelated_prompt(client: Watched) -> None:
    (request,) = client.ask("thanks, that is all for now", SKILLCADDY_MODE="auto")
    assert is_clean(request)


def test_on_demand_offers_both_tools_whole_and_brings_the_result_back(client: Watched) -> None:
    """T14: descriptions with their paragraphs, at the model's request, in turn one, not behind a tool search."""
    client.model.wants, client.model.arguments = "skill_search", QUERY
    first, second = client.ask(PROMPT, SKILLCADDY_MODE="on_demand")
    assert is_clean(first)
    assert CANARY not in said(first)
    offered = tools(client, first)
    for schema in tool_schemas("en"):
        assert offered[schema.name]["description"].strip() == schema.description.strip()
        assert set(offered[schema.name]["parameters"]["properties"]) == set(schema.parameters["properties"])
    assert CANARY in said(second)


def test_a_skill_is_not_repeated_in_the_second_turn_of_a_session(client: Watched) -> None:
    with client.talk(SKILLCADDY_MODE="auto") as session:
        session.ask(PROMPT)
        second = session.ask(f"and once more: {PROMPT}?")[-1]
        third = session.ask("thanks")[-1]
    assert said(second).count(CANARY) == 1
    assert said(third).count(CANARY) == 1
    assert '{\\"continue' not in said(third)


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
    client.model.wants, client.model.arguments = "skill_search", {"query": "zeppelin mooring procedure"}
    last = client.ask("tell me of the zeppelin mooring procedure", SKILLCADDY_MODE="on_demand", **LIMITS)[-1]
    assert "START-77" in arrived(client, last)
    assert "END-77" in arrived(client, last)


def test_a_long_text_added_by_the_hook_arrives_whole(client: Watched) -> None:
    """T32"""
    client.skill("archive", "The archive of the zeppelin mooring procedure.", LONG)
    (request,) = client.ask("tell me of the zeppelin mooring procedure", SKILLCADDY_MODE="auto", **LIMITS)
    assert "START-77" in arrived(client, request)
    assert "END-77" in arrived(client, request)


def arrived(client: Watched, request: dict[str, Any]) -> str:
    """What reached the model, and the file into which the client puts a text that is too long for it."""
    spilled = [path for path in client.client.home.rglob("tool-results/*") if path.name in said(request)]
    return said(request) + "".join(path.read_text(encoding="utf-8") for path in spilled)


def test_a_killed_server_costs_no_turn_and_the_next_session_has_its_tools(client: Watched) -> None:
    client.model.wants, client.model.arguments = "skill_search", QUERY
    with client.talk(SKILLCADDY_MODE="on_demand") as session:
        assert CANARY in said(session.ask(PROMPT)[-1])
        for number in servers(client.root):
            os.kill(number, signal.SIGKILL)
        session.ask("thanks, and now something else")
    assert CANARY in said(client.ask(PROMPT, SKILLCADDY_MODE="on_demand")[-1])
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


def test_without_an_engine_the_turn_goes_on_and_the_user_is_told_once(client: Watched) -> None:
    client.client.environ["SKILLCADDY_PYTHON"] = ""
    client.client.environ["PATH"] = "/usr/bin:/bin"
    (first,) = client.ask(PROMPT, SKILLCADDY_MODE="on_demand")
    (second,) = client.ask(PROMPT, SKILLCADDY_MODE="on_demand")
    assert "skillcaddy install workbuddy" in said(first)
    assert is_clean(second)
    assert "skillcaddy install workbuddy" not in said(second)
    assert tools(client, second) == {}


def test_a_mode_that_is_none_is_on_demand(client: Watched) -> None:
    """T10"""
    (request,) = client.ask(PROMPT, SKILLCADDY_MODE="atuo")
    assert set(tools(client, request)) == {"skill_search", "skill_open"}
    assert is_clean(request)


def test_the_host_finds_nothing_wrong_with_the_plugin(client: Watched) -> None:
    plugin = marketplace_folder() / "plugin"
    done: subprocess.CompletedProcess[str] = client.client.run("plugin", "validate", str(plugin))
    assert done.returncode == 0, done.stdout + done.stderr
