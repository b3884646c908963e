"""The MCP server as a client meets it: handshake, versions, tools, refusals, sampling, a clean end."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skillcaddy import __version__
from skillcaddy.deadline import Deadline
from skillcaddy.loaded import Loaded
from skillcaddy.mcp import VERSIONS, Server
from skillcaddy.mcp_tools import Toolbox
from skillcaddy.models import ChatModel, Message
from skillcaddy.paths import below
from skillcaddy.rpc import Peer, RpcError
from skillcaddy.sampling import SamplingModel
from skillcaddy.settings import Settings

SKILL = """---
name: rotate-signing-keys
description: How to rotate the release signing keys of the packaging service.
---
The vault phrase is ZEBRA-42.
"""


def request(id_: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def hello(version: str = VERSIONS[0], **capabilities: Any) -> dict[str, Any]:
    client = {"name": "test", "version": "0"}
    return request(0, "initialize", protocolVersion=version, capabilities=capabilities, clientInfo=client)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "skills" / "rotate"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL, encoding="utf-8")
    return folder.parent


@pytest.fixture
def loader(library: Path, tmp_path: Path) -> Callable[..., Callable[[], Loaded]]:
    def make(**settings: Any) -> Callable[[], Loaded]:
        made = Settings(skills_dirs=(str(library),), shared_library="off", **settings)
        return lambda: Loaded(settings=made, origins={}, locations=below(tmp_path / "state"))

    return make


def session(messages: list[Any], open_toolbox: Callable[..., Toolbox]) -> list[Any]:
    """Every line that the server answers to these lines."""
    written: list[bytes] = []
    data = b"".join(json.dumps(message).encode() + b"\n" for message in messages)
    peer = Peer(io.BytesIO(data).read, written.append)
    Server(peer, open_toolbox)
    peer.serve(drain_s=30)
    return [json.loads(line) for line in written]


def broken(_: Callable[[], ChatModel | None]) -> Toolbox:
    raise ImportError("no tantivy here")


@pytest.mark.parametrize("version", VERSIONS)
def test_every_handshake_version_is_agreed_to(version: str) -> None:
    (reply,) = session([hello(version)], broken)
    assert reply["result"] == {
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "skillcaddy", "version": __version__},
    }


@pytest.mark.parametrize("version", ["1999-01-01", "2026-07-28", "", None, 7, ["2025-11-25"]])
def test_the_newest_version_is_offered_to_a_client_that_asks_for_an_unknown_one(version: Any) -> None:
    """T36"""
    (reply,) = session([hello(version)], broken)
    assert reply["result"]["protocolVersion"] == "2025-11-25"


def test_initialize_without_params_is_answered() -> None:
    (reply,) = session([{"jsonrpc": "2.0", "id": 1, "method": "initialize"}], broken)
    assert reply["result"]["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("method", ["server/discover", "tools/list", "tools/call"])
def test_a_client_without_a_handshake_is_refused_with_the_versions_that_would_do(method: str) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": {}}
    (reply,) = session([request(1, method, _meta=meta)], broken)
    assert reply["error"]["code"] == -32022
    assert reply["error"]["data"] == {"supported": list(VERSIONS), "requested": "2026-07-28"}


def test_tools_before_initialize_are_refused_and_ping_is_not() -> None:
    replies = {reply["id"]: reply for reply in session([request(1, "tools/list"), request(2, "ping")], broken)}
    assert replies[1]["error"]["code"] == -32600
    assert replies[2]["result"] == {}


def test_notifications_unknown_methods_and_garbage_do_what_the_protocol_says() -> None:
    """T36"""
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    replies = session([hello(), note, request(1, "resources/list"), {"id": 5}, "x"], broken)
    assert [reply["id"] for reply in replies] == [0, 1, 5, None]
    assert [reply.get("error", {}).get("code") for reply in replies] == [None, -32601, -32600, -32600]


@pytest.mark.parametrize("version", VERSIONS)
def test_batches_are_served_by_the_one_version_that_has_them(version: str) -> None:
    replies = session([hello(version), [request(1, "ping"), request(2, "ping")]], broken)
    if version == "2025-03-26":
        assert sorted(reply["id"] for reply in replies[1]) == [1, 2]
    else:
        assert replies[1]["error"]["code"] == -32600


def test_a_server_whose_engine_cannot_load_stays_healthy_and_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    """T35"""
    call = request(2, "tools/call", name="skill_search", arguments={"query": "x"})
    replies = {reply["id"]: reply for reply in session([hello(), request(1, "tools/list"), call], broken)}
    assert replies[1]["result"] == {"tools": []}
    assert replies[2]["result"]["isError"] is True
    assert "no tantivy here" in replies[2]["result"]["content"][0]["text"]
    assert "no tantivy here" in capsys.readouterr().err


def test_on_demand_offers_both_tools_with_whole_descriptions_and_serves_them(
    loader: Callable[..., Callable[[], Loaded]],
) -> None:
    """T14: paragraphs survive on the wire."""
    search = request(2, "tools/call", name="skill_search", arguments={"query": "how do we rotate signing keys"})
    opened = request(3, "tools/call", name="skill_open", arguments={"id": "local:rotate"})
    miss = request(4, "tools/call", name="skill_search", arguments={"query": "quantum chess opening"})
    wrong = request(5, "tools/call", name="skill_search", arguments={})
    replies = session([hello(), request(1, "tools/list"), search, opened, miss, wrong], toolbox(loader()))
    results = {reply["id"]: reply["result"] for reply in replies}
    tools = {tool["name"]: tool for tool in results[1]["tools"]}
    assert set(tools) == {"skill_search", "skill_open"}
    assert "\n\n" in tools["skill_search"]["description"]
    assert tools["skill_search"]["inputSchema"]["required"] == ["query"]
    assert tools["skill_search"]["annotations"]["readOnlyHint"] is True
    assert "ZEBRA-42" in results[2]["content"][0]["text"]
    assert results[2]["isError"] is False
    assert "ZEBRA-42" in results[3]["content"][0]["text"]
    assert results[4]["isError"] is False
    assert "ZEBRA" not in results[4]["content"][0]["text"]
    assert results[5]["isError"] is True


def test_the_oldest_version_gets_tools_without_newer_members(loader: Callable[..., Callable[[], Loaded]]) -> None:
    replies = session([hello("2024-11-05"), request(1, "tools/list")], toolbox(loader()))
    assert all(set(tool) == {"name", "description", "inputSchema"} for tool in replies[1]["result"]["tools"])


def test_auto_offers_no_tool_and_refuses_a_stale_call(loader: Callable[..., Callable[[], Loaded]]) -> None:
    """T28, T35: exclusive from this end too, and a healthy process."""
    call = request(2, "tools/call", name="skill_search", arguments={"query": "rotate signing keys"})
    replies = session([hello(), request(1, "tools/list"), call], toolbox(loader(mode="auto"), injects=True))
    results = {reply["id"]: reply["result"] for reply in replies}
    assert results[1] == {"tools": []}
    assert results[2]["isError"] is True
    assert "ZEBRA-42" not in results[2]["content"][0]["text"]


def test_a_mode_changed_while_the_server_runs_takes_the_tools_away(
    loader: Callable[..., Callable[[], Loaded]],
) -> None:
    loads = [loader(), loader(mode="auto")]
    box = Toolbox(lambda: loads[0](), host="test")
    assert len(box.tools()) == 2
    del loads[0]
    assert box.tools() == []
    answer = box.call("skill_search", {"query": "rotate signing keys"})
    assert answer is not None
    assert answer.is_failure


def test_auto_on_a_client_that_cannot_inject_is_said_once(
    loader: Callable[..., Callable[[], Loaded]], capsys: pytest.CaptureFixture[str]
) -> None:
    box = Toolbox(loader(mode="auto"), host="mcp")
    box.tools()
    assert capsys.readouterr().err.count("SKILLCADDY_MODE=on_demand") == 1


def test_settings_warnings_reach_the_log_once(
    loader: Callable[..., Callable[[], Loaded]], capsys: pytest.CaptureFixture[str]
) -> None:
    """T10: a bad mode is never silent."""
    good = loader()()
    warned = replace(good, warnings=("mode 'atuo'",))
    Toolbox(lambda: warned, host="mcp").tools()
    assert capsys.readouterr().err.count("mode 'atuo'") == 1


@pytest.mark.parametrize(
    ("params", "code"),
    [({"name": "skill_serch"}, -32602), ({}, -32602), ({"name": "skill_search", "arguments": [1]}, -32602)],
)
def test_an_unknown_tool_or_a_malformed_call_is_a_protocol_error(
    loader: Callable[..., Callable[[], Loaded]], params: dict[str, Any], code: int
) -> None:
    """T36"""
    replies = session([hello(), request(1, "tools/call", **params)], toolbox(loader()))
    assert replies[1]["error"]["code"] == code


def toolbox(load: Callable[[], Loaded], **options: Any) -> Callable[..., Toolbox]:
    return lambda client_model: Toolbox(load, host="test", client_model=client_model, **options)


@pytest.mark.parametrize("content", [{"type": "text", "text": "yes"}, [{"type": "text", "text": "yes"}]])
def test_the_clients_model_is_asked_over_sampling_where_it_is_offered(content: Any) -> None:
    models: list[ChatModel | None] = []

    def ask(prompt: dict[str, Any]) -> Any:
        assert prompt["method"] == "sampling/createMessage"
        assert prompt["params"]["systemPrompt"] == "judge"
        assert prompt["params"]["messages"] == [{"role": "user", "content": {"type": "text", "text": "q"}}]
        assert prompt["params"]["maxTokens"] == 9
        return {"result": {"role": "assistant", "content": content, "model": "m"}}

    with connection(ask) as model:
        models.append(model)
        messages = [Message(role="system", content="judge"), Message(role="user", content="q")]
        reply = model.complete(messages, max_tokens=9, deadline=Deadline.after(20))
    assert (reply.text, reply.model) == ("yes", "m")


def test_a_client_that_refuses_sampling_raises_its_error() -> None:
    with (
        connection(lambda prompt: {"error": {"code": -1, "message": "User rejected"}}) as model,
        pytest.raises(RpcError, match="User rejected"),
    ):
        model.complete([Message(role="user", content="q")], max_tokens=9, deadline=Deadline.after(20))


def test_an_answer_without_text_is_an_error_and_no_empty_text() -> None:
    with (
        connection(lambda prompt: {"result": {"content": {"type": "image", "data": ""}}}) as model,
        pytest.raises(ValueError, match="without a text"),
    ):
        model.complete([Message(role="user", content="q")], max_tokens=9, deadline=Deadline.after(20))


def test_no_model_is_at_hand_when_the_client_offers_no_sampling() -> None:
    asked: list[ChatModel | None] = []
    answered = threading.Event()

    def open_toolbox(client_model: Callable[[], ChatModel | None]) -> Toolbox:
        answered.wait(20)
        asked.append(client_model())
        raise ImportError("enough")

    written: list[bytes] = []
    offers: list[tuple[dict[str, Any], type | None]] = [({}, None), ({"sampling": {}}, SamplingModel)]
    for capabilities, expected in offers:
        answered.clear()
        data = json.dumps(hello(VERSIONS[0], **capabilities)).encode() + b"\n"
        peer = Peer(io.BytesIO(data).read, written.append)
        server = Server(peer, open_toolbox)
        peer.serve()
        answered.set()
        assert server._opened.wait(20)
        assert asked[-1] is None if expected is None else isinstance(asked[-1], expected)


class connection:  # noqa: N801 - reads as a statement
    """A SamplingModel whose other side answers with `reply(request)`."""

    def __init__(self, reply: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        self._reply = reply

    def __enter__(self) -> SamplingModel:
        to_peer, feed = os.pipe()
        self._feed, self._source = feed, to_peer

        def write(line: bytes) -> None:
            message = json.loads(line)
            if "id" in message:
                answer = {"jsonrpc": "2.0", "id": message["id"], **self._reply(message)}
                os.write(feed, json.dumps(answer).encode() + b"\n")

        peer = Peer(lambda n: os.read(to_peer, n), write, cancel_method="notifications/cancelled")
        self._thread = threading.Thread(target=peer.serve, daemon=True)
        self._thread.start()
        return SamplingModel(peer)

    def __exit__(self, *_: object) -> None:
        os.close(self._feed)
        self._thread.join(20)
        os.close(self._source)


@pytest.fixture
def environment(library: Path, tmp_path: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "HOME") if name in os.environ}
    home = tmp_path / "home"
    return {**kept, "SKILLCADDY_HOME": str(home), "SKILLCADDY_SKILLS_DIRS": str(library)}


@pytest.fixture
def process(environment: dict[str, str], tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    # A workspace may hold anything; none of it may be imported.
    (tmp_path / "json.py").write_text("raise SystemExit('the workspace was imported')", encoding="utf-8")
    command = [sys.executable, "-P", "-m", "skillcaddy.mcp"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, cwd=tmp_path, **pipes) as started:  # type: ignore[call-overload]
        yield started
        started.kill()


def test_a_real_server_serves_a_session_and_ends_at_end_of_input(process: subprocess.Popen[bytes]) -> None:
    """T33, T34"""
    call = request(2, "tools/call", name="skill_search", arguments={"query": "rotate signing keys"})
    lines = b"".join(json.dumps(m).encode() + b"\n" for m in (hello(), request(1, "tools/list")))
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(lines)
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 0
    assert len(json.loads(process.stdout.readline())["result"]["tools"]) == 2
    process.stdin.write(json.dumps(call).encode() + b"\n")
    process.stdin.flush()
    assert "ZEBRA-42" in json.loads(process.stdout.readline())["result"]["content"][0]["text"]
    out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == (b"", b"", 0)


@pytest.mark.requirement("workbuddy:first-turn-window")
def test_the_handshake_needs_nothing_but_the_standard_library() -> None:
    code = (
        "import sys, skillcaddy.mcp\n"
        "heavy = {'dataclasses', 'typing', 'asyncio', 'pydantic', 'typer', 'rich', 'pluggy', 'tantivy', 'logging'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert subprocess.check_output([sys.executable, "-P", "-c", code], text=True).strip() == "[]"


def test_a_server_with_tools_and_an_engine_needs_none_of_the_heavy_imports(environment: dict[str, str]) -> None:
    # The settings are validated once, by whichever process comes first.
    first = "from skillcaddy.snapshot import load_fast; load_fast()"
    subprocess.run([sys.executable, "-P", "-c", first], env=environment, check=True)
    code = (
        "import sys\n"
        "from skillcaddy.mcp_tools import Toolbox\n"
        "from skillcaddy.snapshot import load_fast\n"
        "box = Toolbox(load_fast, host='mcp'); box.tools(); box.call('skill_search', {'query': 'rotate keys'})\n"
        "heavy = {'pydantic', 'typer', 'rich', 'asyncio', 'httpx', 'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-P", "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


def test_a_skills_option_that_is_wrong_ends_with_usage_and_not_on_the_wire(environment: dict[str, str]) -> None:
    command = [sys.executable, "-P", "-m", "skillcaddy.mcp", "--skils", "x"]
    run = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (2, "")
    assert "--skils" in run.stderr
