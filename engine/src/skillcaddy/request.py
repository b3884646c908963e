"""What a surface asks of the pipeline in one turn."""

from __future__ import annotations

from typing import Literal

from skillcaddy.frozen import dataclass, field

Delivery = Literal["best", "catalog", "bodies"]
Surface = Literal["auto", "tool", "cli"]


@dataclass(frozen=True, kw_only=True)
class Request:
    """One turn's question. Everything but the query has a sensible default."""

    query: str
    history: tuple[str, ...] = ()
    """Earlier user messages, oldest first; only the rewriter reads them."""
    surface: Surface = "cli"
    """`auto` injects unasked, `tool` answers the agent's own call, `cli` answers a person."""
    delivery: Delivery = "best"
    top_k: int | None = None
    """Overrides the setting for this request."""
    deadline_s: float | None = None
    """Overrides the setting for this request; seconds."""
    host: str = ""
    session: str = ""
    """Stable id of the conversation; "" means that nothing is remembered between turns."""
    workspace: str = ""
    tools: frozenset[str] | None = None
    """Names of the tools this agent really has now; None where the host does not say."""
    held: frozenset[str] = field(default_factory=frozenset)
    """Ids of skills that the model still sees, known to the caller itself (for example from a transcript)."""
    recorded: bool = True
    """False for a look-up that is nobody's turn (an explanation, a measurement): the decision log leaves it out."""
    thorough: bool = False
    """True when every candidate is to be judged, for an explanation, and not only as many as can be delivered."""
