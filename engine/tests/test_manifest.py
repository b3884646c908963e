"""A manifest tells what changed on disk since it was made, also once stored, however the system lets one look."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from skillcaddy.library.manifest import Changes, Manifest, survey


def write(path: Path, text: str = "a skill") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def roots(tmp_path: Path) -> list[str]:
    """Two roots: one with nested skills, an empty folder and odd names, one that is a skill itself."""
    for folder in ("flat", "group/inner", "group/inner/deeper", "group/other", "W\u00f6rter und \u7b14\u8bb0"):
        write(tmp_path / "many" / folder / "SKILL.md")
    (tmp_path / "many" / "empty").mkdir()
    write(tmp_path / "one" / "skill.md")
    return [str(tmp_path / "many"), str(tmp_path / "one")]


@pytest.fixture(params=["below the root", "by absolute paths"])
def stored(
    request: pytest.FixtureRequest, roots: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Manifest:
    """The manifest of the roots as a later process loads it, on a system with and without looks below a folder."""
    if request.param == "by absolute paths":
        monkeypatch.setattr(os, "supports_dir_fd", set())
    Manifest.of(survey(roots), 12.5).save(tmp_path / "manifest.json")
    return Manifest.load(tmp_path / "manifest.json")


def changed(changes: Changes) -> tuple[list[str], list[str]]:
    return sorted(located.file.path for located in changes.written), sorted(changes.removed)


def test_what_was_surveyed_comes_back(stored: Manifest, roots: list[str]) -> None:
    seen = survey(roots)
    assert list(stored.files()) == list(seen.files)
    assert dict(zip(stored.directories, stored.directory_times, strict=True)) == dict(seen.directories)
    assert len(stored.directories) == len(seen.directories)
    assert stored.mean_length == 12.5
    again = stored.changes(roots)
    assert not again
    assert again.survey is None


@pytest.mark.parametrize(
    "path", ["many/flat/SKILL.md", "many/group/inner/SKILL.md", "many/group/inner/deeper/SKILL.md", "one/skill.md"]
)
@pytest.mark.parametrize("quick", [False, True])
def test_a_file_that_differs_is_found_with_what_it_is_now(
    stored: Manifest, roots: list[str], tmp_path: Path, path: str, quick: bool
) -> None:
    write(tmp_path / path, "another text")
    changes = stored.changes(roots, quick=quick)
    assert changed(changes) == ([str(tmp_path / path)], [])
    assert changes.written[0] in survey(roots).files


@pytest.mark.parametrize("how", [os.unlink, lambda path: os.rename(path, f"{path}.off")])
def test_a_file_that_is_gone_is_found(
    stored: Manifest, roots: list[str], tmp_path: Path, how: Callable[[Path], None]
) -> None:
    gone = tmp_path / "many" / "group" / "other" / "SKILL.md"
    how(gone)
    assert changed(stored.changes(roots)) == ([], [str(gone)])


@pytest.mark.parametrize("folder", ["new", "group/new", "group/inner/new", "flat/new", "empty/new"])
def test_a_new_skill_is_found_wherever_it_lies(stored: Manifest, roots: list[str], tmp_path: Path, folder: str) -> None:
    new = write(tmp_path / "many" / folder / "SKILL.md")
    changes = stored.changes(roots)
    assert changed(changes) == ([str(new)], [])
    assert changes.survey is not None


def test_of_a_root_that_is_gone_everything_is_gone(stored: Manifest, roots: list[str], tmp_path: Path) -> None:
    os.rename(roots[0], tmp_path / "elsewhere")
    _, removed = changed(stored.changes(roots))
    assert len(removed) == 5
    assert all(path.startswith(roots[0]) for path in removed)


def test_files_without_the_folders_around_them_are_compared_with_a_whole_survey(roots: list[str]) -> None:
    """As after a survey that its deadline cut short."""
    part = Manifest.of(survey(roots)._replace(directories=()), 0.0)
    changes = part.changes(roots)
    assert not changes
    assert changes.survey == survey(roots)
    assert len(changed(Manifest.empty().changes(roots))[0]) == 6


@pytest.mark.parametrize("spoil", [lambda data: b"", lambda data: data[:-9], lambda data: b"{}\n" + data, bytes.upper])
def test_a_damaged_one_is_refused(stored: Manifest, tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    file = tmp_path / "manifest.json"
    file.write_bytes(spoil(file.read_bytes()))
    with pytest.raises(ValueError, match="not a manifest"):
        Manifest.load(file)
