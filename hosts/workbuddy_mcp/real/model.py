"""A scripted model on loopback, in both clients' dialects; it keeps every request for the tests to read."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Model:
    """Answers text, or calls the tool `wants` once a turn where it is offered; `requests` holds what it was sent."""

    def __init__(self) -> None:
        self.wants = ""
        """The end of a tool's name; "" for text only."""
        self.arguments: dict[str, Any] = {}
        self.requests: list[dict[str, Any]] = []
        self.lock = threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_HEAD(self) -> None:
                self.send_json({})

            def do_GET(self) -> None:
                self.send_json({"object": "list", "data": []})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
                if self.path.endswith("/chat/completions"):
                    self.send_events(list(model.as_openai(body)), body)
                elif self.path.partition("?")[0].endswith("/messages"):
                    self.send_events(list(model.as_anthropic(body)), body)
                else:
                    self.send_json({"input_tokens": 1})

            def send_json(self, value: Any) -> None:
                data = json.dumps(value).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

            def send_events(self, events: list[tuple[str, Any]], body: dict[str, Any]) -> None:
                if not body.get("stream"):
                    self.send_json(model.whole(events))
                    return
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("connection", "close")
                self.end_headers()
                self.close_connection = True
                for name, value in events:
                    data = value if isinstance(value, str) else json.dumps(value)
                    self.wfile.write((f"event: {name}\n" if name else "").encode() + f"data: {data}\n\n".encode())

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()

    def turns(self) -> list[dict[str, Any]]:
        """The requests of real turns: those that offer tools; hosts ask for titles and the like beside them."""
        with self.lock:
            return [request for request in self.requests if request.get("tools")]

    def _choose(self, body: dict[str, Any], names: list[str], after_tool: bool) -> str:
        with self.lock:
            self.requests.append(body)
        wanted = [name for name in names if self.wants and name.endswith(self.wants)]
        return wanted[0] if wanted and not after_tool else ""

    def as_openai(self, body: dict[str, Any]) -> Any:
        """The stream of a chat completion."""
        names = [tool["function"]["name"] for tool in body.get("tools") or []]
        tool = self._choose(body, names, body["messages"][-1]["role"] == "tool")
        base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": body.get("model", "m")}
        delta: dict[str, Any] = {"role": "assistant", "content": "All done."}
        if tool:
            function = {"name": tool, "arguments": json.dumps(self.arguments)}
            delta = {
                "role": "assistant",
                "tool_calls": [{"index": 0, "id": "t1", "type": "function", "function": function}],
            }
        yield "", {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        reason = "tool_calls" if tool else "stop"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        yield "", {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage}
        yield "", "[DONE]"

    def as_anthropic(self, body: dict[str, Any]) -> Any:
        """The stream of a message."""
        names = [tool.get("name", "") for tool in body.get("tools") or []]
        last = body["messages"][-1]["content"]
        after_tool = isinstance(last, list) and any(block.get("type") == "tool_result" for block in last)
        tool = self._choose(body, names, after_tool)
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "m", "type": "message", "role": "assistant", "model": body.get("model", "m"), "content": []}
        yield "message_start", {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}}
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta: dict[str, Any] = {"type": "text_delta", "text": "All done."}
        if tool:
            block = {"type": "tool_use", "id": "toolu_1", "name": tool, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(self.arguments)}
        yield "content_block_start", {"type": "content_block_start", "index": 0, "content_block": block}
        yield "content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": 0}
        stop = {"stop_reason": "tool_use" if tool else "end_turn", "stop_sequence": None}
        yield "message_delta", {"type": "message_delta", "delta": stop, "usage": usage}
        yield "message_stop", {"type": "message_stop"}

    def whole(self, events: list[tuple[str, Any]]) -> Any:
        """The same answer for a request that does not stream; these clients ask so for titles only, so it is text."""
        first = events[0][1]
        if "message" in first:
            content = [{"type": "text", "text": "All done."}]
            return {**first["message"], "content": content, "stop_reason": "end_turn"}
        choice = {"index": 0, "message": {"role": "assistant", "content": "All done."}, "finish_reason": "stop"}
        return {**first, "object": "chat.completion", "choices": [choice]}
