"""Retrievals as tables for people."""

from __future__ import annotations

from skillcaddy.skill import Retrieval


def print_retrieval(retrieval: Retrieval) -> None:
    """Print the ranking as a table and, below it, the text that an agent would get."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if not retrieval.hits:
        console.print("No skill fits. `skillcaddy explain` with the same words says what came closest.")
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("#", "skill", "what it is for", "trust"):
        table.add_column(heading, no_wrap=heading != "what it is for")
    for hit in retrieval.hits[:10]:
        description = hit.skill.description
        shown = description if len(description) <= 160 else description[:157].rstrip() + "..."
        table.add_row(str(hit.rank), Text(hit.skill.folder or hit.skill.name), Text(shown), hit.skill.trust.word)
    console.print(table)
    if retrieval.text:
        console.print(f"What an agent gets ({len(retrieval.text)} characters):\n")
        console.print(retrieval.text, markup=False, highlight=False, soft_wrap=True)
    console.print(f"\n{retrieval.elapsed_ms:.0f} ms", style="dim")
