"""One JSON request over HTTP that ends at its deadline, whatever the other side does.

No error holds a credential, an address or what the other side wrote: all of them are fit for a trace.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from skillcaddy.deadline import Deadline
from skillcaddy.proxies import way_to

if TYPE_CHECKING:
    import ssl
    from http.client import HTTPConnection, HTTPResponse

LARGEST_REPLY = 1_000_000
"""Bytes read of one answer."""
_MOST_REDIRECTS = 2
_WATCH_S = 0.05
_PORTS = {"http": 80, "https": 443}


class ExchangeError(Exception):
    """A request that brought no answer; `kind` is its word, the message says it for people."""

    def __init__(self, kind: str, message: str, *, status: int = 0, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        """`unreachable`, `timeout`, `cancelled`, `status`, `redirect`, `too_large`, `broken_off`, `malformed`, and for
        models `refused` or `key`."""
        self.status = status
        self.retry_after = retry_after
        """Seconds the other side asked to wait, where it did."""
        self.said = ""
        """The beginning of what came with a bad status, in lower case, to be searched and never shown."""


class Target(NamedTuple):
    """Where requests go: one scheme, host and port, and a path."""

    scheme: str
    host: str
    port: int
    path: str

    @classmethod
    def of(cls, url: str) -> Target:
        """The target of an http(s) address; ValueError, which does not quote it, for anything else."""
        parts = urlsplit(url.strip())
        if parts.scheme not in _PORTS or not parts.hostname or parts.username is not None or parts.query:
            raise ValueError("an address is http:// or https://, a host, and a path such as /v1; no user, no query")
        return cls(parts.scheme, parts.hostname, parts.port or _PORTS[parts.scheme], parts.path.rstrip("/"))

    def url(self) -> str:
        """The whole address."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.path}"

    def redirected(self, location: str) -> Target | None:
        """Where a redirect leads, None where that is another scheme, host or port, or nowhere."""
        try:
            parts = urlsplit(urljoin(self.url(), location))
            if (parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)) != self[:3]:
                return None
        except ValueError:
            return None
        return self._replace(path=parts.path + (f"?{parts.query}" if parts.query else ""))


def post_json(
    target: Target,
    body: Mapping[str, Any],
    headers: Mapping[str, str],
    deadline: Deadline,
    *,
    connect_s: float,
    tls: ssl.SSLContext | None = None,
) -> dict[str, Any]:
    """The JSON object that a POST is answered with; ExchangeError, at the latest at the deadline, for anything else.

    A redirect is followed only where method, scheme, host and port stay, so headers never reach anybody else.
    """
    data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    sent = {**headers, "Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
    for _ in range(_MOST_REDIRECTS + 1):
        answer = _once(target, data, sent, deadline, connect_s, tls)
        if isinstance(answer, dict):
            return answer
        target = answer
    raise ExchangeError("redirect", "the address redirects again and again")


def _once(
    target: Target,
    data: bytes,
    headers: dict[str, str],
    deadline: Deadline,
    connect_s: float,
    tls: ssl.SSLContext | None,
) -> dict[str, Any] | Target:
    """One request: the answer, or where it has to go instead."""
    if deadline.passed():
        raise late(deadline)
    watch: _Watch | None = None
    response: HTTPResponse | None = None
    way = way_to(target, max(0.001, min(connect_s, deadline.left())), tls)
    connection = way.connection
    try:
        connection.connect()
        watch = _Watch(connection, deadline)
        connection.request("POST", way.asked, body=data, headers={**headers, **way.headers})
        response = connection.getresponse()
        if response.status in (301, 302, 303, 307, 308):
            return _moved(target, response)
        text = _read(response)
        if response.status != 200:
            raise _bad_status(response, text)
        return _decoded(text)
    except ExchangeError:
        if deadline.passed():  # the end of what we shut ourselves looks like a bad answer
            raise late(deadline) from None
        raise
    except Exception as error:  # noqa: BLE001 - one vocabulary for whatever sockets, TLS and HTTP raise
        raise _translated(error, deadline) from None  # the original may quote what was sent
    finally:
        if watch is not None:
            watch.end()
        if response is not None:
            response.close()
        connection.close()


class _Watch:
    """Shuts a connection once the deadline has passed: a socket's own timeout begins anew with every byte."""

    def __init__(self, connection: HTTPConnection, deadline: Deadline) -> None:
        self._sock = connection.sock
        self._deadline = deadline
        self._ended = threading.Event()
        self._sock.settimeout(max(0.001, deadline.left()))
        threading.Thread(target=self._wait, name="skillcaddy-exchange-watch", daemon=True).start()

    def end(self) -> None:
        """The exchange is over."""
        self._ended.set()

    def _wait(self) -> None:
        # A turn that is called off rings no bell, so it is looked at now and then.
        step = _WATCH_S if self._deadline.cancelled is not None else float("inf")
        while not self._deadline.passed():
            if self._ended.wait(min(step, self._deadline.left() + 0.001)):
                return
        import socket

        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)


def _moved(target: Target, response: HTTPResponse) -> Target:
    found = target.redirected(response.getheader("Location") or "")
    if response.status not in (307, 308) or found is None:
        raise ExchangeError("redirect", "it redirects elsewhere, which is not followed", status=response.status)
    return found


def _read(response: HTTPResponse) -> bytes:
    parts: list[bytes] = []
    size = 0
    while part := response.read1(65536):
        size += len(part)
        if size > LARGEST_REPLY:
            raise ExchangeError("too_large", f"the answer is larger than {LARGEST_REPLY} bytes")
        parts.append(part)
    declared = response.getheader("Content-Length") or ""
    if declared.isdigit() and size < int(declared):  # read1 takes an early end for the end
        raise ExchangeError("broken_off", "the answer broke off")
    return b"".join(parts)


def _decoded(text: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        raise ExchangeError("malformed", "the answer is no JSON") from None
    if not isinstance(answer, dict):
        raise ExchangeError("malformed", "the answer is JSON, but no object")
    return answer


def _bad_status(response: HTTPResponse, text: bytes) -> ExchangeError:
    error = ExchangeError(
        "status",
        f"the answer was HTTP {response.status}",
        status=response.status,
        retry_after=_seconds(response.getheader("Retry-After") or ""),
    )
    error.said = text[:4000].decode("utf-8", "replace").lower()
    return error


def _seconds(header: str) -> float | None:
    """The value of Retry-After (RFC 9110, section 10.2.3), seconds or a date, as seconds from now."""
    header = header.strip()
    if header.isascii() and header.replace(".", "", 1).isdigit():
        return float(header)
    if not header:
        return None
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def late(deadline: Deadline) -> ExchangeError:
    """The error of a request whose time is over."""
    if deadline.called_off():
        return ExchangeError("cancelled", "the turn was called off")
    return ExchangeError("timeout", "there was no answer in time")


def _translated(error: Exception, deadline: Deadline) -> ExchangeError:
    from http.client import HTTPException, IncompleteRead

    if deadline.passed():
        return late(deadline)
    if isinstance(error, IncompleteRead):
        return ExchangeError("broken_off", "the answer broke off")
    if isinstance(error, TimeoutError):
        return ExchangeError("unreachable", "it could not be reached in time")
    if isinstance(error, ConnectionResetError | BrokenPipeError):
        return ExchangeError("broken_off", "the other side hung up")
    if isinstance(error, HTTPException):
        return ExchangeError("malformed", f"the other side does not speak HTTP ({type(error).__name__})")
    return ExchangeError("unreachable", f"it could not be reached ({type(error).__name__})")
