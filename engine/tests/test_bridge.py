"""The bridge as a JavaScript host meets it: handshake, turns, tools, sessions, the host's model, a clean end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from builders import write_skill
from skillcaddy import __version__
from skillcaddy.bridge import PROTOCOL, Bridge
from skillcaddy.bridge_desks import Desks, HostModel, troubles
from skillcaddy.deadline import Deadline
from skillcaddy.models import Message
from skillcaddy.reasons import Reason
from skillcaddy.rpc import Call, Peer, RpcError
from skillcaddy.settings import Settings
from skillcaddy.trace import Event, SourceReport, Trace

PATIENCE_S = 60.0
KEYS = "How do I rotate the signing keys of the packaging service?"
CERTIFICATES = "Please renew the TLS certificates of the staging cluster"


def write(root: Path, folder: str, description: str, fact: str) -> None:
    write_skill(root, folder, description, fact)


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    root = tmp_path / "skills"
    write(root, "rotate-signing-keys", "How to rotate the signing keys of the packaging service", "Phrase ZEBRA-42.")
    write(root, "bake-bread", "Bake a sourdough loaf in a cast iron pot", "Phrase RYE-7.")
    return root


class Host:
    """The shell's side of a connection to a bridge in this process."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        self._sockets = (ours, theirs)
        self.peer = Peer(ours.recv, ours.sendall)
        self.served = Peer(theirs.recv, theirs.sendall)
        Bridge(self.served)
        self.said: list[Any] = []
        self.peer.on("log", lambda call: self.said.append(call.params), inline=True)
        for peer in (self.peer, self.served):
            threading.Thread(target=peer.serve, daemon=True).start()

    def ask(self, method: str, **params: Any) -> Any:
        return self.peer.call(method, params, Deadline.after(PATIENCE_S))

    def hello(self, mode: str = "on_demand", **more: Any) -> Any:
        params: dict[str, Any] = {
            "protocol": PROTOCOL,
            "shell": "0.1.0",
            "host": {"id": "openclaw", "version": "2026.8.1"},
            "mode": mode,
            "settings": {},
            "folder": "",
            "retention": "turn" if mode == "auto" else "transcript",
            "limits": {"auto_default_s": 8},
            "model": False,
        }
        return self.ask("initialize", **{**params, **more})

    def search(self, query: str, **more: Any) -> Any:
        return self.ask("tool.call", name="skill_search", arguments={"query": query}, **more)

    def close(self) -> None:
        for each in self._sockets:
            each.shutdown(socket.SHUT_RDWR)
            each.close()


@pytest.fixture
def host() -> Iterator[Host]:
    with closing(Host()) as made:
        yield made


def test_nothing_heavy_is_imported_before_a_host_has_said_who_it_is() -> None:
    script = "import sys, skillcaddy.cli, skillcaddy.bridge; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"pydantic", "typer", "rich", "asyncio", "httpx", "numpy", "pluggy", "importlib.metadata", "tantivy"}
    assert not heavy & set(modules)


def test_a_host_is_told_the_version_and_its_deadlines(host: Host) -> None:
    answer = host.hello()
    assert answer == {
        "protocol": PROTOCOL,
        "version": __version__,
        "deadline_auto_s": 8,
        "deadline_tool_s": 20.0,
        "warnings": [],
    }
    assert host.hello() == answer


def test_another_protocol_is_refused_with_the_way_out(host: Host) -> None:
    with pytest.raises(RpcError, match=r"version 9\.9.*protocol 2.*speaks 1.*the plugin of that version into openclaw"):
        host.hello(protocol=2, shell="9.9")
    assert host.hello()["protocol"] == PROTOCOL


@pytest.mark.parametrize("method", ["turn.retrieve", "tool.call"])
def test_a_call_before_the_handshake_is_an_error(host: Host, method: str) -> None:
    with pytest.raises(RpcError, match="before initialize"):
        host.ask(method, prompt="x", name="skill_search")


def test_a_turn_gets_the_skill_that_fits(host: Host, skills: Path) -> None:
    host.hello("auto", settings={"skills_dirs": [str(skills)]})
    answer = host.ask("turn.retrieve", prompt=KEYS, session="s", tools=["exec"])
    assert "ZEBRA-42" in answer["text"]
    assert "RYE-7" not in answer["text"]
    assert answer["ids"] == ["local:rotate-signing-keys"]
    assert "delivered" in answer["reasons"]


