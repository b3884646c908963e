"""The peer under the MCP server and the JS bridges: every request gets one reply, whatever else arrives."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillcaddy import wire
from skillcaddy.deadline import Deadline
from skillcaddy.rpc import BUSY, CANCELLED, Call, Peer, PeerGone, RpcError

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
IDS = st.integers() | st.text(max_size=8)


def encode(*messages: Any) -> bytes:
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def request(id_: Any, method: str, params: Any = None) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": id_, "method": method}
    return message if params is None else {**message, "params": params}


def exchange(data: bytes, setup: Callable[[Peer], object] = lambda peer: None, **options: Any) -> list[Any]:
    """What a peer with an `echo` method writes when it is fed these bytes."""
    written: list[bytes] = []
    peer = Peer(io.BytesIO(data).read, written.append, **options)
    peer.on("echo", lambda call: call.params)
    peer.on("ping", lambda call: {}, inline=True)
    setup(peer)
    peer.serve(drain_s=20)
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in written)
    return [json.loads(line) for line in written]


class Wire:
    """A peer under test served in a thread, with the other side of its connection in the test's hands."""

    def __init__(self, setup: Callable[[Peer], object], **options: Any) -> None:
        incoming, self._feed = os.pipe()
        outgoing, written = os.pipe()
        self._out = os.fdopen(outgoing, "rb")
        self._files = [incoming, written]
        self.peer = Peer(lambda n: os.read(incoming, n), lambda data: os.write(written, data), **options)
        self.peer.on("ping", lambda call: {}, inline=True)
        setup(self.peer)
        self._thread = threading.Thread(target=self.peer.serve, daemon=True)
        self._thread.start()

    def send(self, *messages: Any) -> None:
        os.write(self._feed, encode(*messages))

    def receive(self) -> Any:
        return json.loads(self._out.readline())

    def end(self) -> None:
        os.close(self._feed)
        self._thread.join(20)
        assert not self._thread.is_alive()
        for descriptor in self._files:
            os.close(descriptor)
        self._out.close()


def test_a_request_is_answered_with_its_own_id() -> None:
    assert exchange(encode(request("a", "echo", {"x": 1}))) == [{"jsonrpc": "2.0", "id": "a", "result": {"x": 1}}]


def test_a_notification_is_never_answered() -> None:
    """T36"""
    known = {"jsonrpc": "2.0", "method": "echo", "params": {}}
    assert exchange(encode(known, {**known, "method": "unknown"})) == []


def test_an_unknown_method_is_named_in_its_error() -> None:
    """T36"""
    (reply,) = exchange(encode(request(1, "tools/lisst")))
    assert reply["error"]["code"] == -32601
    assert "tools/lisst" in reply["error"]["message"]


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"\xff\xfe{}",
        b"nonsense",
        b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}',
        b"[" * 100_000,
        b'"\\ud8',
        b"1" * 9000,
    ],
)
def test_garbage_is_answered_with_a_parse_error_and_survived(line: bytes) -> None:
    """T36"""
    replies = exchange(line + b"\n" + encode(request(7, "ping")))
    assert replies[0]["error"]["code"] in (-32700, -32600)
    assert replies[0]["id"] is None
    assert replies[1] == {"jsonrpc": "2.0", "id": 7, "result": {}}


@pytest.mark.parametrize(
    ("message", "id_"),
    [
        (17, None),
        ({"jsonrpc": "2.0", "id": 1}, 1),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, 1),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": [1], "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": 1, "method": 5}, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": "x"}, 1),
        ([], None),
        ([request(1, "ping")], None),
    ],
)
def test_a_message_that_is_no_request_gets_an_invalid_request_error(message: Any, id_: Any) -> None:
    (reply,) = exchange(encode(message))
    assert (reply["error"]["code"], reply["id"]) == (-32600, id_)


def test_an_id_that_json_cannot_echo_is_refused() -> None:
    (reply,) = exchange(b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}\n')
    assert (reply["error"]["code"], reply["id"]) == (-32600, None)


def test_blank_lines_a_byte_order_mark_and_windows_line_ends_do_no_harm() -> None:
    line = json.dumps(request(1, "ping")).encode()
    assert len(exchange(b"\xef\xbb\xbf" + line + b"\r\n\r\n  \n" + line)) == 2


