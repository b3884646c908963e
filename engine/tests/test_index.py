"""The stored index: incremental, shared, and never half of anything, whatever happens to it or to its writers."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from builders import write_skill
from skillcaddy.deadline import Deadline
from skillcaddy.library.indexer import IndexReport, refresh
from skillcaddy.library.local import LocalSource
from skillcaddy.library.store import Store, StoreBusyError
from skillcaddy.library.view import Indexing
from skillcaddy.reasons import Reason


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def found(roots: Path | list[Path], state: Path, query: str, indexing: Indexing = "inline") -> list[str]:
    return names(local(roots, state, indexing), query)


def local(roots: Path | list[Path], state: Path, indexing: Indexing = "inline") -> LocalSource:
    listed = roots if isinstance(roots, list) else [roots]
    return LocalSource([str(root) for root in listed], state, indexing=indexing)


def names(source: LocalSource, query: str) -> list[str]:
    return [hit.skill.name for hit in source.search(query, 10, Deadline.after(30))]


def reasons(source: LocalSource) -> set[Reason]:
    return {notice.reason for notice in source.notices()}


def build(root: Path, state: Path) -> IndexReport:
    return refresh(Store(state, [str(root)]))


def generations(state: Path) -> list[Path]:
    return sorted(state.glob("index/*/generation-*"))


def test_a_new_skill_is_found_by_the_next_query(library: Path, state: Path) -> None:
    """T71: nothing is cached for life."""
    write_skill(library, "pdf-forms", "Fill in PDF forms")
    assert found(library, state, "fill in pdf") == ["pdf-forms"]
    write_skill(library, "pdf-merge", "Merge PDF files")
    assert set(found(library, state, "pdf")) == {"pdf-forms", "pdf-merge"}


def test_a_long_lived_source_sees_changes_too(library: Path, state: Path) -> None:
    """T72."""
    write_skill(library, "pdf-forms", "Fill in PDF forms")
    source = local(library, state)
    assert names(source, "sort socks") == []
    path = write_skill(library, "drawer", "Sort socks by colour")
    assert names(source, "sort socks") == ["drawer"]
    write_skill(library, "drawer", "Darn woollen mittens instead")
    assert names(source, "sort socks") == []
    assert names(source, "woollen mittens") == ["drawer"]
    shutil.rmtree(path.parent)
    assert names(source, "woollen mittens") == []


def test_a_large_library_is_watched_so_that_a_change_is_seen_without_a_sweep_a_query(
    library: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillcaddy.library.view._CHEAP_SWEEP_S", 0.0)
    monkeypatch.setattr("skillcaddy.library.view._SWEEP_SHARE", 10_000_000)
    monkeypatch.setattr("skillcaddy.library.indexer.spawn", lambda *_, **__: True)
    write_skill(library, "pdf-forms", "Fill in PDF forms")
    build(library, state)
    source = local(library, state, "detached")
    assert names(source, "pdf") == ["pdf-forms"]
    watcher = source._viewer._watcher
    assert watcher is not None
    until = time.monotonic() + 30
    while not watcher.watching() and time.monotonic() < until:
        time.sleep(0.02)  # the system's watch is set up by another thread that nothing reports on
    assert names(source, "pdf") == ["pdf-forms"]
    write_skill(library, "socks", "Sort socks by colour")
    while not watcher.changed() and time.monotonic() < until:
        time.sleep(0.02)
    assert names(source, "socks") == ["socks"]
    watcher.close()


def test_a_few_changes_are_searched_from_memory_and_one_run_of_the_indexer_takes_them_in(
    library: Path, state: Path
) -> None:
    write_skill(library, "pdf-forms", "Fill in PDF forms")
    build(library, state)
    write_skill(library, "socks", "Sort socks by colour")
    source = local(library, state)
    assert names(source, "socks") == ["socks"]
    assert Reason.INDEX_OVERLAY in reasons(source)
    report = build(library, state)
    assert (report.built, report.written, report.removed) == (False, 1, 0)
    source = local(library, state, "never")
    assert names(source, "socks") == ["socks"]
    assert Reason.INDEX_OVERLAY not in reasons(source)


def test_memory_and_index_rank_alike(library: Path, state: Path) -> None:
    for number in range(12):
        write_skill(
            library, f"s{number}", f"Task {number} about pears", body="pears " * number + "and other fruit " * 5
        )
    source = local(library, state)
    before = names(source, "pears fruit")
    for number in range(4):
        path = library / f"s{number}" / "SKILL.md"
        os.utime(path, ns=(1, 1_000_000_000 + number))
    changed = local(library, state)
    assert names(changed, "pears fruit") == before
    assert Reason.INDEX_OVERLAY in reasons(changed)


def test_a_touched_file_with_the_same_words_is_not_written_again(library: Path, state: Path) -> None:
    path = write_skill(library, "pdf-forms", "Fill in PDF forms")
    build(library, state)
    os.utime(path, ns=(1, 1))
    assert build(library, state).written == 0
    assert build(library, state).written == 0


def test_a_skill_put_into_another_skills_folder_is_seen_within_a_few_processes(
    library: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(8):
        write_skill(library, f"s{number}", f"Handle case {number} of pears")
    build(library, state)
    write_skill(library, "s3/deeper", "Sort socks by colour")
    seen = set()
    for second in range(4):
        monkeypatch.setattr("skillcaddy.library.manifest._now", lambda second=second: 1000.5 + second)
        seen.update(found(library, state, "socks", "never"))
    assert seen == {"deeper"}


def test_a_folder_that_changed_without_any_skill_is_taken_note_of(
    library: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else each turn would walk the whole library again."""
    spawned: list[object] = []
    monkeypatch.setattr("skillcaddy.library.indexer.spawn", lambda *given, **_: spawned.append(given))
    write_skill(library, "pdf-forms", "Fill in PDF forms")
    build(library, state)
    (library / "notes.txt").write_text("nothing", encoding="utf-8")
    assert found(library, state, "pdf", "detached") == ["pdf-forms"]
    assert len(spawned) == 1
    build(library, state)
    assert found(library, state, "pdf", "detached") == ["pdf-forms"]
    assert len(spawned) == 1


