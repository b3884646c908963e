"""The stand-in model as these tests use it: a script that grows, and requests read the way a model reads them."""

from __future__ import annotations

from collections.abc import Callable

from skillcaddy.standin import Reply, StandIn, all_text, say, tool_names, user_texts
from skillcaddy.standin.reading import Recorded

REPLY = "Done, says the stand-in."
SIDE_REPLY = "Aside, says the stand-in."


class Model(StandIn):
    """Answers the agent from a script that tests extend, and what offers no tools by `aside`."""

    def __init__(self) -> None:
        self._replies: list[Reply] = []
        self.aside: Callable[[Recorded], str] = lambda request: SIDE_REPLY
        super().__init__(self._answer)

    def will(self, *replies: Reply) -> None:
        """Let the agent's next requests be answered so, each turn ending in an ordinary sentence."""
        for reply in replies:
            self._replies += [reply, say(REPLY)]

    def _answer(self, request: Recorded) -> Reply | str:
        if not tool_names(request):
            return self.aside(request)
        return self._replies.pop(0) if self._replies else REPLY


def count(request: Recorded, text: str) -> int:
    """How often a text stands in what the model reads."""
    return all_text(request).count(text)


def asked(request: Recorded) -> str:
    """The user's newest message; newer hosts put a context message of their own after it."""
    return next(text for text in reversed(user_texts(request)) if "OPENCLAW_INTERNAL_CONTEXT" not in text)