def test_a_last_line_without_a_newline_is_served() -> None:
    assert exchange(json.dumps(request(1, "ping")).encode())[0]["result"] == {}


def test_a_line_of_ten_megabytes_comes_back_whole() -> None:
    text = "é" * 5_000_000
    (reply,) = exchange(json.dumps(request(1, "echo", {"t": text}), ensure_ascii=False).encode() + b"\n")
    assert reply["result"]["t"] == text


def test_an_overlong_line_is_refused_and_the_next_one_served() -> None:
    replies = exchange(b"x" * 3000 + b"\n" + encode(request(1, "ping")), max_line=1000)
    assert replies[0]["error"]["code"] == -32600
    assert replies[1]["id"] == 1


def test_a_batch_is_answered_in_one_line_where_the_version_allows_it() -> None:
    batch = [request(1, "echo", {"a": 1}), {"jsonrpc": "2.0", "method": "echo"}, request(2, "ping"), 5]
    (replies,) = exchange(encode(batch), batches=True)
    assert sorted(str(reply["id"]) for reply in replies) == ["1", "2", "None"]


def test_a_batch_of_notifications_is_not_answered() -> None:
    assert exchange(encode([{"jsonrpc": "2.0", "method": "echo"}]), batches=True) == []


def test_an_error_in_a_handler_becomes_a_reply_that_gives_nothing_away(capsys: pytest.CaptureFixture[str]) -> None:
    def fail(call: Call) -> None:
        raise ValueError("the key is hunter2")

    (reply,) = exchange(encode(request(1, "fail")), lambda peer: peer.on("fail", fail))
    assert reply["error"]["code"] == -32603
    assert "hunter2" not in json.dumps(reply)
    assert "fail failed: ValueError" in capsys.readouterr().err


def test_a_handler_that_calls_exit_does_not_end_the_server() -> None:
    def leave(call: Call) -> None:
        raise SystemExit(3)

    replies = exchange(encode(request(1, "leave"), request(2, "ping")), lambda peer: peer.on("leave", leave))
    assert {reply["id"] for reply in replies} == {1, 2}


def test_an_answer_that_is_no_json_becomes_an_error_reply() -> None:
    replies = exchange(
        encode(request(1, "odd"), [request(2, "odd"), request(3, "ping")]),
        lambda peer: peer.on("odd", lambda call: {"x": object()}),
        batches=True,
    )
    flat = {reply["id"]: reply for line in replies for reply in (line if isinstance(line, list) else [line])}
    assert flat[1]["error"]["code"] == flat[2]["error"]["code"] == -32603
    assert flat[3]["result"] == {}


def test_a_refusal_by_the_screen_reaches_the_caller() -> None:
    def screen(call: Call) -> None:
        raise RpcError(-32002, "say hello first", {"why": "order"})

    (reply,) = exchange(encode(request(1, "ping")), lambda peer: setattr(peer, "screen", screen))
    assert reply["error"] == {"code": -32002, "message": "say hello first", "data": {"why": "order"}}


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=400))
def test_no_bytes_can_crash_a_peer(data: bytes) -> None:
    exchange(data, batches=True)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_reply_is_lost_doubled_or_mixed_up_among_any_messages(data: st.DataObject) -> None:
    sent: list[tuple[Any, Any]] = []
    stream = b""
    for number in range(data.draw(st.integers(0, 12))):
        kind = data.draw(st.sampled_from(["request", "notification", "garbage", "reply", "anything", "cancel"]))
        if kind == "request":
            params = data.draw(st.dictionaries(st.text(max_size=5), JSON_VALUES, max_size=3))
            id_ = f"{number}:{data.draw(IDS)}"
            sent.append((id_, params))
            stream += encode(request(id_, data.draw(st.sampled_from(["echo", "echo", "nothing"])), params))
        elif kind == "notification":
            stream += encode({"jsonrpc": "2.0", "method": data.draw(st.text(max_size=8))})
        elif kind == "garbage":
            stream += data.draw(st.binary(max_size=60)).replace(b"\n", b"") + b"\n"
        elif kind == "reply":
            stream += encode({"jsonrpc": "2.0", "id": data.draw(IDS), "result": data.draw(JSON_VALUES)})
        elif kind == "cancel":
            stream += encode({"jsonrpc": "2.0", "method": "$/cancel", "params": data.draw(JSON_VALUES)})
        else:
            stream += encode(data.draw(JSON_VALUES))
    replies = [reply for reply in exchange(stream) if isinstance(reply["id"], str)]
    assert sorted(reply["id"] for reply in replies) == sorted(id_ for id_, _ in sent)
    results = {reply["id"]: reply["result"] for reply in replies if "result" in reply}
    assert all(results.get(id_, params) == params for id_, params in sent)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200), st.lists(st.integers(1, 9), min_size=1, max_size=9), st.integers(3, 300))
