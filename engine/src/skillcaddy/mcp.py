"""`skillcaddy mcp`: the tools for any MCP client over stdio, one server for all handshake versions of the protocol.

`initialize` is answered by the standard library alone, a few milliseconds after the process starts; the engine loads
behind it in a thread. Clients drop a server from turn one when it takes longer than two seconds.
"""

from __future__ import annotations

import sys
import threading

from skillcaddy import __version__
from skillcaddy.rpc import INVALID_PARAMS, INVALID_REQUEST, Call, Peer, RpcError, serve_stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn

    from skillcaddy.mcp_tools import Toolbox
    from skillcaddy.models import ChatModel

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""The protocol versions served, newest first; the newest is offered to a client that asks for any other."""
_BATCHING = "2025-03-26"
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
UNSUPPORTED_VERSION = -32022


class Server:
    """One connection: what was agreed with the client, and the tools behind it."""

    def __init__(self, peer: Peer, open_toolbox: Callable[[Callable[[], ChatModel | None]], Toolbox]) -> None:
        """`open_toolbox` may be slow: it is called once, in a thread, with the way to reach the client's model."""
        self.peer = peer
        self.version: str | None = None
        self.capabilities: dict[str, Any] = {}
        self._open_toolbox = open_toolbox
        self._toolbox: Toolbox | None = None
        self._model: ChatModel | None = None
        self._problem = ""
        self._opened = threading.Event()
        peer.screen = self._screen
        peer.on("initialize", self._initialize, inline=True)
        peer.on("ping", lambda call: {}, inline=True)
        peer.on("tools/list", self._list)
        peer.on("tools/call", self._call)
        threading.Thread(target=self._load, name="mcp-load", daemon=True).start()

    def _load(self) -> None:
        try:
            self._toolbox = self._open_toolbox(self._client_model)
        except BaseException as error:  # noqa: BLE001 - a broken install must still answer the client
            self._problem = f"skillcaddy could not start: {type(error).__name__}: {error}"[:500]
            print(f"skillcaddy: {self._problem}", file=sys.stderr)  # noqa: T201 - stderr is the server's log
        self._opened.set()

    def _screen(self, call: Call) -> None:
        """Refuse what belongs to a protocol without a handshake, and anything before the handshake."""
        meta = call.params.get("_meta") if isinstance(call.params, dict) else None
        claimed = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
        if claimed is not None and call.method != "initialize":
            raise RpcError(
                UNSUPPORTED_VERSION,
                "Unsupported protocol version: this server speaks the versions that begin with initialize",
                {"supported": list(VERSIONS), "requested": str(claimed)[:100]},
            )
        if self.version is None and call.method in ("tools/list", "tools/call"):
            raise RpcError(INVALID_REQUEST, f"{call.method} came before initialize")

    def _initialize(self, call: Call) -> dict[str, Any]:
        params = call.params if isinstance(call.params, dict) else {}
        asked = params.get("protocolVersion")
        self.version = asked if asked in VERSIONS else VERSIONS[0]
        self.peer.batches = self.version == _BATCHING
        offered = params.get("capabilities")
        self.capabilities = offered if isinstance(offered, dict) else {}
        return {
            "protocolVersion": self.version,
            # No listChanged: the list is the same for the whole life of the process.
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "skillcaddy", "version": __version__},
        }

    def _client_model(self) -> ChatModel | None:
        if self._model is None and isinstance(self.capabilities.get("sampling"), dict):
            from skillcaddy.sampling import SamplingModel

            self._model = SamplingModel(self.peer)
        return self._model

    def _ready(self) -> Toolbox:
        self._opened.wait()
        if self._toolbox is None:
            raise RpcError(INVALID_REQUEST, self._problem)
        return self._toolbox

    def _list(self, call: Call) -> dict[str, Any]:
        try:
            tools = self._ready().tools()
        except RpcError:
            tools = []  # the process stays healthy; the reason is in the log, and in the answer to a call
        if self.version == "2024-11-05":
            tools = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in tools]
        return {"tools": tools}

    def _call(self, call: Call) -> dict[str, Any]:
        params = call.params if isinstance(call.params, dict) else {}
        name, arguments = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str):
            raise RpcError(INVALID_PARAMS, "tools/call names its tool")
        if arguments is None:
            arguments = {}
        if not isinstance(arguments, dict):
            raise RpcError(INVALID_PARAMS, "arguments are an object")
        try:
            toolbox = self._ready()
        except RpcError as error:
            return _text(error.message, is_error=True)
        answer = toolbox.call(name, arguments)
        if answer is None:
            raise RpcError(INVALID_PARAMS, f"Unknown tool: {name[:100]}")
        return _text(answer.text, is_error=answer.is_failure)


def _text(text: str, *, is_error: bool) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def serve(open_toolbox: Callable[[Callable[[], ChatModel | None]], Toolbox]) -> NoReturn:
    """Serve the process's stdin and stdout until they end; the process ends with them."""
    serve_stdio(lambda peer: Server(peer, open_toolbox), cancel_method="notifications/cancelled")


def run(arguments: Sequence[str]) -> NoReturn:
    """Run `skillcaddy mcp` with these arguments; ends the process."""
    given = list(arguments)
    chosen: dict[str, Any] = {}
    if given:
        chosen = _options(given)

    def open_toolbox(client_model: Callable[[], ChatModel | None]) -> Toolbox:
        from skillcaddy.mcp_tools import Toolbox
        from skillcaddy.snapshot import load_fast

        return Toolbox(lambda: load_fast(arguments=chosen), host="mcp", client_model=client_model)

    serve(open_toolbox)


def _options(given: list[str]) -> dict[str, Any]:
    import argparse  # late: most clients start the server without arguments

    parser = argparse.ArgumentParser(
        prog="skillcaddy mcp",
        description="Serve skill_search and skill_open to an MCP client over stdin and stdout.",
        epilog="Settings come from the SKILLCADDY_* variables and the config file, as everywhere.",
    )
    parser.add_argument(
        "--skills",
        metavar="DIR",
        action="append",
        help="search this folder instead of the configured ones; repeatable, the first shadows later ones",
    )
    skills = parser.parse_args(given).skills
    return {"skills_dirs": skills, "shared_library": "off"} if skills else {}


if __name__ == "__main__":
    run(sys.argv[1:])
