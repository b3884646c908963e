"""One reader for every shape in which a model wraps its JSON: what was meant is found, what breaks off is not taken."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillcaddy.replies import reply_object

ANSWER = '{"ids": ["a", "b"]}'
MEANT = {"ids": ["a", "b"]}


def has_ids(fields: Mapping[str, Any]) -> bool:
    return isinstance(fields.get("ids"), list)


@pytest.mark.parametrize(
    "reply",
    [
        ANSWER,
        f"\n\n{ANSWER}\n",
        f"```json\n{ANSWER}\n```",
        f"```\n{ANSWER}\n```\nThat is my choice.",
        f"Here you are:\n\n```json\n{ANSWER}\n```\n\nLet me know, e.g. with `{{x}}`.",
        f"Sure! {ANSWER} I hope this helps.",
        f"<think>\nMaybe {{'a'}} or [b]?\n</think>\n{ANSWER}",
        f'<think>{{"ids": ["z"]}}</think>{ANSWER}',
        f'I weigh {{"ids": ["z"]}} first.</think>{ANSWER}',
        f'<thinking>{{"ids": ["z"]}}</thinking><reasoning>and {{</reasoning>{ANSWER}',
        f'<THINK budget="3">x</THINK>\n{ANSWER}',
        f'At first {{"ids": ["z"]}}, but no. Final answer: {ANSWER}',
        f'{{"note": "not this"}} {ANSWER} {{"note": "nor this"}}',
        f'{{"answer": {ANSWER}}}',
        f'[{{"x": 1}}, {{"result": [{ANSWER}]}}]',
        '{"ids": ["a", "b",],}',
        '{"ids": ["a", "b"], "why": "line\nbreak and a { brace"}',
        '{\n  "ids": [\n    "a",\n    "b"\n  ],\n  "plan": "\\u007b"\n}',
        f"{{not json}} {ANSWER}",
        f"Use {{curly}} braces: {{}} then {ANSWER}",
        f"\ufeff{ANSWER}",
        f"{ANSWER}<think>was that right? {{",
    ],
)
def test_the_answer_is_found_whatever_stands_around_it(reply: str) -> None:
    """T55: one reader for both steps, so no two of them can disagree about a reply."""
    found = reply_object(reply, has_ids)
    assert found is not None
    assert found["ids"] == MEANT["ids"]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I can't help with that.",
        '{"ids": ["a", "b"',
        '{"ids": ["a", "b',
        '```json\n{"ids": ["a",\n```',
        '{"plan": {"ids": ["a"]}, "ids": ["a", "b',
        f"<think>{ANSWER}</think>",
        f"<think>{ANSWER}",
        f"{ANSWER}</think>",
        '["a", "b"]',
        '{"ids": "a"}',
        '{"skills": ["a"]}',
        "{" * 500,
        '{"a":' * 5000,
        "null",
    ],
)
def test_what_breaks_off_or_only_was_thought_is_no_answer(reply: str) -> None:
    assert reply_object(reply, has_ids) is None


@pytest.mark.parametrize("reply", [None, 7, b"{}", ["{}"], {"ids": []}])
def test_what_is_no_text_is_no_answer(reply: object) -> None:
    assert reply_object(reply, has_ids) is None


@pytest.mark.parametrize(
    "reply",
    ["<think>" * 50_000, "</think>" * 50_000, '{"a": ' * 50_000, '"' * 300_000, "{," * 100_000, '{"' + "\\" * 300_000],
    ids=["opened", "closed", "nested", "quotes", "commas", "backslashes"],
)
def test_a_hostile_reply_costs_no_time(reply: str) -> None:
    started = time.monotonic()
    reply_object(reply, has_ids)
    assert time.monotonic() - started < 5


@settings(max_examples=300, deadline=None)
@given(
    st.text()
    | st.lists(
        st.sampled_from(["{", "}", '"', "ids", ":", "[", "]", "<think>", "</think>", ",", "\\", "```", " "])
    ).map("".join)
)
def test_any_text_is_read_without_an_error(reply: str) -> None:
    found = reply_object(reply, has_ids)
    assert found is None or has_ids(found)


PROSE = st.text(alphabet=st.characters(exclude_characters='{}<>"', exclude_categories=["Cs"]), max_size=60)
FIELDS = st.dictionaries(
    st.text(max_size=8),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=12),
        lambda inner: st.lists(inner, max_size=3),
        max_leaves=6,
    ),
    max_size=3,
)


@settings(max_examples=200, deadline=None)
@given(
    fields=FIELDS,
    ids=st.lists(st.text(max_size=10), max_size=4),
    before=PROSE,
    after=PROSE,
    thought=st.none() | PROSE,
    fenced=st.booleans(),
    indent=st.none() | st.integers(0, 3),
    plain=st.booleans(),
)
def test_any_object_in_any_prose_is_found_whole(
    fields: dict[str, Any],
    ids: list[str],
    before: str,
    after: str,
    thought: str | None,
    fenced: bool,
    indent: int | None,
    plain: bool,
) -> None:
    meant = {**fields, "ids": ids}
    text = json.dumps(meant, indent=indent, ensure_ascii=plain)
    if any(word in text.lower() for word in ("<think", "</think", "<thought", "<reason")):
        return
    if fenced:
        text = f"```json\n{text}\n```"
    thoughts = "" if thought is None else f"<think>{thought}</think>"
    assert reply_object(f"{thoughts}{before}\n{text}\n{after}", has_ids) == meant


@settings(max_examples=200, deadline=None)
@given(fields=FIELDS, ids=st.lists(st.text(max_size=10), max_size=4), data=st.data())
def test_a_reply_that_breaks_off_anywhere_gives_no_half_answer(
    fields: dict[str, Any], ids: list[str], data: st.DataObject
) -> None:
    text = json.dumps({**fields, "ids": ids})
    cut = data.draw(st.integers(0, len(text) - 1))
    assert reply_object(text[:cut], has_ids) is None
