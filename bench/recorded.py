"""Replies of a model kept in a file, so that a run can be repeated exactly without the model.

A record is one JSON line: what was asked, as a digest, and what came back. A run that asks something that the file does
not hold stops with the reason: a replay of half a run would be another run.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from skillcaddy.deadline import Deadline
from skillcaddy.models import ChatModel, Completion, Message


class NotRecordedError(LookupError):
    """The recording holds no reply to this question."""


def digest_of(messages: Sequence[Message], schema: Mapping[str, Any] | None) -> str:
    """The name of a question: what was said and what shape was asked for; not how long the answer may be."""
    said = json.dumps([[[m.role, m.content] for m in messages], schema], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:24]


class Recording:
    """A ChatModel that asks another one and writes down what it says; failures are not kept."""

    def __init__(self, model: ChatModel, path: Path) -> None:
        self.name = model.name
        self._model = model
        self._path = path
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        deadline: Deadline,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        """The reply of the other model, after it was written down."""
        reply = self._model.complete(messages, max_tokens=max_tokens, deadline=deadline, schema=schema)
        row = {
            "asked": digest_of(messages, schema),
            "name": self.name,
            "model": reply.model,
            "text": reply.text,
            "tokens_in": reply.tokens_in,
            "tokens_out": reply.tokens_out,
        }
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return reply


class Replay:
    """A ChatModel that says again what a recording holds."""

    def __init__(self, path: Path) -> None:
        """ValueError, with the line, for a file that is no recording."""
        self._replies: dict[str, Completion] = {}
        self.missing: list[str] = []
        self.name = ""
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
            if not line:
                continue
            try:
                row = json.loads(line)
                self.name = row["name"]
                self._replies[row["asked"]] = Completion(
                    text=row["text"], model=row["model"], tokens_in=row["tokens_in"], tokens_out=row["tokens_out"]
                )
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"{path}, line {number}: {error!r} is no recorded reply") from error
        if not self._replies:
            raise ValueError(f"{path} holds no reply")

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        deadline: Deadline,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        """What was said then; NotRecordedError, which `missing` keeps, where nothing was."""
        asked = digest_of(messages, schema)
        if asked not in self._replies:
            self.missing.append(asked)
            raise NotRecordedError(asked)
        return self._replies[asked]
