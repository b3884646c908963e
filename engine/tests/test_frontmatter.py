"""Front matter is read as its author meant it, whether or not it is YAML."""

from __future__ import annotations

import json
import lzma
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from skillcaddy.library import frontmatter
from skillcaddy.library.frontmatter import FrontMatter, parse
from skillcaddy.library.frontmatter_lines import collapse, simple, two_keys

REAL = Path(__file__).parent / "data" / "slice" / "frontmatter.jsonl.xz"
UNHURRIED = settings(deadline=None)


def read(block: str, body: str = "\n# Title\n\nProse.\n") -> FrontMatter:
    return parse(f"---\n{block}\n---\n{body}")


@pytest.mark.parametrize(
    "block",
    [
        "description: One two three",
        'description: "One two three"',
        "description: 'One two three'",
        "description: One\n  two\n  three",
        "description:\n  One two\n  three",
        'description: "One\n  two three"',
        "description: >\n  One two\n  three",
        "description: >-\n  One\n\n  two three",
        "description: |\n  One\n    two\n  three",
        "description: |2-\n  One two\n  three",
        "description: One   two  three   # a comment",
        'description: "One\\ttwo\\nthree"',
        "description: One\n\ttwo\n\tthree",
        "description: One\ntwo\nthree",
        'description: "One two\nthree"',
        "Description: One two three",
        '"description": One two three',
        "description:One two three",
        "description：One two three",
        "description : One two three",
        "description:\n- One\n- two\n- three",
        "other: *unknown\ndescription: >\n  One two\n  three",
        "other: @x\ndescription: 'One two three'",
    ],
)
def test_each_way_to_write_a_description_gives_all_of_it(block: str) -> None:
    """T64."""
    for text in (f"name: n\n{block}", f"{block}\nname: n"):
        found = read(text)
        assert (found.name, found.description) == ("n", "One two three"), text


@pytest.mark.parametrize(
    ("block", "description"),
    [
        ("description: Use when: it rains", "Use when: it rains"),
        ("description: **Bold** start", "**Bold** start"),
        ("description: {PRODUCT} notes", "{PRODUCT} notes"),
        ("description: [Beta] notes", "[Beta] notes"),
        ("description: `code` first", "`code` first"),
        ("description: @someone", "@someone"),
        ("description: % done", "% done"),
        ('description: "Half" quoted', '"Half" quoted'),
        ("description: 'It's broken'", "It's broken"),
        ('description: "Says "hello" twice"', 'Says "hello" twice'),
        ('description: "A path C:\\dir"', "A path C:\\dir"),
        ('description: "\\ud83d\\ude80 up: yes"', "🚀 up: yes"),
    ],
)
def test_what_yaml_refuses_is_read_as_it_stands(block: str, description: str) -> None:
    found = read(f"name: n\n{block}\nlicense: MIT")
    assert (found.name, found.description, found.mended) == ("n", description, True)
    assert found.fields == {"license": "MIT"}


def test_a_description_that_is_a_mapping_to_yaml_is_still_text() -> None:
    found = read("name: n\ndescription: {PRODUCT}")
    assert (found.description, found.mended) == ("{PRODUCT}", False)


def test_sound_entries_of_broken_front_matter_keep_their_structure() -> None:
    found = read("name: n\ndescription: *x y\ntags:\n  - a\n  - b\nmetadata:\n  openclaw:\n    requires: {bins: [git]}")
    assert (found.mended, found.tags) == (True, ("a", "b"))
    assert found.fields == {"metadata.openclaw.requires.bins": "git"}


def test_a_key_that_comes_again_in_broken_front_matter_is_text_that_ran_over() -> None:
    found = read("name: n\ndescription: Runs: on\n```yaml\nname: Build\ndescription: x\n```")
    assert (found.name, found.description) == ("n", "Runs: on ```yaml")


def test_a_fence_that_lost_its_line_break_still_closes() -> None:
    found = parse("---\nname: n\ndescription: d\n---# Title\n\nBody")
    assert (found.description, found.body, found.mended) == ("d", "# Title\n\nBody", False)


