"""`skillcaddy bridge`: the engine for hosts written in JavaScript, one child per host process, over stdin and stdout.

JSON-RPC 2.0 by lines (`rpc.py`). The shell (`js/bridge.mjs`) asks, and may be asked back:

    initialize     {protocol, shell, host: {id, version}, mode, settings, folder?, retention, limits, model}
                   -> {protocol, version, deadline_auto_s, deadline_tool_s, warnings}
    turn.retrieve  {prompt, history?, session, workspace, roots, hidden, tools | null, deadline_s}
                   -> {text, ids, reasons, elapsed_ms}
    tool.call      {name, arguments, session, workspace, roots, hidden, tools | null, deadline_s}
                   -> {text, ids, failed}
    session.clear  {session}                      a notification: the model no longer sees what that session was given
    $/cancel       {id}
    model.complete {turn, messages, max_tokens, purpose, schema?, deadline_s} -> {text, model, tokens_in, tokens_out}
                                                  the engine's own call, answered by the host's model
    log            {level, message}               a notification of the engine's, for the host's log

Nothing heavier than the standard library is imported before a host has said who it is.
"""

from __future__ import annotations

import os
import threading

from skillcaddy import __version__
from skillcaddy.rpc import INVALID_PARAMS, INVALID_REQUEST, Call, Peer, RpcError, serve_stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, NoReturn

    from skillcaddy.bridge_desks import Desks
    from skillcaddy.config import Loaded
    from skillcaddy.settings import Mode

PROTOCOL = 1
"""Changes with the meaning of a message; a shell that speaks another one is refused with the way out."""
_LEAST_DEADLINE_S = 0.05


class Bridge:
    """One host's connection: what was agreed at the handshake, and the engines behind it."""

    def __init__(self, peer: Peer, environ: Mapping[str, str] | None = None) -> None:
        self._peer = peer
        self._environ = environ
        self._lock = threading.Lock()
        self._desks: Desks | None = None
        self._answer: dict[str, Any] = {}
        self._deadlines = {"auto": 0.0, "tool": 0.0}
        peer.on("initialize", self._initialize)
        peer.on("turn.retrieve", self._retrieve)
        peer.on("tool.call", self._tool)
        peer.on("session.clear", self._clear, inline=True)
        peer.on("ping", lambda call: {}, inline=True)

    def _initialize(self, call: Call) -> dict[str, Any]:
        hello = _mapping(call.params)
        if hello.get("protocol") != PROTOCOL:
            theirs, host = hello.get("protocol"), _mapping(hello.get("host")).get("id", "the host")
            raise RpcError(
                INVALID_PARAMS,
                f"the plugin (version {hello.get('shell', 'unknown')}) speaks bridge protocol {theirs!r}, "
                f"skillcaddy {__version__} speaks {PROTOCOL}. Bring both to one version: "
                f"`pip install -U skillcaddy`, then the plugin of that version into {host}.",
            )
        with self._lock:
            if self._desks is None:
                self._open(hello)
            return self._answer

    def _open(self, hello: Mapping[str, Any]) -> None:
        from skillcaddy.bridge_desks import Desks, HostModel
        from skillcaddy.snapshot import load_fast

        host = _mapping(hello.get("host"))
        host_id = str(host.get("id") or "host")
        loaded = load_fast(
            host=_mapping(hello.get("settings")),
            host_name=host_id,
            environ=self._environ,
            host_folder=_folder(hello.get("folder")),
        )
        warnings = [text for text in loaded.warnings if "SKILLCADDY_MODE" not in text]  # the shell has said that
        mode: Mode = "auto" if hello.get("mode") == "auto" else "on_demand"
        warnings += _mode_warning(loaded, mode, host_id)
        auto_s, more = _auto_deadline(loaded, _mapping(hello.get("limits")))
        warnings += more
        self._deadlines = {"auto": auto_s, "tool": loaded.settings.deadline_tool_s}
        self._desks = Desks(
            loaded.settings,
            mode=mode,
            host=host_id,
            retention="turn" if hello.get("retention") == "turn" else "transcript",
            model=HostModel(self._peer) if hello.get("model") is True else None,
            say=lambda level, text: self._peer.notify("log", {"level": level, "message": text}),
        )
        self._answer = {
            "protocol": PROTOCOL,
            "version": __version__,
            "deadline_auto_s": auto_s,
            "deadline_tool_s": loaded.settings.deadline_tool_s,
            "warnings": warnings,
        }

    def _retrieve(self, call: Call) -> dict[str, Any]:
        params, desks = self._asked(call)
        prompt = params.get("prompt")
        if not isinstance(prompt, str):
            raise RpcError(INVALID_PARAMS, "turn.retrieve needs a prompt")
        return desks.retrieve(call, prompt, _texts(params.get("history")), params, self._deadline(params, "auto"))

    def _tool(self, call: Call) -> dict[str, Any]:
        params, desks = self._asked(call)
        name = params.get("name")
        answer = desks.tool(call, str(name), params.get("arguments"), params, self._deadline(params, "tool"))
        if answer is None:
            raise RpcError(INVALID_PARAMS, f"there is no tool {str(name)[:100]!r}")
        return answer

    def _clear(self, call: Call) -> None:
        session = _mapping(call.params).get("session")
        if self._desks is not None and isinstance(session, str):
            self._desks.forget(session)

    def _asked(self, call: Call) -> tuple[Mapping[str, Any], Desks]:
        if self._desks is None:
            raise RpcError(INVALID_REQUEST, f"{call.method} came before initialize")
        return _mapping(call.params), self._desks

    def _deadline(self, params: Mapping[str, Any], surface: str) -> float:
        """Seconds this call may take: what the shell says is left, at most what the settings allow."""
        left = _number(params.get("deadline_s"))
        return self._deadlines[surface] if left is None else min(max(left, _LEAST_DEADLINE_S), self._deadlines[surface])


