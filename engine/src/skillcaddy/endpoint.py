"""A model behind an OpenAI-compatible endpoint, as the model of the rewriter and the gate."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skillcaddy.deadline import Deadline
from skillcaddy.exchange import ExchangeError, Target, post_json
from skillcaddy.models import Completion, Message

if TYPE_CHECKING:
    import ssl

CONNECT_S = 3.0
"""Seconds to reach the endpoint; an answer may take as long as the deadline allows."""
KEYRING = "keyring:"
"""Begins a key that is not the key but the name of an entry of the service `skillcaddy` in the system's keyring."""
_MOST_TRIES = 4
_FIRST_PAUSE_S = 0.3
_BUSY = frozenset({408, 429, 500, 502, 503, 504, 529})


class EndpointModel:
    """A ChatModel over HTTP: one POST to `/chat/completions`, no streaming. Safe to share by threads.

    Making one does no I/O. Each call has a connection of its own, which is shut at the deadline.
    """

    def __init__(self, base_url: str, model: str, *, key: str = "", connect_s: float = CONNECT_S) -> None:
        """ValueError for an address that is none; a key of the form `keyring:NAME` is looked up when it is needed."""
        target = Target.of(base_url)
        self.name = f"endpoint:{model}"
        self._model = model
        self._target = target._replace(path=target.path + "/chat/completions")
        self._key = key
        self._connect_s = connect_s
        self._tls: ssl.SSLContext | None = None
        self._left_out: frozenset[str] = frozenset()
        """Parameters that this endpoint turned out not to take."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        deadline: Deadline,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        """The reply; ExchangeError, at the latest at the deadline, where there is none.

        A busy endpoint (429, 5xx) is asked again where the deadline has room for the pause it asks for. One that does
        not take a parameter (400) is asked again without it, and from then on.
        """
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": message.role, "content": _fit_to_leave(message)} for message in messages],
            "max_tokens": max_tokens,
            "temperature": 0,
            "stream": False,
        }
        if schema is not None:
            described = {"name": "answer", "schema": dict(schema), "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": described}
        return _completion(self.post(body, deadline), self._model)

    def post(self, body: Mapping[str, Any], deadline: Deadline) -> dict[str, Any]:
        """The endpoint's answer to this request body, as it came; retries and raises as `complete` does."""
        key = self._resolved_key()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        left_out, pause = self._left_out, _FIRST_PAUSE_S
        for tries_left in reversed(range(_MOST_TRIES)):
            try:
                answer = self._exchange(_fitting(body, left_out), headers, deadline)
                self._left_out = left_out
                return answer
            except ExchangeError as error:
                refused = _refused_parameters(error, body, left_out)
                wait = pause if error.retry_after is None else error.retry_after
                if tries_left and refused:
                    left_out |= refused
                elif tries_left and error.status in _BUSY and wait < deadline.left():
                    _sleep(wait, deadline)
                    pause *= 2
                else:
                    raise _explained(error, bool(key)) from None
        raise AssertionError  # pragma: no cover - the last try returns or raises

    def _exchange(self, body: Mapping[str, Any], headers: Mapping[str, str], deadline: Deadline) -> dict[str, Any]:
        if self._target.scheme == "https" and self._tls is None:
            import ssl

            self._tls = ssl.create_default_context()
        return post_json(self._target, body, headers, deadline, connect_s=self._connect_s, tls=self._tls)

    def _resolved_key(self) -> str:
        key = _from_keyring(self._key.removeprefix(KEYRING)) if self._key.startswith(KEYRING) else self._key
        if not key.isascii() or not key.isprintable():
            raise ExchangeError("key", "the key holds characters that a key can't have")
        return key


def _fit_to_leave(message: Message) -> str:
    """The message without what looks like a secret: the host's own model has seen it, this one need not."""
    from skillcaddy.redact import redacted

    return redacted(message.content) if message.role == "user" else message.content


def _from_keyring(name: str) -> str:
    try:
        import keyring  # type: ignore[import-not-found, unused-ignore]  # not a dependency: only who has it uses it

        found = keyring.get_password("skillcaddy", name)
    except Exception as error:  # noqa: BLE001 - a back-end may raise anything
        raise ExchangeError("key", f"the keyring can't be read ({type(error).__name__})") from None
    if not found:
        raise ExchangeError("key", f"the keyring has no entry {name!r} of the service skillcaddy")
    return str(found)


def _fitting(body: Mapping[str, Any], left_out: frozenset[str]) -> dict[str, Any]:
    """The body without what the endpoint does not take; the limit of tokens goes by its other name then."""
    fitting = {key: value for key, value in body.items() if key not in left_out}
    if "max_tokens" in left_out and "max_tokens" in body:
        fitting["max_completion_tokens"] = body["max_tokens"]
    return fitting


def _refused_parameters(error: ExchangeError, body: Mapping[str, Any], left_out: frozenset[str]) -> frozenset[str]:
    """What to leave out after a 400: what the endpoint names, else what is optional; empty when nothing is left."""
    if error.status not in (400, 422):
        return frozenset()
    optional = [name for name in ("response_format", "temperature", "max_tokens") if name in body]
    optional = [name for name in optional if name not in left_out]
    named = [name for name in optional if name in error.said or (name == "response_format" and "schema" in error.said)]
    # An endpoint that names nothing is most likely one without structured output.
    return frozenset(named or optional[:1])


def _explained(error: ExchangeError, has_key: bool) -> ExchangeError:
    """The same error with what a bad status means here; what the endpoint wrote stays behind."""
    meaning = {
        400: "it does not take the request",
        401: "it refuses the key" if has_key else "it wants a key",
        403: "the key may not use this model" if has_key else "it wants a key",
        404: "there is no such model, or model_base_url lacks a part of its path",
        429: "its limit is reached",
    }.get(error.status)
    told = f"endpoint: {error}" + (f" ({meaning})" if meaning else "")
    return ExchangeError(error.kind, told, status=error.status, retry_after=error.retry_after)


def _sleep(seconds: float, deadline: Deadline) -> None:
    if deadline.cancelled is None:
        time.sleep(seconds)
    else:
        deadline.cancelled.wait(seconds)


def _completion(answer: Mapping[str, Any], model: str) -> Completion:
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    message = choice.get("message")
    if not isinstance(message, dict):
        raise ExchangeError("malformed", "endpoint: the answer holds no message")
    text = _text(message.get("content"))
    if not text.strip():
        if message.get("refusal") or choice.get("finish_reason") == "content_filter":
            raise ExchangeError("refused", "endpoint: the model refused to answer")
        raise ExchangeError("malformed", "endpoint: the model answered without a text")
    usage = answer.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    named = answer.get("model")
    return Completion(
        text=text,
        model=named[:200] if isinstance(named, str) and named else model,
        tokens_in=_count(usage.get("prompt_tokens")),
        tokens_out=_count(usage.get("completion_tokens")),
    )


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
