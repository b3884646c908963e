"""The user's own model, reached through the host, as the model of the rewriter and the gate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from skillcaddy.deadline import Deadline
from skillcaddy.models import Completion, Message


class HostModel:
    """A ChatModel over the host's `PluginLlm`; it names no model, which would need a grant, and needs no key."""

    name = "host"

    def __init__(self, llm: Callable[[], Any]) -> None:
        self._llm = llm

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        deadline: Deadline,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        """The reply; whatever the host raises, and ValueError for one without text.

        The host can hold a model to a schema only by turning the conversation into one instruction, so the prompt has
        to say the form.
        """
        result = self._llm().complete(
            [{"role": message.role, "content": message.content} for message in messages],
            max_tokens=max_tokens,
            timeout=max(0.1, deadline.left()),
            purpose="skillcaddy: finding skills for a turn",
        )
        text = getattr(result, "text", None)
        if not isinstance(text, str) or not text.strip():
            raise ValueError("the host's model gave no text")
        usage = getattr(result, "usage", None)
        return Completion(
            text=text,
            model=str(getattr(result, "model", "") or ""),
            tokens_in=_count(usage, "input_tokens"),
            tokens_out=_count(usage, "output_tokens"),
        )


def _count(usage: Any, name: str) -> int | None:
    count = getattr(usage, name, None)
    return count if isinstance(count, int) and count > 0 else None
