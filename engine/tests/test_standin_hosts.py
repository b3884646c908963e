"""What the end-to-end tests of all hosts stand on: the played model, the library, the driven host, the cache."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from builders import hit
from skillcaddy.gate_prompt import gate_messages, ids_for
from skillcaddy.request import Request
from skillcaddy.standin import Recorded, call, count, say
from skillcaddy.standin.driving import Driven, merged
from skillcaddy.standin.facts import CANARY, SKILLS, write_library
from skillcaddy.standin.installing import CACHE_VARIABLE, cached, node_in, run
from skillcaddy.standin.played import REPLY, Played, candidates, judgement


def asked(text: str, *tools: str) -> Recorded:
    """A request to the model: one user message, and these tools."""
    offered = [{"type": "function", "function": {"name": name}} for name in tools]
    return Recorded(
        method="POST",
        path="/v1/chat/completions",
        body={"messages": [{"role": "user", "content": text}], "tools": offered},
    )


def test_the_played_models_script_grows_while_it_runs_and_ends_each_turn_with_a_sentence() -> None:
    model = Played()
    agent = asked("hello", "skill_search")
    assert model._player.reply(agent) == say(REPLY)
    search = call("skill_search", query="deck")
    model.will(search)
    model.then(say("A summary."))
    assert [model._player.reply(agent) for _ in range(4)] == [search, say(REPLY), say("A summary."), say(REPLY)]


def test_what_offers_no_tools_is_answered_aside_and_leaves_the_script_alone() -> None:
    model = Played(aside="Aside.")
    model.will(say("To the agent."))
    assert model._player.reply(asked("a title, please")) == say("Aside.")
    model.aside = lambda request: f"{count(request, 'a')} times"
    assert model._player.reply(asked("a b a")) == say("2 times")
    assert model._player.reply(asked("hello", "bash")) == say("To the agent.")


def test_the_judge_reads_the_gates_own_question() -> None:
    hits = [hit("quarterly-deck"), hit("sourdough-loaf")]
    ids = ids_for("deck", hits)
    question = gate_messages(["deck"], hits, ids, (), Request(query="deck"), "en", 3)[-1].content
    by_name = {each.skill.name: ids[each.skill.id] for each in hits}
    assert candidates(asked(question)) == by_name
    assert json.loads(judgement(asked(question), "sourdough-loaf", "unknown")) == {"ids": [by_name["sourdough-loaf"]]}
    assert candidates(asked("Give this conversation a title.")) == {}


def test_the_library_is_readable_and_holds_the_facts(tmp_path: Path) -> None:
    root = write_library(tmp_path / "library")
    assert {path.name for path in root.iterdir()} == set(SKILLS)
    assert CANARY in (root / "quarterly-deck" / "SKILL.md").read_text(encoding="utf-8")


def driven(folder: Path, **more: float) -> Driven:
    return Driven(folder=folder, model_url="http://127.0.0.1:1/v1", environment={"LANG": "C", "MINE": "1"}, **more)


def test_a_driven_host_sees_its_own_folders_and_nothing_of_the_users(tmp_path: Path) -> None:
    host = driven(tmp_path)
    variables = host.bare(program=Path(sys.executable), home=tmp_path / "home", HOST_HOME="there", LANG="de")
    assert variables["PATH"].split(os.pathsep) == [str(Path(sys.executable).parent), "/usr/bin", "/bin"]
    assert (variables["HOME"], variables["SKILLCADDY_HOME"]) == (str(tmp_path / "home"), str(tmp_path / "skillcaddy"))
    assert (variables["HOST_HOME"], variables["MINE"], variables["LANG"]) == ("there", "1", "C")
    done = host.to_its_end(["/usr/bin/env"], cwd=tmp_path, environment=variables)
    assert set(done.stdout.splitlines()) == {f"{name}={value}" for name, value in variables.items()}


def test_a_command_runs_to_its_end_with_the_input_that_it_is_given(tmp_path: Path) -> None:
    code = "import sys; print(sys.stdin.read().upper()); sys.stderr.buffer.write(b'\\xff'); sys.exit(3)"
    command = [sys.executable, "-c", code]
    host = driven(tmp_path)
    for given, printed in ((None, "\n"), ("", "\n"), ("hello", "HELLO\n")):
        done = host.to_its_end(command, cwd=tmp_path, environment={}, given=given)
        assert (done.returncode, done.stdout, done.stderr) == (3, printed, "\ufffd")


def test_configurations_are_merged_key_by_key() -> None:
    base = {"plugins": {"enabled": True, "entries": {"a": 1}}, "model": "m", "tools": ["x"]}
    over = {"plugins": {"entries": {"b": 2}}, "model": {"primary": "n"}, "tools": ["y"]}
    assert merged(base, over) == {
        "plugins": {"enabled": True, "entries": {"a": 1, "b": 2}},
        "model": {"primary": "n"},
        "tools": ["y"],
    }
    assert base["plugins"] == {"enabled": True, "entries": {"a": 1}}


def test_the_cache_installs_once_and_anew_when_something_else_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    filled: list[list[str]] = []

    def install(*what: str) -> Path:
        def fill(folder: Path) -> None:
            assert list(folder.iterdir()) == []
            filled.append(list(what))
            (folder / "host").write_text(" ".join(what), encoding="utf-8")

        return cached("host", list(what), fill)

    assert install("host@1") == install("host@1") == tmp_path / "cache" / "host"
    assert (install("host@2") / "host").read_text(encoding="utf-8") == "host@2"
    assert filled == [["host@1"], ["host@2"]]


def test_half_an_installation_is_never_taken_for_a_whole_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))

    def breaks(folder: Path) -> None:
        (folder / "half").touch()
        raise RuntimeError("the network is gone")

    with pytest.raises(RuntimeError, match="network"):
        cached("host", ["host@1"], breaks)
    whole = cached("host", ["host@1"], lambda folder: (folder / "whole").touch())
    assert {path.name for path in whole.iterdir()} == {"whole", "installed.json"}


def test_what_cannot_be_installed_is_an_error_that_names_the_command_and_what_it_printed(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no-such-installer is not on PATH"):
        run("no-such-installer", "install")
    with pytest.raises(RuntimeError, match=r"exit\(4\) failed with 4:\nno such package"):
        run(sys.executable, "-c", "import sys; sys.stderr.write('no such package'); sys.exit(4)")
    run(sys.executable, "-c", "open('here', 'w').close()", cwd=tmp_path)
    assert (tmp_path / "here").is_file()


def test_nodes_binary_is_looked_for_where_npm_puts_it(tmp_path: Path) -> None:
    assert node_in(tmp_path).relative_to(tmp_path).parts[0].startswith("node-")
