"""The messages of JSON-RPC 2.0: reading a line, writing one that is always legal, errors, and replies still to come."""

from __future__ import annotations

import json
import threading

from skillcaddy.wire import complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
BUSY = -32000
CANCELLED = -32800


class RpcError(Exception):
    """An error with its JSON-RPC code: raised by a handler to answer with it, and by `call` when the other side did."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def to_json(self) -> dict[str, Any]:
        """The `error` member of a reply."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return error


class PeerGone(Exception):  # noqa: N818 - the peer is gone, which is an ending more than an error
    """The other side has closed the connection, so no answer can come."""


def decode(line: bytes) -> Any:
    """The message in a line; ValueError or RecursionError where there is none."""
    return json.loads(line.decode("utf-8-sig"), parse_constant=_no_constant)


def encode(message: Any) -> bytes:
    """The line for a message, newline included; what JSON cannot say becomes an internal error under the same id."""
    try:
        return _line(message)
    except (TypeError, ValueError, RecursionError) as error:
        complain(f"a reply is no JSON: {type(error).__name__}: {error}")
    if isinstance(message, list):
        return b"[" + b",".join(encode(item)[:-1] for item in message) + b"]\n"
    return _line(error_reply(message.get("id"), RpcError(INTERNAL_ERROR, "the answer could not be written as JSON")))


def _line(message: Any) -> bytes:
    # ASCII escapes keep lone surrogates legal and U+2028 from looking like the end of a line.
    return json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"


def error_reply(id_: Any, error: RpcError) -> dict[str, Any]:
    """The reply that carries an error; the id is None where the request had none to be read."""
    return {"jsonrpc": "2.0", "id": id_, "error": error.to_json()}


def remote_error(error: Any) -> RpcError:
    """The error that the other side reported, whatever shape it gave it."""
    if not isinstance(error, dict):
        return RpcError(INTERNAL_ERROR, "an error without a code")
    code, message = error.get("code"), error.get("message")
    return RpcError(code if type(code) is int else INTERNAL_ERROR, str(message or "no message"), error.get("data"))


def is_id(value: Any) -> bool:
    """True for what a request may be named by: a string or a finite number."""
    # JSON's 1e999 becomes infinity, which no reply could echo.
    return isinstance(value, str) or (type(value) in (int, float) and abs(value) != float("inf"))


def fault(message: Mapping[str, Any]) -> str:
    """What is wrong with a request or notification, in words for its sender; "" when nothing is."""
    if message.get("jsonrpc") != "2.0":
        return 'a message has "jsonrpc": "2.0"'
    if not isinstance(message.get("method"), str):
        return "a request names its method"
    if "id" in message and not is_id(message["id"]):
        return "an id is a string or a number"
    if not isinstance(message.get("params", {}), dict | list):
        return "params are an object or a list"
    return ""


def _no_constant(word: str) -> Any:
    raise ValueError(word)


class Reply:
    """The slot that the answer to one of our own calls falls into."""

    __slots__ = ("done", "message")

    def __init__(self) -> None:
        self.done = threading.Event()
        self.message: dict[str, Any] | None = None

    def settle(self, message: dict[str, Any] | None) -> None:
        """Wake the caller with the reply, or with None when none can come any more."""
        self.message = message
        self.done.set()


class Batch:
    """Gathers the replies to a list of messages into one line, sent when the last is in."""

    def __init__(self, size: int, send: Callable[[Any], object]) -> None:
        self._left = size
        self._send = send
        self._lock = threading.Lock()
        self._replies: list[dict[str, Any]] = []

    def answer(self, reply: dict[str, Any] | None) -> None:
        """Take one message's reply, None where it gets none."""
        with self._lock:
            self._left -= 1
            if reply is not None:
                self._replies.append(reply)
            finished = not self._left and bool(self._replies)
        if finished:
            self._send(self._replies)
