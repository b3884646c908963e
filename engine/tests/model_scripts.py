"""A model that says what a test wants, and the engines around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from skillcaddy.deadline import Deadline
from skillcaddy.engine import Engine
from skillcaddy.models import Completion, Message
from skillcaddy.request import Request
from skillcaddy.settings import Settings
from skillcaddy.skill import Hit, Retrieval, Skill, Trust
from skillcaddy.trace import Event

QUERY = "rotate a pdf page"
QUIET: dict[str, Any] = {"rewrite": "off", "relevance": "off", "decision_log": "off"}
"""Only what a test is about: the floor has tests of its own."""

Say = Callable[["Asked"], str]


class Asked:
    """One question to the scripted model, and what a test wants to know of it."""

    def __init__(self, messages: Sequence[Message], max_tokens: int, schema: Mapping[str, Any] | None) -> None:
        self.messages = list(messages)
        self.max_tokens = max_tokens
        self.schema = schema
        self.system = messages[0].content
        self.user = "\n".join(message.content for message in messages if message.role == "user")

    @property
    def is_gate(self) -> bool:
        """False for a rewriter's question."""
        return self.schema is not None and "ids" in self.schema["properties"]

    def id_of(self, name: str) -> str:
        """The id under which a candidate of that name was offered."""
        found = re.search(rf'<skill-text of="(s\w+)">\nname: {re.escape(name)}\n', self.user)
        assert found is not None, f"no candidate {name!r} in:\n{self.user}"
        return found[1]

    def ids(self) -> list[str]:
        """All ids that were offered, in their order."""
        return re.findall(r'<skill-text of="(s\w{4})">\nname:', self.user)


class Model:
    """Answers from a script, one reply a call and the last one again and again; `asked` keeps the questions."""

    def __init__(
        self, *script: str | Exception | Say, name: str = "host", tokens: tuple[int, int] | None = (100, 10)
    ) -> None:
        self.name = name
        self._script = list(script)
        self._tokens = tokens
        self.asked: list[Asked] = []

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        deadline: Deadline,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        """The next reply; an exception of the script is raised."""
        asked = Asked(messages, max_tokens, schema)
        self.asked.append(asked)
        reply = self._script[min(len(self.asked), len(self._script)) - 1]
        if isinstance(reply, Exception):
            raise reply
        text = reply if isinstance(reply, str) else reply(asked)
        tokens_in, tokens_out = self._tokens or (None, None)
        return Completion(text=text, model="m-1", tokens_in=tokens_in, tokens_out=tokens_out)


class Shelf:
    """A source that answers every query with its hits, and keeps the queries."""

    weight = 1.0
    proportional = False

    def __init__(self, *hits: Hit, name: str = "shop", trust: Trust = Trust.LOCAL) -> None:
        self.name = name
        self.trust = trust
        self.hits = hits
        self.queries: list[str] = []

    def search(self, query: str, limit: int, deadline: Deadline) -> list[Hit]:
        """All of them."""
        self.queries.append(query)
        return list(self.hits)

    def body(self, skill: Skill, deadline: Deadline) -> str:
        """Never asked: the hits carry theirs."""
        return ""


def retrieve(model: Any, *sources: Any, settings: Mapping[str, Any] | None = None, **request: Any) -> Retrieval:
    """One automatic turn of an engine with that model, without rewriter and floor unless the settings say so."""
    made = Settings(**{**QUIET, **(settings or {})})
    engine = Engine(made, model=model, sources=sources)
    return engine.retrieve(Request(**{"query": QUERY, "surface": "auto", "deadline_s": 5.0, **request}))


def events(retrieval: Retrieval, step: str) -> list[Event]:
    """What the trace says of a step."""
    return [event for event in retrieval.trace.events if event.step == step]


def fate(retrieval: Retrieval) -> dict[str, str]:
    """Each candidate's name with its reason."""
    return {candidate.name: candidate.reason.value for candidate in retrieval.trace.candidates}


def names(hits: Sequence[Hit]) -> list[str]:
    """The names of these hits."""
    return [hit.skill.name for hit in hits]