def test_lines_are_the_same_however_the_stream_is_cut(data: bytes, sizes: list[int], limit: int) -> None:
    stream, turn = io.BytesIO(data), iter(sizes * 200)
    expected = [line if len(line) <= limit else None for line in data.split(b"\n")]
    if expected[-1] == b"":
        expected.pop()
    assert list(wire.lines(lambda _: stream.read(next(turn)), limit)) == expected


def test_a_handler_can_ask_the_other_side_and_use_its_answer() -> None:
    def ask(call: Call) -> Any:
        return {"heard": call.peer.call("model.complete", {"q": 1}, Deadline.after(20))}

    link = Wire(lambda peer: peer.on("ask", ask))
    link.send(request(1, "ask"))
    question = link.receive()
    assert (question["method"], question["params"]) == ("model.complete", {"q": 1})
    link.send({"jsonrpc": "2.0", "id": 999, "result": "unknown ids are ignored"})
    link.send({"jsonrpc": "2.0", "id": question["id"], "result": "yes"})
    assert link.receive() == {"jsonrpc": "2.0", "id": 1, "result": {"heard": "yes"}}
    link.end()


def test_the_other_sides_error_is_raised_with_its_code() -> None:
    caught: list[RpcError] = []

    def ask(call: Call) -> Any:
        try:
            call.peer.call("x", None, Deadline.after(20))
        except RpcError as error:
            caught.append(error)
        return "survived"

    link = Wire(lambda peer: peer.on("ask", ask))
    link.send(request(1, "ask"))
    link.send({"jsonrpc": "2.0", "id": link.receive()["id"], "error": {"code": -7, "message": "no", "data": [1]}})
    assert link.receive()["result"] == "survived"
    assert (caught[0].code, caught[0].message, caught[0].data) == (-7, "no", [1])
    link.end()


def test_a_call_without_an_answer_ends_at_its_deadline_and_is_called_off() -> None:
    def ask(call: Call) -> Any:
        with pytest.raises(TimeoutError):
            call.peer.call("slow", None, Deadline.after(0.01))
        return "late"

    link = Wire(lambda peer: peer.on("ask", ask))
    link.send(request(1, "ask"))
    number = link.receive()["id"]
    assert link.receive() == {"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": number}}
    assert link.receive()["result"] == "late"
    link.end()


def test_end_of_input_wakes_a_handler_that_waits_for_the_other_side() -> None:
    caught: list[type[BaseException]] = []

    def ask(call: Call) -> Any:
        try:
            return call.peer.call("never", None, None)
        except PeerGone as error:
            caught.append(type(error))
            return None

    link = Wire(lambda peer: peer.on("ask", ask))
    link.send(request(1, "ask"))
    link.receive()
    link.end()
    assert caught == [PeerGone]


def test_calling_from_the_reading_thread_is_refused_before_it_can_hang() -> None:
    link = Wire(lambda peer: peer.on("ask", lambda call: call.peer.call("x"), inline=True))
    link.send(request(1, "ask"))
    assert link.receive()["error"]["code"] == -32603
    link.end()


@pytest.mark.parametrize("method", ["$/cancel", "notifications/cancelled"])
def test_a_cancelled_request_is_told_so_and_only_the_bridges_word_is_confirmed(method: str) -> None:
    started, seen = threading.Event(), threading.Event()

    def wait(call: Call) -> Any:
        started.set()
        assert call.cancelled.wait(20)
        seen.set()
        return "too late"

    link = Wire(lambda peer: peer.on("wait", wait))
    link.send(request(1, "wait"))
    assert started.wait(20)
    link.send({"jsonrpc": "2.0", "method": method, "params": {"id": 1, "requestId": 1}})
    if method == "$/cancel":
        assert link.receive()["error"]["code"] == CANCELLED
    assert seen.wait(20)
    link.send(request(2, "ping"))
    assert link.receive()["id"] == 2
    link.end()


