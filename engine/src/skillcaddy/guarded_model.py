"""Asking one model: under the deadline, within a session's budget, with its cost traced, never while it is down."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from skillcaddy.deadline import Deadline
from skillcaddy.fanout import call_all
from skillcaddy.markdown import estimated_tokens
from skillcaddy.models import ChatModel, Completion, Message
from skillcaddy.quoting import field
from skillcaddy.trace import ModelCall, Recorder

if TYPE_CHECKING:
    from pathlib import Path

_MOST_SESSIONS = 512
_MOST_LEFT_BEHIND = 2
_FAILURES_BEFORE_A_REST = 3
_REST_S = 60.0
_LONGEST_REST_S = 600.0
_MODELS_SHARE = 0.97
"""The model's part of the time: one that keeps its deadline is then not taken for one that does not."""


class ModelError(Exception):
    """A call that brought no reply; the message is fit for a trace."""


class BudgetSpentError(ModelError):
    """The session has used up its tokens; the model was not asked."""


class GuardedModel:
    """The model of one engine, remembered with what it cost and how it behaved; safe to use from many threads."""

    def __init__(self, model: ChatModel, *, tokens_per_session: int = 0, folder: Path | None = None) -> None:
        """No limit where that is 0. `folder` keeps the count for hosts whose processes end with every turn."""
        self.name = model.name
        self._model = model
        self._limit = tokens_per_session
        self._folder = folder
        self._lock = threading.Lock()
        self._spent: OrderedDict[str, int] = OrderedDict()
        self._left_behind: list[Callable[[], bool]] = []
        self._failures = 0
        self._rests_until = 0.0

    def ask(
        self,
        step: str,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        deadline: Deadline,
        session: str,
        recorder: Recorder,
        schema: Mapping[str, Any] | None = None,
    ) -> str:
        """The reply's text, and a ModelCall in the trace; ModelError, never later than the deadline, for none.

        A call that outlives its deadline is left behind in its thread. While two such threads live, and for a while
        after three failures in a row or a request to wait, the model is not asked at all.
        """
        self._refuse(session)
        models = deadline.share(_MODELS_SHARE)
        # The caller's context goes along: a host's model must know on whose behalf it is asked.
        context = copy_context()

        def call() -> Completion:
            return context.run(self._model.complete, messages, max_tokens=max_tokens, deadline=models, schema=schema)

        outcome = call_all([call], deadline)[0]
        answered = isinstance(outcome.value, Completion) and isinstance(getattr(outcome.value, "text", None), str)
        completion: Completion | None = outcome.value if answered else None
        self._account(step, messages, completion, outcome.elapsed_ms, session, recorder)
        if completion is not None:
            with self._lock:
                self._failures = 0
            return completion.text
        if outcome.abandoned and outcome.busy is not None:
            with self._lock:
                self._left_behind.append(outcome.busy)
        if not deadline.called_off():
            self._note_failure(outcome.error)
        raise ModelError(_told(outcome.error, outcome.abandoned, deadline))

    def spent(self, session: str) -> int:
        """Tokens that a session has used; 0 for one without a name, which nothing remembers."""
        if not session:
            return 0
        with self._lock:
            return self._spent_by(session)

    def _refuse(self, session: str) -> None:
        if self._limit and self.spent(session) >= self._limit:
            raise BudgetSpentError(f"{self.spent(session)} of {self._limit} tokens are used")
        with self._lock:
            self._left_behind = [busy for busy in self._left_behind if busy()]
            if len(self._left_behind) >= _MOST_LEFT_BEHIND:
                raise ModelError("it is still busy with earlier calls")
            rest = self._rests_until - time.monotonic()
        if rest > 0:
            raise ModelError(f"it failed lately and is asked again in {rest:.0f} s")

    def _account(
        self,
        step: str,
        messages: Sequence[Message],
        completion: Completion | None,
        elapsed_ms: float,
        session: str,
        recorder: Recorder,
    ) -> None:
        # A call that failed may have been charged all the same.
        given = completion or Completion(text="")
        tokens_in = given.tokens_in
        if tokens_in is None:
            tokens_in = sum(estimated_tokens(message.content) for message in messages)
        tokens_out = estimated_tokens(given.text) if given.tokens_out is None else given.tokens_out
        named = given.model if isinstance(given.model, str) else ""
        recorder.model_call(
            ModelCall(
                step=step,
                model=self.name if ":" in self.name or not named else f"{self.name}:{field(named, 80)}",
                tokens_in=tokens_in,
                tokens_out=tokens_out,
                elapsed_ms=elapsed_ms,
                estimated=given.tokens_in is None or given.tokens_out is None,
            )
        )
        if session and self._limit:
            with self._lock:
                self._spend(session, tokens_in + tokens_out)

    def _note_failure(self, error: BaseException | None) -> None:
        wait = getattr(error, "retry_after", None)
        with self._lock:
            self._failures += 1
            pause = float(wait) if isinstance(wait, int | float) else 0.0
            if self._failures >= _FAILURES_BEFORE_A_REST:
                pause = max(pause, _REST_S)
            if pause > 0:
                self._rests_until = time.monotonic() + min(pause, _LONGEST_REST_S)

    def _spent_by(self, session: str) -> int:
        if self._folder is not None:
            from skillcaddy.storage import read_sealed

            record = read_sealed(self._file(self._folder, session))
            tokens = record.get("tokens") if record is not None else None
            if isinstance(tokens, int):
                return max(tokens, self._spent.get(session, 0))
        return self._spent.get(session, 0)

    def _spend(self, session: str, tokens: int) -> None:
        self._spent[session] = self._spent_by(session) + tokens
        self._spent.move_to_end(session)
        while len(self._spent) > _MOST_SESSIONS:
            self._spent.popitem(last=False)
        if self._folder is not None:
            from skillcaddy.storage import write_sealed

            write_sealed(self._file(self._folder, session), {"tokens": self._spent[session]}, keep=_MOST_SESSIONS)

    @staticmethod
    def _file(folder: Path, session: str) -> Path:
        import hashlib

        return folder / f"{hashlib.sha256(session.encode('utf-8', 'replace')).hexdigest()[:32]}.json"


def _told(error: BaseException | None, abandoned: bool, deadline: Deadline) -> str:
    from skillcaddy.exchange import ExchangeError

    if isinstance(error, ExchangeError):
        return str(error)
    if deadline.called_off():
        return "the turn was called off"
    if abandoned or isinstance(error, TimeoutError):
        return "there was no answer in time"
    # The type only: a host's error may carry an address or a key.
    return "it gave no text" if error is None else f"it failed ({type(error).__name__})"
