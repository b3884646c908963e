"""The two tools: any arguments get a sentence back, and no call raises, leaks a file or reads as an error."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillcaddy.deadline import Deadline
from skillcaddy.guidance import texts
from skillcaddy.reasons import Reason
from skillcaddy.render import render
from skillcaddy.request import Request
from skillcaddy.retention import Retention
from skillcaddy.settings import Settings
from skillcaddy.skill import Hit, Retrieval, Skill, Trust
from skillcaddy.source import Source
from skillcaddy.tools import ToolAnswer, Tools
from skillcaddy.trace import Recorder, SourceReport

EN = texts("en")


def skill(name: str, body: str = "", /, **more: Any) -> Skill:
    fields: dict[str, Any] = {
        "id": f"local:office/{name}",
        "name": name,
        "description": f"Work with {name}.",
        "source": "local",
        "trust": Trust.LOCAL,
        "body": body or f"# {name}\n\nHow to do it.",
    }
    return Skill(**(fields | more))


class Library:
    """An engine over a fixed list of skills: a query finds those whose name it holds."""

    def __init__(self, *skills: Skill, settings: Settings | None = None, sources: Iterable[Source] = ()) -> None:
        self.skills = skills
        self.settings = settings or Settings()
        self.retention = Retention()
        self.sources = tuple(sources)
        self.requests: list[Request] = []
        self.record: Callable[[Recorder], None] = lambda recorder: _report(recorder, Reason.SOURCE_OK)

    def retrieve(self, request: Request) -> Retrieval:
        self.requests.append(request)
        recorder = Recorder()
        self.record(recorder)
        found = [one for one in self.skills if one.name.split("-")[0] in request.query.lower()]
        hits = [Hit(skill=one, rank=rank, score=1.0) for rank, one in enumerate(found, start=1)]
        rendered = render(hits, settings=self.settings, request=request)
        return Retrieval(
            query=request.query,
            hits=tuple(hits),
            delivered=rendered.delivered,
            catalog=rendered.catalogued,
            text=rendered.text,
            trace=recorder.trace(),
            elapsed_ms=1.0,
        )

    def open(self, reference: str, deadline: Deadline | None = None) -> list[Skill]:
        return [one for one in self.skills if reference in (one.id, one.name) and one.source == "local"]


def _report(recorder: Recorder, reason: Reason, source: str = "local", detail: str = "") -> None:
    recorder.source(
        SourceReport(
            source=source, query="q", limit=20, found=0, refused=0, reason=reason, elapsed_ms=1.0, detail=detail
        )
    )


@pytest.fixture
def on_disk(tmp_path: Path) -> Skill:
    folder = tmp_path / "lib" / "pdf"
    for path, text in (
        ("SKILL.md", "---\nname: pdf\n---\nbody"),
        ("scripts/fill.py", "print('</skill-text>')\n"),
        ("references/fields.md", "# Fields\n"),
        (".git/config", "hidden"),
        ("__pycache__/x.pyc", "cache"),
        ("other/SKILL.md", "another skill"),
        ("other/file.md", "of another skill"),
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    (folder / "assets").mkdir()
    (folder / "assets" / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0" + b"\0" * 4990)
    (tmp_path / "lib" / "secret.txt").write_text("the secret", encoding="utf-8")
    (tmp_path / "lib" / "pdf-of-others").mkdir()
    (tmp_path / "lib" / "pdf-of-others" / "file.md").write_text("x", encoding="utf-8")
    (folder / "references" / "out.txt").symlink_to(tmp_path / "lib" / "secret.txt")
    body = "See [fields](references/fields.md) and `scripts/fill.py`."
    return skill("pdf", body, directory=str(folder), path=str(folder / "SKILL.md"))


# skill_search


def test_a_search_hands_the_best_body_and_names_the_rest() -> None:
    answer = Tools(Library(skill("pdf"), skill("pdf-merge"))).skill_search({"query": "fill a pdf"})
    assert [hit.skill.name for hit in answer.hits] == ["pdf", "pdf-merge"]
    assert (answer.is_miss, answer.is_failure) == (False, False)
    assert "# pdf\n\nHow to do it.\n</skill-text>" in answer.text
    assert "- local:office/pdf-merge: Work with pdf-merge.\n" in answer.text


@pytest.mark.parametrize(
    ("arguments", "query", "top_k", "delivery"),
    [
        ({"query": " pdf "}, "pdf", None, "best"),
        ({"query": "pdf", "top_k": "2"}, "pdf", 2, "best"),
        ({"query": "pdf", "top_k": 2.0, "delivery": "CATALOG"}, "pdf", 2, "catalog"),
        ({"query": "pdf", "top_k": None, "delivery": None}, "pdf", None, "best"),
        ({"query": "pdf", "top_k": 99, "delivery": "everything"}, "pdf", 10, "best"),
        ({"query": "pdf", "top_k": -3, "delivery": ["bodies"]}, "pdf", 1, "bodies"),
        ({"query": "pdf", "top_k": True}, "pdf", None, "best"),
        ({"query": "pdf", "top_k": "many", "stray": {"a": 1}}, "pdf", None, "best"),
        ({"query": "pdf", "top_k": float("inf")}, "pdf", None, "best"),
        ({"query": ["pdf", "form", 7]}, "pdf form 7", None, "best"),
        ({"query": 404}, "404", None, "best"),
        ({"q": "pdf", 3: "x"}, "pdf", None, "best"),
        ('{"query": "pdf", "top_k": 3}', "pdf", 3, "best"),
        ("pdf", "pdf", None, "best"),
        ('{"query": "pdf"', '{"query": "pdf"', None, "best"),
        (["pdf"], "pdf", None, "best"),
        ({"query": "a $& \\1 {x} %s ```"}, "a $& \\1 {x} %s ```", None, "best"),
    ],
)
def test_stray_and_wrongly_typed_arguments_are_understood(
    arguments: object, query: str, top_k: int | None, delivery: str
) -> None:
    """T54 for the last one: the query arrives as it was typed."""
    library = Library(skill("pdf"))
    assert Tools(library).skill_search(arguments).text
    (request,) = library.requests
    assert (request.query, request.top_k, request.delivery, request.surface) == (query, top_k, delivery, "tool")


def test_what_the_host_knows_of_the_turn_goes_with_the_search() -> None:
    library = Library(skill("pdf"))
    defaults = Request(query="ignored", host="h", session="s", tools=frozenset({"t"}), deadline_s=3.0, top_k=4)
    Tools(library).skill_search({"query": "pdf"}, request_defaults=defaults)
    (request,) = library.requests
    assert (request.host, request.session, request.tools, request.deadline_s, request.top_k) == (
        "h",
        "s",
        frozenset({"t"}),
        3.0,
        4,
    )


@pytest.mark.parametrize(
    "arguments", [{}, None, 7, {"query": ""}, {"query": " \n"}, {"query": {"a": "b"}}, [], "", True]
)
def test_a_blank_query_gets_the_usage_and_no_search(arguments: object) -> None:
    library = Library(skill("pdf"))
    assert Tools(library).skill_search(arguments) == ToolAnswer(
        text="skill_search needs a query: a few words about the task, such as "
        '{"query": "fill in a PDF form"}. Nothing was searched.',
        is_failure=True,
    )
    assert library.requests == []


def test_a_miss_is_a_normal_answer() -> None:
    assert Tools(Library(skill("pdf"))).skill_search({"query": "zebra"}) == ToolAnswer(
        text="No skill in the library matches this. That is a normal answer: the task goes on without a skill.",
        is_miss=True,
    )


def test_a_miss_says_when_not_everything_could_be_searched() -> None:
    """T82, T114: nothing found and not reached are two answers, and the cause is in the second."""
    library = Library()

    def record(recorder: Recorder) -> None:
        _report(recorder, Reason.SOURCE_EMPTY)
        _report(recorder, Reason.SOURCE_FAILED, "hub", "HTTPError")
        _report(recorder, Reason.SOURCE_COOLING_DOWN, "shop")
        recorder.event("library", Reason.INDEX_BUILDING)

    library.record = record
    assert Tools(library).skill_search({"query": "zebra"}) == ToolAnswer(
        text="No skill in the library matches this. That is a normal answer: the task goes on without a skill.\n"
        "The library is still being indexed, so not all of it could be searched yet.\n"
        "Not every source could be searched this time: hub (it failed, HTTPError), shop (it asked for a pause).",
        is_miss=True,
    )


def test_when_no_source_answers_it_is_a_failure_and_no_miss() -> None:
    library = Library()
    library.record = lambda recorder: _report(recorder, Reason.SOURCE_ABANDONED)
    assert Tools(library).skill_search({"query": "zebra"}) == ToolAnswer(
        text="The skill library could not be searched this time: local (it did not answer in time). "
        "The task goes on without a skill.",
        is_failure=True,
    )


@pytest.mark.parametrize("error", [RuntimeError("secret"), RecursionError("deep")])
def test_an_engine_that_raises_becomes_a_sentence_without_the_errors_words(error: Exception) -> None:
    class Broken(Library):
        def retrieve(self, request: Request) -> Retrieval:
            raise error

        def open(self, reference: str, deadline: Deadline | None = None) -> list[Skill]:
            raise error

    tools = Tools(Broken())
    for answer in (tools.skill_search({"query": "x"}), tools.skill_open({"id": "x"})):
        assert answer == ToolAnswer(
            text=f"The skill library could not be searched this time ({type(error).__name__}). "
            "The task goes on without a skill.",
            is_failure=True,
        )


def test_a_stale_call_where_skills_are_injected_is_refused() -> None:
    """T28: two ways in one turn would search twice and show a skill twice."""
    library = Library(skill("pdf"), settings=Settings(mode="auto"))
    tools = Tools(library)
    for answer in (tools.skill_search({"query": "pdf"}), tools.skill_open({"id": "pdf"})):
        assert answer == ToolAnswer(text=EN.tools_off, is_failure=True)
    assert library.requests == []
    assert Tools(library, mode="on_demand").skill_search({"query": "pdf"}).hits


def test_calls_go_by_the_tools_names() -> None:
    tools = Tools(Library(skill("pdf")))
    assert tools.call("skill_search", {"query": "pdf"}) == tools.skill_search({"query": "pdf"})
    assert tools.call("skill_open", {"id": "pdf"}) == tools.skill_open({"id": "pdf"})
    assert tools.call("skill_close", {}) is None


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["query", "id", "path", "part", "top_k", "delivery", "x"]), inner, max_size=4
            )
        ),
        max_leaves=10,
    )
)
def test_any_arguments_at_all_get_a_sentence(arguments: object) -> None:
    tools = Tools(Library(skill("pdf")))
    for answer in (tools.skill_search(arguments), tools.skill_open(arguments)):
        assert answer.text
        assert not answer.text.startswith("Error")


# skill_open


def test_opening_a_skill_gives_its_text_and_the_list_of_its_files(on_disk: Skill) -> None:
    """References are absolute; files that are hidden, cached, of other skills or outside are not listed."""
    answer = Tools(Library(on_disk)).skill_open({"id": "local:office/pdf"})
    assert answer.text == (
        "<skill-library>\n"
        "From the user's skill library, quoted as it is stored.\n"
        "\n"
        "Skill: pdf | id: local:office/pdf | source: local | trust: local (the user's own)\n"
        f"Folder: {on_disk.directory} (relative paths in the text are inside it)\n"
        '<skill-text of="local:office/pdf">\n'
        f"See [fields]({on_disk.directory}/references/fields.md) and `{on_disk.directory}/scripts/fill.py`.\n"
        "</skill-text>\n"
        "\n"
        "Files of this skill (skill_open with the id and a path gives one):\n"
        "- assets/logo.png (5 kB)\n"
        "- references/fields.md (9 B)\n"
        "- scripts/fill.py (23 B)\n"
        "</skill-library>"
    )
    assert ([hit.skill.id for hit in answer.hits], answer.is_miss) == (["local:office/pdf"], False)


@pytest.mark.parametrize(
    "arguments",
    [
        {"id": "local:office/pdf"},
        {"id": "pdf"},
        {"name": "pdf"},
        {"id": "`local:office/pdf`"},
        {"id": ' "pdf" ', "path": "", "part": None},
        {"skill_id": "pdf", "part": "1"},
        "pdf",
    ],
)
def test_a_skill_is_opened_by_id_or_name_however_it_is_written(arguments: object) -> None:
    answer = Tools(Library(skill("pdf"))).skill_open(arguments)
    assert "# pdf\n\nHow to do it." in answer.text


def test_the_skills_own_file_gives_its_text_without_front_matter(on_disk: Skill) -> None:
    tools = Tools(Library(on_disk))
    for path in ("SKILL.md", "./SKILL.md", on_disk.path):
        assert tools.skill_open({"id": "pdf", "path": path}) == tools.skill_open({"id": "pdf"})


@pytest.mark.parametrize("path", ["scripts/fill.py", "./scripts/fill.py", "scripts\\fill.py", "ABSOLUTE"])
def test_a_file_of_a_skill_is_quoted(on_disk: Skill, path: str) -> None:
    """Absolute paths are what a resolved body names."""
    path = f"{on_disk.directory}/scripts/fill.py" if path == "ABSOLUTE" else path
    assert Tools(Library(on_disk)).skill_open({"id": "pdf", "path": path}).text == (
        "<skill-library>\n"
        'File scripts/fill.py of the skill "local:office/pdf", quoted as it is stored.\n'
        "\n"
        '<skill-text of="scripts/fill.py">\n'
        "print('‹/skill-text>')\n"
        "</skill-text>\n"
        "</skill-library>"
    )


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "references/../../secret.txt",
        "references/out.txt",
        "..\\secret.txt",
        "/etc/passwd",
        "../pdf-of-others/file.md",
        "..",
        "references/../..",
    ],
)
def test_nothing_outside_the_skill_is_read(on_disk: Skill, path: str) -> None:
    answer = Tools(Library(on_disk)).skill_open({"id": "pdf", "path": path})
    assert answer.text == (
        f'{path} lies outside the folder of the skill "local:office/pdf"; only the skill\'s own files can be read.'
    )
    assert answer.is_miss


def test_what_is_no_text_is_refused_by_a_sentence(on_disk: Skill) -> None:
    folder = Path(on_disk.directory)
    (folder / "big.txt").write_text("x" * 600_000, encoding="utf-8")
    os.mkfifo(folder / "pipe")
    tools = Tools(Library(on_disk))
    said = [
        tools.skill_open({"id": "pdf", "path": path}).text for path in ("assets/logo.png", "big.txt", "pipe", "a\0b")
    ]
    assert said[:3] == [
        "assets/logo.png is not a text file (5 kB), so it cannot be shown here.",
        "big.txt is too large to be shown here (600 kB; the limit is 512 kB).",
        "pipe could not be read.",
    ]
    assert said[3].startswith('The skill "local:office/pdf" has no file ab.')


def test_a_missing_file_is_answered_with_the_files_that_are_there(on_disk: Skill) -> None:
    answer = Tools(Library(on_disk)).skill_open({"id": "pdf", "path": "references/field.md"})
    assert answer.text == (
        'The skill "local:office/pdf" has no file references/field.md.\n'
        "Files of this skill (skill_open with the id and a path gives one):\n"
        "- assets/logo.png (5 kB)\n"
        "- references/fields.md (9 B)\n"
        "- scripts/fill.py (23 B)"
    )
    assert answer.is_miss


def test_a_folder_of_a_skill_is_listed(on_disk: Skill) -> None:
    answer = Tools(Library(on_disk)).skill_open({"id": "pdf", "path": "references/"})
    assert "Files of this skill under references:\n- references/fields.md (9 B)\n" in answer.text
    (Path(on_disk.directory) / "empty").mkdir()
    assert Tools(Library(on_disk)).skill_open({"id": "pdf", "path": "empty"}).text == "There are no files under empty."


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ("﻿bom".encode(), "bom"),
        ("utf sixteen 技能".encode("utf-16"), "utf sixteen 技能"),
        (b"caf\xe9 au lait", "café au lait"),
        ("技能".encode(), "技能"),
    ],
)
def test_text_in_other_encodings_is_read(on_disk: Skill, data: bytes, shown: str) -> None:
    (Path(on_disk.directory) / "t.txt").write_bytes(data)
    assert f"\n{shown}\n</skill-text>" in Tools(Library(on_disk)).skill_open({"id": "pdf", "path": "t.txt"}).text


def test_a_skill_that_is_not_on_disk_has_no_files() -> None:
    answer = Tools(Library(skill("pdf"))).skill_open({"id": "pdf", "path": "x.md"})
    assert answer.text == 'The skill "local:office/pdf" is not on this machine, so it has a text but no files.'


def test_a_long_text_comes_in_parts_that_together_are_the_whole(on_disk: Skill) -> None:
    long = skill(
        "pdf", "".join(f"Line {n} of the text.\n\n" for n in range(400)), directory=on_disk.directory, path=on_disk.path
    )
    tools = Tools(Library(long, settings=Settings(max_chars=2000)))
    first = tools.skill_open({"id": "pdf"}).text
    assert "gives the next]" in first
    count = int(first.split("[part 1 of ")[1].split(";")[0])
    assert f"[part 1 of {count}; skill_open with part 2 gives the next]\n\nFiles of this skill" in first
    pages = [tools.skill_open({"id": "pdf", "part": part}).text for part in range(1, count + 1)]
    assert max(map(len, pages)) <= 2000
    bodies = [page.split('<skill-text of="local:office/pdf">\n')[1].split("\n</skill-text>")[0] for page in pages]
    assert "\n\n".join(bodies) == long.body.strip()
    assert pages[-1].endswith(f"[part {count} of {count}]\n</skill-library>")
    beyond = tools.skill_open({"id": "pdf", "part": count + 1})
    assert (beyond.text, beyond.is_miss) == (f"There is no part {count + 1}; the text has {count}.", True)


def test_many_files_are_listed_as_far_as_the_room_goes(on_disk: Skill) -> None:
    for number in range(300):
        (Path(on_disk.directory) / f"data{number:03}.csv").write_text("x", encoding="utf-8")
    text = Tools(Library(on_disk)).skill_open({"id": "pdf"}).text
    listed = [line for line in text.split("\n") if line.startswith("- ")]
    assert listed[-1] == f"- and {303 - len(listed) + 1} more"
    assert len("\n".join(listed)) < 9000 / 5


def test_a_name_that_several_skills_have_is_answered_with_their_ids() -> None:
    twins = [skill("pdf", id=f"local:{folder}/pdf") for folder in ("a", "b")]
    answer = Tools(Library(*twins)).skill_open({"id": "pdf"})
    assert answer.text == 'Several skills are called "pdf": local:a/pdf, local:b/pdf. The id tells them apart.'
    assert answer.is_miss
    assert Tools(Library(*twins)).skill_open({"id": "local:b/pdf"}).hits[0].skill.id == "local:b/pdf"


def test_an_unknown_id_is_answered_with_those_that_look_alike() -> None:
    tools = Tools(Library(skill("pdf-forms"), skill("zebra")))
    answer = tools.skill_open({"id": "local:office/pdf_form"})
    assert answer.text == (
        'There is no skill with the id or name "local:office/pdf_form" in the library. '
        "Ids that look alike: local:office/pdf-forms."
    )
    assert answer.is_miss
    assert tools.skill_open({"id": "quux"}).text == 'There is no skill with the id or name "quux" in the library.'


def test_an_unknown_id_says_when_a_source_could_not_be_asked() -> None:
    library = Library(skill("pdf"))
    library.record = lambda recorder: _report(recorder, Reason.SOURCE_STUCK, "hub")
    assert Tools(library).skill_open({"id": "hub:quux"}).text == (
        'There is no skill with the id or name "hub:quux" in the library. '
        "Not every source could be searched this time: hub (it is still busy with an earlier search)."
    )


@pytest.mark.parametrize("arguments", [{}, None, {"id": " "}, {"id": "``"}, {"path": "x"}, 3])
def test_opening_without_an_id_gets_the_usage(arguments: object) -> None:
    answer = Tools(Library(skill("pdf"))).skill_open(arguments)
    assert answer == ToolAnswer(
        text="skill_open needs the id of a skill as skill_search gave it, such as "
        '{"id": "local:office/pdf-forms"}. Nothing was opened.',
        is_failure=True,
    )


class Shop:
    """A source that only searches and gives bodies, as a plugin may be."""

    name = "shop"
    weight = 1.0
    trust = Trust.UNVETTED

    def search(self, query: str, limit: int, deadline: Deadline) -> Iterable[Hit]:
        return []

    def body(self, skill: Skill, deadline: Deadline) -> str:
        return f"body of {skill.name}"


@pytest.mark.parametrize("reference", ["shop:pdf-tool", "pdf-tool", "SHOP:PDF-tool"])
def test_what_a_search_named_can_be_opened_though_its_source_cannot_look_up_ids(reference: str) -> None:
    remote = skill("pdf-tool", id="shop:pdf-tool", source="shop", trust=Trust.UNVETTED)
    tools = Tools(Library(skill("pdf"), remote, sources=[Shop()]))
    assert "- shop:pdf-tool: " in tools.skill_search({"query": "pdf"}).text
    assert "\nbody of pdf-tool\n</skill-text>" in tools.skill_open({"id": reference}).text


def test_a_body_that_cannot_be_had_is_a_sentence() -> None:
    gone = skill("pdf", "\n", directory="")
    answer = Tools(Library(gone)).skill_open({"id": "pdf"})
    assert answer.text == (
        'The text of the skill "local:office/pdf" could not be had from its source. The task goes on without it.'
    )
    assert answer.is_miss


def test_an_opened_skill_counts_as_held_and_its_files_do_not(on_disk: Skill) -> None:
    library = Library(on_disk)
    tools = Tools(library)
    defaults = Request(query="", session="s")
    tools.skill_open({"id": "pdf", "path": "scripts/fill.py"}, request_defaults=defaults)
    tools.skill_open({"id": "pdf", "part": 9}, request_defaults=defaults)
    assert library.retention.held("s") == frozenset()
    tools.skill_open({"id": "pdf"}, request_defaults=defaults)
    assert library.retention.held("s") == {"local:office/pdf"}


def test_answers_speak_the_language_of_the_settings() -> None:
    tools = Tools(Library(skill("pdf"), settings=Settings(language="zh")))
    zh = texts("zh")
    assert tools.skill_search({}).text == zh.usage_search
    assert tools.skill_search({"query": "zebra"}).text == zh.miss
    assert tools.skill_open({"id": "quux"}).text == "技能库中没有 id 或名称为“quux”的技能。"
