"""Requests as the stand-in recorded them, read alike in both protocols."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Recorded:
    """One HTTP request. `body` is its JSON, or {} where it had none; secrets in headers and address are masked."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case."""
    body: Mapping[str, Any] = field(default_factory=dict)
    at: float = 0.0
    """Seconds since the epoch."""

    @property
    def is_completion(self) -> bool:
        """True for a question to the model, in either protocol."""
        return self.method == "POST" and self.path.rstrip("/").endswith(("/chat/completions", "/messages"))


Readable = Recorded | Mapping[str, Any]
"""A recorded request, or just its body."""


def system_text(request: Readable) -> str:
    """All system instructions: OpenAI's `system` and `developer` messages, Anthropic's `system`."""
    texts = [_text(_body(request).get("system"))]
    texts += [_text(message.get("content")) for message in messages(request, "system", "developer")]
    return "\n".join(text for text in texts if text)


def user_texts(request: Readable) -> list[str]:
    """The text of each user message, oldest first; tool results are none."""
    return [text for message in messages(request, "user") if (text := _text(message.get("content")))]


def user_text(request: Readable) -> str:
    """All user messages, newlines between them."""
    return "\n".join(user_texts(request))


def last_user_text(request: Readable) -> str:
    """The newest user message; some hosts put one of their own after a tool's result."""
    texts = user_texts(request)
    return texts[-1] if texts else ""


def tool_messages(request: Readable) -> list[str]:
    """The results of tool calls, oldest first."""
    results = []
    for message in messages(request):
        if message.get("role") == "tool":
            results.append(_text(message.get("content")))
        for block in _blocks(message.get("content")):
            if block.get("type") == "tool_result":
                results.append(_text(block.get("content")))
    return results


def tools(request: Readable) -> dict[str, Mapping[str, Any]]:
    """The offered tools by name, each with `description` and `parameters` (a JSON Schema)."""
    found: dict[str, Mapping[str, Any]] = {}
    offered = _body(request).get("tools")
    for tool in offered if isinstance(offered, list) else []:
        if not isinstance(tool, Mapping):
            continue
        given = tool.get("function", tool)
        if isinstance(given, Mapping) and isinstance(given.get("name"), str):
            parameters = given.get("parameters", given.get("input_schema", {}))
            found[given["name"]] = {"description": given.get("description", ""), "parameters": parameters}
    return found


def tool_names(request: Readable) -> list[str]:
    """The names of the offered tools, in their order."""
    return list(tools(request))


def all_text(request: Readable) -> str:
    """Everything the model reads but the tools: system, then each message and tool result in order."""
    texts = [_text(_body(request).get("system"))]
    for message in messages(request):
        texts.append(_text(message.get("content")))
        texts += [_text(each.get("content")) for each in _blocks(message.get("content")) if "tool_use_id" in each]
    return "\n".join(text for text in texts if text)


def count(request: Readable, text: str) -> int:
    """How often a text stands in what the model reads."""
    return all_text(request).count(text)


def messages(request: Readable, *roles: str) -> list[Mapping[str, Any]]:
    """The messages of these roles, or all, as they were sent."""
    given = _body(request).get("messages")
    found = [each for each in given if isinstance(each, Mapping)] if isinstance(given, list) else []
    return [each for each in found if not roles or each.get("role") in roles]


def rounds(request: Readable) -> tuple[Any, ...]:
    """What stays the same while one turn's tool calls go to and fro: the opening, and how many answers it has had."""
    texts = user_texts(request)
    answers = [each for each in messages(request, "assistant") if not _calls(each)]
    return (texts[0][:2000] if texts else "", len(answers), bool(tools(request)))


def _calls(message: Mapping[str, Any]) -> bool:
    blocks = _blocks(message.get("content"))
    return bool(message.get("tool_calls")) or any(block.get("type") == "tool_use" for block in blocks)


def _body(request: Readable) -> Mapping[str, Any]:
    return request.body if isinstance(request, Recorded) else request


def _blocks(content: Any) -> Iterator[Mapping[str, Any]]:
    return (block for block in content if isinstance(block, Mapping)) if isinstance(content, list) else iter(())


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    texts = (block.get("text") for block in _blocks(content))
    return "\n".join(text for text in texts if isinstance(text, str))
