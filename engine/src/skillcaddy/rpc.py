"""JSON-RPC 2.0, one message a line: a peer that serves requests and makes them, shared by MCP server and JS bridges.

    peer = Peer(stdio.read, stdio.write)
    peer.on("echo", lambda call: call.params)              # in a worker thread; may block, may call back
    peer.on("ping", lambda call: {}, inline=True)          # in the reading thread; at once, must not block
    peer.serve()                                           # until end of input
    reply = peer.call("model.complete", {...}, deadline)   # from a worker: the other side's answer

`serve_stdio(setup)` does all of it over the process's own streams and never returns. The stream's floor is `wire.py`.
Nothing that arrives can end a peer: garbage is answered with an error and the next line is read.
"""

from __future__ import annotations

import threading

from skillcaddy import wire
from skillcaddy.rpc_calls import Call, Crew
from skillcaddy.rpc_messages import (
    BUSY,
    CANCELLED,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Batch,
    PeerGone,
    Reply,
    RpcError,
    decode,
    encode,
    error_reply,
    fault,
    is_id,
    remote_error,
)
from skillcaddy.wire import complain

__all__ = [
    "BUSY",
    "CANCELLED",
    "INTERNAL_ERROR",
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "METHOD_NOT_FOUND",
    "PARSE_ERROR",
    "Call",
    "Peer",
    "PeerGone",
    "RpcError",
    "serve_stdio",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from skillcaddy.deadline import Deadline

    Handler = Callable[[Call], Any]


class Peer:
    """One side of a connection. Handlers run in at most `workers` daemon threads, `backlog` more calls may wait.

    When more arrive, reading pauses (so the other side's pipe fills and it has to wait), unless a worker waits for an
    answer that must still be read: then the surplus is refused with `BUSY`. No request ever goes without a reply,
    but for one that `notifications/cancelled` (MCP) has called off; `$/cancel` is confirmed with `CANCELLED`.
    """

    def __init__(
        self,
        read: Callable[[int], bytes],
        write: Callable[[bytes], object],
        *,
        workers: int = 8,
        backlog: int = 64,
        batches: bool = False,
        cancel_method: str = "$/cancel",
        max_line: int = wire.MAX_LINE,
    ) -> None:
        self.batches = batches
        """Whether a list of messages is served; may change while serving."""
        self.screen: Callable[[Call], None] | None = None
        """Looks at each request before its handler is found, in the reading thread; raises RpcError to refuse it."""
        self._read, self._write, self._max_line = read, write, max_line
        self._cancel_method = cancel_method
        self._handlers: dict[str, tuple[Handler, bool]] = {
            "$/cancel": (self._cancel, True),
            "notifications/cancelled": (self._cancel, True),
        }
        self._crew = Crew(workers, backlog)
        self._writing = threading.Lock()
        self._mute = False
        self._reader = 0
        self._last_id = 0
        self._pending: dict[int, Reply] = {}

    def on(self, method: str, handler: Handler, *, inline: bool = False) -> None:
        """Serve a method or notification; `inline` runs in the reading thread, in order, and must return at once."""
        self._handlers[method] = (handler, inline)

    def serve(self, drain_s: float = 2.0, gone: Callable[[], bool] | None = None) -> None:
        """Read and serve until the input ends; then give running calls `drain_s` seconds to answer, unless `gone()`."""
        self._reader = threading.get_ident()
        for line in wire.lines(self._read, self._max_line):
            self._receive(line)
        self._crew.close()
        with self._crew.change:
            waiting = list(self._pending.values())
            self._pending.clear()
        for reply in waiting:
            reply.settle(None)
        for _ in range(max(1, round(drain_s / 0.05))):
            if self._crew.idle(0.05) or (gone is not None and gone()):
                break

    def call(self, method: str, params: Any = None, deadline: Deadline | None = None) -> Any:
        """The other side's result. Raises its `RpcError`, `TimeoutError` at the deadline, `PeerGone` after the end."""
        if threading.get_ident() == self._reader:
            raise RuntimeError(f"{method!r} was called from the reading thread, which has to read the answer")
        reply = Reply()
        with self._crew.change:
            if self._crew.closed:
                raise PeerGone(method)
            self._last_id += 1
            number = self._last_id
            self._pending[number] = reply
            self._crew.change.notify_all()
        try:
            message: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "method": method}
            if params is not None:
                message["params"] = params
            if not self._send(message):
                raise PeerGone(method)
            if not reply.done.wait(None if deadline is None else deadline.left()):
                key = "id" if self._cancel_method == "$/cancel" else "requestId"
                self.notify(self._cancel_method, {key: number})
                raise TimeoutError(f"no answer to {method!r} in time")
        finally:
            with self._crew.change:
                self._pending.pop(number, None)
        if reply.message is None:
            raise PeerGone(method)
        if "error" in reply.message:
            raise remote_error(reply.message["error"])
        return reply.message.get("result")

    def notify(self, method: str, params: Any = None) -> bool:
        """Send a notification; False when nobody reads any more."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        return self._send(message)

    def hush(self, wait_s: float = 0.2) -> None:
        """Let a line that is being written end, and write nothing after it; for the moment before the process ends."""
        self._mute = True
        if self._writing.acquire(timeout=wait_s):
            self._writing.release()

    def _receive(self, line: bytes | None) -> None:
        if line is None:
            self._send(error_reply(None, RpcError(INVALID_REQUEST, f"a line may have at most {self._max_line} bytes")))
            return
        if not line.strip():
            return
        try:
            message = decode(line)
        except (ValueError, RecursionError) as error:
            self._send(error_reply(None, RpcError(PARSE_ERROR, f"not a line of JSON: {type(error).__name__}")))
            return
        if not isinstance(message, list):
            self._message(message, len(line), self._answer)
        elif not self.batches:
            self._send(error_reply(None, RpcError(INVALID_REQUEST, "batches are not served in this protocol version")))
        elif not message:
            self._send(error_reply(None, RpcError(INVALID_REQUEST, "an empty batch")))
        else:
            batch = Batch(len(message), self._send)
            for item in message:
                self._message(item, len(line) // len(message), batch.answer)

    def _answer(self, reply: dict[str, Any] | None) -> None:
        if reply is not None:
            self._send(reply)

    def _message(self, message: Any, size: int, answer: Callable[[dict[str, Any] | None], None]) -> None:
        """Sort one message; `answer` is called exactly once, with None where no reply is due."""
        if not isinstance(message, dict):
            answer(error_reply(None, RpcError(INVALID_REQUEST, "a message is an object")))
            return
        id_, method, params = message.get("id"), message.get("method"), message.get("params", {})
        if method is None and ("result" in message or "error" in message):
            with self._crew.change:
                reply = self._pending.get(id_) if type(id_) is int else None
            if reply is not None:
                reply.settle(message)
            answer(None)
            return
        wrong = fault(message)
        if wrong:
            answer(error_reply(id_ if is_id(id_) else None, RpcError(INVALID_REQUEST, wrong)))
            return
        assert isinstance(method, str)
        self._dispatch(Call(self, method, params, id_, size, answer))

    def _dispatch(self, call: Call) -> None:
        try:
            if self.screen is not None and call.id is not None:
                self.screen(call)
            handler, inline = self._handlers[call.method]
        except RpcError as error:
            call.reply(error=error)
            return
        except KeyError:
            # The name comes from outside and may be megabytes long.
            call.reply(error=RpcError(METHOD_NOT_FOUND, f"no method {call.method[:100]!r}"))
            return
        if inline:
            self._run(handler, call)
            return
        if not self._crew.take(call, lambda: self._run(handler, call), self._pending):
            call.reply(error=RpcError(BUSY, "too many calls are waiting already; try again"))

    def _run(self, handler: Handler, call: Call) -> None:
        try:
            call.reply(handler(call))
        except RpcError as error:
            call.reply(error=error)
        except BaseException as error:  # noqa: BLE001 - one request's SystemExit or panic must not end the server
            complain(f"{call.method[:100]} failed: {type(error).__name__}: {error}")
            # The type only: an error's text may carry a key or somebody's path.
            call.reply(error=RpcError(INTERNAL_ERROR, f"internal error ({type(error).__name__})"))

    def _cancel(self, call: Call) -> None:
        confirmed = call.method == "$/cancel"
        wanted = call.params.get("id" if confirmed else "requestId") if isinstance(call.params, dict) else None
        running = self._crew.find(wanted) if is_id(wanted) else None
        if running is not None:
            running.cancelled.set()
            running.reply(error=RpcError(CANCELLED, "cancelled"), silent=not confirmed)

    def _send(self, message: Any) -> bool:
        line = encode(message)
        with self._writing:
            if self._mute:
                return False
            try:
                self._write(line)
            except (OSError, ValueError):
                self._mute = True
        return not self._mute


def serve_stdio(setup: Callable[[Peer], object], *, drain_s: float = 2.0, **options: Any) -> NoReturn:
    """Serve over the process's own stdin and stdout until they end or SIGTERM comes, then end the process.

    `setup(peer)` registers the handlers before the first line is read; `options` go to `Peer`.
    """
    import signal

    stdio = wire.Stdio.take()
    peer = Peer(stdio.read, stdio.write, **options)

    def end(_number: int, _frame: object) -> None:
        peer.hush()
        wire.leave(0)

    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), end)
    try:
        setup(peer)
        peer.serve(drain_s, stdio.unread)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the process ends with one line and a code
        complain(f"the server ended: {type(error).__name__}: {error}")
        peer.hush()
        wire.leave(1)
    peer.hush()
    wire.leave(0)