def test_requests_run_side_by_side_and_pings_overtake_them() -> None:
    gate, both = threading.Event(), threading.Barrier(2)

    def wait(call: Call) -> Any:
        both.wait(20)
        gate.wait(20)
        return "done"

    link = Wire(lambda peer: peer.on("wait", wait))
    link.send(request(1, "wait"), request(2, "wait"), request(3, "ping"))
    assert link.receive()["id"] == 3
    gate.set()
    assert {link.receive()["id"], link.receive()["id"]} == {1, 2}
    link.end()


def test_a_full_queue_makes_the_reader_wait_and_loses_nothing() -> None:
    requests = [request(number, "echo", {"n": number}) for number in range(500)]
    replies = exchange(encode(*requests), workers=2, backlog=3)
    assert sorted(reply["result"]["n"] for reply in replies) == list(range(500))


def test_a_full_queue_refuses_the_surplus_while_an_answer_must_still_be_read() -> None:
    link = Wire(lambda peer: peer.on("ask", lambda call: call.peer.call("x", None, None)), workers=1, backlog=1)
    link.send(request("a", "ask"))
    first = link.receive()
    link.send(request("b", "ask"), request("c", "ask"))
    refused = link.receive()
    assert (refused["id"], refused["error"]["code"]) == ("c", BUSY)
    link.send({"jsonrpc": "2.0", "id": first["id"], "result": 1})
    second, answer = sorted((link.receive(), link.receive()), key=lambda message: "method" not in message)
    assert answer == {"jsonrpc": "2.0", "id": "a", "result": 1}
    link.send({"jsonrpc": "2.0", "id": second["id"], "result": 2})
    assert link.receive() == {"jsonrpc": "2.0", "id": "b", "result": 2}
    link.end()


def test_a_closed_reader_ends_the_writing_quietly() -> None:
    def broken(_: bytes) -> None:
        raise BrokenPipeError

    peer = Peer(io.BytesIO(encode(request(1, "ping"), request(2, "ping"))).read, broken)
    peer.on("ping", lambda call: {}, inline=True)
    peer.serve()
    assert peer.notify("x") is False


SERVER = """
import os, subprocess, sys, threading
from skillcaddy.rpc import serve_stdio
def noise(call):
    print("a stray print")
    os.write(1, b"a stray write\\n")
    subprocess.run([sys.executable, "-c", "print('a stray child')"], check=True)
    return {"stdin": sys.stdin.read(), "modules": sorted(sys.modules)}
def hang(call):
    threading.Event().wait()
def setup(peer):
    peer.on("noise", noise)
    peer.on("hang", hang)
    peer.on("big", lambda call: "x" * 300_000)
    peer.on("ping", lambda call: {}, inline=True)
serve_stdio(setup, drain_s=0.3)
"""


def server() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", SERVER]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_a_real_process_keeps_stray_output_off_the_wire_and_ends_at_end_of_input() -> None:
    """T32, T33, T34: a whole answer beyond a pipe's buffer, stdin untouched, a clean end."""
    process = server()
    out, err = process.communicate(encode(request(1, "noise"), request(2, "big")), timeout=60)
    replies = {reply["id"]: reply for reply in map(json.loads, out.splitlines())}
    assert replies[1]["result"]["stdin"] == ""
    assert len(replies[2]["result"]) == 300_000
    assert all(noise in err for noise in (b"a stray print", b"a stray write", b"a stray child"))
    assert process.returncode == 0
    heavy = {"asyncio", "dataclasses", "pydantic", "typing", "logging", "inspect", "pluggy"}
    assert not heavy & set(replies[1]["result"]["modules"])


def test_end_of_input_ends_a_process_whose_request_hangs() -> None:
    process = server()
    process.communicate(encode(request(1, "hang")), timeout=60)
    assert process.returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_sigterm_ends_a_process_that_waits_for_input() -> None:
    process = server()
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(encode(request(1, "hang"), request(2, "ping")))
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 2
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, b"")


def test_a_reader_that_went_away_ends_the_process_quietly() -> None:
    process = server()
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stdin.write(encode(request(1, "big")))
    process.stdin.close()
    assert process.wait(60) == 0
    assert process.stderr.read() == b""
    process.stderr.close()
