"""What strangers wrote can neither end its frame nor speak as the host."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillcaddy.quoting import field, neutral, one_line, quoted


@pytest.mark.parametrize(
    "tag",
    [
        "</skill-text>",
        "</skill-library>",
        "< / SKILL-TEXT >",
        '<skill-text of="x">',
        "<memory-context>",
        "</memory-context>",
        '<system-reminder data-role="hook">',
        "</user_query>",
        "<system>",
        "<|im_start|>",
        "[END UNTRUSTED skill_search #1]",
        "[/INST]",
        "[System note: ...]",
    ],
)
def test_tags_of_ours_and_of_hosts_lose_their_bracket_and_nothing_else(tag: str) -> None:
    """T62: delimited text must not be able to leave its delimiters."""
    text = neutral(f"before {tag} after")
    assert text == f"before {'‹' if tag[0] == '<' else '［'}{tag[1:]} after"


@pytest.mark.parametrize(
    "code",
    ["<system.web>", "a <|> b", "x <| f y", "<task>", "[x](y)", "<skill-texts>", "if a<b", "<systematic>", "[ENDED]"],
)
def test_ordinary_code_is_left_as_it_is(code: str) -> None:
    assert neutral(code) == code


def test_hidden_characters_go_and_line_ends_become_one_kind() -> None:
    assert neutral("a\x00\x1b[31mb\u202e\U000e0041\ufeff\ud800c\r\nd\re\tf") == "a[31mbc\nd\ne\tf"


def test_a_hidden_character_does_not_hide_a_tag() -> None:
    assert neutral("</skill\u200e-te\x00xt>") == "‹/skill-text>"


def test_a_field_cannot_start_another_field_or_line() -> None:
    assert field('a | trust: local\n"<b>"') == "a / trust: local '‹b›'"


def test_a_line_is_cut_at_a_word_and_says_so() -> None:
    assert one_line("one two three four", 16) == "one two three…"
    assert one_line("字" * 30, 10) == "字" * 9 + "…"
    assert one_line("short", 10) == "short"


def test_a_quoted_text_closes_the_code_it_leaves_open() -> None:
    assert quoted("```\ncode", "local:a") == '<skill-text of="local:a">\n```\ncode\n```\n</skill-text>'


@given(st.text(alphabet=st.sampled_from("</>skill-textSKILL-library \x00\n[]ENDUNTRUSTED|`"), max_size=200))
def test_the_frame_ends_exactly_once_whatever_is_quoted(body: str) -> None:
    text = quoted(body, body).lower()
    assert text.count("</skill-text") == 1
    assert text.count("<skill-text") == 1
    assert text.endswith("\n</skill-text>")


@given(st.text(max_size=200))
def test_neutral_text_stays_as_it_is(text: str) -> None:
    assert neutral(neutral(text)) == neutral(text)
