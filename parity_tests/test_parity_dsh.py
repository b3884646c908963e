"""DeepSeek Harness: what its loader calls, run under Node as the loader runs it."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from typing import Any

import pytest
from readers import READERS, ROOT
from test_parity_settings import grid, we_accept

from skillcaddy.guidance import LANGUAGES, tool_schemas
from skillcaddy_dsh.settings import SHELL_KEYS, DshSettings

PLUGIN = ROOT / "hosts" / "dsh_bridge" / "plugin" / "index.mjs"
_JUDGE = """
const { Config } = await import(process.argv[1]);
let text = "";
for await (const chunk of process.stdin) text += chunk;
const judged = JSON.parse(text).map((config) => Config["~standard"].validate(config));
console.log(JSON.stringify(judged.map(({ issues }) => issues?.map(({ message }) => message) ?? null)));
"""
_TOOLS = """
const { apply } = await import(process.argv[1]);
const tools = [];
const services = { tools: { register: (tool) => tools.push(tool) } };
const ctx = { ...services, inject: (_, ready) => ready(ctx), on() {}, effect() {}, get() {} };
apply(ctx, JSON.parse(process.argv[2]));
console.log(JSON.stringify(tools.map(({ name, description, parameters }) => ({ name, description, parameters }))));
"""


def node(code: str, *arguments: str, given: str = "") -> Any:
    """What a piece of JavaScript prints, as JSON. Node is needed here; without it these tests are red."""
    program = shutil.which("node")
    assert program is not None, "node is not on PATH"
    command = [program, "--input-type=module", "-e", code, *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_shell_accepts_and_refuses_what_the_schema_and_pydantic_do() -> None:
    rows = [{key: value} for key, value in grid(DshSettings) if not (isinstance(value, float) and math.isnan(value))]
    rows += [{}, {"no_such_key": 1}, {"mode": "auto", "top_k": 3}, {"mode": "auto", "top_k": 33}]
    verdicts = node(_JUDGE, PLUGIN.as_uri(), given=json.dumps(rows))
    schema = READERS["dsh"]().accepts
    wrong = [
        (row, issues)
        for row, issues in zip(rows, verdicts, strict=True)
        if not (issues is None) == schema(row) == we_accept(DshSettings, row)
    ]
    assert wrong == []
    assert any(issues is None for issues in verdicts)
    assert any(issues for issues in verdicts)


def test_a_refusal_names_the_key_and_the_value() -> None:
    (issues,) = node(_JUDGE, PLUGIN.as_uri(), given=json.dumps([{"mode": "atuo"}]))
    assert "mode" in issues[0]
    assert '"atuo"' in issues[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tools_that_the_host_really_gets_are_the_guidances(language: Any) -> None:
    """T14: taken from the objects that are registered, newlines included."""
    registered = node(_TOOLS, PLUGIN.as_uri(), json.dumps({"language": language}))
    wanted = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        for tool in tool_schemas(language)
    ]
    assert registered == wanted


def test_what_is_the_shells_own_is_a_setting_and_is_not_the_engines() -> None:
    from skillcaddy.settings import Settings, setting_fields

    ours = {field.name for field in setting_fields(DshSettings)}
    engine = {field.name for field in setting_fields(Settings)}
    assert ours - engine == set(SHELL_KEYS)
    source = PLUGIN.read_text(encoding="utf-8")
    assert all(key in source for key in SHELL_KEYS)