def test_two_roots_in_another_order_are_another_index(library: Path, tmp_path: Path, state: Path) -> None:
    other = tmp_path / "other"
    write_skill(library, "a", "Peel apples")
    write_skill(other, "b", "Peel bananas")
    folders = {Store(state, [str(library), str(other)]).folder, Store(state, [str(other), str(library)]).folder}
    assert len(folders) == 2


def test_the_first_root_shadows_later_ones_by_name_and_says_so(library: Path, tmp_path: Path, state: Path) -> None:
    """T68, T69."""
    other = tmp_path / "other"
    write_skill(library, "mine", "Peel apples with my knife", name="peel")
    hidden = write_skill(other, "theirs", "Peel apples with their machine", name="Peel")
    write_skill(other, "core", "Core apples")
    source = local([library, other], state)
    assert names(source, "peel apples") == ["peel", "core"]
    shadowed = [notice for notice in source.notices() if notice.reason is Reason.SKILL_SHADOWED]
    assert [(notice.subject, notice.detail) for notice in shadowed] == [
        (str(hidden), str(library / "mine" / "SKILL.md"))
    ]
    report = refresh(Store(state, [str(library), str(other)]))
    assert Reason.SKILL_SHADOWED in {problem.reason for problem in report.problems}


def test_skills_of_one_name_in_one_root_are_all_kept(library: Path, state: Path) -> None:
    write_skill(library, "team-a/review", "Review apples")
    write_skill(library, "team-b/review", "Review pears")
    ids = [hit.skill.id for hit in local(library, state).search("review", 10, Deadline.after(30))]
    assert sorted(ids) == ["local:team-a/review", "local:team-b/review"]


def test_a_missing_root_is_reported_and_the_others_are_searched(library: Path, tmp_path: Path, state: Path) -> None:
    write_skill(library, "pdf-forms", "Fill in PDF forms")
    source = local([tmp_path / "nowhere", library], state)
    assert names(source, "pdf forms") == ["pdf-forms"]
    assert Reason.ROOT_MISSING in reasons(source)


