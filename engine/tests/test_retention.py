"""What a session still sees: remembered while it does, forgotten when it does not, shared by short processes."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillcaddy.retention import Kind, Retention


@pytest.mark.parametrize("kind", ["transcript", "process"])
def test_a_delivered_skill_is_held_by_its_session_only(kind: Kind) -> None:
    retention = Retention(kind)
    retention.remember("one", ["local:a", "local:b"])
    retention.remember("one", ["local:c"])
    assert retention.held("one") == {"local:a", "local:b", "local:c"}
    assert retention.held("two") == frozenset()


def test_a_host_that_drops_texts_after_the_turn_holds_nothing() -> None:
    """OpenClaw 2.0 does not persist what is added, so a skill must be given again while it fits."""
    retention = Retention("turn")
    retention.remember("one", ["local:a"])
    assert retention.held("one") == frozenset()


def test_a_session_without_a_name_holds_nothing() -> None:
    retention = Retention()
    retention.remember("", ["local:a"])
    assert retention.held("") == frozenset()
    retention.clear("")


def test_clearing_one_session_leaves_the_others() -> None:
    retention = Retention()
    retention.remember("one", ["local:a"])
    retention.remember("two", ["local:b"])
    retention.clear("one")
    assert retention.held("one") == frozenset()
    assert retention.held("two") == {"local:b"}


def test_the_session_used_least_lately_is_forgotten_first() -> None:
    retention = Retention(max_sessions=2)
    retention.remember("one", ["a"])
    retention.remember("two", ["b"])
    retention.held("one")
    retention.remember("three", ["c"])
    assert [len(retention.held(name)) for name in ("one", "two", "three")] == [1, 0, 1]


def test_a_session_holds_a_bounded_number_of_skills_the_newest() -> None:
    retention = Retention()
    retention.remember("one", [f"s{number}" for number in range(2000)])
    held = retention.held("one")
    assert len(held) == 500
    assert "s1999" in held


def test_many_threads_lose_nothing() -> None:
    retention = Retention()
    threads = [
        threading.Thread(target=retention.remember, args=("one", [f"{start}-{number}" for number in range(20)]))
        for start in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(retention.held("one")) == 400


def test_the_next_short_process_knows_what_the_last_one_delivered(tmp_path: Path) -> None:
    path = tmp_path / "held" / "hook.jsonl"
    code = (
        "import sys; from pathlib import Path; from skillcaddy.retention import Retention\n"
        "r = Retention('process', path=Path(sys.argv[1])); print(sorted(r.held('s'))); r.remember('s', [sys.argv[2]])"
    )
    said = [
        subprocess.run([sys.executable, "-c", code, str(path), one], capture_output=True, text=True, check=True).stdout
        for one in ("local:技能", "local:b", "local:c")
    ]
    assert said == ["[]\n", "['local:技能']\n", "['local:b', 'local:技能']\n"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_clear_by_one_process_is_seen_by_another(tmp_path: Path) -> None:
    one, two = (Retention("process", path=tmp_path / "held") for _ in range(2))
    one.remember("s", ["a"])
    assert two.held("s") == {"a"}
    two.clear("s")
    assert one.held("s") == frozenset()
    one.remember("s", ["b"])
    assert two.held("s") == {"b"}
    Retention("process", path=tmp_path / "held").clear("s")
    assert two.held("s") == frozenset()


@pytest.mark.parametrize(
    "damage", [b'{"session": "s", "ids": ["x"', b"\x00\xff\xfe", b"[]", b'{"session": 1}', b'{"at": "x"}', b"[" * 5000]
)
def test_a_damaged_line_costs_itself_only(tmp_path: Path, damage: bytes) -> None:
    """T98: one bad line, one lost record."""
    path = tmp_path / "held"
    Retention("process", path=path).remember("s", ["a"])
    with path.open("ab") as file:
        file.write(damage)
    Retention("process", path=path).remember("s", ["b"])
    assert Retention("process", path=path).held("s") == {"a", "b"}


def test_what_was_delivered_half_a_day_ago_is_not_held(tmp_path: Path) -> None:
    path = tmp_path / "held"
    rows = [{"session": "s", "ids": [name], "at": time.time() - age} for name, age in (("old", 50_000), ("new", 60))]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    assert Retention("process", path=path).held("s") == {"new"}


def test_the_file_stays_small_and_keeps_what_still_counts(tmp_path: Path) -> None:
    path = tmp_path / "held"
    retention = Retention("process", path=path)
    retention.remember("mine", ["local:kept"])
    for number in range(700):
        retention.remember("other", [f"local:{'x' * 900}{number % 5}"])
    assert path.stat().st_size < 300_000
    assert "local:kept" in Retention("process", path=path).held("mine")
    assert [entry.name for entry in tmp_path.iterdir()] == ["held"]


def test_a_place_that_cannot_be_written_still_works_in_this_process(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    retention = Retention("process", path=tmp_path / "file" / "held")
    retention.remember("s", ["a"])
    assert retention.held("s") == {"a"}
    retention.clear("s")
    assert retention.held("s") == frozenset()


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("add"), st.sampled_from("stu"), st.text(min_size=1, max_size=5)),
            st.tuples(st.just("clear"), st.sampled_from("stu"), st.just("")),
        ),
        max_size=20,
    )
)
def test_the_file_and_the_memory_always_agree(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, str]]
) -> None:
    path = tmp_path_factory.mktemp("held") / "file"
    memory, file = Retention("process"), Retention("process", path=path)
    for what, session, skill_id in steps:
        for retention in (memory, file):
            if what == "add":
                retention.remember(session, [skill_id])
            else:
                retention.clear(session)
    fresh = Retention("process", path=path)
    assert [fresh.held(name) for name in "stu"] == [memory.held(name) for name in "stu"]
