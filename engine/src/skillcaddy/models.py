"""The port behind which a language model serves the rewriter and the gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from skillcaddy.deadline import Deadline


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """One message of a conversation with a model."""

    role: str
    """`system`, `user` or `assistant`."""
    content: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Completion:
    """A model's reply; token counts are None where the model does not say."""

    text: str
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None


@runtime_checkable
class ChatModel(Protocol):
    """A model that completes a conversation. Any error may be raised; the pipeline turns it into a reason code."""

    name: str
    """Who answers, for the trace: `host`, `endpoint:<model>`, `sampling`."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        deadline: Deadline,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        """The reply, in time; `schema` is a JSON Schema for the reply, where the model can be held to one."""
        ...
