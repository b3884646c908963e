"""The launchers in `plugin/bin`, run by the host's own shell: they find the engine, or say once that there is none."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

PLUGIN = Path(__file__).parent.parent / "plugin"
BARE_PATH = "/usr/bin:/bin"
PROMPT = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "how do we rotate the signing keys"}

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the launchers for POSIX shells")


class Place:
    """An installed copy of the plugin, as a host keeps it, with a home, a data folder and a workspace of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.plugin = root / "config" / "plugins" / "cache" / "market" / "skillcaddy" / "0.1.0"
        shutil.copytree(PLUGIN, self.plugin)
        self.data = root / "config" / "plugins" / "data" / "skillcaddy-market"
        self.workspace = root / "workspace"
        self.workspace.mkdir()
        skill = root / "skills" / "rotate"
        skill.mkdir(parents=True)
        front = "---\nname: rotate\ndescription: How to rotate the release signing keys.\n---\n"
        (skill / "SKILL.md").write_text(front + "The vault phrase is ZEBRA-42.\n", encoding="utf-8")
        self.environ = {
            "PATH": BARE_PATH,
            "HOME": str(root / "user"),
            "SKILLCADDY_HOME": str(root / "home"),
            "SKILLCADDY_SKILLS_DIRS": str(skill.parent),
            "SKILLCADDY_MODE": "auto",
            "CODEBUDDY_PLUGIN_DATA": str(self.data),
        }

    def hook(self, document: dict[str, Any] = PROMPT, **environ: str) -> subprocess.CompletedProcess[str]:
        # Through a shell, as hosts do it, by the manifest's own words.
        hooks = json.loads((self.plugin / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
        command = hooks[document["hook_event_name"]][0]["hooks"][0]["command"]
        command = command.replace("${CLAUDE_PLUGIN_ROOT}", str(self.plugin))
        return self.run(["/bin/sh", "-c", command], json.dumps(document), **environ)

    def mcp(self, *messages: dict[str, Any], **environ: str) -> list[dict[str, Any]]:
        lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
        done = self.run([str(self.plugin / "bin" / "skillcaddy-mcp")], lines, **environ)
        assert done.returncode == 0
        return [json.loads(line) for line in done.stdout.splitlines()]

    def run(self, command: list[str], stdin: str, **environ: str) -> subprocess.CompletedProcess[str]:
        environment = {**self.environ, **environ}
        return subprocess.run(
            command, input=stdin, env=environment, cwd=self.workspace, capture_output=True, text=True, timeout=120
        )

    def script(self, name: str, text: str) -> Path:
        path = self.root / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path


@pytest.fixture
def place(tmp_path: Path) -> Place:
    # A blank in the path, since users have them.
    return Place(tmp_path / "a place")


def record(place: Place, interpreter: str = sys.executable) -> None:
    place.data.mkdir(parents=True)
    (place.data / "python").write_text(interpreter + "\n", encoding="utf-8")


def test_the_recorded_interpreter_is_used_even_with_a_bare_path(place: Place) -> None:
    record(place)
    done = place.hook()
    assert (done.returncode, done.stderr) == (0, "")
    assert "ZEBRA-42" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


def test_a_hooks_process_loads_hardly_anything(place: Place) -> None:
    """Start-up is most of its time: what it does not use stays unloaded, the standard library's too."""
    code = (
        "import sys\n"
        "from skillcaddy import wire\n"
        "def leave(code, real=wire.leave):\n    print(*sys.modules, file=sys.stderr); real(code)\n"
        "wire.leave = leave\n"
        "from skillcaddy_workbuddy.entry import hook\n"
        "hook()"
    )
    state = place.root / "home" / "state"
    until = time.monotonic() + 40
    settled = False
    while not settled:
        # The first runs write what later ones read; an environment changed within seconds is not remembered yet.
        written = list(state.glob("plugins/*.json")) and list(state.glob("index/*/current"))
        settled = bool(written) or time.monotonic() > until
        session = {**PROMPT, "session_id": str(time.monotonic())}
        done = place.run([sys.executable, "-P", "-c", code], json.dumps(session))
        assert "ZEBRA-42" in done.stdout
    heavy = "pydantic typer rich asyncio httpx numpy pluggy platformdirs filelock importlib.metadata logging subprocess"
    unused = "bz2 lzma zlib array hashlib tomllib random tempfile"
    if sys.version_info < (3, 12):
        # What inspect brings along; from 3.12 on, the standard data classes of the settings cannot do without it.
        unused += " ast dis tokenize"
    assert not {*heavy.split(), *unused.split()} & set(done.stderr.split())


def test_the_first_run_records_what_the_variable_names(place: Place) -> None:
    assert "ZEBRA-42" in place.hook(SKILLCADDY_PYTHON=sys.executable).stdout
    assert Path((place.data / "python").read_text(encoding="utf-8").strip()).samefile(sys.executable)


def test_the_interpreter_of_the_command_on_the_path_is_found(place: Place) -> None:
    script = place.script("skillcaddy", f"#!{sys.executable}\nraise SystemExit('never run')\n")
    assert "ZEBRA-42" in place.hook(PATH=f"{script.parent}:{BARE_PATH}").stdout


def test_a_recorded_interpreter_that_vanished_is_replaced(place: Place) -> None:
    record(place, "/nowhere/python3")
    assert "ZEBRA-42" in place.hook(SKILLCADDY_PYTHON=sys.executable).stdout
    assert "/nowhere" not in (place.data / "python").read_text(encoding="utf-8")


def test_a_recorded_interpreter_that_lost_the_engine_is_replaced(place: Place) -> None:
    # -S hides site-packages: a Python of the right version without the engine.
    record(place, str(place.script("bare", f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')))
    assert "ZEBRA-42" in place.hook(SKILLCADDY_PYTHON=sys.executable).stdout


def test_a_data_folder_that_the_host_does_not_name_is_derived_from_the_install_path(place: Place) -> None:
    """T37"""
    assert "ZEBRA-42" in place.hook(CODEBUDDY_PLUGIN_DATA="", SKILLCADDY_PYTHON=sys.executable).stdout
    assert (place.data / "python").exists()


OLD = '#!/bin/sh\necho "Unknown option: -P" >&2\nexit 2\n'


@pytest.mark.requirement("workbuddy:python-missing")
@pytest.mark.parametrize("python", ["missing", "old"])
def test_without_an_engine_the_user_is_told_once_and_nothing_breaks(place: Place, python: str) -> None:
    """T31"""
    path = BARE_PATH
    if python == "old":
        path = f"{place.script('python3', OLD).parent}:{BARE_PATH}"
    first, second = place.hook(PATH=path), place.hook(PATH=path)
    told = json.loads(first.stdout)
    assert "pip install skillcaddy-workbuddy" in told["systemMessage"]
    assert "pip install skillcaddy-workbuddy" in told["hookSpecificOutput"]["additionalContext"]
    assert (first.returncode, second.returncode, second.stdout) == (0, 0, "")


def test_other_events_tell_nothing_and_do_not_use_up_the_telling(place: Place) -> None:
    assert place.hook({"hook_event_name": "SessionStart", "source": "startup"}).stdout == ""
    assert place.hook().stdout != ""


def test_the_user_is_told_again_when_the_engine_is_lost_after_it_worked(place: Place) -> None:
    assert "systemMessage" in place.hook().stdout
    assert "ZEBRA-42" in place.hook(SKILLCADDY_PYTHON=sys.executable).stdout
    (place.data / "python").write_text("/nowhere/python3\n", encoding="utf-8")
    assert "systemMessage" in place.hook().stdout


def test_without_a_data_folder_nothing_is_told_rather_than_each_time(place: Place) -> None:
    elsewhere = place.root / "elsewhere"
    shutil.copytree(place.plugin, elsewhere)
    place.plugin = elsewhere
    done = place.hook(CODEBUDDY_PLUGIN_DATA="")
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.requirement("workbuddy:never-exit-2")
def test_a_crash_of_the_interpreter_is_still_exit_code_0(place: Place) -> None:
    record(place, str(place.script("crash", "#!/bin/sh\nkill -SEGV $$\n")))
    done = place.hook()
    assert (done.returncode, done.stdout) == (0, "")


def test_the_workspace_is_never_imported(place: Place) -> None:
    for name in ("json", "skillcaddy", "skillcaddy_workbuddy", "threading"):
        (place.workspace / f"{name}.py").write_text("raise SystemExit('imported')", encoding="utf-8")
    assert "ZEBRA-42" in place.hook(SKILLCADDY_PYTHON=sys.executable).stdout
    assert place.mcp({"id": 1, "method": "ping"})[0]["result"] == {}


def test_launchers_that_lost_their_modes_work_all_the_same(place: Place) -> None:
    """As after unpacking an archive that keeps none: the hook goes through sh, and mends the server."""
    hook, server = place.plugin / "bin" / "skillcaddy-hook", place.plugin / "bin" / "skillcaddy-mcp"
    hook.chmod(0o644)
    server.chmod(0o644)
    assert "ZEBRA-42" in place.hook(SKILLCADDY_PYTHON=sys.executable).stdout
    assert os.access(server, os.X_OK)


HELLO = {"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}}}
LIST = {"id": "two", "method": "tools/list"}
CALL = {"id": 3, "method": "tools/call", "params": {"name": "skill_search", "arguments": {"query": "rotate keys"}}}


@pytest.mark.requirement("workbuddy:exclusive-modes")
def test_the_server_offers_its_tools_on_demand_and_none_in_auto(place: Place) -> None:
    """T28, T35"""
    record(place)
    tools = {mode: place.mcp(HELLO, LIST, SKILLCADDY_MODE=mode)[1]["result"]["tools"] for mode in ("auto", "on_demand")}
    assert tools["auto"] == []
    assert [tool["name"] for tool in tools["on_demand"]] == ["skill_search", "skill_open"]
    refused = place.mcp(HELLO, CALL)[1]["result"]
    assert refused["isError"] is True
    assert "ZEBRA-42" not in str(refused)


def test_the_configuration_in_the_data_folder_counts_and_the_environment_wins(place: Place) -> None:
    record(place)
    (place.data / "config.json").write_text('{"mode": "on_demand"}', encoding="utf-8")
    del place.environ["SKILLCADDY_MODE"]
    assert place.hook().stdout == ""
    assert "ZEBRA-42" in place.hook(SKILLCADDY_MODE="auto").stdout


@pytest.mark.parametrize("text", ['{"mode": "atuo"}', '{"modes": "auto"}', "{", "[]", '{"deadline_auto_s": 30}'])
def test_a_bad_configuration_is_named_and_the_rest_goes_on(place: Place, text: str) -> None:
    """T10, T19, T20"""
    record(place)
    (place.data / "config.json").write_text(text, encoding="utf-8")
    done = place.hook()
    assert "ZEBRA-42" in done.stdout
    named = {"atuo": "atuo", "modes": "modes", "deadline_auto_s": "deadline_auto_s"}
    assert next((word for key, word in named.items() if key in text), "config.json") in done.stderr


@pytest.mark.requirement("workbuddy:healthy-server")
def test_without_an_engine_a_healthy_server_without_tools_answers(place: Place) -> None:
    """T35"""
    note = {"method": "notifications/initialized"}
    replies = place.mcp(HELLO, note, LIST, {"id": 9, "method": "ping"}, CALL)
    assert replies[0]["result"]["protocolVersion"] == "2025-06-18"
    assert replies[0]["result"]["serverInfo"]["name"] == "skillcaddy"
    assert replies[1] == {"jsonrpc": "2.0", "id": "two", "result": {"tools": []}}
    assert replies[2] == {"jsonrpc": "2.0", "id": 9, "result": {}}
    assert replies[3]["error"]["code"] == -32601
    assert len(replies) == 4
