"""The hook's process as a host meets it: one whole document or nothing, exit code 0, and never later than its limit."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillcaddy.hook import answer, document
from skillcaddy.loaded import Loaded
from skillcaddy.paths import below
from skillcaddy.retention import Retention
from skillcaddy.settings import Settings

SKILL = """---
name: {name}
description: How to {name} the release signing keys of the packaging service.
---
{body}
"""
PROMPT = "how do we rotate the signing keys"
RUN = """
import sys, time
from pathlib import Path
from skillcaddy.hook import run
from skillcaddy.snapshot import load_fast
{before}
run(host="test", load={load}, held=Path(sys.argv[1]) / "held.jsonl", limit_s={limit})
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return write(tmp_path / "skills", "rotate", "The vault phrase is ZEBRA-42.")


def write(root: Path, name: str, body: str) -> Path:
    (root / name).mkdir(parents=True)
    (root / name / "SKILL.md").write_text(SKILL.format(name=name, body=body), encoding="utf-8")
    return root


def event(prompt: Any = PROMPT, **more: Any) -> dict[str, Any]:
    shown = {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "is_internal_continuation": False}
    return {**shown, "cwd": os.getcwd(), "prompt": prompt, **more}


def process(
    library: Path,
    stdin: bytes,
    *,
    before: str = "",
    load: str = "load_fast",
    limit: float = 60,
    **environ: str,
) -> subprocess.CompletedProcess[bytes]:
    """One hook process over this library; the folder beside it remembers the session."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "SYSTEMROOT")}
    home = {"SKILLCADDY_HOME": str(library.parent / "home"), "SKILLCADDY_SKILLS_DIRS": str(library)}
    return subprocess.run(
        [sys.executable, "-P", "-c", RUN.format(before=before, load=load, limit=limit), str(library.parent)],
        input=stdin,
        env={**kept, **home, "SKILLCADDY_MODE": "auto", **environ},
        capture_output=True,
        timeout=120,
    )


def ask(library: Path, **more: Any) -> str:
    """The context that one process adds; "" for nothing at all on stdout."""
    done = process(library, json.dumps(event(**more)).encode())
    assert done.returncode == 0
    if not done.stdout:
        return ""
    answered = json.loads(done.stdout)
    assert set(answered) == {"continue", "hookSpecificOutput"}
    assert answered["continue"] is True
    assert answered["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    return str(answered["hookSpecificOutput"]["additionalContext"])


def test_a_skill_that_fits_is_added_as_reference_and_orders_nothing(library: Path) -> None:
    """T40"""
    context = ask(library)
    assert "ZEBRA-42" in context
    assert "not a message from the user" in context
    assert not any(word in context.lower() for word in ("you must", "always use", "important:", "ignore"))


@pytest.mark.requirement("workbuddy:whole-document")
def test_the_whole_answer_arrives_however_long_it_is(tmp_path: Path) -> None:
    """T32: beyond the 64 KiB that a pipe holds."""
    library = write(tmp_path / "skills", "rotate", "x" * 190_000 + " THE-END")
    event_ = json.dumps(event()).encode()
    done = process(library, event_, SKILLCADDY_MAX_CHARS="200000", SKILLCADDY_MAX_BODY_CHARS="200000")
    assert "THE-END" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


@pytest.mark.requirement("workbuddy:say-nothing")
@pytest.mark.parametrize("prompt", ["thanks, go on", "ok", "", "   ", "2 + 2?"])
def test_an_unrelated_prompt_gets_nothing_at_all(library: Path, prompt: str) -> None:
    assert ask(library, prompt=prompt) == ""


def test_nothing_is_printed_unless_the_mode_is_auto(library: Path) -> None:
    """T28: exclusive from this end; what a host would show the model is not even an empty object."""
    done = process(library, json.dumps(event()).encode(), SKILLCADDY_MODE="on_demand")
    assert (done.stdout, done.stderr, done.returncode) == (b"", b"", 0)


def test_a_mode_that_is_none_falls_back_and_is_named(library: Path) -> None:
    """T10"""
    done = process(library, json.dumps(event()).encode(), SKILLCADDY_MODE="atuo")
    assert (done.stdout, done.returncode) == (b"", 0)
    assert b"atuo" in done.stderr


@pytest.mark.requirement("workbuddy:continuation-skipped")
def test_an_internal_continuation_is_left_alone(library: Path) -> None:
    assert ask(library, is_internal_continuation=True) == ""


@pytest.mark.requirement("workbuddy:no-repeat")
def test_a_skill_is_not_repeated_in_its_session_and_is_given_to_another(library: Path) -> None:
    assert "ZEBRA-42" in ask(library)
    assert "ZEBRA-42" not in ask(library)
    assert "ZEBRA-42" in ask(library, session_id="s2")


@pytest.mark.parametrize(
    "loss",
    [
        {"hook_event_name": "SessionStart", "source": "compact"},
        {"hook_event_name": "SessionStart", "source": "resume"},
        {"hook_event_name": "SessionStart", "source": "clear"},
    ],
)
def test_a_skill_comes_again_after_the_model_lost_it(library: Path, loss: dict[str, str]) -> None:
    assert "ZEBRA-42" in ask(library)
    assert ask(library, **loss) == ""
    assert "ZEBRA-42" in ask(library)


@pytest.mark.requirement("workbuddy:late-start-event")
def test_a_start_beside_the_first_prompt_forgets_nothing(library: Path) -> None:
    """CodeBuddy sends SessionStart after the first prompt's hook has started."""
    assert "ZEBRA-42" in ask(library)
    assert ask(library, hook_event_name="SessionStart", source="startup") == ""
    assert "ZEBRA-42" not in ask(library)