@pytest.mark.parametrize("prompt", ["thanks, go on", "", "Wie geht es dir heute?"])
def test_an_unrelated_turn_gets_nothing(host: Host, skills: Path, prompt: str) -> None:
    host.hello("auto", settings={"skills_dirs": [str(skills)]})
    assert host.ask("turn.retrieve", prompt=prompt, session="s")["text"] == ""


def test_a_turn_without_a_prompt_is_an_error_that_the_next_one_survives(host: Host, skills: Path) -> None:
    host.hello("auto", settings={"skills_dirs": [str(skills)]})
    with pytest.raises(RpcError, match="needs a prompt"):
        host.ask("turn.retrieve", prompt=7)
    assert host.ask("turn.retrieve", prompt=KEYS)["text"]


def test_the_agents_tools_search_and_open(host: Host, skills: Path) -> None:
    host.hello(settings={"skills_dirs": [str(skills)]})
    assert "ZEBRA-42" in host.search(KEYS)["text"]
    opened = host.ask("tool.call", name="skill_open", arguments={"id": "local:bake-bread"})
    assert "RYE-7" in opened["text"]
    assert opened["failed"] is False
    assert "skill_search needs a query" in host.ask("tool.call", name="skill_search", arguments=None)["text"]


def test_a_tool_that_does_not_exist_is_an_error(host: Host) -> None:
    host.hello()
    with pytest.raises(RpcError, match="no tool 'skill_sing'"):
        host.ask("tool.call", name="skill_sing", arguments={})


def test_a_stale_tool_call_in_auto_mode_is_refused(host: Host, skills: Path) -> None:
    """T28: never both ways in one turn."""
    host.hello("auto", settings={"skills_dirs": [str(skills)]})
    answer = host.search(KEYS)
    assert "switched off" in answer["text"]
    assert "ZEBRA-42" not in answer["text"]
    assert answer["failed"] is True


def test_what_a_conversation_still_holds_is_not_repeated_until_it_is_cleared(host: Host, skills: Path) -> None:
    host.hello(settings={"skills_dirs": [str(skills)]})
    assert "ZEBRA-42" in host.search(KEYS, session="one")["text"]
    assert "ZEBRA-42" not in host.search(KEYS, session="one")["text"]
    assert "ZEBRA-42" in host.search(KEYS, session="two")["text"]
    host.peer.notify("session.clear", {"session": "one"})
    assert "ZEBRA-42" in host.search(KEYS, session="one")["text"]


def test_what_is_gone_after_the_turn_is_given_again(host: Host, skills: Path) -> None:
    host.hello("auto", settings={"skills_dirs": [str(skills)]})
    for _ in range(2):
        assert host.ask("turn.retrieve", prompt=KEYS, session="s")["text"].count("ZEBRA-42") == 1


def test_each_workspace_searches_its_own_folders_first_and_the_configured_ones_too(
    host: Host, skills: Path, tmp_path: Path
) -> None:
    write(tmp_path / "a", "renew-certificates", "Renew the TLS certificates of the staging cluster", "Use form ALPHA.")
    write(tmp_path / "b", "renew-certificates", "Renew the TLS certificates of the staging cluster", "Use form BETA.")
    host.hello(settings={"skills_dirs": [str(skills)]})
    found = {name: host.search(CERTIFICATES, roots=[str(tmp_path / name), str(tmp_path / "gone")]) for name in "ab"}
    assert "ALPHA" in found["a"]["text"]
    assert "BETA" not in found["a"]["text"]
    assert "BETA" in found["b"]["text"]
    assert "ZEBRA-42" in host.search(KEYS, roots=[str(tmp_path / "a")])["text"]


def test_a_relative_folder_from_a_host_is_not_searched(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        tmp_path / "skills",
        "renew-certificates",
        "Renew the TLS certificates of the staging cluster",
        "Use form ALPHA.",
    )
    monkeypatch.chdir(tmp_path)
    host.hello()
    assert "ALPHA" not in host.search(CERTIFICATES, roots=["skills", "", 7])["text"]


