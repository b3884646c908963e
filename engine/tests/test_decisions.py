"""The decision log: one line for everything that was decided, no secrets, no size, and no turn ever harmed by it."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import hit, write_skill
from skillcaddy import decisions
from skillcaddy.deadline import Deadline
from skillcaddy.engine import Engine
from skillcaddy.journal import Journal
from skillcaddy.paths import locations, log_dir
from skillcaddy.redact import MASK, redacted
from skillcaddy.request import Request
from skillcaddy.settings import Settings
from skillcaddy.skill import Skill, Trust
from skillcaddy.tools import Tools

QUERY = "rotate a pdf page"
ANY = Settings(relevance="off")
"""What passes the floor is not the point here."""


class Shop:
    """A source that answers with what it was given, or raises it."""

    name = "shop"
    weight = 1.0
    trust = Trust.CURATED

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def search(self, query: str, limit: int, deadline: Deadline) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    def body(self, skill: Skill, deadline: Deadline) -> str:
        return "The body of " + skill.name


def log_file() -> Path:
    return locations().log_dir / decisions.FILE_NAME


def lines(file: Path | None = None) -> list[dict[str, Any]]:
    file = file or log_file()
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def retrieve(answer: Any, settings: Settings | None = None, **request: Any) -> None:
    engine = Engine(settings or ANY, sources=[Shop(answer)])
    engine.retrieve(Request(**{"query": QUERY, "surface": "auto", "host": "hermes", "session": "s1", **request}))


def test_each_retrieval_leaves_one_line_with_ids_counts_reasons_and_times() -> None:
    retrieve([hit("pdf-rotate")])
    (row,) = lines()
    assert row["kind"] == "retrieval"
    assert row["outcome"] == "delivered"
    assert row["delivered"] == ["shop:pdf-rotate"]
    assert (row["host"], row["surface"], row["mode"]) == ("hermes", "auto", "on_demand")
    assert row["reasons"]["delivered"] == 1
    assert row["est_tokens"] > 0
    assert row["elapsed_ms"] > 0
    assert row["sources"][0]["reason"] == "source_ok"
    assert row["candidates"][0]["ranks"] == {"shop": 1}


@pytest.mark.parametrize(
    ("answer", "request_fields", "outcome", "reason"),
    [
        (RuntimeError("down"), {}, "failed", "source_failed"),
        ([], {}, "nothing", "no_match"),
        ([hit("pdf-rotate")], {"query": "  "}, "nothing", "query_empty"),
        ([hit("pdf-rotate")], {"query": None}, "nothing", "query_empty"),
        ([hit("pdf-rotate")], {"held": frozenset({"shop:pdf-rotate"})}, "held", "already_held"),
        ([hit("pdf-rotate")], {"surface": "tool", "delivery": "catalog"}, "listed", "catalogued"),
    ],
    ids=["source down", "a miss", "blank", "no text at all", "held", "list"],
)
def test_misses_fallbacks_and_failures_are_recorded_too(
    answer: Any, request_fields: dict[str, Any], outcome: str, reason: str
) -> None:
    """T63: every decision including a fallback needs a record. T82: an outage does not look like a miss."""
    retrieve(answer, **request_fields)
    (row,) = lines()
    assert row["outcome"] == outcome
    assert reason in row["reasons"]


def test_a_pipeline_that_breaks_down_altogether_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """T63."""

    def broken(*_: Any) -> Any:
        raise ValueError(f"no way to handle {QUERY}")

    monkeypatch.setattr("skillcaddy.engine.run", broken)
    retrieve([hit("pdf-rotate")])
    (row,) = lines()
    assert row["outcome"] == "failed"
    assert row["events"] == [{"step": "engine", "reason": "step_failed", "detail": "ValueError"}]


def test_an_opened_skill_is_recorded_and_so_is_one_that_does_not_exist(library: Path) -> None:
    write_skill(library, "pdf-rotate", "Rotate PDF pages")
    engine = Engine(Settings(skills_dirs=(str(library),), shared_library="off"), indexing="inline", third_party=False)
    tools = Tools(engine)
    tools.skill_open({"id": "local:pdf-rotate"}, request_defaults=Request(query="", host="mcp", session="s"))
    tools.skill_open({"id": "local:pdf-rotat"})
    tools.skill_open({})
    assert [(row["kind"], row["outcome"], row["ids"]) for row in lines()] == [
        ("open", "opened", ["local:pdf-rotate"]),
        ("open", "miss", []),
        ("open", "failed", []),
    ]


def test_nothing_is_written_when_the_log_is_off_or_the_look_up_is_nobodys_turn() -> None:
    retrieve([hit("pdf-rotate")], Settings(decision_log="off"))
    retrieve([hit("pdf-rotate")], recorded=False)
    assert not log_file().exists()


def test_without_consent_nothing_that_was_written_or_read_is_in_the_log() -> None:
    """T39: the record of what was added to a turn holds content only when somebody wants that."""
    retrieve([hit("pdf-rotate", body="Turn the page by ninety degrees")], session="chat:+49301234567")
    text = log_file().read_text(encoding="utf-8")
    for private in (QUERY, "rotate a", "ninety", "49301234567", "matched"):
        assert private not in text


def test_with_consent_query_and_delivered_text_are_in_the_log_without_secrets() -> None:
    """T39: an own record of the injected text, which no transcript holds."""
    secret = "ghp_" + "a1B2" * 9
    retrieve(
        [hit("pdf-rotate", body=f"Turn the page. export TOKEN={secret}")],
        Settings(relevance="off", decision_log="content"),
        query=f"{QUERY} for jo@example.org with key {secret}",
    )
    (row,) = lines()
    assert row["query"] == f"{QUERY} for {MASK} with key {MASK}"
    assert "Turn the page." in row["text"]
    assert secret not in log_file().read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("mail jo.doe+x@mail.example.org now", f"mail {MASK} now"),
        ("api_key=abc password: hunter2", f"api_key={MASK} password: {MASK}"),
        ("Authorization: Bearer abc.def", f"Authorization: Bearer {MASK}"),
        ("the token abc123 works", f"the token {MASK} works"),
        ("密码是abc，好的", f"密码是{MASK}，好的"),
        ("git clone https://me:pw@host.example/x.git", f"git clone https://{MASK}@host.example/x.git"),
        ("GET https://host.example/x?sig=abc&n=1 now", f"GET https://host.example/x?{MASK} now"),
        ("sk-proj-abcdefgh12345678", MASK),
        ("AKIAIOSFODNN7EXAMPLE", MASK),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def", MASK),
        ("sha 5d41402abc4b2a76b9719d911017c592 here", f"sha {MASK} here"),
        ("id 123e4567-e89b-12d3-a456-426614174000", f"id {MASK}"),
        ("key dGhpcyBpcyBhIHNlY3JldCBrZXkgMTIz now", f"key {MASK} now"),
        ("call +49 30 1234 5678", f"call {MASK}"),
        ("card 4111 1111 1111 1111", f"card {MASK}"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\nafter", f"{MASK}\nafter"),
    ],
)
def test_what_looks_like_a_secret_is_masked(text: str, left: str) -> None:
    assert redacted(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "rotate page 12 of the report from 2026-03-14",
        "why does the tokenizer count tokens twice?",
        "fix engine/src/skillcaddy/library/frontmatter_lines.py in python 3.12",
        "把这份合同翻译成英文，重点看第3条",
        "compare v1.2.3 with v1.10.0-rc.1",
    ],
)
def test_ordinary_words_stay_as_they_are(text: str) -> None:
    assert redacted(text) == text


@given(st.text(max_size=400))
def test_any_text_can_be_masked_and_masked_again(text: str) -> None:
    once = redacted(text)
    assert isinstance(redacted(once), str)


def test_a_key_at_the_cut_is_masked_whole() -> None:
    key = "sk-" + "x9" * 30
    query = "rotate pdf page " + "a " * 1985 + key
    retrieve([hit("pdf-rotate")], Settings(relevance="off", decision_log="content", max_query_chars=4000), query=query)
    assert "x9x9" not in log_file().read_text(encoding="utf-8")


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_only_its_owner_can_read_the_log() -> None:
    retrieve([hit("pdf-rotate")])
    assert stat.S_IMODE(log_file().stat().st_mode) == 0o600
    assert stat.S_IMODE(log_file().parent.stat().st_mode) & 0o077 == 0


def test_the_log_never_outgrows_its_bounds(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "log" / "d.jsonl", segment_bytes=1000, kept_bytes=4000)
    for number in range(500):
        assert journal.append({"n": number, "filler": "x" * 60})
    assert sum(file.stat().st_size for file in journal.path.parent.iterdir()) <= 4000 + 2 * 1000
    numbers = [row["n"] for row in journal.rows() if row is not None]
    assert numbers == list(range(numbers[0], 500))
    assert len(numbers) > 20


WRITER = """
import sys
from pathlib import Path
from skillcaddy.journal import Journal
journal = Journal(Path(sys.argv[1]), segment_bytes=20_000, kept_bytes=10**9)
for number in range(300):
    assert journal.append({"who": sys.argv[2], "n": number, "filler": "x" * (number % 90)})
