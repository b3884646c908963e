"""The proxy on the way to an address: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, as other programs read them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    import ssl
    from http.client import HTTPConnection

    from skillcaddy.exchange import Target

_LOOPBACK = frozenset({"localhost", "::1"})


class Proxy(NamedTuple):
    """Where a request goes first, and what the proxy wants to be told."""

    host: str
    port: int
    headers: Mapping[str, str]

    def __repr__(self) -> str:
        """Without the headers, which may hold a password."""
        return f"Proxy({self.host}:{self.port})"


class Way(NamedTuple):
    """A connection that is not made yet, what to ask for over it, and what a proxy on the way is told besides."""

    connection: HTTPConnection
    asked: str
    headers: Mapping[str, str]


def way_to(target: Target, timeout: float, tls: ssl.SSLContext | None) -> Way:
    """How to reach a target, over a proxy where the environment names one; no I/O happens here."""
    from http.client import HTTPConnection, HTTPSConnection  # late: 30 ms that only a request pays

    proxy = proxy_for(target.scheme, target.host, target.port)
    if proxy is None:
        if target.scheme == "http":
            return Way(HTTPConnection(target.host, target.port, timeout=timeout), target.path, {})
        return Way(HTTPSConnection(target.host, target.port, timeout=timeout, context=tls), target.path, {})
    if target.scheme == "http":
        return Way(HTTPConnection(proxy.host, proxy.port, timeout=timeout), target.url(), proxy.headers)
    tunnelled = HTTPSConnection(proxy.host, proxy.port, timeout=timeout, context=tls)
    tunnelled.set_tunnel(target.host, target.port, headers=dict(proxy.headers))
    return Way(tunnelled, target.path, {})


def proxy_for(scheme: str, host: str, port: int) -> Proxy | None:
    """The proxy on the way to that host, None where there is none; this machine itself is always reached directly."""
    if host.lower() in _LOOPBACK or host.startswith("127."):
        return None
    if not any(name.lower() in ("http_proxy", "https_proxy", "all_proxy") for name in os.environ):
        return None
    from urllib.request import getproxies_environment, proxy_bypass  # late: few have a proxy

    named = getproxies_environment()
    address = named.get(scheme) or named.get("all") or ""
    if not address or proxy_bypass(f"{host}:{port}"):
        return None
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        where = (parts.hostname, parts.port or 80)
    except ValueError:
        return None
    if parts.scheme != "http" or not where[0]:
        return None  # SOCKS, or a proxy that is itself spoken to over TLS
    return Proxy(where[0], where[1], _credentials(parts.username, parts.password))


def _credentials(user: str | None, password: str | None) -> dict[str, str]:
    if user is None:
        return {}
    import base64

    pair = f"{unquote(user)}:{unquote(password or '')}".encode()
    return {"Proxy-Authorization": "Basic " + base64.b64encode(pair).decode("ascii")}
