"""The host's provider as our model: on its own loop, within our deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from raven_double import Raven

from skillcaddy.deadline import Deadline
from skillcaddy.models import ChatModel, Completion, Message
from skillcaddy_raven import deployment
from skillcaddy_raven.model import ProviderModel
from skillcaddy_raven.off_loop import off_loop

PROMPT = [Message(role="system", content="s"), Message(role="user", content="u")]


class Provider:
    """Newer hosts' connection to their model."""

    def __init__(self, reply: Any = None, *, hangs: bool = False) -> None:
        self.reply = reply
        self.hangs = hangs
        self.calls: list[dict[str, Any]] = []
        self.cancelled = asyncio.Event()

    async def chat_with_retry(self, **call: Any) -> Any:
        self.calls.append(call)
        try:
            await asyncio.sleep(3600 if self.hangs else 0)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return self.reply


def reply(content: str | None, reason: str = "stop", **usage: int) -> Any:
    return SimpleNamespace(content=content, finish_reason=reason, usage=usage)


def ask(model: ProviderModel, seconds: float = 20.0) -> Completion:
    async def asked() -> Completion:
        model.attend()
        return await off_loop(lambda: model.complete(PROMPT, max_tokens=7, deadline=Deadline.after(seconds)), 30)

    return asyncio.run(asked())


def test_the_providers_reply_comes_from_the_hosts_loop_with_its_cost() -> None:
    provider = Provider(reply("yes", prompt_tokens=3, completion_tokens=1))
    model = ProviderModel(provider)
    assert isinstance(model, ChatModel)
    assert ask(model) == Completion(text="yes", tokens_in=3, tokens_out=1)
    (call,) = provider.calls
    assert call["messages"] == [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    assert (call["max_tokens"], call["model"], call["temperature"]) == (7, None, 0.0)


@pytest.mark.requirement("raven:provider-deadline")
def test_a_provider_that_hangs_is_called_off_at_our_deadline() -> None:
    """T57: cancelled, not left behind."""
    provider = Provider(hangs=True)
    model = ProviderModel(provider)

    async def asked() -> None:
        model.attend()
        with pytest.raises(TimeoutError):
            await off_loop(lambda: model.complete(PROMPT, max_tokens=7, deadline=Deadline.after(0.05)), 30)
        await asyncio.wait_for(provider.cancelled.wait(), 20)

    asyncio.run(asked())


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (reply("Error calling LLM", "error"), RuntimeError),
        (reply(None), ValueError),
        (reply("  "), ValueError),
        (None, ValueError),
    ],
)
def test_a_failed_or_empty_reply_is_an_error(answer: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        ask(ProviderModel(Provider(answer)))


def test_before_the_hosts_loop_has_come_and_after_it_has_gone_there_is_no_model() -> None:
    provider = Provider(reply("yes"))
    model = ProviderModel(provider)

    async def attend() -> None:
        model.attend()

    for _ in range(2):
        with pytest.raises(RuntimeError, match="does not run"):
            model.complete(PROMPT, max_tokens=7, deadline=Deadline.after(1))
        asyncio.run(attend())
    assert provider.calls == []


def test_the_provider_is_taken_where_the_host_offers_one_unless_a_setting_says_otherwise(
    host: Callable[..., Raven], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    raven = host("trunk")
    raven.provider = Provider(reply("yes"))
    raven.start()
    assert "The host's own model serves" in caplog.text
    deployment._made.clear()
    raven.start(model_source="off")
    assert "model_source is off" in caplog.text