"""


def test_many_processes_write_and_move_at_once_and_no_line_is_lost_or_mixed(tmp_path: Path) -> None:
    """T63 under load: rotation by rename loses nothing, whoever else holds the file open."""
    path = tmp_path / "d.jsonl"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(who)]) for who in range(4)]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    rows = list(Journal(path).rows())
    assert None not in rows
    found = sorted((row["who"], row["n"]) for row in rows if row is not None)
    assert found == sorted((str(who), number) for who in range(4) for number in range(300))
    assert len(Journal(path).segments()) > 3


def test_a_line_cut_off_by_a_crash_costs_itself_only(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "d.jsonl")
    journal.path.write_bytes(b'{"n": 1}\n{"n": 2, "unfini')
    assert journal.append({"n": 3})
    assert [row and row["n"] for row in journal.rows()] == [1, None, 3]


def _a_folder(file: Path) -> None:
    file.mkdir(parents=True)


def _a_pipe(file: Path) -> None:
    file.parent.mkdir(parents=True)
    os.mkfifo(file)


def _a_link(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.symlink_to(file.parent / "elsewhere")


def _no_folder(file: Path) -> None:
    file.parent.parent.mkdir(parents=True, exist_ok=True)
    file.parent.write_text("a file where the folder should be", encoding="utf-8")


@pytest.mark.parametrize("obstacle", [_a_folder, _a_pipe, _a_link, _no_folder])
def test_a_log_that_cannot_be_written_costs_no_turn(obstacle: Any) -> None:
    obstacle(log_file())
    engine = Engine(ANY, sources=[Shop([hit("pdf-rotate")])])
    assert engine.retrieve(Request(query=QUERY, surface="auto")).text
    assert not (log_file().parent / "elsewhere").exists()


def test_a_disk_that_hangs_costs_the_line_and_not_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    free = threading.Event()
    real = Journal.append

    def stuck(self: Journal, record: dict[str, Any]) -> bool:
        free.wait(30)
        return real(self, record)

    monkeypatch.setattr(Journal, "append", stuck)
    engine = Engine(ANY, sources=[Shop([hit("pdf-rotate")])])
    started = time.monotonic()
    for _ in range(3):
        assert engine.retrieve(Request(query=QUERY, deadline_s=1.0)).hits
    assert time.monotonic() - started < 5
    assert not log_file().exists()
    free.set()
    for thread in [thread for thread in threading.enumerate() if thread.name == "skillcaddy-log"]:
        thread.join(10)
    engine.retrieve(Request(query=QUERY))
    assert [row.get("lost_before") for row in lines()] == [None, 2]


def test_a_search_process_loads_nothing_heavy_to_write_its_line(library: Path) -> None:
    write_skill(library, "pdf-rotate", "Rotate PDF pages")
    program = (
        "import sys\n"
        "from skillcaddy.cli.search import run\n"
        f"run(['rotate pdf pages', '--skills', {str(library)!r}, '--json'])\n"
        "heavy = {'pydantic', 'typer', 'rich', 'asyncio', 'httpx', 'numpy', 'logging', 'platformdirs'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, timeout=60)
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, timeout=60)
    assert done.stderr.decode().strip() == "[]"
    assert [row["surface"] for row in lines()] == ["cli", "cli"]


@pytest.mark.parametrize("environ", [{}, {"SKILLCADDY_HOME": "/somewhere"}, {"XDG_STATE_HOME": "/state"}])
def test_the_quick_way_to_the_log_folder_agrees_with_the_full_one(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SKILLCADDY_HOME")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert log_dir() == locations().log_dir
    assert log_dir(configured="/mine") == locations(state_dir="/mine").log_dir
