"""The endpoint's client against a server that fails in every way one can: it says how, in time, and tells no secret."""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from skillcaddy.deadline import Deadline
from skillcaddy.endpoint import EndpointModel
from skillcaddy.exchange import LARGEST_REPLY, ExchangeError, Target
from skillcaddy.models import ChatModel, Completion, Message
from skillcaddy.proxies import proxy_for
from skillcaddy.standin import Reply, StandIn, cut, fail, say, slow

KEY = "sk-very-secret-0123456789"
ASK = [Message(role="system", content="Be brief."), Message(role="user", content="Say ja. 说“是”。")]
SCHEMA = {"type": "object", "properties": {"ids": {"type": "array"}}, "required": ["ids"]}
SLACK_S = 1.5


def ask(
    url: str, *, seconds: float = 5.0, schema: dict[str, Any] | None = None, key: str = "", connect_s: float = 2.0
) -> Completion:
    model = EndpointModel(url, "small-one", key=key, connect_s=connect_s)
    return model.complete(ASK, max_tokens=64, deadline=Deadline.after(seconds), schema=schema)


def failure(url: str, **options: Any) -> ExchangeError:
    with pytest.raises(ExchangeError) as caught:
        ask(url, **options)
    assert KEY not in f"{caught.value!r} {caught.value.__cause__!r}"
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return caught.value


def sdk_answer(**choice: Any) -> str:
    return json.dumps({"model": "m", "choices": [{"index": 0, "finish_reason": "stop", **choice}]})


def test_it_is_a_chat_model() -> None:
    assert isinstance(EndpointModel("http://127.0.0.1:9/v1", "m"), ChatModel)


def test_a_reply_comes_with_its_model_and_its_tokens() -> None:
    with StandIn([Reply(text="是", usage=(12, 3))]) as server:
        answer = ask(server.url, schema=SCHEMA, key=KEY)
    assert answer == Completion(text="是", model="small-one", tokens_in=12, tokens_out=3)
    request = server.requests[0]
    assert request.path == "/v1/chat/completions"
    assert request.body["messages"][1]["content"] == "Say ja. 说“是”。"
    assert (request.body["model"], request.body["max_tokens"], request.body["temperature"]) == ("small-one", 64, 0)
    assert request.body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert "authorization" in request.headers


def test_what_looks_like_a_secret_does_not_go_to_the_endpoint() -> None:
    """T113: the endpoint is another party than the host, so the users' words are minimised before they leave."""
    told = [
        Message(role="system", content="The text sk-of-ours-0123456789 stays."),
        Message(role="user", content="Deploy with password=hunter2 and tell ada@example.org"),
    ]
    with StandIn([say("ja")]) as server:
        EndpointModel(server.url, "m").complete(told, max_tokens=9, deadline=Deadline.after(5))
    system, user = (message["content"] for message in server.requests[0].body["messages"])
    assert "sk-of-ours-0123456789" in system
    assert user.startswith("Deploy with password=")
    assert "hunter2" not in user
    assert "ada@" not in user


def test_no_key_means_no_header() -> None:
    with StandIn([say("ja")]) as server:
        ask(server.url)
    assert "authorization" not in server.requests[0].headers


@pytest.mark.parametrize(
    ("reply", "kind", "told"),
    [
        (fail(401, f"bad key {KEY}"), "status", "refuses the key"),
        (fail(403), "status", "may not use"),
        (fail(404), "status", "model_base_url"),
        (fail(400, "no"), "status", "HTTP 400"),
        (fail(418), "status", "HTTP 418"),
        (cut("a long answer that breaks off in the middle " * 50), "broken_off", "broke off"),
        (Reply(raw="<html>welcome</html>"), "malformed", "no JSON"),
        (Reply(raw=""), "malformed", "no JSON"),
        (Reply(raw="[]"), "malformed", "no object"),
        (Reply(raw="{}"), "malformed", "no message"),
        (Reply(raw='{"choices": []}'), "malformed", "no message"),
        (Reply(raw='{"choices": [{"message": null}]}'), "malformed", "no message"),
        (Reply(raw=sdk_answer(message={"content": None})), "malformed", "without a text"),
        (Reply(raw=sdk_answer(message={"content": None, "refusal": "I can't."})), "refused", "refused"),
        (Reply(raw=sdk_answer(message={"content": ""}, finish_reason="content_filter")), "refused", "refused"),
        (Reply(raw="[" * 100_000), "malformed", "no JSON"),
        (say("x" * (LARGEST_REPLY + 1)), "too_large", "larger"),
        (
            Reply(status=301, headers={"Location": "http://127.0.0.1:1/v1/chat/completions"}, raw=""),
            "redirect",
            "redir",
        ),
        (Reply(status=307, headers={"Location": "http://127.0.0.1:1/elsewhere"}, raw=""), "redirect", "redirects"),
        (Reply(status=308, headers={"Location": "https://example.invalid/v1"}, raw=""), "redirect", "redirects"),
    ],
)
def test_every_failure_has_its_word_and_no_secret(reply: Reply, kind: str, told: str) -> None:
    """T109: neither the key nor what the endpoint wrote about it gets into an error."""
    with StandIn([], after=reply) as server:
        error = failure(server.url, key=KEY)
    assert error.kind == kind
    assert told in str(error)
    assert "127.0.0.1" not in str(error)


