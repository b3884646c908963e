"""Explanations printed for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skillcaddy.explain import Explanation, Said
from skillcaddy.reasons import SENTENCES, Reason
from skillcaddy.relevance import FLOOR
from skillcaddy.standing import DEPTH, SkillStanding
from skillcaddy.trace import Candidate

_SHOWN = 10
_SHOWN_FILES = 5
_SURFACES = {"auto": "an automatic turn", "tool": "a call of skill_search", "cli": "a person"}


def print_explanation(found: Explanation, about: SkillStanding | None = None, *, every: bool = False) -> None:
    """Print what was asked, what became of each candidate, what was not searched, and which model steps ran."""
    from rich.console import Console

    console = Console(highlight=False)

    def say(text: str, **style: Any) -> None:
        console.print(text, markup=False, **style)

    say(f"{found.query!r}, answered as for {_SURFACES[found.surface]} (mode {found.mode})")
    say(_searched(found), style="dim")
    for report in found.sources:
        query = f" for {report.query!r}" if report.query != found.query.strip() else ""
        say(
            f"{report.source}: {SENTENCES[report.reason]} ({report.found} found{query} in {report.elapsed_ms:.0f} ms) "
            f"[{report.reason.value}]",
            style="dim",
        )
    if about is not None:
        say(f"\nThe skill {about.reference!r}", style="bold")
        for line in _about(about, found):
            say(f"  {line}")
    if found.words or found.ignored:
        say("\nWords", style="bold")
        for line in _words(found):
            say(f"  {line}")
    if found.missed:
        say("\nNothing is handed over", style="bold")
        for line in _miss(found):
            say(f"  {line}")
    if found.candidates:
        shown = found.candidates if every else found.candidates[:_SHOWN]
        say("")
        console.print(_table(shown, found))
        if len(shown) < len(found.candidates):
            say(f"  and {len(found.candidates) - len(shown)} more, which --all shows", style="dim")
        for reason in dict.fromkeys(candidate.reason for candidate in found.candidates):
            say(f"  {reason.value}: {SENTENCES[reason]}")
    if found.chars:
        say(f"\nThe text has {found.chars:,} of {found.max_chars:,} characters, about {found.est_tokens:,} tokens.")
    _print_said(say, "Not searched", found.not_searched)
    _print_said(say, "Model steps", found.model_steps)
    for call in found.model_calls:
        tokens = f"{'about ' if call.estimated else ''}{call.tokens_in} + {call.tokens_out} tokens"
        say(f"  {call.step}: {call.model}, {tokens}, {call.elapsed_ms:.0f} ms")
    _print_said(say, "What else happened", found.events)
    steps = ", ".join(f"{step} {spent:.0f}" for step, spent in found.timings_ms.items() if spent >= 0.5)
    say(f"\n{found.elapsed_ms:.0f} ms" + (f" ({steps})" if steps else ""), style="dim")


def _searched(found: Explanation) -> str:
    if found.skills is None:
        return "No local library." if found.sources else "No source was asked."
    return f"{found.skills:,} skills in {', '.join(found.roots)}"


def _words(found: Explanation) -> list[str]:
    lines = []
    known = [word for word in found.words if word.skills]
    if known:
        lines.append("in the library: " + ", ".join(f"{w.word} ({w.skills:,})" for w in known))
    if found.unmatched:
        lines.append("in no skill: " + ", ".join(found.unmatched))
    left_out = [word.word for word in known if not word.searched]
    if left_out:
        lines.append("left out, since others are rarer: " + ", ".join(left_out))
    if found.ignored:
        lines.append("too common in any text to search for: " + ", ".join(found.ignored))
    if found.added:
        lines.append("searched for besides: " + ", ".join(found.added))
    return lines


def _miss(found: Explanation) -> list[str]:
    if not found.words:
        return [SENTENCES[Reason.NO_CONTENT_WORDS] if found.query.strip() else SENTENCES[Reason.QUERY_EMPTY]]
    if found.closest is None:
        if not found.candidates:
            return ["No skill shares a searched word with the query."]
        return ["Some skills passed the floor, but the decisions below kept all of them back."]
    closest = found.closest
    shares = ", ".join(found.spoken(closest.matched)) or "no word that counts"
    return [
        f"Closest came {closest.id}: evidence {closest.evidence:.2f} of the {FLOOR:g} that is asked for, "
        f"short by {closest.short_by:.2f}; it shares {shares}."
    ]


def _about(about: SkillStanding, found: Explanation) -> list[str]:
    if not about.id:
        lines = [f"{about.sentence} {about.detail}".strip() or "It is not known."]
        return [*lines, *([f"Did you mean {', '.join(about.near)}?"] if about.near else [])]
    lines = [f"{about.id} at {about.path}" if about.path else about.id]
    if about.reason is not None:
        lines.append(f"{about.reason.value}: {about.sentence}" + (f" ({about.detail})" if about.detail else ""))
    position = next((n for n, c in enumerate(found.candidates, start=1) if c.id == about.id), None)
    if position is not None:
        lines.append(f"candidate {position} of {len(found.candidates)}")
    elif about.rank is not None:
        lines.append(f"rank {about.rank} in the library; only the first {len(found.candidates)} are candidates")
    elif about.reason is Reason.BEYOND_TOP_K:
        lines.append(f"not among the first {DEPTH:,} in the library")
    if about.near:
        lines.append(f"there are {len(about.near)} more of that name: {', '.join(about.near[:_SHOWN_FILES])}")
    lines.append("it holds: " + (", ".join(about.shared) or "none of the query's words"))
    if about.lacking:
        lines.append("it lacks: " + ", ".join(about.lacking) + ". Words that its users say belong in its description.")
    return lines


def _table(candidates: Sequence[Candidate], found: Explanation) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title="Candidates, best first", title_justify="left")
    table.title_style = "bold"
    for heading in ("#", "skill", "rank", "fusion", "evidence", "shared words", "decision"):
        table.add_column(heading, overflow="fold", no_wrap=heading in ("#", "decision"))
    sources = {source for candidate in candidates for source in candidate.ranks}
    for position, candidate in enumerate(candidates, start=1):
        named = len(sources) > 1
        ranks = ", ".join(f"{source} {rank}" if named else str(rank) for source, rank in candidate.ranks.items())
        shares = candidate.shares if len(candidate.shares) > 1 else {}
        fusion = f"{candidate.fusion:.4f}" + "".join(f"\n{name} {share:.4f}" for name, share in shares.items())
        evidence = "-" if candidate.relevance is None else f"{candidate.relevance:.2f}"
        decision = candidate.reason.value
        name = candidate.id + (f"\n({candidate.detail})" if candidate.detail else "")
        style = "" if candidate.reason in (Reason.DELIVERED, Reason.CATALOGUED) else "dim"
        cells = (str(position), name, ranks, fusion, evidence, ", ".join(found.spoken(candidate.matched[:6])), decision)
        table.add_row(*(Text(cell) for cell in cells), style=style)
    return table


def _print_said(say: Any, title: str, rows: Sequence[Said]) -> None:
    if not rows:
        return
    say(f"\n{title}", style="bold")
    groups: dict[Reason, list[Said]] = {}
    for row in rows:
        groups.setdefault(row.reason, []).append(row)
    for reason, group in groups.items():
        for row in group[:_SHOWN_FILES]:
            detail = f" ({row.detail})" if row.detail else ""
            say(f"  {row.what}: {row.sentence}{detail} [{reason.value}]")
        if len(group) > _SHOWN_FILES:
            say(f"  and {len(group) - _SHOWN_FILES:,} more; skillcaddy lint lists them [{reason.value}]")