_HELP = "Serve a JavaScript host's plugin: JSON-RPC 2.0 by lines on stdin and stdout."


def run(arguments: Sequence[str] = ()) -> NoReturn:
    """Serve this process's own stdin and stdout until they end."""
    if list(arguments) in (["--help"], ["-h"]):
        print(f"usage: skillcaddy bridge\n\n{_HELP}")  # noqa: T201 - asked for by a person
        raise SystemExit(0)
    if arguments:
        from skillcaddy.wire import complain, leave

        complain(f"bridge takes no arguments, got {list(arguments)}; it is started by a host's plugin")
        leave(2)
    serve_stdio(Bridge)


def _auto_deadline(loaded: Loaded, limits: Mapping[str, Any]) -> tuple[float, list[str]]:
    """Seconds of an automatic retrieval: the user's, else the host's own default, never beyond what the host waits."""
    wanted = loaded.settings.deadline_auto_s
    default, cap = _number(limits.get("auto_default_s")), _number(limits.get("auto_cap_s"))
    if loaded.origins["deadline_auto_s"].kind == "default" and default is not None and default > 0:
        wanted = default
    if cap is None or wanted <= cap:
        return wanted, []
    told = f"deadline_auto_s is {wanted:g}, but this host waits {cap:g} s at most, so {cap:g} s are used."
    return cap, [told]


def _mode_warning(loaded: Loaded, mode: str, host: str) -> list[str]:
    """The shell had to choose the mode before any Python ran, without the shared config file."""
    origin = loaded.origins["mode"]
    if origin.kind != "file" or loaded.settings.mode == mode:
        return []
    return [
        f"mode is {loaded.settings.mode!r} {origin}, but {host} needs it in its own configuration or in "
        f"SKILLCADDY_MODE; going on with {mode!r}."
    ]


def _folder(value: Any) -> Any:
    from pathlib import Path

    return Path(value) if isinstance(value, str) and os.path.isabs(value) else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value == value else None