def test_a_redirect_that_stays_on_the_server_is_followed_once() -> None:
    there = Reply(status=307, headers={"Location": "/other/v1/chat/completions"}, raw="")
    with StandIn([there, say("ja")]) as server:
        assert ask(server.url).text == "ja"
    assert [request.path for request in server.requests] == ["/v1/chat/completions", "/other/v1/chat/completions"]


def test_a_circle_of_redirects_ends() -> None:
    with StandIn([], after=Reply(status=308, headers={"Location": "/v1/chat/completions"}, raw="")) as server:
        assert failure(server.url).kind == "redirect"
    assert len(server.requests) == 3


@pytest.mark.parametrize("content", [[{"type": "text", "text": "j"}, {"type": "text", "text": "a"}], "ja"])
def test_a_text_in_parts_is_one_text(content: Any) -> None:
    with StandIn([Reply(raw=sdk_answer(message={"content": content}))]) as server:
        assert ask(server.url).text == "ja"


@pytest.mark.parametrize(
    "usage", [None, {}, {"prompt_tokens": "many"}, {"prompt_tokens": -1, "completion_tokens": True}, 7]
)
def test_tokens_that_are_not_told_are_not_invented(usage: Any) -> None:
    raw = json.dumps({"choices": [{"message": {"content": "ja"}}], "usage": usage})
    with StandIn([Reply(raw=raw)]) as server:
        answer = ask(server.url)
    assert (answer.tokens_in, answer.tokens_out) == (None, None)


def test_an_endpoint_without_structured_output_is_asked_plainly_and_remembered() -> None:
    def script(request: Any) -> Reply | str:
        return fail(400, "unknown field") if "response_format" in request.body else "ja"

    with StandIn(script) as server:
        model = EndpointModel(server.url, "m")
        for _ in range(2):
            assert model.complete(ASK, max_tokens=9, deadline=Deadline.after(5), schema=SCHEMA).text == "ja"
    assert ["response_format" in request.body for request in server.requests] == [True, False, False]