def test_fields_are_flat_text_under_dotted_keys() -> None:
    found = read(
        "name: n\ndescription: d\nversion: 1.10\ndate: 2024-13-45\nalways: yes\nplatforms: [linux, macos]\n"
        'metadata: {"openclaw": {"requires": {"env": ["A", "B"]}, "always": true, "n": 1.50}}'
    )
    assert dict(found.fields) == {
        "version": "1.10",
        "date": "2024-13-45",
        "always": "yes",
        "platforms": "linux, macos",
        "metadata.openclaw.requires.env": "A, B",
        "metadata.openclaw.always": "true",
        "metadata.openclaw.n": "1.50",
    }
    assert not found.mended


@pytest.mark.parametrize(
    "block",
    [
        "tags: [a, b c]",
        "tags: a, b c",
        "tags:\n- a\n- b c",
        "keywords: [a, 'b c']",
        "metadata:\n  hermes:\n    tags: [a, b c]",
    ],
)
def test_tags_are_found_however_they_are_written(block: str) -> None:
    assert read(f"name: n\n{block}").tags == ("a", "b c")


@pytest.mark.parametrize(
    "block", ["name: n", "name: n\ndescription:", 'name: n\ndescription: ""', "name: n\ndescription: null"]
)
def test_a_missing_description_is_the_first_paragraph_of_prose(block: str) -> None:
    body = "\n# Title\n\n<!-- a\nb -->\n![badge](x)\n\n```\ncode\n```\n> First line\n> second line.\n\nLater.\n"
    assert read(block, body).description == "First line second line."


def test_a_long_first_paragraph_is_cut_at_a_word() -> None:
    description = read("name: n", "word " * 1000).description
    assert 400 < len(description) <= 500
    assert description.endswith("word")


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\nname: n\n---\nBody\n---\nmore", "Body\n---\nmore"),
        ("---\nname: n\n---", ""),
        ("\n\n---\nname: n\n--- \nBody", "Body"),
        ("---\r\nname: n\r\n---\r\nBody\r\nmore", "Body\nmore"),
        ("---\nname: n\n---# Title\nBody", "# Title\nBody"),
        ("---\nname: n\n---# Title\nBody: x\n* y\n\n---\nmore", "# Title\nBody: x\n* y\n\n---\nmore"),
        ("---\nname: n\n\n# Title\n\nBody.\n\n---\nmore", "# Title\n\nBody.\n\n---\nmore"),
        ("---\nname: n\ndescription: d\n\n# Title\n", "# Title\n"),
        ("name: n\n\ndescription: d\n\n# Title\n", "# Title\n"),
        ("name: n\ndescription: d\n---\nBody\n", "Body\n"),
        ("```skill\n---\nname: n\n---\nBody\n```\n", "Body\n```\n"),
    ],
)
def test_the_body_starts_after_the_closing_fence_even_where_that_got_lost(text: str, body: str) -> None:
    found = parse(text)
    assert (found.name, found.body) == ("n", body)


@pytest.mark.parametrize(
    "text", ["", "Prose", "---", "---\nprose", "---\nProse.\n---\nmore", "----\nname: n\n----\n", "--- x"]
)
def test_text_without_front_matter_is_all_body(text: str) -> None:
    found = parse(text)
    assert (found.name, found.body, found.mended, found.fields) == ("", text, False, {})


def test_aliases_cannot_blow_a_short_file_up() -> None:
    levels = [
        f"l{number}: &l{number} {{{', '.join(f'k{i}: *l{number - 1}' for i in range(60))}}}" for number in range(1, 12)
    ]
    found = read("\n".join(["name: n", "description: d", "l0: &l0 {}", *levels]))
    assert (found.name, len(found.fields) <= 200) == ("n", True)
    assert read("name: n\nloop: &x\n  again: *x").name == "n"


@pytest.mark.parametrize(
    "nest",
    [
        *("[" * 50_000, "{" * 50_000, "- " * 40_000, "? " * 40_000, "[" * 900 + "]" * 900),
        # Older releases of PyYAML end the process over these.
        *("\n " + "- " * 45_000, "\n " + "? " * 45_000, '["]", ' * 15_000),
    ],
)
def test_deep_nesting_costs_only_its_own_entry(nest: str) -> None:
    found = read(f"name: n\ndescription: d\ndeep: {nest}")
    assert (found.name, found.description) == ("n", "d")


