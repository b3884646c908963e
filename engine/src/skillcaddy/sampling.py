"""The MCP client's own model, reached by `sampling/createMessage`, as the model of the rewriter and the gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skillcaddy.deadline import Deadline
from skillcaddy.models import Completion, Message

if TYPE_CHECKING:
    from skillcaddy.rpc import Peer


class SamplingModel:
    """A ChatModel over a connection whose client offers sampling. A client may ask its user before it answers."""

    name = "sampling"

    def __init__(self, peer: Peer) -> None:
        self._peer = peer

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        deadline: Deadline,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        """The client's reply; raises RpcError when it refuses, TimeoutError at the deadline, ValueError for no text.

        The protocol can't hold a reply to a schema, so `schema` is left to the prompt.
        """
        params: dict[str, Any] = {
            "messages": [
                {"role": message.role, "content": {"type": "text", "text": message.content}}
                for message in messages
                if message.role != "system"
            ],
            "maxTokens": max_tokens,
            "temperature": 0,
            "includeContext": "none",
            # Short judgements: a small, fast model serves better than a clever one.
            "modelPreferences": {"speedPriority": 0.8, "costPriority": 0.8, "intelligencePriority": 0.2},
        }
        system = "\n\n".join(message.content for message in messages if message.role == "system")
        if system:
            params["systemPrompt"] = system
        result = self._peer.call("sampling/createMessage", params, deadline)
        text = _text(result.get("content") if isinstance(result, dict) else None)
        if not text:
            raise ValueError("the client's model answered without a text")
        model = result.get("model")
        return Completion(text=text, model=model if isinstance(model, str) else "")


def _text(content: Any) -> str:
    """The text of one block or, as the 2025-11-25 version allows, of several."""
    blocks = content if isinstance(content, list) else [content]
    return "".join(
        block["text"]
        for block in blocks
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
    )
