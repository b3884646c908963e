"""Replies in the two protocols: OpenAI's chat completions and Anthropic's messages, whole and as event streams."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from skillcaddy.standin.reading import Recorded
from skillcaddy.standin.script import Reply

_EPOCH = 1_700_000_000
_PIECES = 3


def whole(reply: Reply, request: Recorded, serial: int) -> str:
    """The reply as one JSON document."""
    return _dump(_message(reply, request, serial) if _is_anthropic(request) else _completion(reply, request, serial))


def events(reply: Reply, request: Recorded, serial: int) -> list[str]:
    """The reply as server-sent events, each with its blank line."""
    return list(
        _message_events(reply, request, serial)
        if _is_anthropic(request)
        else _completion_events(reply, request, serial)
    )


def error(reply: Reply, request: Recorded) -> str:
    """An error document in the words of the protocol."""
    kind = {429: "rate_limit_error", 401: "authentication_error", 400: "invalid_request_error"}.get(
        reply.status, "api_error"
    )
    content = {"type": kind, "message": reply.text}
    return _dump({"type": "error", "error": content} if _is_anthropic(request) else {"error": content})


def models(name: str, context_length: int) -> str:
    """The list of models: one."""
    model = {
        "id": name,
        "object": "model",
        "type": "model",
        "display_name": name,
        "created": _EPOCH,
        "created_at": "2024-01-01T00:00:00Z",
        "owned_by": "skillcaddy",
        "context_length": context_length,
        "max_model_len": context_length,
    }
    return _dump({"object": "list", "data": [model], "has_more": False, "first_id": name, "last_id": name})


def token_count(request: Recorded) -> str:
    """The answer to Anthropic's question of how long a request is."""
    return _dump({"input_tokens": _size(request.body)})


def _is_anthropic(request: Recorded) -> bool:
    return "/messages" in request.path


def _usage(reply: Reply, request: Recorded) -> tuple[int, int]:
    return reply.usage or (_size(request.body), max(1, (len(reply.text) + len(str(reply.calls))) // 4))


def _size(body: Mapping[str, Any]) -> int:
    return max(1, len(_dump(body)) // 4)


def _arguments(given: Mapping[str, Any] | str) -> str:
    return given if isinstance(given, str) else _dump(given)


def _pieces(text: str) -> list[str]:
    step = max(1, -(-len(text) // _PIECES))
    return [text[start : start + step] for start in range(0, len(text), step)]


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


# OpenAI


def _head(request: Recorded, serial: int, kind: str) -> dict[str, Any]:
    model = request.body.get("model") or "standin-1"
    return {"id": f"chatcmpl-standin-{serial}", "object": kind, "created": _EPOCH, "model": model}


def _tool_calls(reply: Reply, serial: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_standin_{serial}_{number}",
            "type": "function",
            "function": {"name": name, "arguments": _arguments(arguments)},
        }
        for number, (name, arguments) in enumerate(reply.calls)
    ]


def _tokens(reply: Reply, request: Recorded) -> dict[str, int]:
    taken, given = _usage(reply, request)
    return {"prompt_tokens": taken, "completion_tokens": given, "total_tokens": taken + given}


def _completion(reply: Reply, request: Recorded, serial: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or (None if reply.calls else "")}
    if reply.calls:
        message["tool_calls"] = _tool_calls(reply, serial)
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if reply.calls else "stop"}
    return {**_head(request, serial, "chat.completion"), "choices": [choice], "usage": _tokens(reply, request)}


def _completion_events(reply: Reply, request: Recorded, serial: int) -> Iterator[str]:
    head = _head(request, serial, "chat.completion.chunk")
    options = request.body.get("stream_options")
    counted = isinstance(options, Mapping) and options.get("include_usage") is True

    def event(delta: Mapping[str, Any], finish: str | None = None) -> str:
        chunk: dict[str, Any] = {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        return f"data: {_dump({**chunk, 'usage': None} if counted else chunk)}\n\n"

    yield event({"role": "assistant", "content": None if reply.calls and not reply.text else ""})
    for piece in _pieces(reply.text):
        yield event({"content": piece})
    for index, each in enumerate(_tool_calls(reply, serial)):
        function = each["function"]
        yield event({"tool_calls": [{**each, "index": index, "function": {"name": function["name"], "arguments": ""}}]})
        for piece in _pieces(function["arguments"]):
            yield event({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield event({}, "tool_calls" if reply.calls else "stop")
    if counted:
        yield f"data: {_dump({**head, 'choices': [], 'usage': _tokens(reply, request)})}\n\n"
    yield "data: [DONE]\n\n"


# Anthropic


def _blocks(reply: Reply, serial: int) -> list[dict[str, Any]]:
    texts = [{"type": "text", "text": reply.text}] if reply.text or not reply.calls else []
    uses = [
        {"type": "tool_use", "id": f"toolu_standin_{serial}_{number}", "name": name, "input": arguments}
        for number, (name, arguments) in enumerate(reply.calls)
    ]
    return [*texts, *uses]


def _message(reply: Reply, request: Recorded, serial: int) -> dict[str, Any]:
    taken, given = _usage(reply, request)
    return {
        "id": f"msg_standin_{serial}",
        "type": "message",
        "role": "assistant",
        "model": request.body.get("model") or "standin-1",
        "content": _blocks(reply, serial),
        "stop_reason": "tool_use" if reply.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": taken, "output_tokens": given},
    }


def _message_events(reply: Reply, request: Recorded, serial: int) -> Iterator[str]:
    def event(kind: str, **fields: Any) -> str:
        return f"event: {kind}\ndata: {_dump({'type': kind, **fields})}\n\n"

    message = _message(reply, request, serial)
    opening = {**message, "content": [], "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
    yield event("message_start", message=opening)
    yield event("ping")
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start: dict[str, Any] = {"type": "text", "text": ""}
            deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])]
        else:
            start = {**block, "input": {}}
            parts = _pieces(_arguments(block["input"]))
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in parts]
        yield event("content_block_start", index=index, content_block=start)
        for delta in deltas:
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield event("message_delta", delta=ending, usage={"output_tokens": message["usage"]["output_tokens"]})
    yield event("message_stop")
