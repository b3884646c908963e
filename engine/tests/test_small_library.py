"""A library of one skill, or of a few: a search in its own words must find it, whatever the floor is tuned on."""

from __future__ import annotations

from pathlib import Path

import pytest

from builders import write_skill
from skillcaddy.engine import Engine
from skillcaddy.request import Request, Surface
from skillcaddy.settings import Settings

OTHERS = {
    "sourdough": "How to bake a sourdough loaf in a cast iron pot",
    "tax-return": "How to file the annual tax return",
    "port-wine": "How to decant a bottle of port wine",
    "rotate-keys": "How to rotate the release signing keys",
    "pdf-forms": "Fill in PDF forms",
}


def library(root: Path, others: int) -> Engine:
    write_skill(root, "quarterly-deck", "How to build the quarterly review deck", "The code is 7f3a.")
    for name in list(OTHERS)[:others]:
        write_skill(root, name, OTHERS[name])
    settings = Settings(skills_dirs=(str(root),), shared_library="off")
    return Engine(settings, state_dir=root.parent / "state", indexing="inline")


@pytest.mark.parametrize("others", [0, 1, 5])
@pytest.mark.parametrize(
    ("query", "surface"),
    [
        ("quarterly-deck", "tool"),
        ("quarterly deck", "tool"),
        ("quarterly review deck", "tool"),
        ("quarterly review deck template", "tool"),
        ("build the quarterly review deck", "tool"),
        ("Please build the quarterly review deck", "auto"),
        ("Please build the quarterly review deck from our house template.", "auto"),
    ],
)
def test_a_search_in_a_skills_own_words_finds_it_in_a_small_library(
    query: str, surface: Surface, others: int, tmp_path: Path
) -> None:
    found = library(tmp_path / "skills", others).retrieve(Request(query=query, surface=surface))
    assert [hit.skill.name for hit in found.delivered][:1] == ["quarterly-deck"]


@pytest.mark.parametrize("others", [0, 1, 5])
@pytest.mark.parametrize(
    "query", ["Thanks, that is all for today. Good night!", "yes please, go on", "what do you think?"]
)
def test_small_talk_finds_nothing_in_a_small_library(query: str, others: int, tmp_path: Path) -> None:
    found = library(tmp_path / "skills", others).retrieve(Request(query=query, surface="auto"))
    assert found.delivered == ()
