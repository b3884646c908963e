"""The stand-in's HTTP server: loopback only, a thread a request, and an end of its own."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from skillcaddy.standin import protocols
from skillcaddy.standin.reading import Recorded, tool_names
from skillcaddy.standin.script import Answer, Player, Reply, Script

MODEL = "standin-1"
_MOST_BYTES = 64 * 1024 * 1024
_SECRET = re.compile(r"auth|key|token|cookie|secret", re.IGNORECASE)
_SECRET_PARAMETER = re.compile(r"(?i)([?&][^=&]*(?:key|token|secret|auth)[^=&]*=)[^&]*")
MASK = "[secret]"


class StandIn:
    """A model server on loopback that follows a script and keeps every request; a context manager.

    `script` is a list of replies, one for each request in order, or a function of the request. When the list is used
    up `after` is the answer. `side`, if given, answers all requests that offer no tools (titles, gates, summaries) and
    leaves the script alone. A turn that takes more than `per_turn` requests is ended with a plain answer, and beyond
    `most` requests in all every one is refused; either leaves a sentence in `problems`. The server stops by itself
    after `lasts_s` seconds.
    """

    def __init__(
        self,
        script: Script = (),
        *,
        after: Answer = "Done.",
        side: Answer | None = None,
        model: str = MODEL,
        context_length: int = 131_072,
        port: int = 0,
        per_turn: int = 30,
        most: int = 200,
        lasts_s: float = 600.0,
        on_request: Callable[[Recorded], None] | None = None,
    ) -> None:
        self.model = model
        self._player = Player(script, after=after, side=side, per_turn=per_turn, most=most)
        self._context_length = context_length
        self._port = port
        self._lasts_s = lasts_s
        self._on_request = on_request
        self._changed = threading.Condition()
        self._visits: list[Recorded] = []
        self._stopped = threading.Event()
        self._server: ThreadingHTTPServer | None = None
        self._end: threading.Timer | None = None

    def start(self) -> StandIn:
        """Listen, on a free port unless one was named, and answer in the background. OSError when the port is taken."""
        handler = type("_Bound", (_Handler,), {"standin": self})
        server = _Server(("127.0.0.1", self._port), handler)
        self._port = server.server_address[1]
        self._server = server
        threading.Thread(target=server.serve_forever, args=(0.05,), name="standin", daemon=True).start()
        self._end = threading.Timer(self._lasts_s, self.stop)
        self._end.daemon = True
        self._end.start()
        return self

    def stop(self) -> None:
        """Stop listening and cut short whatever is still being answered slowly."""
        self._stopped.set()
        server, self._server = self._server, None
        if self._end is not None:
            self._end.cancel()
        if server is not None:
            server.shutdown()
            server.server_close()

    def wait_until_stopped(self, timeout_s: float | None = None) -> bool:
        """True once the server has stopped, by `stop` or by its time limit; False when the timeout came first."""
        return self._stopped.wait(timeout_s)

    def __enter__(self) -> StandIn:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def root(self) -> str:
        """The server's address without a path; Anthropic clients take it as their base URL."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def url(self) -> str:
        """The base URL for OpenAI-compatible clients, ending in /v1."""
        return f"{self.root}/v1"

    @property
    def visits(self) -> list[Recorded]:
        """Every HTTP request so far, questions for models included."""
        with self._changed:
            return list(self._visits)

    @property
    def requests(self) -> list[Recorded]:
        """The questions to the model so far, in order of arrival."""
        return [each for each in self.visits if each.is_completion]

    @property
    def turns(self) -> list[Recorded]:
        """The questions that offered tools: those of an agent at work."""
        return [each for each in self.requests if tool_names(each)]

    @property
    def others(self) -> list[Recorded]:
        """The questions that offered no tool: titles, gates, summaries."""
        return [each for each in self.requests if not tool_names(each)]

    @property
    def problems(self) -> list[str]:
        """What had to be refused or ended; empty after a good run."""
        return list(self._player.problems)

    def wait_for(self, count: int, timeout_s: float = 30.0) -> list[Recorded]:
        """The questions once there are that many of them; TimeoutError when they do not come."""
        with self._changed:
            enough = self._changed.wait_for(lambda: len(self.requests) >= count, timeout_s)
        if not enough:
            raise TimeoutError(f"{len(self.requests)} of {count} requests came within {timeout_s:g} s")
        return self.requests

    def _record(self, visit: Recorded) -> int:
        with self._changed:
            self._visits.append(visit)
            serial = len(self._visits)
            self._changed.notify_all()
        if self._on_request is not None:
            self._on_request(visit)
        return serial


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    # Else a client that reconnects at once after a cut could be refused.
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    standin: StandIn

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Quiet: the requests are kept, not printed."""

    def do_GET(self) -> None:
        visit, _ = self._visit({})
        if visit.path.partition("?")[0].rstrip("/").endswith("/models"):
            self._send(200, protocols.models(self.standin.model, self.standin._context_length))
        else:
            self._send(404, protocols.error(Reply(status=404, text="the stand-in has no such path"), visit))

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(min(length, _MOST_BYTES))
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            body = None
        visit, serial = self._visit(body if isinstance(body, Mapping) else {})
        if visit.path.partition("?")[0].endswith("/messages/count_tokens"):
            self._send(200, protocols.token_count(visit))
        elif not visit.is_completion:
            self._send(404, protocols.error(Reply(status=404, text="the stand-in has no such path"), visit))
        elif not isinstance(body, Mapping):
            self._send(400, protocols.error(Reply(status=400, text="the request is no JSON object"), visit))
        else:
            self._answer(self.standin._player.reply(visit), visit, serial)

    def _visit(self, body: Mapping[str, Any]) -> tuple[Recorded, int]:
        headers = {name.lower(): MASK if _SECRET.search(name) else value for name, value in self.headers.items()}
        path = _SECRET_PARAMETER.sub(rf"\1{MASK}", self.path)
        visit = Recorded(method=self.command, path=path.partition("?")[0], headers=headers, body=body, at=time.time())
        return visit, self.standin._record(visit)

    def _answer(self, reply: Reply, visit: Recorded, serial: int) -> None:
        if reply.delay_s > 0 and self.standin._stopped.wait(reply.delay_s):
            self.close_connection = True
            return
        if reply.raw is not None:
            self._send(reply.status, reply.raw, reply)
        elif reply.status != 200:
            self._send(reply.status, protocols.error(reply, visit), reply)
        elif visit.body.get("stream"):
            self._stream(protocols.events(reply, visit, serial), reply)
        else:
            self._send(200, protocols.whole(reply, visit, serial), reply)

    def _send(self, status: int, text: str, reply: Reply | None = None) -> None:
        content = text.encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in (reply.headers if reply else {}).items():
            self.send_header(name, value)
        self.end_headers()
        if reply is not None and reply.cut:
            content = content[: len(content) // 2]
            self.close_connection = True
        self.wfile.write(content)

    def _stream(self, events: list[str], reply: Reply) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Connection", "close")
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True
        for event in events[: len(events) // 2] if reply.cut else events:
            content = event.encode("utf-8")
            self.wfile.write(b"%x\r\n%b\r\n" % (len(content), content))
        if not reply.cut:
            self.wfile.write(b"0\r\n\r\n")
