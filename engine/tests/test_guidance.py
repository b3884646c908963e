"""Every text a model reads is pinned whole, in both languages, and keeps the ideas it must not lose."""

from __future__ import annotations

import json
import re
import string
import subprocess
import sys
from pathlib import Path

import pytest

from skillcaddy.guidance import LANGUAGES, OPEN_TOOL, SEARCH_TOOL, Texts, as_json, texts, tool_schemas
from skillcaddy.settings import Language

PINNED = Path(__file__).parent / "pinned"
NAMES = list(Texts.__annotations__)
IN_ANSWERS = [name for name in NAMES if not name.startswith(("search_", "open_id", "open_path", "open_part"))]


def pinned(language: str) -> dict[str, str]:
    """The texts as the file beside this test has them: `== name ==` lines, each followed by the text."""
    content = (PINNED / f"guidance.{language}.txt").read_text(encoding="utf-8")
    pieces = re.split(r"^== (\w+) ==\n", content, flags=re.MULTILINE)[1:]
    return {name: text.removesuffix("\n") for name, text in zip(pieces[::2], pieces[1::2], strict=True)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_word_for_word_the_pinned_one(language: Language) -> None:
    """T14: newlines are part of the text; a flattened paragraph is a changed text."""
    words = texts(language)
    assert {name: getattr(words, name) for name in NAMES} == pinned(language)


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_have_the_same_values_to_fill_in(name: str) -> None:
    def values(text: str) -> set[str]:
        if name.startswith(("usage_", "search_", "open_id", "open_path", "open_part", "open_description")):
            return set()  # these are never formatted, so their braces are text
        return {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}

    assert values(getattr(texts("en"), name)) == values(getattr(texts("zh"), name))


def test_an_unknown_language_speaks_english() -> None:
    assert texts("tlh") is texts("en")  # type: ignore[arg-type]


def test_the_description_says_what_when_where_and_what_a_miss_means() -> None:
    """T15: without the clause about conventions and templates a model answers "don't know" without a search."""
    text = tool_schemas("en")[0].description
    for idea in (
        "A skill is a written procedure or workflow",
        "multi-step task",
        "file format, tool, service or message is unfamiliar",
        'in-house convention, a template, a house style or "our way"',
        'before answering "I don\'t know"',
        "not listed anywhere else in this prompt",
        "A miss is a normal answer",
        "go on without one",
    ):
        assert idea in text
    zh = tool_schemas("zh")[0].description
    for idea in (
        "操作规程或工作流程",
        "多个步骤",
        "不熟悉的文件格式、工具",
        "内部约定、模板",
        "“我们的做法”",
        "“我不知道”",
        "没有列出的技能",
        "没有匹配是正常的回答",
        "继续",
    ):
        assert idea in zh


@pytest.mark.parametrize(
    ("language", "triggers"),
    [
        ("en", ["skill", "multi-step", "in-house convention", "template", '"our way"', '"I don\'t know"']),
        ("zh", ["技能", "多步骤", "内部约定", "模板", "“我们的做法”", "“我不知道”"]),
    ],
)
def test_the_triggers_stand_in_the_first_150_characters(language: Language, triggers: list[str]) -> None:
    """Some hosts cut a description there."""
    head = tool_schemas(language)[0].description[:150]
    assert [trigger for trigger in triggers if trigger not in head] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_descriptions_hold_the_words_a_tool_search_looks_for(language: Language) -> None:
    for tool in tool_schemas(language):
        assert all(word in tool.description for word in ("skill", "procedure", "workflow"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_paragraphs_and_bullets_of_the_description_survive(language: Language) -> None:
    """T14: joined with spaces, the list of occasions becomes one unreadable sentence."""
    lines = tool_schemas(language)[0].description.split("\n")
    assert lines.count("") == 5
    assert sum(line.startswith("- ") for line in lines) == 4


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", IN_ANSWERS)
def test_no_answer_begins_with_the_word_error(language: Language, name: str) -> None:
    """A host appends a hint to try something else to results that do."""
    for line in getattr(texts(language), name).split("\n"):
        assert not line.lower().startswith("error")
    assert "Error" not in getattr(texts(language), name)


@pytest.mark.parametrize("name", IN_ANSWERS)
def test_what_is_injected_or_answered_orders_nothing(name: str) -> None:
    """T40: imperative text in this channel is taken for a prompt injection and refused."""
    if name == "open_description":
        return
    imperative = r"(?:^|[.!:;]\s+)(?:use|follow|do|call|go|read|run|ignore|please|always|never|you must|make|try)\b"
    text = getattr(texts("en"), name)
    assert re.search(imperative, text, re.IGNORECASE) is None
    assert "you must" not in text.lower()
    assert re.search("请(?!求)", getattr(texts("zh"), name)) is None
    assert "必须" not in getattr(texts("zh"), name)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_schemas_are_plain_and_open_to_stray_arguments(language: Language) -> None:
    search, opening = tool_schemas(language)
    assert (search.name, opening.name) == (SEARCH_TOOL, OPEN_TOOL) == ("skill_search", "skill_open")
    shapes = [
        {
            name: {key: value for key, value in schema.items() if key != "description"}
            for name, schema in tool.parameters["properties"].items()
        }
        for tool in (search, opening)
    ]
    assert shapes == [
        {
            "query": {"type": "string"},
            "top_k": {"type": "integer", "minimum": 1, "maximum": 10},
            "delivery": {"type": "string", "enum": ["best", "catalog", "bodies"]},
        },
        {"id": {"type": "string"}, "path": {"type": "string"}, "part": {"type": "integer", "minimum": 1}},
    ]
    assert (search.parameters["required"], opening.parameters["required"]) == (["query"], ["id"])
    for tool in (search, opening):
        assert set(tool.parameters) == {"type", "properties", "required"}
        assert all(schema["description"] for schema in tool.parameters["properties"].values())


def test_a_host_may_change_its_copy_of_a_schema() -> None:
    tool_schemas("en")[0].parameters["properties"].clear()
    assert tool_schemas("en")[0].parameters["properties"]


def test_the_shells_file_holds_both_languages_and_keeps_newlines() -> None:
    document = json.loads(as_json())
    assert list(document) == ["en", "zh"]
    for language in LANGUAGES:
        tools = document[language]["tools"]
        assert [(tool["name"], tool["description"], tool["parameters"]) for tool in tools] == [
            (tool.name, tool.description, tool.parameters) for tool in tool_schemas(language)
        ]
        words = pinned(language)
        assert document[language]["texts"] == {
            name: words[name] for name in ("tools_off", "engine_missing", "timed_out", "failure")
        }
    assert as_json().endswith("}\n")
    assert "技能" in as_json()


def test_importing_the_guidance_imports_nothing_heavy() -> None:
    code = "import sys, skillcaddy.guidance; print('\\n'.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"pydantic", "typer", "rich", "asyncio", "json", "pluggy", "httpx", "numpy", "importlib.metadata"}
    assert heavy & set(run.stdout.split()) == set()