def test_real_front_matter_gives_the_names_and_descriptions_that_its_authors_meant() -> None:
    """T64; one row in three is refused by YAML."""
    with lzma.open(REAL, "rt", encoding="utf-8", newline="\n") as lines:
        rows = [json.loads(line) for line in lines]
    assert sum(not row["strict_yaml"] for row in rows) > 100
    for row in rows:
        found = parse(row["raw"])
        # One label keeps the NUL characters that no text of ours holds.
        want = (row["name"], collapse(row["description"].replace("\x00", "")))
        assert (found.name, found.description) == want, row["id"]
        assert found.mended is not (row["strict_yaml"] or "\x00" in row["raw"]), row["id"]


def test_plain_front_matter_needs_no_yaml_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    block = 'name: n\ndescription: >\n  One\n  two\ntags: [a, b]\nmetadata:\n  author: "x"\n  more: {"a": [1]}'
    assert read(block).description == "One two"
    with pytest.raises(ImportError):
        read("name: n\ndescription: &a One")


def test_without_libyaml_the_reader_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    block = "name: &n x\ndescription: >2\n  One\n  two"
    want = read(block)
    monkeypatch.delattr(yaml, "CBaseLoader")
    assert read(block) == want


WORDS = st.text(st.sampled_from("ab1 :#-'\"[]{},|>&*!%@`\\\n\té日 .?/"), max_size=30)
KEYS = st.sampled_from(["name", "description", "tags", "license", "metadata", "x-y"])
SCALARS = st.one_of(
    WORDS, st.sampled_from(["one two", '"a b"', "'a b'", "|\n  x\n  y", ">-\n  x\n\n   y", "1.10", "a\n  b"])
)
LINES = st.one_of(
    st.builds("{}: {}".format, KEYS, SCALARS),
    st.builds("{}:\n  {}: {}".format, KEYS, KEYS, SCALARS),
    st.builds("{}:\n- {}\n- {}".format, KEYS, SCALARS, SCALARS),
    st.builds("{}: [{}, {}]".format, KEYS, SCALARS, SCALARS),
    st.builds('{}: {{"{}": "{}"}}'.format, KEYS, KEYS, WORDS),
    WORDS,
    KEYS,
)
BLOCKS = st.lists(LINES, max_size=5).map(lambda lines: "\n".join(lines) + "\n")


@UNHURRIED
@given(st.one_of(st.text(), BLOCKS, BLOCKS.map(lambda block: f"---\n{block}---\nBody"), BLOCKS.map("---\n{}".format)))
def test_no_text_makes_parsing_raise_and_the_body_is_its_end(text: str) -> None:
    found = parse(text)
    assert frontmatter.normalise(text).endswith(found.body)
    for line in (found.name, found.description, *found.fields.values(), *found.tags):
        assert line == collapse(line)


def _collapsed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _collapsed(inner) for key, inner in value.items()}
    return [_collapsed(inner) for inner in value] if isinstance(value, list) else collapse(value)


@UNHURRIED
@given(BLOCKS)
def test_the_quick_reader_gives_what_yaml_gives_whenever_it_gives_anything(block: str) -> None:
    quick = simple(block)
    if quick is not None:
        assert quick == _collapsed(yaml.load(block, Loader=yaml.CBaseLoader) or {}), block
    pair = two_keys(block)
    if pair is not None:
        assert {"name": pair[0], "description": pair[1]} == quick


@UNHURRIED
@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\ufeff"), min_size=1),
    st.booleans(),
    st.sampled_from([None, '"', "'", "|", ">"]),
    st.integers(20, 200),
)
def test_what_pyyaml_writes_comes_back(name: str, description: str, uni: bool, style: str | None, width: int) -> None:
    values = {"name": f"n{name}", "description": f"d {description}", "license": "MIT"}
    found = read(yaml.safe_dump(values, allow_unicode=uni, default_style=style, width=width))
    assert (found.name, found.description) == (collapse(values["name"]), collapse(values["description"]))
    assert (found.fields, found.mended) == ({"license": "MIT"}, False)
