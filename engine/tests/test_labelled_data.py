"""The data that tests and bench measure on: whole, licensed, fit to be published, and expanded without loss."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

REPOSITORY = Path(__file__).resolve().parents[2]
DATA = REPOSITORY / "engine" / "tests" / "data"
EXAMPLES = REPOSITORY / "examples"
sys.path.insert(0, str(REPOSITORY / "bench"))

import expand  # noqa: E402
import labelled  # noqa: E402

UNPUBLISHABLE = re.compile(
    r"/root/|/home/[a-z]|/Users/|/work/|/tmp/|\[removed\]|\[registry-host\]|-----BEGIN|\bAKIA[0-9A-Z]{12}|\bghp_\w{20}|\bsk-\w{16}"
    r"|\b(?:npmjs|pypi|crates|rubygems|nuget)\.(?:org|com|io)\b|\b(?:ghcr|quay)\.io\b"
)
FREE = {
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 (upstream SkillsBench)",
    "BSD-3-CLAUSE",
    "ISC",
    "CC0-1.0",
    "Unlicense",
}
SLICE_FILES = ("skills.jsonl.xz", "queries.jsonl", "near_misses.jsonl", "frontmatter.jsonl.xz")


@pytest.mark.parametrize("name", SLICE_FILES)
def test_every_row_of_the_slice_keeps_a_free_licence_and_its_origin(name: str) -> None:
    rows = list(labelled.read_lines(labelled.SLICE / name))
    assert len(rows) >= 200
    for row in rows:
        assert row["licence"] in FREE
        assert "/" in (row.get("source_repo") or row["source"])


@pytest.mark.parametrize("name", SLICE_FILES)
def test_the_slice_holds_nothing_that_may_not_be_published(name: str) -> None:
    for row in labelled.read_lines(labelled.SLICE / name):
        assert not UNPUBLISHABLE.search(json.dumps(row, ensure_ascii=False)), row


def test_every_answer_near_miss_and_copy_is_in_the_slice() -> None:
    skills = {row.id for row in labelled.load(labelled.SLICE)}
    named = {copy for row in labelled.load_queries(labelled.SLICE) for entry in row.relevant for copy in entry}
    named |= {skill_id for row in labelled.load_negatives(labelled.SLICE) for skill_id in row.forbidden}
    assert named <= skills
    assert len(named) < len(skills), "there must be skills that answer nothing, or any ranking is right"


def test_front_matter_labels_cover_refused_crlf_and_undescribed_blocks() -> None:
    rows = list(labelled.read_lines(labelled.SLICE / "frontmatter.jsonl.xz"))
    assert {row["label_from"] for row in rows} == {"yaml", "rule"}
    assert sum(not row["strict_yaml"] for row in rows) > 100
    assert sum("\r\n" in row["raw"] for row in rows) > 50
    assert any(not row["description"] for row in rows)


def test_everyday_turns_cover_kinds_and_languages_and_the_two_parts_share_none() -> None:
    dev, test = labelled.load_everyday("dev"), labelled.load_everyday("test")
    kinds = {"greeting", "acknowledgement", "small_talk", "follow_up", "chore", "feeling", "meta"}
    for part in (dev, test):
        assert len(part) >= 350
        assert {kind for _, _, kind in part} == kinds
        assert len(Counter(language for _, language, _ in part)) >= 16

    def bare(turn: str) -> str:
        return re.sub(r"\W+", " ", turn.casefold()).strip() or turn

    assert not {bare(turn) for turn, _, _ in dev} & {bare(turn) for turn, _, _ in test}


def test_a_tree_reads_back_as_the_rows_it_was_made_from(tmp_path: Path) -> None:
    rows = labelled.load(labelled.SLICE)
    folders = expand.expand(rows, tmp_path)
    ids = json.loads((tmp_path / "ids.json").read_text(encoding="utf-8"))
    assert ids == {folder: skill_id for skill_id, folder in folders.items()}
    for row in rows:
        text = (tmp_path / folders[row.id] / "SKILL.md").read_bytes().decode("utf-8")
        front, body = text.removeprefix("---\n").split("\n---\n", 1)
        assert yaml.safe_load(front) == {"name": row.name, "description": row.description, "license": row.licence}
        assert body.strip() == row.body.strip()


def test_a_larger_tree_contains_the_smaller_and_both_contain_all_answers() -> None:
    small = {row.id for row in labelled.load(labelled.SLICE, 200)}
    large = {row.id for row in labelled.load(labelled.SLICE, 300)}
    assert (len(small), len(large)) == (200, 300)
    assert small < large
    assert small != {row.id for row in labelled.load(labelled.SLICE, 200, seed=1)}
    answers = {entry[0] for row in labelled.load_queries(labelled.SLICE) for entry in row.relevant}
    assert answers <= small


def test_a_size_that_cannot_hold_the_labelled_skills_is_refused_with_the_number_needed() -> None:
    with pytest.raises(ValueError, match=r"\d+ skills are labelled .* only 10"):
        labelled.load(labelled.SLICE, 10)


def test_expanding_again_replaces_our_own_tree_and_touches_no_other(tmp_path: Path) -> None:
    rows = labelled.load(labelled.SLICE)
    ours, foreign = tmp_path / "ours", tmp_path / "foreign"
    expand.expand(rows[:9], ours)
    assert expand.expand(rows[:3], ours).keys() == {row.id for row in rows[:3]}
    assert len(list(ours.glob("*/SKILL.md"))) == 3
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("the only copy", encoding="utf-8")
    with pytest.raises(FileExistsError):
        expand.expand(rows[:3], foreign)
    assert [path.name for path in foreign.iterdir()] == ["thesis.txt"]


@given(
    st.text("abXYZ09-_. é语/", min_size=1, max_size=40),
    st.sampled_from(["SKILL.md", "skill.md", "Skill.md", "SKILL.MD"]),
)
def test_a_folder_name_is_safe_and_tells_the_id_again(path: str, file: str) -> None:
    skill_id = f"Owner/repo:{path.strip('/')}/{file}" if path.strip("/") else f"Owner/repo:{file}"
    folder = expand.folder_of(skill_id)
    assert expand.id_of(folder) == skill_id
    assert re.fullmatch(r"[a-z0-9._\-+@!=]+", folder)


def test_eval_rows_name_folders_lists_for_copies_and_refuse_a_tree_without_the_answer() -> None:
    row = labelled.QueryRow(
        query="q",
        relevant=(("a/b:x", "a/b:y"),),
        forbidden=("a/b:z",),
        lang="latin",
        source="a/b:f",
        kind="",
        names_skill=False,
    )
    assert expand.eval_row(row, {"a/b:x": "x", "a/b:y": "y", "a/b:z": "z"}) == {
        "query": "q",
        "relevant": [["x", "y"]],
        "forbidden": ["z"],
        "lang": "latin",
        "source": "a/b:f",
    }
    assert expand.eval_row(row, {"a/b:y": "y"})["relevant"] == ["y"]
    with pytest.raises(KeyError, match="a/b:x"):
        expand.eval_row(row, {"a/b:z": "z"})


def test_the_data_is_found_in_neither_layout_with_a_sentence_that_names_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"skills\.jsonl\.xz"):
        labelled.load(tmp_path)


def test_example_skills_are_well_formed_and_their_links_lead_somewhere() -> None:
    folders = sorted(path for path in (EXAMPLES / "skills").iterdir() if path.is_dir())
    assert len(folders) >= 12
    for folder in folders:
        front, body = (folder / "SKILL.md").read_text(encoding="utf-8").removeprefix("---\n").split("\n---\n", 1)
        fields = yaml.safe_load(front)
        assert fields["name"] == folder.name
        assert 80 <= len(fields["description"]) <= 1024
        assert fields["tags"]
        assert fields["license"] == "Apache-2.0"
        assert len([line for line in body.splitlines() if line]) >= 40
        for link in re.findall(r"\]\((?!https?:)([^)]+)\)|\{baseDir\}/([\w/.-]+)", body):
            assert (folder / "".join(link)).is_file(), (folder.name, link)


def test_example_queries_name_example_skills_and_some_have_no_answer() -> None:
    rows = list(labelled.read_lines(EXAMPLES / "queries.jsonl"))
    names = {path.name for path in (EXAMPLES / "skills").iterdir()}
    assert {name for row in rows for name in row["relevant"]} == names
    assert sum(not row["relevant"] for row in rows) >= 20
    assert sum(bool(row["relevant"]) for row in rows) >= 40
