"""The ordinary plugin at its edge: what it registers, and what its hook and handlers do with what the host gives."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hermes_double import Context, Host

import skillcaddy_hermes
from conftest import CANARY, Ordinary, settle
from skillcaddy.guidance import tool_schemas
from skillcaddy_hermes.surface import entry

DECK = "Please build the quarterly review deck"
SMALL_TALK = "Thanks, that is all for today."
Said = Callable[[], list[str]]


def user(text: str, added: str = "") -> dict[str, Any]:
    row: dict[str, Any] = {"role": "user", "content": text}
    return {**row, "api_content": f"{text}\n\n{added}"} if added else row


@pytest.mark.requirement("hermes:tools-offered")
@pytest.mark.requirement("hermes:tool-text")
def test_on_demand_registers_both_tools_whole_under_a_toolset_of_their_own(ordinary: Ordinary) -> None:
    """T14."""
    ctx = ordinary(mode="on_demand")
    assert list(ctx.tools) == [tool.name for tool in tool_schemas("en")]
    for tool in tool_schemas("en"):
        given = ctx.tools[tool.name]
        assert given["toolset"] == "skillcaddy"
        assert given["schema"] == {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        assert "\n\n" in given["schema"]["description"]


@pytest.mark.requirement("hermes:auto-channel")
def test_auto_registers_no_tool_and_adds_a_fitting_skill_to_the_message(ordinary: Ordinary) -> None:
    ctx = ordinary(mode="auto")
    assert ctx.tools == {}
    added = ctx.turn(DECK)
    assert added.count(CANARY) == 1
    assert 'skill_view(name="office/quarterly-deck")' in added
    assert ctx.turn(SMALL_TALK) == ""


def test_the_texts_are_those_of_the_language_that_was_set(ordinary: Ordinary) -> None:
    ctx = ordinary(mode="on_demand", language="zh")
    assert [given["schema"]["description"] for given in ctx.tools.values()] == [
        tool.description for tool in tool_schemas("zh")
    ]


@pytest.mark.parametrize("arguments", [{"query": "quarterly deck"}, "quarterly deck", {"q": "quarterly deck", "x": 1}])
def test_a_handler_takes_what_a_model_sends(ordinary: Ordinary, arguments: Any) -> None:
    handler = ordinary(mode="on_demand").tools["skill_search"]["handler"]
    assert CANARY in handler(arguments, task_id="t", session_id="s1", user_task="u", something_new=1)


@pytest.mark.parametrize("arguments", [None, {}, 7, []])
def test_a_handler_answers_a_useless_call_with_a_sentence(ordinary: Ordinary, arguments: Any) -> None:
    """T12: no session, no agent, no arguments."""
    for given in ordinary(mode="on_demand").tools.values():
        assert "needs" in given["handler"](arguments)


@pytest.mark.requirement("hermes:held-in-transcript")
@pytest.mark.requirement("hermes:compaction-brings-back")
def test_what_the_history_replays_is_not_added_again_until_a_compaction_takes_it(ordinary: Ordinary) -> None:
    ctx = ordinary(mode="auto")
    added = ctx.turn(DECK)
    history = [user(DECK, added), {"role": "assistant", "content": "Done."}, user(DECK)]
    assert ctx.turn(DECK, history) == ""
    compacted = [user("A summary of what was said about the quarterly review deck."), user(DECK)]
    assert ctx.turn(DECK, compacted) == added


def test_a_skill_that_was_only_spoken_of_is_not_held(ordinary: Ordinary) -> None:
    ctx = ordinary(mode="auto")
    quoting = user('I read <skill-text of="local:office/quarterly-deck"> somewhere.')
    assert ctx.turn(DECK, [quoting, {"role": "assistant", "content": ctx.turn(DECK)}, user(DECK)])


def test_tools_know_what_the_history_holds_and_what_a_compaction_took(ordinary: Ordinary) -> None:
    ctx = ordinary(mode="on_demand")
    search = ctx.tools["skill_search"]["handler"]
    assert ctx.turn(DECK, [user(DECK)]) == ""
    result = search({"query": "quarterly deck"}, session_id="s1")
    assert CANARY in result
    assert CANARY not in search({"query": "quarterly deck"}, session_id="s1")
    assert CANARY in search({"query": "quarterly deck"}, session_id="another")
    ctx.turn("go on", [user(DECK), {"role": "tool", "content": result}])
    assert CANARY not in search({"query": "quarterly deck"}, session_id="s1")
    ctx.turn("go on", [user("a summary")])
    assert CANARY in search({"query": "quarterly deck"}, session_id="s1")


@pytest.mark.requirement("hermes:nobodys-turns")
@pytest.mark.parametrize("platform", ["subagent", "cron", "curator"])
def test_turns_that_no_person_asked_are_left_alone(ordinary: Ordinary, platform: str) -> None:
    assert ordinary(mode="auto").turn(DECK, platform=platform) == ""


@pytest.mark.requirement("hermes:nobodys-turns")
@pytest.mark.parametrize(
    ("thread", "message"),
    [("bg-review", DECK), ("x", f"Review the conversation above. {DECK}"), ("curator-review", DECK)],
)
def test_the_background_review_is_known_by_its_thread_or_its_prompt(
    ordinary: Ordinary, thread: str, message: str
) -> None:
    ctx, added = ordinary(mode="auto"), []
    worker = threading.Thread(target=lambda: added.append(ctx.turn(message)), name=thread)
    worker.start()
    worker.join()
    assert added == [""]


@pytest.mark.requirement("hermes:multimodal")
@pytest.mark.parametrize("message", [[{"type": "text", "text": DECK}], None, "", "  ", 7])
def test_a_message_that_is_no_text_is_left_alone(ordinary: Ordinary, message: Any) -> None:
    assert ordinary(mode="auto").turn(message) == ""


def test_of_an_expanded_skill_command_only_the_users_part_is_searched(ordinary: Ordinary) -> None:
    ctx = ordinary(mode="auto")
    assert CANARY in ctx.turn(f"[skill] a long body about bread|{DECK}")
    assert ctx.turn(f"[skill] {DECK}") == ""


@pytest.mark.parametrize(
    "history", [None, "x", [None, 3], [{"role": "user"}], [{"role": "user", "content": [{"a": 1}]}]]
)
def test_an_odd_history_does_no_harm(ordinary: Ordinary, history: Any) -> None:
    ctx = ordinary(mode="auto")
    found = ctx.hooks["pre_llm_call"](user_message=DECK, conversation_history=history)
    assert CANARY in found["context"]


@pytest.mark.requirement("hermes:spill")
@pytest.mark.parametrize("limit", [1500, 3000, None])
def test_the_text_stays_below_the_hosts_limit_for_hooks(ordinary: Ordinary, host: Host, limit: int | None) -> None:
    body = "A long procedure about tax returns.\n\n" * 2000
    host.skill("tax-return", "How to file the annual tax return", body)
    host.config = {"hooks": {"output_spill": {"max_chars": limit}}} if limit else {}
    added = ordinary(mode="auto", max_chars=10_000, max_body_chars=200_000).turn("file the annual tax return")
    assert (limit or 10_000) * 0.4 < len(added) <= (limit or 10_000)


def test_a_limit_that_leaves_no_room_for_any_skill_is_reported(ordinary: Ordinary, host: Host, said: Said) -> None:
    host.config = {"hooks": {"output_spill": {"max_chars": 500}}}
    host.skill("tax-return", "How to file the annual tax return", "A long procedure about tax returns.\n\n" * 2000)
    assert ordinary(mode="auto").turn("file the annual tax return") == ""
    (line,) = said()
    assert line.startswith("no_room: ")
    assert "500" in line


def test_a_switched_off_spill_leaves_the_setting_alone(ordinary: Ordinary, host: Host) -> None:
    host.skill("tax-return", "How to file the annual tax return", "A long procedure about tax returns.\n\n" * 2000)
    host.config = {"hooks": {"output_spill": {"enabled": False, "max_chars": 600}}}
    assert len(ordinary(mode="auto").turn("file the annual tax return")) > 600


@pytest.mark.requirement("hermes:hide-rules")
@pytest.mark.parametrize(
    ("name", "extra", "under", "shown"),
    [
        ("deck-off", "", "skills", False),
        ("deck-old", "", "skills/.archive", False),
        ("deck-elsewhere", "platforms: [amiga]\n", "skills", False),
        ("deck-here", "platforms: [macos, linux, windows]\n", "skills", True),
        ("deck-s6", "environments: [s6]\n", "skills", False),
        ("deck-docker", "environments: [docker]\n", "skills", True),
        ("deck-tool", "metadata:\n  hermes:\n    requires_tools: [missing]\n", "skills", False),
        ("deck-set", "metadata:\n  hermes:\n    requires_toolsets: [file]\n", "skills", True),
        ("deck-noset", "metadata:\n  hermes:\n    requires_toolsets: [web]\n", "skills", False),
        ("deck-fall", "metadata:\n  hermes:\n    fallback_for_tools: [read_file]\n", "skills", False),
        ("deck-fallset", "metadata:\n  hermes:\n    fallback_for_toolsets: [file]\n", "skills", False),
        ("deck-fallok", "metadata:\n  hermes:\n    fallback_for_toolsets: [web]\n", "skills", True),
    ],
)
def test_what_the_host_hides_is_hidden(
    ordinary: Ordinary, host: Host, name: str, extra: str, under: str, shown: bool
) -> None:
    host.disabled = {"deck-off"}
    host.tools[:] = ["read_file"]
    host.skill(name, "How to build the quarterly review deck for the board", "MARKER-55", extra, under=under)
    added = ordinary(mode="auto", top_k=5).turn(DECK)
    assert CANARY in added
    assert ("MARKER-55" in added) is shown


def test_external_folders_of_the_host_are_searched_and_further_ones_of_the_settings(
    ordinary: Ordinary, host: Host, tmp_path: Path
) -> None:
    host.skill("bread", "How to bake a sourdough loaf", "MARKER-1", under="external")
    host.skill("wine", "How to decant a bottle of port wine", "MARKER-2", under="further")
    host.external = [host.home / "external"]
    ctx = ordinary(mode="auto", skills_dirs=["further"])
    assert "skill_view" in ctx.turn("bake a sourdough loaf")
    added = ctx.turn("decant a bottle of port wine")
    assert "MARKER-2" in added
    assert "skill_view" not in added, "only we know that folder"


@pytest.mark.requirement("hermes:bad-mode-said")
@pytest.mark.parametrize("bad", ["atuo", "AUTO", "", True, None])
def test_a_mode_that_is_none_is_said_once_and_the_default_holds(ordinary: Ordinary, said: Said, bad: Any) -> None:
    """T10."""
    assert set(ordinary(mode=bad).tools) == {"skill_search", "skill_open"}
    (line,) = said()
    assert line.startswith("bad_settings: ")
    assert "mode" in line


@pytest.mark.requirement("hermes:deadline-bound")
def test_a_deadline_that_the_slot_would_break_is_refused_by_name(ordinary: Ordinary, said: Said) -> None:
    """T17."""
    ordinary(mode="auto", deadline_auto_s=8)
    (line,) = said()
    assert "deadline_auto_s" in line
    assert "7" in line


@pytest.mark.parametrize("text", ["{", "[1]", '"x"', "mode: auto"])
def test_a_config_file_that_is_no_object_is_named_and_left_alone(host: Host, said: Said, text: str) -> None:
    """T112."""
    path = host.home / "skillcaddy.json"
    path.write_text(text, encoding="utf-8")
    ctx = Context()
    skillcaddy_hermes.register(ctx)
    assert set(ctx.tools) == {"skill_search", "skill_open"}
    assert any(str(path) in line for line in said())
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.requirement("hermes:toolset-off-said")
@pytest.mark.requirement("hermes:tools-deferred-said")
@pytest.mark.parametrize(
    ("tools", "deferred", "code"),
    [
        (["read_file", "skill_search"], [], None),
        (["read_file"], [], "toolset_off"),
        (["read_file", "skill_search"], ["skill_search"], "tools_deferred"),
        (["read_file", "tool_search"], [], "tools_deferred"),
    ],
)
def test_tools_that_the_agent_does_not_get_are_reported_once(
    ordinary: Ordinary, host: Host, said: Said, tools: list[str], deferred: list[str], code: str | None
) -> None:
    host.tools[:] = tools
    host.deferred = set(deferred)
    ctx = ordinary(mode="on_demand")
    ctx.turn(DECK)
    ctx.turn(DECK)
    assert [line.partition(":")[0] for line in said()] == ([code] if code else [])


@pytest.mark.requirement("hermes:one-way-only")
def test_it_rests_while_the_slot_holds_us(ordinary: Ordinary, host: Host, said: Said) -> None:
    """T28."""
    host.config = {"memory": {"provider": "skillcaddy"}}
    host.providers.add("skillcaddy")
    ctx = ordinary(mode="auto")
    assert (ctx.tools, ctx.hooks, said()) == ({}, {}, [])


@pytest.mark.requirement("hermes:provider-name-said")
@pytest.mark.parametrize(
    ("provider", "code"),
    [("skillcaddy", "slot_without_folder"), ("skillcady", "slot_name_unknown"), ("memo", "slot_name_unknown")],
)
def test_a_slot_that_names_what_is_not_there_is_reported_and_the_plugin_serves(
    ordinary: Ordinary, host: Host, said: Said, provider: str, code: str
) -> None:
    host.config = {"memory": {"provider": provider}}
    assert "pre_llm_call" in ordinary(mode="auto").hooks
    (line,) = said()
    assert line.startswith(f"{code}: ")
    assert ("Did you mean" in line) is (provider == "skillcady")


@pytest.mark.requirement("hermes:beside-a-provider")
def test_another_provider_in_the_slot_is_none_of_our_business(ordinary: Ordinary, host: Host, said: Said) -> None:
    host.config = {"memory": {"provider": "holographic"}}
    assert CANARY in ordinary(mode="auto").turn(DECK)
    assert said() == []


@pytest.mark.requirement("hermes:engine-missing-said")
def test_without_the_engine_nothing_is_registered_and_the_log_says_what_to_run(
    host: Host, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entry, "find_spec", lambda name: None)
    ctx = Context()
    skillcaddy_hermes.register(ctx)
    assert (ctx.tools, ctx.hooks) == ({}, {})
    (line,) = said()
    assert line.startswith("engine_missing: ")
    assert "-m pip install skillcaddy" in line


def test_a_context_that_refuses_costs_a_line_and_no_exception(host: Host, said: Said) -> None:
    settle(host)

    class Refusing(Context):
        def register_hook(self, name: str, callback: Any) -> None:
            raise PermissionError("not here")

    skillcaddy_hermes.register(Refusing())
    (line,) = said()
    assert line.startswith("step_failed: ")
    assert "not here" in line


@pytest.mark.requirement("hermes:host-model")
def test_the_users_own_model_is_asked_with_a_time_limit_and_none_is_named(ordinary: Ordinary) -> None:
    ctx = ordinary(mode="auto", gate="on")
    ctx.llm.text = '{"ids": []}'
    assert ctx.turn(DECK) == ""
    (asked,) = ctx.llm.asked
    assert set(asked) == {"messages", "max_tokens", "timeout", "purpose"}
    assert 0 < asked["timeout"] <= 6
    assert {message["role"] for message in asked["messages"]} == {"system", "user"}


def test_a_model_without_a_word_falls_back_to_the_floor(ordinary: Ordinary) -> None:
    ctx = ordinary(mode="auto", gate="on")
    ctx.llm.text = "  "
    assert CANARY in ctx.turn(DECK)


def test_profiles_in_one_process_keep_to_their_own_home(ordinary: Ordinary, host: Host, tmp_path: Path) -> None:
    ctx = ordinary(mode="auto")
    assert CANARY in ctx.turn(DECK)
    host.home = tmp_path / "another"
    host.home.mkdir()
    assert ctx.turn(DECK) == ""