def test_a_limit_of_tokens_goes_by_its_other_name_where_the_endpoint_says_so() -> None:
    def script(request: Any) -> Reply | str:
        if "max_tokens" in request.body:
            return fail(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        return fail(400, "temperature must be 1") if "temperature" in request.body else "ja"

    with StandIn(script) as server:
        assert ask(server.url, schema=SCHEMA).text == "ja"
    assert server.requests[-1].body["max_completion_tokens"] == 64
    assert "response_format" in server.requests[-1].body


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_endpoint_is_asked_again_after_the_pause_it_wants(status: int) -> None:
    with StandIn([fail(status, retry_after="0.2"), say("ja")]) as server:
        assert ask(server.url).text == "ja"
    first, second = (request.at for request in server.requests)
    assert second - first >= 0.2


def test_a_pause_beyond_the_deadline_is_not_waited_for_but_told() -> None:
    """T56: a model step never costs more than its part of the deadline."""
    with StandIn([], after=fail(429, retry_after="30")) as server:
        started = time.monotonic()
        error = failure(server.url, seconds=2)
    assert time.monotonic() - started < 1 + SLACK_S
    assert (error.status, error.retry_after) == (429, 30.0)
    assert len(server.requests) == 1


def test_retries_end() -> None:
    with StandIn([], after=fail(503, retry_after="0")) as server:
        assert failure(server.url).status == 503
    assert len(server.requests) == 4


def test_a_date_to_wait_for_is_understood() -> None:
    with StandIn([], after=fail(429, retry_after="Wed, 21 Oct 2037 07:28:00 GMT")) as server:
        error = failure(server.url)
    assert error.retry_after is not None
    assert error.retry_after > 1000


def test_a_model_that_answers_too_late_is_left_at_the_deadline() -> None:
    with StandIn([], after=slow("ja", 30)) as server:
        started = time.monotonic()
        error = failure(server.url, seconds=0.4)
    assert error.kind == "timeout"
    assert time.monotonic() - started < 0.4 + SLACK_S


@contextmanager
def wire(serve: Callable[[socket.socket], None]) -> Iterator[tuple[str, list[bytes], threading.Event]]:
    """A server that does with each connection what it is told; its URL, what it got, and when the client went away."""
    listening = socket.create_server(("127.0.0.1", 0))
    got: list[bytes] = []
    gone = threading.Event()

    def run() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                try:
                    got.append(connection.recv(65536))
                    serve(connection)
                    # Closed with something unread, the client would be told of a reset before it reads the answer.
                    connection.shutdown(socket.SHUT_WR)
                    connection.settimeout(5)
                    while connection.recv(65536):
                        pass
                except OSError:
                    pass
                gone.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1", got, gone
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(5)


def _until_closed(connection: socket.socket) -> None:
    while connection.recv(4096):
        pass


def _trickle(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    for _ in range(600):
        connection.sendall(b" ")
        time.sleep(0.05)


def _trickle_headers(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for number in range(600):
        connection.sendall(b"X-%d: y\r\n" % number)
        time.sleep(0.1)


@pytest.mark.parametrize("serve", [_until_closed, _trickle, _trickle_headers], ids=["silent", "trickle", "headers"])
def test_at_the_deadline_the_connection_is_shut_whatever_comes_over_it(serve: Callable[[socket.socket], None]) -> None:
    """T57: a call that ran out of time is cancelled, not abandoned: the server sees the client go, no thread stays."""
    before = set(threading.enumerate())
    with wire(serve) as (url, _, gone):
        started = time.monotonic()
        error = failure(url, seconds=0.5)
        assert time.monotonic() - started < 0.5 + SLACK_S
        assert error.kind == "timeout"
        assert gone.wait(5)
    left = [thread for thread in set(threading.enumerate()) - before if "exchange" in thread.name]
    for thread in left:
        thread.join(5)
    assert not any(thread.is_alive() for thread in left)


def test_a_turn_that_is_called_off_shuts_the_connection_at_once() -> None:
    cancelled = threading.Event()
    with wire(_until_closed) as (url, got, gone):
        model = EndpointModel(url, "m")
        failed: list[BaseException] = []

        def run() -> None:
            try:
                model.complete(ASK, max_tokens=9, deadline=Deadline.after(60, cancelled))
            except ExchangeError as error:
                failed.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        while not got and thread.is_alive():
            thread.join(0.01)
        cancelled.set()
        assert gone.wait(5)
        thread.join(5)
    assert isinstance(failed[0], ExchangeError)
    assert failed[0].kind == "cancelled"


@pytest.mark.parametrize(
    ("sent", "kind"),
    [
        (b"", "broken_off"),
        (b"SSH-2.0-OpenSSH_9\r\n", "malformed"),
        (b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"a"', "broken_off"),
        (b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n', "broken_off"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", "malformed"),
        (b"HTTP/1.1 200 OK\r\n\r\n\xff\xfe\x00", "malformed"),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(b"{}"), "malformed"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n{}", "malformed"),
    ],
    ids=["hangs up", "no http", "short body", "short chunks", "odd length", "no utf-8", "packed", "many headers"],
)
def test_a_server_that_speaks_badly_is_told_apart_from_one_that_is_slow(sent: bytes, kind: str) -> None:
    with wire(lambda connection: connection.sendall(sent)) as (url, _, _gone):
        assert failure(url).kind == kind


def test_a_model_that_streams_endlessly_is_cut_at_its_largest_size() -> None:
    def serve(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.sendall(b"{" * 65536)

    with wire(serve) as (url, _, _gone):
        assert failure(url).kind == "too_large"


def test_the_key_goes_out_as_it_is_and_to_nobody_else() -> None:
    """T92: a redirect to another host takes no credential along."""
    elsewhere = socket.create_server(("127.0.0.1", 0))
    elsewhere.settimeout(0.3)
    target = f"http://127.0.0.1:{elsewhere.getsockname()[1]}/v1".encode()
    with wire(lambda c: c.sendall(b"HTTP/1.1 307 X\r\nContent-Length: 0\r\nLocation: " + target + b"\r\n\r\n")) as (
        url,
        got,
        _,
    ):
        assert failure(url, key=KEY).kind == "redirect"
    assert f"Authorization: Bearer {KEY}".encode() in got[0]
    with pytest.raises(TimeoutError):
        elsewhere.accept()
    elsewhere.close()


def test_a_proxy_that_the_environment_names_is_used_and_gets_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over TLS the proxy sees a host name only; the endpoint's key is for the endpoint."""
    with wire(lambda c: c.sendall(b"HTTP/1.1 407 Wants a password\r\n\r\n")) as (url, got, _):
        monkeypatch.setenv("HTTPS_PROXY", url.removesuffix("/v1").replace("//", "//user:p%40ss@"))
        error = failure("https://models.example.invalid/v1", key=KEY)
    assert error.kind == "unreachable"
    assert got[0].startswith(b"CONNECT models.example.invalid:443")
    assert b"Proxy-Authorization: Basic dXNlcjpwQHNz" in got[0]
    assert KEY.encode() not in got[0]


def test_a_plain_address_is_asked_of_the_proxy_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    body = sdk_answer(message={"content": "ja"}).encode()
    with wire(lambda c: c.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + body)) as (url, got, _):
        monkeypatch.setenv("HTTP_PROXY", url)
        assert ask("http://models.example.invalid:8000/v1").text == "ja"
    assert got[0].startswith(b"POST http://models.example.invalid:8000/v1/chat/completions HTTP/1.1")


@pytest.mark.parametrize(
    ("variables", "host", "used"),
    [
        ({"HTTPS_PROXY": "http://p:3128"}, "models.example", True),
        ({"https_proxy": "p:3128"}, "models.example", True),
        ({"ALL_PROXY": "http://p:3128"}, "models.example", True),
        ({"HTTPS_PROXY": "http://p:3128"}, "127.0.0.1", False),
        ({"HTTPS_PROXY": "http://p:3128"}, "localhost", False),
        ({"HTTPS_PROXY": "http://p:3128", "NO_PROXY": ".example"}, "models.example", False),
        ({"HTTPS_PROXY": "http://p:3128", "NO_PROXY": "*"}, "models.example", False),
        ({"HTTP_PROXY": "http://p:3128"}, "models.example", False),
        ({"HTTPS_PROXY": "socks5://p:1080"}, "models.example", False),
        ({"HTTPS_PROXY": "http://p:many"}, "models.example", False),
        ({"HTTPS_PROXY": ""}, "models.example", False),
    ],
)
def test_which_addresses_go_over_a_proxy(
    variables: dict[str, str], host: str, used: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = proxy_for("https", host, 443)
    assert (None if found is None else (found.host, found.port)) == (("p", 3128) if used else None)


def test_nobody_listening_is_told_at_once() -> None:
    closed = socket.create_server(("127.0.0.1", 0))
    port = closed.getsockname()[1]
    closed.close()
    assert failure(f"http://127.0.0.1:{port}/v1").kind == "unreachable"


def test_plain_http_where_tls_is_expected_is_no_certificate() -> None:
    with wire(lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n{}")) as (url, _, _gone):
        error = failure(url.replace("http://", "https://"))
    assert error.kind == "unreachable"
    assert ssl.SSLError.__name__ in str(error)


@pytest.mark.parametrize("key", ["two\nlines", "schlüssel", "nul\0"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(key: str) -> None:
    with StandIn([say("ja")]) as server:
        error = failure(server.url, key=key)
    assert error.kind == "key"
    assert key not in str(error)
    assert not server.requests


def test_a_key_may_lie_in_the_systems_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {("skillcaddy", "work"): KEY}
    monkeypatch.setitem(sys.modules, "keyring", types.SimpleNamespace(get_password=lambda s, n: kept.get((s, n))))
    with wire(lambda connection: connection.sendall(b"HTTP/1.1 401 X\r\nContent-Length: 0\r\n\r\n")) as (url, got, _):
        assert failure(url, key="keyring:work").status == 401
        assert f"Bearer {KEY}".encode() in got[0]
        assert "no entry 'home'" in str(failure(url, key="keyring:home"))


def test_a_keyring_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert failure("http://127.0.0.1:9/v1", key="keyring:work").kind == "key"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:8000",
        "ftp://h/v1",
        "http:///v1",
        "http://user:pw@h/v1",
        "http://h/v1?x=1",
        "http://h:99999",
        "http://[bad",
    ],
)
def test_an_address_that_is_none_is_refused_without_being_shown(url: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        EndpointModel(url, "m")
    assert "pw@" not in str(caught.value)


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("/x", "/x"),
        ("y?z=1", "/v1/y?z=1"),
        ("http://[::1]:80/x", "/x"),
        ("http://[::1]:81/x", None),
        ("https://[::1]/x", None),
        ("//elsewhere/x", None),
        ("http://[", None),
    ],
)
def test_where_a_redirect_leads(location: str, path: str | None) -> None:
    found = Target.of("http://[::1]/v1")._replace(path="/v1/chat").redirected(location)
    assert (None if found is None else found.path) == path
