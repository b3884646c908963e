"""`skillcaddy config`, as a person or a script calls it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import Result

from builders import cli_runner
from skillcaddy.cli.config import config_app
from skillcaddy.settings import setting_fields


@pytest.fixture
def home() -> Path:
    return Path(os.environ["SKILLCADDY_HOME"])


def run(*arguments: str, **environ: str) -> Result:
    return cli_runner().invoke(config_app, arguments, env={"COLUMNS": "200", **environ})


def test_show_lists_every_setting_with_its_value_and_where_it_came_from(home: Path) -> None:
    (home / "config.toml").write_text('mode = "auto"\n', encoding="utf-8")
    result = run("show", SKILLCADDY_TOP_K="7")
    assert result.exit_code == 0
    for field in setting_fields():
        assert field.name in result.stdout
    rows = {line.split()[0]: line for line in result.stdout.splitlines() if line.split()}
    assert rows["mode"].split()[1:3] == ['"auto"', str(home / "config.toml")[: len(rows["mode"].split()[2])]]
    assert rows["top_k"].split()[1:3] == ["7", "SKILLCADDY_TOP_K"]
    assert rows["gate_pool"].split()[1:3] == ["8", "default"]


def test_show_for_scripts_is_one_document(home: Path) -> None:
    (home / "config.toml").write_text('mode = "auto"\n', encoding="utf-8")
    result = run("show", "--json", SKILLCADDY_TOP_K="7")
    shown = json.loads(result.stdout)
    assert list(shown["settings"]) == [field.name for field in setting_fields()]
    assert shown["config_file"] == str(home / "config.toml")
    mode = shown["settings"]["mode"]
    assert (mode["value"], mode["from"], mode["where"]) == ("auto", "file", str(home / "config.toml"))
    top_k = shown["settings"]["top_k"]
    assert (top_k["value"], top_k["from"], top_k["default"]) == (7, "environment", 2)


@pytest.mark.parametrize("arguments", [("show",), ("show", "--json"), ("check",), ("check", "--json"), ("path",)])
def test_no_command_ever_prints_a_secret(arguments: tuple[str, ...], home: Path) -> None:
    (home / "config.toml").write_text('model_api_kee = "sk-tell-no-one"\n', encoding="utf-8")
    result = run(
        *arguments,
        SKILLCADDY_MODEL_API_KEY="sk-tell-no-one",
        SKILLCADDY_MODEL_API_KAY="sk-tell-no-one",
        SKILLCADDY_MODEL_BASE_URL="http://user:sk-tell-no-one@127.0.0.1/v1",
    )
    assert "tell-no-one" not in result.output
    if arguments == ("show", "--json"):
        settings = json.loads(result.stdout)["settings"]
        assert settings["model_api_key"]["value"] == "***"
        assert settings["model_base_url"]["value"] == "http://***@127.0.0.1/v1"


def test_an_unset_secret_is_seen_to_be_unset() -> None:
    assert json.loads(run("show", "--json").stdout)["settings"]["model_api_key"]["value"] == ""


def test_show_goes_on_despite_a_fault_and_says_so_with_its_exit_code(home: Path) -> None:
    (home / "config.toml").write_text('mode = "atuo"\ntop_k = 3\n', encoding="utf-8")
    result = run("show", "--json")
    assert result.exit_code == 1
    shown = json.loads(result.stdout)
    assert shown["settings"]["top_k"]["value"] == 3
    assert 'Did you mean "auto"?' in shown["warnings"][0]
    assert "warning: " in result.stderr


def test_check_is_content_with_a_good_file_and_with_none(home: Path) -> None:
    result = run("check")
    assert result.exit_code == 0
    assert result.stdout == f"Nothing is wrong. Config file: {home / 'config.toml'} (not there yet)\n"
    (home / "config.toml").write_text("top_k = 3\n", encoding="utf-8")
    assert run("check").stdout == f"Nothing is wrong. Config file: {home / 'config.toml'}\n"


def test_check_names_everything_wrong_in_file_and_environment(home: Path) -> None:
    (home / "config.toml").write_text('mode = "atuo"\ntopk = 3\n', encoding="utf-8")
    result = run("check", SKILLCADDY_GATE="yes", SKILLCADDY_TOPK="3")
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 4
    for start in (f"{home / 'config.toml'}: mode", f'{home / "config.toml"}: "topk"', "SKILLCADDY_GATE: gate"):
        assert start in result.stdout


def test_check_of_a_named_file_for_scripts(tmp_path: Path) -> None:
    file = tmp_path / "other.toml"
    file.write_text("top_k = = 3\n", encoding="utf-8")
    result = run("check", str(file), "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert found["ok"] is False
    assert found["config_file"] == str(file)
    assert "line 1, column 9" in found["problems"][0]
    assert file.read_text(encoding="utf-8") == "top_k = = 3\n"


def test_path_says_where_things_are_and_which_are_not_there_yet(home: Path) -> None:
    (home / "config.toml").write_text("", encoding="utf-8")
    lines = run("path").stdout.splitlines()
    assert lines[0].split() == ["config_file", str(home / "config.toml")]
    assert lines[1] == f"state_dir    {home / 'state'} (not there yet)"
    assert json.loads(run("path", "--json", SKILLCADDY_STATE_DIR="/elsewhere").stdout) == {
        "config_file": str(home / "config.toml"),
        "state_dir": "/elsewhere",
        "data_dir": str(home / "data"),
        "log_dir": "/elsewhere/logs",
    }
    assert "none, by SKILLCADDY_CONFIG=off" in run("path", SKILLCADDY_CONFIG="off").stdout


def test_wrong_usage_is_exit_code_two() -> None:
    assert run("shwo").exit_code == 2
