"""Cutting Markdown: at a paragraph where that is cheap, never leaving code open, and losing nothing between parts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillcaddy.markdown import closed, estimated_tokens, excerpt, parts

MARKDOWN = st.text(alphabet=st.sampled_from("```~~~\n\n -ab 字。#>"), max_size=400)


def test_a_text_that_fits_is_whole() -> None:
    piece = excerpt("one\n\ntwo", 8)
    assert (piece.text, piece.taken, piece.whole("one\n\ntwo")) == ("one\n\ntwo", 8, True)


def test_a_cut_falls_between_paragraphs_where_that_costs_little() -> None:
    text = "# Title\n\nFirst paragraph.\n\nSecond paragraph\nof two lines.\n"
    piece = excerpt(text, 40)
    assert piece.text == "# Title\n\nFirst paragraph."
    assert text[piece.taken :] == "Second paragraph\nof two lines.\n"


def test_else_it_falls_between_lines() -> None:
    text = "Short.\n\n" + "A line of a list\n" * 10
    assert excerpt(text, 60).text == "Short.\n\nA line of a list\nA line of a list\nA line of a list"


def test_else_between_words_and_at_last_anywhere() -> None:
    assert excerpt("one two three four five six", 16).text == "one two three"
    assert excerpt("字" * 40, 10).text == "字" * 10


def test_a_cut_before_code_is_better_than_one_inside_it() -> None:
    text = "Some words about it.\nAnd more.\n```sh\nmake\nmake install\nmake check\n```\n"
    assert excerpt(text, 46).text == "Some words about it.\nAnd more."


@pytest.mark.parametrize("fence", ["```", "~~~~", "  ```", "- ```"])
def test_code_that_a_cut_leaves_open_is_closed_with_its_own_fence(fence: str) -> None:
    text = f"{fence}sh\n" + "make\n" * 30 + "```\n"
    piece = excerpt(text, 50)
    assert piece.text.startswith(f"{fence}sh\nmake\n")
    assert piece.text.endswith("make\n" + fence.strip(" -"))
    assert len(piece.text) <= 50


def test_fences_of_another_kind_or_shorter_do_not_close() -> None:
    assert closed("````\n```\n~~~\n```` x\n") == "````\n```\n~~~\n```` x\n````"
    assert closed("````\n`````\n") == "````\n`````\n"
    assert closed("```inline` code\n") == "```inline` code\n"


@given(MARKDOWN, st.integers(0, 200))
def test_an_excerpt_fits_says_what_it_took_and_leaves_no_code_open(text: str, limit: int) -> None:
    piece = excerpt(text, limit)
    assert len(piece.text) <= limit
    assert closed(piece.text) == piece.text
    assert 0 <= piece.taken <= len(text)
    body = piece.text
    assert body.startswith(text[: piece.taken].rstrip()) or text[: piece.taken].rstrip().startswith(body)


@settings(max_examples=200)
@given(MARKDOWN, st.integers(20, 120))
def test_parts_hold_every_word_in_order_and_no_more_than_their_size(text: str, size: int) -> None:
    pieces = parts(text, size)
    assert pieces
    assert all(len(piece) <= size for piece in pieces)
    kept = "".join(pieces).translate(str.maketrans("", "", "`~\n ->"))
    assert kept == text.translate(str.maketrans("", "", "`~\n ->"))


def test_a_part_that_begins_inside_code_says_so() -> None:
    pieces = parts("```\n" + "line of code\n" * 20 + "```\nafter\n", 100)
    assert len(pieces) > 2
    assert all(piece.startswith("```\nline of code\n") and closed(piece) == piece for piece in pieces)


def test_a_megabyte_is_parted_in_one_go() -> None:
    text = "A paragraph of some words.\n\n" * 36_000
    assert sum(len(piece.replace("\n", "")) for piece in parts(text, 8000)) == len(text.replace("\n", ""))


def test_tokens_are_estimated_by_script() -> None:
    assert estimated_tokens("") == 0
    assert estimated_tokens("a" * 8) == 2
    assert estimated_tokens("技能a") == 3
    assert estimated_tokens("かな 한글 \U00020000 技技\u2014") == 7 + 1
    assert estimated_tokens("\u303f\u3100\ua000\uabff\ud7b0\ufb00\U00040000é") == 2
