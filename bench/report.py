"""Tables and bars for the bench commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    """One bar of the design with the figure that was measured; `holds` is None where nothing was."""

    what: str
    figure: float | None
    bar: str
    holds: bool | None

    @classmethod
    def at_least(cls, what: str, figure: float | None, limit: float) -> Bar:
        """A figure that must not be smaller."""
        return cls(what=what, figure=figure, bar=f">= {limit:g}", holds=None if figure is None else figure >= limit)

    @classmethod
    def at_most(cls, what: str, figure: float | None, limit: float) -> Bar:
        """A figure that must not be larger."""
        return cls(what=what, figure=figure, bar=f"<= {limit:g}", holds=None if figure is None else figure <= limit)


def print_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table; numbers to the right, floats with three or four significant digits."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    for at, heading in enumerate(headings):
        table.add_column(heading, justify="left" if at == 0 else "right", no_wrap=at > 0)
    for row in rows:
        table.add_row(*(_shown(value) for value in row))
    Console(width=150).print(table)


def print_bars(bars: Sequence[Bar]) -> None:
    """Print every bar with its figure and whether it holds."""
    words = {True: "holds", False: "MISSED", None: "not measured"}
    print_table("bars", ("what", "figure", "bar", ""), [(b.what, b.figure, b.bar, words[b.holds]) for b in bars])


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