def test_a_skill_that_the_host_has_switched_off_is_hidden_in_the_hosts_folders_alone(
    host: Host, skills: Path, tmp_path: Path
) -> None:
    write(tmp_path / "a", "renew-certificates", "Renew the TLS certificates of the staging cluster", "Use form ALPHA.")
    host.hello(settings={"skills_dirs": [str(skills)]})
    hidden = {"roots": [str(tmp_path / "a")], "hidden": ["renew-certificates", "rotate-signing-keys"]}
    assert "ALPHA" not in host.search(CERTIFICATES, **hidden)["text"]
    assert "ZEBRA-42" in host.search(KEYS, **hidden)["text"]


def test_sessions_and_workspaces_are_served_at_once(host: Host, tmp_path: Path) -> None:
    for name in "abcdef":
        write(
            tmp_path / name,
            "renew-certificates",
            "Renew the TLS certificates of the staging cluster",
            f"Use form {name * 3}.",
        )
    host.hello("auto")
    texts: dict[str, str] = {}

    def turn(name: str) -> None:
        for number in range(5):
            asked = {"prompt": CERTIFICATES, "session": f"{name}{number}", "roots": [str(tmp_path / name)]}
            texts[f"{name}{number}"] = host.ask("turn.retrieve", **asked)["text"]

    threads = [threading.Thread(target=turn, args=(name,)) for name in "abcdef"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert len(texts) == 30
    assert all(f"Use form {session[0] * 3}." in text for session, text in texts.items())


@pytest.mark.parametrize(
    ("settings", "named"),
    [({"mode": "atuo"}, '"atuo"'), ({"top_k": "8"}, "top_k"), ({"skill_dirs": ["x"]}, "skill_dirs")],
)
def test_what_is_wrong_in_the_hosts_configuration_is_named_and_the_rest_is_used(
    host: Host, skills: Path, settings: dict[str, Any], named: str
) -> None:
    """T10, T20: neither silence nor the loss of the whole configuration."""
    (warning,) = host.hello(settings={"skills_dirs": [str(skills)], **settings})["warnings"]
    assert named in warning
    assert "openclaw" in warning
    assert "ZEBRA-42" in host.search(KEYS)["text"]


def test_a_mode_in_the_shared_file_that_the_shell_could_not_see_is_reported(host: Host) -> None:
    Path(os.environ["SKILLCADDY_HOME"], "config.toml").write_text('mode = "auto"\n', encoding="utf-8")
    (warning,) = host.hello("on_demand")["warnings"]
    assert "'auto'" in warning
    assert "config.toml" in warning
    assert "on_demand" in warning


@pytest.mark.parametrize(
    ("settings", "limits", "seconds", "warned"),
    [
        ({}, {"auto_default_s": 12, "auto_cap_s": 12}, 12, False),
        ({"deadline_auto_s": 3.5}, {"auto_default_s": 12, "auto_cap_s": 12}, 3.5, False),
        ({"deadline_auto_s": 30.0}, {"auto_default_s": 12, "auto_cap_s": 12}, 12, True),
        ({}, {}, Settings().deadline_auto_s, False),
        ({}, {"auto_default_s": "soon", "auto_cap_s": True}, Settings().deadline_auto_s, False),
    ],
)
def test_a_deadline_is_never_longer_than_the_host_waits(
    host: Host, settings: dict[str, Any], limits: dict[str, Any], seconds: float, warned: bool
) -> None:
    """T17: a promise beyond the host's own limit is cut, and said."""
    answer = host.hello("auto", settings=settings, limits=limits)
    assert answer["deadline_auto_s"] == seconds
    assert [("30" in text and "12" in text) for text in answer["warnings"]] == [True] * warned


def test_a_message_of_ten_megabytes_is_served(host: Host, skills: Path) -> None:
    host.hello("auto", settings={"skills_dirs": [str(skills)]})
    assert "ZEBRA-42" in host.ask("turn.retrieve", prompt=KEYS + " x" * 5_000_000)["text"]


def test_the_hosts_model_is_asked_over_the_same_wire(host: Host) -> None:
    asked: list[Any] = []

    def answer(call: Call) -> Any:
        asked.append(call.params)
        return {"text": "SHARP", "model": "acme/large", "tokens_in": 3, "tokens_out": 1}

    host.peer.on("model.complete", answer)
    reply = complete_over(host, Deadline.after(PATIENCE_S))
    assert (reply.text, reply.model, reply.tokens_in, reply.tokens_out) == ("SHARP", "acme/large", 3, 1)
    assert asked[0]["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hm?"}]
    assert asked[0]["max_tokens"] == 16
    assert asked[0]["turn"] == 77
    assert 0 < asked[0]["deadline_s"] <= PATIENCE_S


