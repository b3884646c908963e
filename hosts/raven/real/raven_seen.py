"""What these tests know that no model could, and how they script the stand-in."""

from __future__ import annotations

from collections.abc import Callable

from skillcaddy.standin import Reply, StandIn, all_text, say, tool_names
from skillcaddy.standin.reading import Recorded

CANARY = "The heron slide comes first, drawer 7431."
OTHER = "Proof it under a damp linen cloth, code RYE-88."
SKILLS = {
    "quarterly-deck": ("Build the quarterly review deck from our house template", CANARY),
    "sourdough-loaf": ("Bake a sourdough loaf in the cast iron pot", OTHER),
    "rotate-signing-keys": ("Rotate the signing keys of the packaging service", "Vault phrase ZEBRA-42."),
}
REPLY = "Done, says the stand-in."


class Model(StandIn):
    """Answers the agent from a script that tests extend, and what offers no tools by `aside`."""

    def __init__(self) -> None:
        self._replies: list[Reply] = []
        self.aside: Callable[[Recorded], str] = lambda request: REPLY
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
