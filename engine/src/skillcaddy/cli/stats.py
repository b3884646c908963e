"""`skillcaddy stats`: what the decision log says, summed up."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from skillcaddy.config import load
from skillcaddy.decisions import FILE_NAME
from skillcaddy.journal import Journal
from skillcaddy.reasons import SENTENCES, Reason
from skillcaddy.stats import Summary, latency, summarise

_SHOWN = 10


def stats_command(
    days: Annotated[float | None, typer.Option(help="Only the last N days; the whole log without it.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Sum up the decision log: what was found, delivered and opened, latency, sources, estimated tokens, reasons.

    The log has a line for each retrieval and each opened skill of every host of this user. It holds no text of yours
    unless `decision_log = "content"`; `off` switches it off.
    """
    if days is not None and not days > 0:
        print(f"skillcaddy stats: --days is {days:g}; give a number above 0.", file=sys.stderr, flush=True)
        raise typer.Exit(2)
    loaded = load(strict=False)
    journal = Journal(loaded.locations.log_dir / FILE_NAME)
    summary = summarise(journal.rows(), days=days)
    if as_json:
        print(json.dumps({"log": str(journal.path), "setting": loaded.settings.decision_log, **summary.to_json()}))
    elif summary.records:
        _print(summary)
    else:
        _print_empty(summary, str(journal.path), loaded.settings.decision_log, days)


def _print_empty(summary: Summary, path: str, setting: str, days: float | None) -> None:
    when = "" if days is None else f" in the last {days:g} days"
    print(f"No retrieval was recorded{when} in {path}.")
    if setting == "off":
        print('Recording is switched off: decision_log = "off".')
    if summary.bad_lines:
        print(f"{summary.bad_lines} lines of the log could not be read.")


def _print(summary: Summary) -> None:
    from rich.console import Console

    console = Console()
    total = summary.total
    outcomes = total.outcomes
    console.print(
        f"{total.retrievals} retrievals from {summary.first[:16]} to {summary.last[:16]} UTC: "
        f"{outcomes['delivered']} delivered a skill, {outcomes['listed']} gave a list, "
        f"{outcomes['held']} found what the agent still had, {outcomes['nothing']} found nothing, "
        f"{outcomes['failed']} failed.",
        highlight=False,
    )
    opened = summary.opens["opened"] + summary.opens["file"]
    console.print(
        f"{sum(summary.opens.values())} calls of skill_open, {opened} of them opened something. "
        f"About {total.est_tokens:,} tokens handed over, {total.model_tokens:,} used by the model steps.",
        highlight=False,
    )
    for table in _tables(summary):
        console.print(table)
    if summary.bad_lines or summary.lost:
        console.print(
            f"{summary.bad_lines} lines of the log could not be read, {summary.lost} could not be written.",
            highlight=False,
        )


def _tables(summary: Summary) -> list[object]:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    def table(title: str, *columns: str, words: int = 1) -> Table:
        made = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold", pad_edge=False)
        for position, column in enumerate(columns):
            made.add_column(column, justify="left" if position < words else "right", no_wrap=position == 0)
        return made

    ends = ("delivered", "listed", "held", "nothing", "failed")
    by = table("Turns by host, mode and surface", "where", "all", "given", *ends[1:], "tokens", "p95 ms")
    for key, group in sorted(summary.groups.items(), key=lambda item: (-item[1].retrievals, item[0])):
        times = latency(group.times_ms) or {}
        counts = (str(group.outcomes[end]) for end in ends)
        where = " ".join(word for word in key if word)
        by.add_row(Text(where), str(group.retrievals), *counts, f"{group.est_tokens:,}", f"{times.get('p95', 0):.0f}")
    sources = table("Sources", "source", "asked", "answered", "ms p50/p95/max", "trouble")
    for name, source in sorted(summary.sources.items()):
        times = latency(source.times_ms) or {}
        trouble = [f"{reason} {n}" for reason, n in source.reasons.items() if reason not in _FINE]
        sources.add_row(
            Text(name),
            str(source.asked),
            str(sum(source.reasons[reason] for reason in _FINE)),
            " / ".join(f"{times.get(each, 0):.0f}" for each in ("p50", "p95", "max")),
            ", ".join(trouble) or "none",
        )
    skills = table("Skills used most", "skill", "found", "delivered", "listed", "opened")
    used = [row for row in summary.to_json()["skills"] if row["delivered"] or row["listed"] or row["opened"]]
    for each in used[:_SHOWN]:
        skills.add_row(Text(each["id"]), *(str(each[name]) for name in ("found", "delivered", "listed", "opened")))
    reasons = table("Reasons", "reason", "meaning", "turns", words=2)
    for reason, count in summary.reasons.most_common():
        meaning = SENTENCES[Reason(reason)] if reason in {each.value for each in Reason} else "(of another version)"
        reasons.add_row(Text(reason), meaning, str(count))
    return [by, sources, skills, reasons]


_FINE = ("source_ok", "source_empty")