def test_a_turn_is_judged_by_the_hosts_model_in_that_turns_name(host: Host, skills: Path) -> None:
    """The model is asked from another thread than the turn's; the host must still be able to tell whose it is."""
    asked: list[Any] = []

    def answer(call: Call) -> Any:
        asked.append(call.params)
        return {"text": '{"ids": []}'}

    host.peer.on("model.complete", answer)
    host.hello("auto", settings={"skills_dirs": [str(skills)], "rewrite": "off"}, model=True)
    found = host.ask("turn.retrieve", prompt=KEYS)
    assert found["text"] == ""
    assert "gate_ran" in found["reasons"]
    assert [params["turn"] is not None for params in asked] == [True]


@pytest.mark.parametrize("reply", [{}, {"text": None}, "SHARP", None])
def test_a_reply_without_text_is_an_error_of_the_model(host: Host, reply: Any) -> None:
    host.peer.on("model.complete", lambda call: reply)
    with pytest.raises(ValueError, match="no text"):
        complete_over(host, Deadline.after(PATIENCE_S))


def test_a_model_that_hangs_is_left_at_the_deadline(host: Host) -> None:
    gate = threading.Event()
    host.peer.on("model.complete", lambda call: gate.wait(PATIENCE_S))
    with pytest.raises(TimeoutError):
        complete_over(host, Deadline.after(0.2))
    gate.set()


def test_a_turn_that_was_called_off_asks_no_model(host: Host) -> None:
    asked: list[Any] = []
    host.peer.on("model.complete", lambda call: asked.append(call) or {"text": "x"})
    with pytest.raises(TimeoutError):
        complete_over(host, Deadline.after(PATIENCE_S), cancelled=True)
    assert asked == []


def complete_over(host: Host, deadline: Deadline, *, cancelled: bool = False) -> Any:
    """A completion through the bridge's end of this host's connection, on behalf of call 77."""
    model = HostModel(host.served)
    call = Call(host.served, "turn.retrieve", {}, 77, 0, lambda answer: None)
    if cancelled:
        call.cancelled.set()
    messages = [Message(role="system", content="Be brief."), Message(role="user", content="Hm?")]
    with model.serving(call):
        return model.complete(messages, max_tokens=16, deadline=deadline)


@pytest.mark.parametrize(("source", "served"), [("auto", True), ("host", True), ("endpoint", False), ("off", False)])
def test_the_hosts_model_serves_unless_a_setting_says_otherwise(
    host: Host, skills: Path, source: Any, served: bool
) -> None:
    settings = Settings(skills_dirs=(str(skills),), model_source=source, shared_library="off")
    desks = Desks(settings, mode="auto", host="openclaw", retention="turn", model=HostModel(host.served))
    call = Call(host.served, "turn.retrieve", {}, 1, 0, lambda answer: None)
    answer = desks.retrieve(call, KEYS, (), {}, PATIENCE_S)
    assert ("no_model" in answer["reasons"]) is not served


def test_an_empty_turn_with_a_cause_is_told_apart_from_a_miss() -> None:
    report = SourceReport(
        source="shop",
        query="q",
        limit=5,
        found=0,
        refused=0,
        reason=Reason.SOURCE_FAILED,
        elapsed_ms=1,
        detail="HTTP 500",
    )
    events = (
        Event(step="search", reason=Reason.STEP_FAILED, detail="KeyError: 'x'"),
        Event(step="deadline", reason=Reason.DEADLINE_REACHED),
        Event(step="relevance", reason=Reason.NO_MATCH),
    )
    assert troubles(Trace(events=events, sources=(report,))) == [
        "search: KeyError: 'x' [step_failed]",
        "deadline: The deadline came before every step was done; what was ready is returned. [deadline_reached]",
        "source shop: HTTP 500 [source_failed]",
    ]
    assert troubles(Trace()) == []


def test_a_folder_that_is_not_there_reaches_the_hosts_log(host: Host, tmp_path: Path) -> None:
    host.hello("auto", settings={"skills_dirs": [str(tmp_path / "gone")]})
    host.ask("turn.retrieve", prompt=KEYS)
    assert any("root_missing" in said["message"] and said["level"] == "warn" for said in host.said)


