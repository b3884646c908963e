"""The host's own model connection as the model of the rewriter and the gate."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any

from skillcaddy.deadline import Deadline
from skillcaddy.models import Completion, Message


class ProviderModel:
    """A ChatModel over `services.provider`, which newer hosts give to plugins.

    The provider lives on the host's event loop, the engine in a thread beside it: `attend` names the loop, `complete`
    waits for it and cancels at the deadline, since the provider by itself retries for seconds.
    """

    name = "host"

    def __init__(self, provider: Any) -> None:
        self._provider = provider
        self._loop: asyncio.AbstractEventLoop | None = None

    def attend(self) -> None:
        """Serve from the event loop that is running now."""
        self._loop = asyncio.get_running_loop()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        deadline: Deadline,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        """The provider's reply. TimeoutError at the deadline, RuntimeError for a failed call, ValueError for no text.

        The provider takes no schema; the prompt has to say the form.
        """
        loop = self._loop
        if loop is None or not loop.is_running():
            raise RuntimeError("the host's event loop does not run")
        call = self._provider.chat_with_retry(
            messages=[{"role": message.role, "content": message.content} for message in messages],
            model=None,
            max_tokens=max_tokens,
            temperature=0.0,
        )
        future = asyncio.run_coroutine_threadsafe(call, loop)
        try:
            reply = future.result(deadline.left())
        except FutureTimeoutError:
            future.cancel()
            raise TimeoutError("the host's model did not answer in time") from None
        return _completion(reply)


def _completion(reply: Any) -> Completion:
    content = getattr(reply, "content", None)
    if getattr(reply, "finish_reason", "") == "error":
        raise RuntimeError(f"the host's model failed: {str(content)[:200]}")
    if not isinstance(content, str) or not content.strip():
        raise ValueError("the host's model gave no text")
    usage = getattr(reply, "usage", None)
    counts = usage if isinstance(usage, Mapping) else {}
    return Completion(
        text=content, tokens_in=_count(counts.get("prompt_tokens")), tokens_out=_count(counts.get("completion_tokens"))
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