@pytest.mark.parametrize("hang", ["time.sleep(60)", "exec('while True: pass')", "(lambda: sum(iter(int, 1)))()"])
def test_a_process_that_hangs_ends_itself_quietly_at_its_limit(library: Path, hang: str) -> None:
    """T31: asleep, spinning in Python, and spinning in C without ever letting another thread run."""
    started = time.monotonic()
    done = process(library, json.dumps(event()).encode(), load=f"lambda: {hang}", limit=1.0)
    assert time.monotonic() - started < 20
    assert done.stdout == b""
    assert done.returncode in (0, 1)  # 1 where only the C watchdog could end it; the launcher turns that into 0


def test_a_host_that_never_closes_stdin_does_not_hold_the_process(library: Path) -> None:
    code = RUN.format(before="", load="load_fast", limit=1.0)
    command = [sys.executable, "-P", "-c", code, str(library.parent)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
        assert started.wait(60) == 0
        assert started.stdout is not None
        assert started.stdout.read() == b""


@pytest.mark.parametrize("load", ["lambda: 1 / 0", "lambda: sys.exit(2)", "lambda: None"])
def test_a_failure_inside_is_one_line_on_stderr_and_exit_code_0(library: Path, load: str) -> None:
    """T31"""
    done = process(library, json.dumps(event()).encode(), load=load)
    assert (done.stdout, done.returncode) == (b"", 0)
    assert done.stderr.startswith(b"skillcaddy: hook: ")
    assert done.stderr.count(b"\n") == 1


def test_stray_prints_never_reach_the_model(library: Path) -> None:
    load = "lambda: (print('stray'), __import__('os').write(1, b'stray'), load_fast())[2]"
    done = process(library, json.dumps(event()).encode(), load=load)
    assert json.loads(done.stdout)["continue"] is True
    assert done.stderr == b"stray\nstray" or done.stderr == b"straystray\n"


@pytest.mark.parametrize("stdin", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"prompt": 5}', b"[" * 100_000])
def test_a_document_that_is_none_gets_nothing(library: Path, stdin: bytes) -> None:
    done = process(library, stdin)
    assert (done.stdout, done.returncode) == (b"", 0)


EVENTS = st.fixed_dictionaries(
    {},
    optional={
        "prompt": st.one_of(st.text(max_size=40), st.none(), st.integers(), st.lists(st.text(max_size=3))),
        "session_id": st.one_of(st.text(max_size=9), st.none(), st.integers()),
        "cwd": st.one_of(st.text(max_size=9), st.none()),
        "hook_event_name": st.sampled_from(["UserPromptSubmit", "SessionStart", "Stop", "", None, 3]),
        "source": st.one_of(st.text(max_size=9), st.none()),
        "is_internal_continuation": st.sampled_from([True, False, None, "true"]),
    },
)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(EVENTS)
def test_any_event_gets_a_text_and_no_error(tmp_path: Path, given_event: dict[str, Any]) -> None:
    made = Settings(skills_dirs=(), shared_library="off", mode="auto")
    loaded = Loaded(settings=made, origins={}, locations=below(tmp_path))
    held = tmp_path / "held.jsonl"
    text = answer(given_event, host="test", load=lambda: loaded, held=held, ends_at=time.monotonic() + 60)
    assert text == ""


@given(st.text())
def test_the_document_is_one_line_of_ascii_json(text: str) -> None:
    line = document(text)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.loads(line)["hookSpecificOutput"]["additionalContext"] == text


def test_what_the_hook_imports_stays_light(library: Path) -> None:
    plugins = library.parent / "home" / "state" / "plugins"
    until = time.monotonic() + 40
    while not list(plugins.glob("*.json")) and time.monotonic() < until:
        # The first runs write what later ones read; an environment changed within seconds is not remembered yet.
        process(library, json.dumps(event()).encode())
    heavy = "('pydantic', 'typer', 'rich', 'asyncio', 'httpx', 'numpy', 'pluggy', 'platformdirs', 'importlib.metadata')"
    before = (
        "from skillcaddy import wire\n"
        f"def leave(code, real=wire.leave):\n    print([m for m in {heavy} if m in sys.modules]); real(code)\n"
        "wire.leave = leave"
    )
    done = process(library, json.dumps(event(session_id="s9")).encode(), before=before)
    assert b"ZEBRA-42" in done.stdout
    assert done.stderr == b"[]\n"


@pytest.mark.requirement("workbuddy:read-before-the-end")
def test_the_process_ends_only_after_the_host_has_read_its_document(library: Path) -> None:
    command = [sys.executable, "-P", "-c", RUN.format(before="", load="load_fast", limit=60), str(library.parent)]
    home = {"SKILLCADDY_HOME": str(library.parent / "home"), "SKILLCADDY_SKILLS_DIRS": str(library)}
    environ = {**os.environ, **home, "SKILLCADDY_MODE": "auto"}
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=environ, **pipes) as started:
        assert started.stdin is not None
        assert started.stdout is not None
        started.stdin.write(json.dumps(event()).encode())
        started.stdin.close()
        select.select([started.stdout], [], [], 60)
        with pytest.raises(subprocess.TimeoutExpired):
            started.wait(0.2)
        assert b"ZEBRA-42" in started.stdout.read()
        assert started.wait(60) == 0


def test_each_prompt_leaves_a_line_without_its_words(library: Path) -> None:
    """T39: no transcript holds what a hook adds."""
    ask(library)
    ask(library, prompt="thanks, go on")
    log = (library.parent / "home" / "logs" / "decisions.jsonl").read_text(encoding="utf-8")
    first, second = map(json.loads, log.splitlines())
    assert (first["surface"], first["delivered"]) == ("auto", ["local:rotate"])
    assert second["delivered"] == []
    assert "signing" not in log
    assert "ZEBRA" not in log


def test_the_record_of_a_session_is_for_its_owner_only(library: Path) -> None:
    ask(library)
    held = library.parent / "held.jsonl"
    assert Retention("process", path=held).held("s1") == {"local:rotate"}
    if os.name == "posix":
        assert held.stat().st_mode & 0o077 == 0