def spoil(state: Path, victim: str, damage: str) -> None:
    for file in generations(state)[0].glob(victim):
        data = file.read_bytes()
        if damage == "gone":
            file.unlink()
        else:
            file.write_bytes(data[: len(data) // 2] if damage == "cut" else bytes(len(data)))


@pytest.mark.parametrize("victim", ["meta.json", "manifest.json", "*.store", "*.term", "*.idx"])
@pytest.mark.parametrize("damage", ["cut", "zeroed", "gone"])
def test_a_damaged_index_is_built_anew(library: Path, state: Path, victim: str, damage: str) -> None:
    write_skill(library, "pdf-forms", "Fill in PDF forms")
    build(library, state)
    spoil(state, victim, damage)
    source = local(library, state)
    assert names(source, "pdf forms") == ["pdf-forms"]
    assert Reason.INDEX_REBUILT in reasons(source)
    healed = local(library, state, "never")
    assert names(healed, "pdf forms") == ["pdf-forms"]
    assert not reasons(healed)


@pytest.mark.parametrize("victim", ["meta.json", "manifest.json", "*.store", "*.term", "*.idx"])
@pytest.mark.parametrize("damage", ["cut", "zeroed", "gone"])
def test_a_turn_that_may_not_mend_a_damaged_index_is_answered_from_memory(
    library: Path, state: Path, victim: str, damage: str
) -> None:
    write_skill(library, "pdf-forms", "Fill in PDF forms")
    build(library, state)
    spoil(state, victim, damage)
    source = local(library, state, "never")
    assert names(source, "pdf forms") == ["pdf-forms"]
    assert Reason.INDEX_REBUILT in reasons(source)
    build(library, state)
    assert names(source, "pdf forms") == ["pdf-forms"]


def test_a_foreign_file_in_the_place_of_the_index_is_no_index(library: Path, state: Path) -> None:
    write_skill(library, "pdf-forms", "Fill in PDF forms")
    store = Store(state, [str(library)])
    store.folder.mkdir(parents=True)
    (store.folder / "current").write_text("../../etc\n", encoding="utf-8")
    assert found(library, state, "pdf forms") == ["pdf-forms"]
    assert (store.folder / "current").read_text(encoding="utf-8").startswith("generation-")


def test_an_index_that_cannot_be_stored_is_kept_in_memory_with_a_warning(library: Path, tmp_path: Path) -> None:
    write_skill(library, "pdf-forms", "Fill in PDF forms")
    blocked = tmp_path / "file"
    blocked.write_text("not a folder", encoding="utf-8")
    source = local(library, blocked / "state")
    assert names(source, "pdf forms") == ["pdf-forms"]
    assert Reason.INDEX_IN_MEMORY in reasons(source)
    write_skill(library, "socks", "Sort socks")
    assert names(source, "socks") == ["socks"]


def test_a_full_disk_during_the_build_leaves_no_rubbish_and_falls_back_to_memory(
    library: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_skill(library, "pdf-forms", "Fill in PDF forms")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("skillcaddy.library.indexer.write_atomically", full)
    source = local(library, state)
    assert names(source, "pdf forms") == ["pdf-forms"]
    assert Reason.INDEX_IN_MEMORY in reasons(source)
    assert generations(state) == []
    assert list(state.glob("index/*/building-*")) == []


def test_the_first_turn_without_an_index_answers_from_what_is_read_by_its_deadline(
    library: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spawned: list[object] = []
    monkeypatch.setattr("skillcaddy.library.indexer.spawn", lambda *given, **_: spawned.append(given))
    for number in range(600):
        write_skill(library, f"s{number:03}", f"Handle case {number} of pears")
    source = local(library, state, "detached")
    started = time.monotonic()
    hits = source.search("pears", 10, Deadline.after(0.05))
    assert time.monotonic() - started < 2
    assert hits
    assert Reason.INDEX_BUILDING in reasons(source)
    assert len(spawned) == 1


def test_a_detached_indexer_is_started_once_and_its_index_is_taken_up(library: Path, state: Path) -> None:
    write_skill(library, "pdf-forms", "Fill in PDF forms")
    source = local(library, state, "detached")
    assert names(source, "pdf forms") == ["pdf-forms"]
    until = time.monotonic() + 60
    while not list(state.glob("index/*/current")) and time.monotonic() < until:
        time.sleep(0.05)  # another process is at work; there is nothing of ours to wait on
    assert names(source, "pdf forms") == ["pdf-forms"]
    assert Reason.INDEX_BUILDING not in reasons(source)


def test_while_one_process_indexes_another_answers(library: Path, state: Path) -> None:
    write_skill(library, "pdf-forms", "Fill in PDF forms")
    store = Store(state, [str(library)])
    with store.locked():
        with pytest.raises(StoreBusyError):
            build(library, state)
        assert found(library, state, "pdf forms") == ["pdf-forms"]


def test_two_processes_that_index_at_once_both_answer(library: Path, state: Path) -> None:
    for number in range(300):
        write_skill(library, f"s{number:03}", f"Handle case {number} of pears")
    environment = {**os.environ, "SKILLCADDY_STATE_DIR": str(state)}
    command = [sys.executable, "-m", "skillcaddy", "search", "pears", "--skills", str(library), "--json"]
    running = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)
    ]
    for process in running:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert b'"local:s' in out


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is a POSIX signal")
def test_a_killed_indexer_leaves_the_old_index_or_the_new_one(library: Path, state: Path) -> None:
    for number in range(400):
        write_skill(library, f"s{number:03}", f"Handle case {number} of pears")
    build(library, state)
    command = [sys.executable, "-m", "skillcaddy", "index", "--rebuild", "--background"]
    command += ["--skills", str(library), "--state-dir", str(state)]
    for pause in (0.05, 0.2, 0.3, 0.4, 0.5, 0.7):
        write_skill(library, "s000", f"Handle case {pause} of plums")
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            process.wait(pause)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait(10)
        source = local(library, state, "never")
        assert len(names(source, "pears")) == 10
        assert names(source, "plums") == ["s000"]
        assert Reason.INDEX_REBUILT not in reasons(source)
    report = build(library, state)
    assert report.skills == 400
    assert len(generations(state)) == 1


def test_a_reader_keeps_answering_while_the_index_is_replaced(library: Path, state: Path) -> None:
    write_skill(library, "pdf-forms", "Fill in PDF forms")
    source = local(library, state)
    assert names(source, "pdf forms") == ["pdf-forms"]
    for number in range(3):
        write_skill(library, f"pdf-{number}", "Count PDF pages")
        refresh(Store(state, [str(library)]), rebuild=True)
        assert len(names(source, "pdf")) == number + 2


def test_an_unused_index_is_pruned_and_a_used_one_stays(library: Path, tmp_path: Path, state: Path) -> None:
    other = tmp_path / "other"
    write_skill(library, "a", "Peel apples")
    write_skill(other, "b", "Peel bananas")
    build(library, state)
    build(other, state)
    unused = Store(state, [str(library)]).folder
    os.utime(unused, (1, 1))
    build(other, state)
    assert not unused.exists()
    assert found(other, state, "bananas", "never") == ["b"]


def test_find_gives_a_skill_by_id_folder_or_name(library: Path, state: Path) -> None:
    write_skill(library, "office/pdf-forms", "Fill in PDF forms", body="Step one.", name="PDF Forms")
    source = local(library, state)
    for reference in ("local:office/pdf-forms", "office/pdf-forms", "pdf forms"):
        assert [skill.body.strip() for skill in source.find(reference, Deadline.after(10))] == ["Step one."]
    assert source.find("nothing", Deadline.after(10)) == []


def test_a_root_that_is_itself_a_skill_has_the_folders_name_as_id(tmp_path: Path, state: Path) -> None:
    write_skill(tmp_path, "lone", "Fill in PDF forms")
    source = local(tmp_path / "lone", state)
    hits = source.search("pdf", 10, Deadline.after(10))
    assert [hit.skill.id for hit in hits] == ["local:lone"]
    assert source.find("local:lone", Deadline.after(10))[0].name == "lone"


def test_every_character_of_a_skill_survives_the_index(library: Path, state: Path) -> None:
    write_skill(library, "odd", r'"Peel 苹果 and é, and half a pair: \ud83d"', body="Schäle die Äpfel, 削苹果皮。")
    (hit,) = local(library, state).search("peel", 10, Deadline.after(10))
    fresh = local(library, state).find("local:odd", Deadline.after(10))[0]
    assert (hit.skill.name, hit.skill.description) == (fresh.name, fresh.description)
    assert "苹果 and é" in hit.skill.description
    assert hit.skill.excerpt.strip() == fresh.body.strip()
