"""The walk finds every skill's file under a root, and nothing that lies outside it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from broken_skills import CASES, FORBIDDEN, SOUND
from broken_skills import write as write_broken
from skillcaddy.deadline import Deadline
from skillcaddy.library.walk import MAX_DEPTH, Walk, walk
from skillcaddy.reasons import Reason


def skill(*folders: Path, file: str = "SKILL.md") -> None:
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text("---\nname: n\ndescription: d\n---\n", encoding="utf-8")


def folders(walked: Walk) -> list[str]:
    return [found.folder for found in walked.files]


def test_skills_are_found_at_any_depth_in_a_fixed_order(tmp_path: Path) -> None:
    skill(tmp_path / "b", tmp_path / "a" / "inner", tmp_path / "a", tmp_path)
    walked = walk(tmp_path)
    assert folders(walked) == ["", "a", "a/inner", "b"]
    assert (walked.problems, walked.partial) == ([], False)
    assert walk(tmp_path) == walked


def test_a_signature_tells_size_and_time_of_its_file(tmp_path: Path) -> None:
    skill(tmp_path / "a")
    os.utime(tmp_path / "a" / "SKILL.md", ns=(5, 7_000_000_123))
    (found,) = walk(tmp_path).files
    assert found == (str(tmp_path / "a" / "SKILL.md"), "a", (tmp_path / "a" / "SKILL.md").stat().st_size, 7_000_000_123)


def test_a_folder_s_time_changes_with_its_entries(tmp_path: Path) -> None:
    """T70, T71: what the sweep looks at and what the scan looks into are one list."""
    skill(tmp_path / "a")
    os.utime(tmp_path, ns=(1, 1))
    before = walk(tmp_path).dirs
    skill(tmp_path / "b")
    after = walk(tmp_path).dirs
    assert [entry.path for entry in before] == [str(tmp_path), str(tmp_path / "a")]
    assert after[0].mtime_ns != before[0].mtime_ns
    assert after[1] == before[1]


@pytest.mark.parametrize("file", ["SKILL.md", "skill.md", "skills.md", "Skill.md", "SKILL.MD", "SKILLS.md"])
def test_each_accepted_file_name_is_found(file: str, tmp_path: Path) -> None:
    """T66."""
    skill(tmp_path / "a", file=file)
    assert folders(walk(tmp_path)) == ["a"]


@pytest.mark.parametrize("file", ["SKILL.markdown", "MYSKILL.md", "README.md", "._SKILL.md", "SKILL.md~"])
def test_no_other_file_is_a_skill(file: str, tmp_path: Path) -> None:
    skill(tmp_path / "a", file=file)
    assert folders(walk(tmp_path)) == []


def test_a_folder_has_one_skill_and_its_best_name_counts(tmp_path: Path) -> None:
    for file in ("skills.md", "Skill.md", "skill.md", "SKILL.md"):
        skill(tmp_path / "a", file=file)
        (found,) = walk(tmp_path).files
        assert Path(found.path).name == file


def test_a_folder_called_like_a_skill_s_file_is_a_folder(tmp_path: Path) -> None:
    skill(tmp_path / "a" / "SKILL.md")
    assert folders(walk(tmp_path)) == ["a/SKILL.md"]


@pytest.mark.parametrize("name", [".git", "node_modules", "__pycache__", ".venv", ".archive", ".hub", "site-packages"])
def test_folders_of_tools_are_not_looked_into(name: str, tmp_path: Path) -> None:
    skill(tmp_path / name / "a", tmp_path / "b" / name)
    assert folders(walk(tmp_path)) == []
    assert folders(walk(tmp_path / name)) == ["a"]


@pytest.mark.parametrize("name", ["references", "scripts", "assets", "templates"])
def test_a_skill_s_own_folders_hold_no_skills_of_the_library(name: str, tmp_path: Path) -> None:
    skill(tmp_path / "a", tmp_path / "a" / name / "x", tmp_path / "a" / "nested", tmp_path / "group" / name)
    assert folders(walk(tmp_path)) == ["a", "a/nested", f"group/{name}"]


def test_the_walk_ends_at_its_depth_limit(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*"abcdefgh")
    skill(deep, deep / "i")
    assert folders(walk(tmp_path)) == ["a/b/c/d/e/f/g/h"]
    assert MAX_DEPTH == 8


def test_links_make_no_loop_and_no_copy(tmp_path: Path) -> None:
    """T70."""
    root = tmp_path / "root"
    skill(root / "m" / "real")
    (root / "a-link").symlink_to(root / "m", target_is_directory=True)
    (root / "m" / "real" / "up").symlink_to(root, target_is_directory=True)
    (root / "m" / "self").symlink_to("self")
    walked = walk(root)
    assert folders(walked) == ["m/real"]
    assert walked.problems == []


def test_a_link_directly_in_the_root_may_lead_anywhere(tmp_path: Path) -> None:
    skill(tmp_path / "elsewhere" / "tool" / "inner")
    root = tmp_path / "root"
    root.mkdir()
    (root / "tool").symlink_to(tmp_path / "elsewhere" / "tool", target_is_directory=True)
    walked = walk(root)
    assert folders(walked) == ["tool/inner"]
    assert walked.files[0].path == str(root / "tool" / "inner" / "SKILL.md")


def test_a_deeper_link_out_of_the_root_is_reported_and_not_followed(tmp_path: Path) -> None:
    """T70."""
    root = tmp_path / "root"
    skill(tmp_path / "secret", root / "bundle")
    (root / "bundle" / "out").symlink_to(tmp_path / "secret", target_is_directory=True)
    walked = walk(root)
    assert folders(walked) == ["bundle"]
    assert [(problem.path, problem.reason) for problem in walked.problems] == [
        (str(root / "bundle" / "out"), Reason.SKILL_UNREADABLE)
    ]


def test_a_deeper_link_inside_a_linked_folder_stays_inside_that(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    skill(outside / "shared" / "real", tmp_path / "secret")
    root.mkdir()
    (outside / "x").mkdir()
    (outside / "x" / "ok").symlink_to(outside / "shared" / "real", target_is_directory=True)
    (outside / "x" / "out").symlink_to(tmp_path / "secret", target_is_directory=True)
    (root / "outside").symlink_to(outside, target_is_directory=True)
    walked = walk(root)
    assert folders(walked) == ["outside/shared/real"]
    assert [Path(problem.path).name for problem in walked.problems] == ["out"]


@pytest.mark.parametrize(
    ("folder", "target", "followed"),
    [("a", "notes.md", True), ("a", "secret.txt", False), ("group/a", "notes.md", False)],
)
def test_a_linked_file_leaves_the_root_only_near_it_and_only_for_markdown(
    folder: str, target: str, followed: bool, tmp_path: Path
) -> None:
    (tmp_path / target).write_text("Text", encoding="utf-8")
    (tmp_path / "root" / folder).mkdir(parents=True)
    (tmp_path / "root" / folder / "SKILL.md").symlink_to(tmp_path / target)
    walked = walk(tmp_path / "root")
    assert folders(walked) == ([folder] if followed else [])
    assert len(walked.problems) == (not followed)


@pytest.mark.parametrize("make", [lambda root: None, lambda root: root.write_text("x", encoding="utf-8")])
def test_a_missing_root_says_so(make: Any, tmp_path: Path) -> None:
    make(tmp_path / "root")
    walked = walk(tmp_path / "root")
    assert (walked.files, walked.dirs) == ([], [])
    assert [problem.reason for problem in walked.problems] == [Reason.ROOT_MISSING]


def test_a_folder_that_cannot_be_listed_costs_that_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T65; simulated, since a superuser may list every folder."""
    skill(tmp_path / "a", tmp_path / "b", tmp_path / "c")
    real = os.scandir

    def scandir(path: str) -> Any:
        if path.endswith("b"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    walked = walk(tmp_path)
    assert folders(walked) == ["a", "c"]
    assert [(Path(problem.path).name, "Permission denied" in problem.detail) for problem in walked.problems] == [
        ("b", True)
    ]


def test_a_name_that_is_not_utf_8_costs_that_folder(tmp_path: Path) -> None:
    skill(tmp_path / "a")
    os.makedirs(os.fsencode(tmp_path) + b"/b\xff")
    walked = walk(tmp_path)
    assert folders(walked) == ["a"]
    (problem,) = walked.problems
    problem.path.encode("utf-8")


def test_a_walk_that_runs_out_of_time_says_that_it_is_partial(tmp_path: Path) -> None:
    skill(*(tmp_path / str(number) for number in range(40)))
    walked = walk(tmp_path, Deadline.after(-1))
    assert walked.partial
    assert len(walked.files) < 40
    assert not walk(tmp_path, Deadline.after(60)).partial


def test_a_library_of_broken_files_loses_none(tmp_path: Path) -> None:
    write_broken(tmp_path)
    walked = walk(tmp_path)
    assert sorted(folders(walked)) == sorted([SOUND, FORBIDDEN, *(case.folder for case in CASES)])
    assert sorted(Path(problem.path).parent.name for problem in walked.problems) == ["dangling", "pipe"]
