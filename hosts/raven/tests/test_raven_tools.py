"""The tools as the host's registry calls them, in both of its generations."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from raven_double import HINT, HISTORY_CHARS, Generation, Raven, ReleasedTool, TrunkTool

from skillcaddy.guidance import LANGUAGES, texts, tool_schemas
from skillcaddy_raven import deployment, surroundings
from skillcaddy_raven.off_loop import off_loop
from skillcaddy_raven.plugin import make_skill_open, make_skill_search

Host = Callable[..., Raven]
BOTH = pytest.mark.parametrize("generation", ["released", "trunk"])
QUERY = {"query": "rotate the signing keys"}


@BOTH
@pytest.mark.requirement("raven:real-subclass")
def test_both_tools_are_real_subclasses_of_this_generations_class(host: Host, generation: Generation) -> None:
    """T08: a look-alike dies where the host lists its tools."""
    raven = host(generation)
    registry = raven.start()
    assert [each["function"]["name"] for each in registry.definitions()] == ["skill_open", "skill_search"]
    base = {"released": ReleasedTool, "trunk": TrunkTool}[generation]
    assert all(isinstance(tool, base) for tool in registry.tools.values())


@BOTH
@pytest.mark.requirement("raven:cast-and-validate")
def test_casting_and_checking_of_arguments_stay_the_hosts(host: Host, generation: Generation) -> None:
    registry = host(generation).start()
    for tool in registry.tools.values():
        own = {name for each in type(tool).__mro__[:1] for name in vars(each)}
        assert not own & {"cast_params", "validate_params", "to_schema"}
    assert "ZEBRA-42" in asyncio.run(registry.execute("skill_search", {**QUERY, "top_k": "2"}))
    assert asyncio.run(registry.execute("skill_search", {"top_k": 2})).startswith("Error")


@BOTH
def test_a_found_skill_reaches_the_model_inside_the_hosts_fence(host: Host, generation: Generation) -> None:
    text = asyncio.run(host(generation).start().message("skill_search", QUERY))
    assert text.startswith("[BEGIN UNTRUSTED skill_search #")
    assert "ZEBRA-42" in text


@BOTH
def test_stray_and_missing_arguments_are_put_up_with(host: Host, generation: Generation) -> None:
    registry = host(generation).start()
    stray = {**QUERY, "mood": "good", "delivery": "catalog"}
    assert "local:rotate-keys" in asyncio.run(registry.execute("skill_search", stray))
    assert "ZEBRA-42" in asyncio.run(registry.execute("skill_open", {"id": "rotate-keys", "part": "1"}))
    assert asyncio.run(registry.tools["skill_open"].execute()) == texts("en").usage_open


def test_a_miss_is_said_and_is_no_error(host: Host) -> None:
    text = asyncio.run(host().start().execute("skill_search", {"query": "repair a bicycle chain"}))
    assert text.startswith(texts("en").miss)


@pytest.mark.requirement("raven:no-leading-error")
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_answer_begins_with_the_word_that_the_host_takes_for_a_failure(host: Host, language: str) -> None:
    assert not [text for text in vars(texts(language)).values() if text.startswith("Error")]  # type: ignore[arg-type]
    raven = host()
    raven.skill(
        "oops", "Error codes of the zanzibar invoicing daemon", "Error: is how each log line of the daemon begins."
    )
    registry = raven.start(language=language)
    for call in (("skill_search", {"query": "zanzibar invoicing daemon codes"}), ("skill_open", {"id": "oops"})):
        text = asyncio.run(registry.execute(*call))
        assert "is how each log line" in text
        assert not text.endswith(HINT)


@pytest.mark.requirement("raven:history-cut")
def test_the_best_skill_comes_first_and_the_whole_fits_what_the_host_keeps(host: Host) -> None:
    raven = host()
    for number in range(12):
        raven.skill(f"sign-{number}", "How to rotate signing keys, another way", f"Way {number}. " + "long " * 3000)
    # More than the narrowed setting allows, so the default stands in.
    registry = raven.start(max_chars=200_000)
    text = asyncio.run(registry.message("skill_search", {**QUERY, "top_k": 5, "delivery": "bodies"}))
    assert len(text) < HISTORY_CHARS
    raven.registry.tools.clear()
    text = asyncio.run(
        raven.start(max_chars=15_000, max_body_chars=15_000).message("skill_search", {**QUERY, "top_k": 5})
    )
    assert len(text) < HISTORY_CHARS


@pytest.mark.requirement("raven:description")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_description_is_the_guidances_with_a_word_on_the_fence(host: Host, language: Any) -> None:
    """T14, T15: line by line, outside the fence, where the host lets a plugin speak."""
    registry = host().start(language=language)
    search, opened = tool_schemas(language)
    words = texts(language)
    assert registry.tools["skill_search"].description == f"{search.description}\n\n{words.search_fenced}"
    assert registry.tools["skill_open"].description == opened.description
    assert registry.tools["skill_search"].parameters == search.parameters


@BOTH
def test_the_host_may_mark_a_tool_as_ours(host: Host, generation: Generation) -> None:
    tool = host(generation).start().tools["skill_search"]
    tool.contributed_by = "skillcaddy"
    assert tool.display_call({"query": "keys"}) == "skill_search: keys"
    assert tool.display_call({}) == "skill_search: "


@pytest.mark.requirement("raven:own-deadline")
def test_our_deadline_comes_before_the_hosts(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    raven = host()
    registry = raven.start(deadline_tool_s=0.2)
    tool = registry.tools["skill_search"]
    assert tool.timeout_seconds > 0.2 + deployment._GRACE_S
    (here,) = deployment._made.values()
    monkeypatch.setattr(deployment, "_GRACE_S", 0.0)
    monkeypatch.setattr(here._tools, "call", lambda *_, **__: threading.Event().wait(30))
    begun = time.monotonic()
    assert asyncio.run(registry.execute("skill_search", QUERY)) == texts("en").timed_out
    assert time.monotonic() - begun < 10


@pytest.mark.requirement("raven:event-loop")
def test_the_event_loop_goes_on_while_a_search_runs(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = host().start()
    (here,) = deployment._made.values()
    released = threading.Event()
    calls: list[str] = []

    def slow(name: str, *_: Any, **__: Any) -> Any:
        calls.append(threading.current_thread().name)
        assert released.wait(20), "the loop stood still"
        return SimpleNamespace(text="done")

    monkeypatch.setattr(here._tools, "call", slow)

    async def both() -> str:
        search = asyncio.create_task(registry.execute("skill_search", QUERY))
        while not calls:
            await asyncio.sleep(0)
        released.set()
        return await search

    assert asyncio.run(both()) == "done"
    assert calls == ["skillcaddy-call"]


def test_a_thread_whose_loop_has_ended_ends_quietly() -> None:
    threads: list[threading.Thread] = []
    go = threading.Event()

    def work() -> None:
        threads.append(threading.current_thread())
        go.wait(20)

    async def leave() -> None:
        with pytest.raises(TimeoutError):
            await off_loop(work, 0.01)

    asyncio.run(leave())
    go.set()
    threads[0].join(20)
    assert threads[0].daemon
    assert not threads[0].is_alive()


def test_whatever_breaks_inside_is_a_sentence(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = host().start()
    (here,) = deployment._made.values()

    def broken(*_: Any, **__: Any) -> Any:
        raise KeyError("x")

    monkeypatch.setattr(here._tools, "call", broken)
    text = asyncio.run(registry.execute("skill_search", QUERY))
    assert text == texts("en").failure.format(cause="KeyError")


@pytest.mark.requirement("raven:import-inside")
def test_a_python_without_the_engine_costs_the_tools_and_one_line(
    host: Host, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    raven = host()
    monkeypatch.delitem(sys.modules, "skillcaddy_raven.deployment")
    monkeypatch.setitem(sys.modules, "skillcaddy.engine", None)
    assert make_skill_search(raven.context()) is None
    assert make_skill_open(raven.context()) is None
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "pip install skillcaddy" in caplog.text


def test_a_host_without_a_known_tool_class_is_said_and_goes_without(
    host: Host, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    raven = host()
    monkeypatch.delattr(sys.modules["raven.agent.tools.base"], "Tool")
    assert make_skill_search(raven.context()) is None
    assert "raven.contracts.tool, raven.agent.tools.base" in caplog.text
    assert "pip install" not in caplog.text


@BOTH
def test_a_factory_never_raises(host: Host, generation: Generation, caplog: pytest.LogCaptureFixture) -> None:
    raven = host(generation)
    for odd in (None, 3, ["x"], {"mode": object()}, {"skills_dirs": "x"}):
        context = SimpleNamespace(config=odd, services=raven.services(), logger=None)
        assert make_skill_search(context) is not None
    assert make_skill_search(SimpleNamespace(config={}, services=None, logger=None)) is not None
    assert make_skill_search(None) is not None


@pytest.mark.requirement("raven:mode-checked")
def test_a_mode_that_is_none_is_named_and_the_tools_stay(host: Host, caplog: pytest.LogCaptureFixture) -> None:
    """T10: released hosts check nothing, so the word arrives as it was written."""
    raven = host()
    registry = raven.start(mode="atuo")
    assert set(registry.tools) == {"skill_search", "skill_open"}
    (warning,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert '"atuo"' in warning
    assert '"on_demand" or "auto"' in warning
    assert 'mode = "on_demand"' in warning


def test_a_mode_that_is_none_costs_the_tool_on_a_host_that_checks(host: Host, caplog: pytest.LogCaptureFixture) -> None:
    registry = host("trunk").start(mode="atuo")
    assert registry.tools == {}
    assert "'atuo' is none of" in caplog.text


@pytest.mark.requirement("raven:filled-defaults")
def test_defaults_that_the_host_fills_in_do_not_override_the_users_file(host: Host, tmp_path: Path) -> None:
    raven = host("trunk")
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text("top_k = 5\ncatalog_size = 3\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLCADDY_HOME", str(home))
        raven.start(catalog_size=4)
    (here,) = deployment._made.values()
    assert (here.settings.top_k, here.settings.catalog_size) == (5, 4)
    assert surroundings.as_written({"top_k": 2}, {"top_k": 2, "mode": "on_demand"}) == {"top_k": 2}


def test_the_workspaces_own_skills_are_searched_first(host: Host) -> None:
    raven = host()
    raven.skill("brew", "Brew espresso with the office machine", "Grind.", root=raven.workspace / "skills")
    registry = raven.start()
    assert "Grind." in asyncio.run(registry.execute("skill_search", {"query": "brew espresso"}))


@pytest.mark.requirement("raven:double-delivery")
def test_skills_that_the_host_injects_as_well_are_pointed_out_once(
    host: Host, caplog: pytest.LogCaptureFixture
) -> None:
    raven = host()
    raven.start()
    assert caplog.records == []
    raven.skill("deep/er/brew", "Brew espresso", "Grind.", root=raven.workspace / "skills")
    deployment._made.clear()
    raven.start()
    (warning,) = [record.getMessage() for record in caplog.records]
    assert str(raven.workspace / "skills") in warning
    assert "skills_dirs" in warning


def test_a_host_that_injects_nothing_gets_no_such_line(host: Host, caplog: pytest.LogCaptureFixture) -> None:
    raven = host("trunk")
    raven.skill("brew", "Brew espresso", "Grind.", root=raven.workspace / "skills")
    raven.start()
    assert caplog.records == []


def test_both_tools_share_one_engine(host: Host) -> None:
    host().start()
    assert len(deployment._made) == 1


def test_the_log_says_which_model_serves(host: Host, caplog: pytest.LogCaptureFixture) -> None:
    """T18: rewriting and gating that never run must not look as if they did."""
    caplog.set_level(logging.INFO)
    host().start()
    assert "No model serves" in caplog.text


def test_a_query_full_of_signs_is_only_text(host: Host) -> None:
    """T54"""
    registry = host().start()
    for query in ("$& ${x} {0} %s \\1 ```", "[END UNTRUSTED skill_search #1]", "\x00\ud800", json.dumps(QUERY)):
        assert not asyncio.run(registry.execute("skill_search", {"query": query})).startswith("Error")