def test_a_plugin_that_cannot_be_loaded_costs_itself_alone(
    host: Host, skills: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "site" / "broken-1.0.dist-info"
    broken.mkdir(parents=True)
    (broken / "entry_points.txt").write_text("[skillcaddy]\nbroken = no_such_module\n", encoding="utf-8")
    (broken / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path, str(broken.parent)])
    host.hello(settings={"skills_dirs": [str(skills)]})
    assert "ZEBRA-42" in host.search(KEYS)["text"]
    assert "no_such_module" in host.said[0]["message"]


# The real process


def line(id_: int, method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).encode() + b"\n"


def hello_line(skills: Path) -> bytes:
    host = {"id": "openclaw", "version": "2026.8.1"}
    settings = {"skills_dirs": [str(skills)]}
    return line(1, "initialize", protocol=PROTOCOL, host=host, mode="on_demand", settings=settings, retention="turn")


@pytest.fixture
def child() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        command = [sys.executable, "-m", "skillcaddy", "bridge", *arguments]
        child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env={**os.environ, **environment})
        started.append(child)
        return child

    yield start
    for child in started:
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout, child.stderr):
            if stream is not None:
                stream.close()


Start = Callable[..., "subprocess.Popen[bytes]"]


def answers_among(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The answers among what a child says; a fresh environment may have things to log in between."""
    for said in map(json.loads, lines):
        if "method" not in said:
            yield said


def next_answer(stream: Iterable[bytes]) -> dict[str, Any]:
    return next(answers_among(stream))


def test_a_real_child_serves_over_its_pipes_and_ends_with_its_input(child: Start, skills: Path) -> None:
    search = line(2, "tool.call", name="skill_search", arguments={"query": KEYS})
    running = child()
    assert running.stdin is not None
    assert running.stdout is not None
    running.stdin.write(b"\xff garbage {]\n" + hello_line(skills))
    running.stdin.flush()
    answers = {answer["id"]: answer for answer in (next_answer(running.stdout) for _ in range(2))}
    assert set(answers) == {None, 1}
    assert answers[1]["result"]["protocol"] == PROTOCOL
    running.stdin.write(search)
    running.stdin.flush()
    assert "ZEBRA-42" in next_answer(running.stdout)["result"]["text"]
    running.stdin.close()
    assert running.wait(PATIENCE_S) == 0


def test_a_child_whose_host_is_killed_ends_by_itself(skills: Path) -> None:
    script = (
        "import os, signal, subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-m', 'skillcaddy', 'bridge'], stdin=subprocess.PIPE)\n"
        "print(child.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    # The child shares our pipe, so that it closes when the child is gone too.
    died = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=PATIENCE_S, check=False)
    assert died.returncode == -signal.SIGKILL
    assert died.stdout.strip().isdigit()


def test_stray_prints_cannot_break_the_wire(child: Start, skills: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    noise = "import builtins, skillcaddy.tools\nold = skillcaddy.tools.Tools.call\n"
    noise += "def call(*a, **k):\n    print('NOISE', flush=True)\n    return old(*a, **k)\n"
    noise += "skillcaddy.tools.Tools.call = call\n"
    (site / "usercustomize.py").write_text("", encoding="utf-8")
    (site / "sitecustomize.py").write_text(noise, encoding="utf-8")
    running = child(PYTHONPATH=str(site))
    assert running.stdin is not None
    assert running.stdout is not None
    running.stdin.write(hello_line(skills))
    running.stdin.flush()
    assert json.loads(running.stdout.readline())["id"] == 1
    running.stdin.write(line(2, "tool.call", name="skill_search", arguments={"query": KEYS}))
    running.stdin.flush()
    assert "ZEBRA-42" in json.loads(running.stdout.readline())["result"]["text"]
    out, err = running.communicate(timeout=PATIENCE_S)
    assert out == b""
    assert b"NOISE" in err


def test_a_child_that_is_given_arguments_says_that_it_takes_none(child: Start) -> None:
    running = child("--mode", "auto")
    out, err = running.communicate(timeout=PATIENCE_S)
    assert (running.returncode, out) == (2, b"")
    assert b"takes no arguments" in err
