"""The model as end-to-end tests play it: a script that grows while the host runs, and the gate's judge."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from skillcaddy.standin.reading import Recorded, tool_names, user_text
from skillcaddy.standin.script import Reply, say
from skillcaddy.standin.server import StandIn

REPLY = "Done, says the stand-in."
"""What it says to an agent when the script is used up, and to whoever else asks."""


class Played(StandIn):
    """Answers the agent from a script that tests extend, and what offers no tools (titles, judgements) by `aside`."""

    def __init__(self, aside: str = REPLY) -> None:
        self._replies: list[Reply] = []
        self.aside: Callable[[Recorded], str] = lambda request: aside
        super().__init__(self._answer)

    def will(self, *replies: Reply) -> None:
        """Let the agent's next requests be answered so, each turn ending in an ordinary sentence."""
        for reply in replies:
            self._replies += [reply, say(REPLY)]

    def then(self, *replies: Reply) -> None:
        """The same without a sentence after each."""
        self._replies += replies

    def _answer(self, request: Recorded) -> Reply | str:
        if not tool_names(request):
            return self.aside(request)
        return self._replies.pop(0) if self._replies else REPLY


def candidates(request: Recorded) -> dict[str, str]:
    """What a question of the gate offers: each skill's name with the id that stands for it; {} for other questions."""
    found = re.findall(r'<skill-text of="(s[a-z2-7]{4})">\s*name: ([\w-]+)', user_text(request))
    return {name: short for short, name in found}


def judgement(request: Recorded, *names: str) -> str:
    """The gate's answer that keeps the candidates of these names and no other."""
    offered = candidates(request)
    return json.dumps({"ids": [offered[name] for name in names if name in offered]})
