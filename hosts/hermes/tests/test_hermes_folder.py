"""The folder as the host reads it, and the setup that writes its settings."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from hermes_double import Host

from conftest import Ordinary, Slot, settle
from skillcaddy import __version__
from skillcaddy.settings import setting_fields, variable_of
from skillcaddy.settings_errors import BadSettingsError
from skillcaddy.validation import choices, default_of
from skillcaddy_hermes.host.driver import plugin_folder
from skillcaddy_hermes.surface.obstacles import Obstacle
from skillcaddy_hermes.surface.settings import HermesSettings

FOLDER = plugin_folder()
FIELDS = setting_fields(HermesSettings)


def manifest() -> dict[str, Any]:
    """plugin.yaml as the host reads it."""
    read: dict[str, Any] = yaml.safe_load((FOLDER / "plugin.yaml").read_text(encoding="utf-8"))
    return read


@pytest.mark.requirement("hermes:kind-written-out")
def test_both_of_the_hosts_loaders_see_the_folder() -> None:
    assert manifest()["kind"] == "standalone"
    assert manifest()["name"] == "skillcaddy"
    assert manifest()["manifest_version"] == 1
    assert manifest()["version"] == __version__


@pytest.mark.requirement("hermes:provider-word")
def test_the_word_that_marks_a_memory_provider_is_where_the_host_looks_for_it() -> None:
    assert "MemoryProvider" in (FOLDER / "__init__.py").read_text(encoding="utf-8")[:8192]


@pytest.mark.requirement("hermes:pip-dependencies")
def test_the_dependencies_are_names_that_can_be_imported() -> None:
    for name in manifest()["pip_dependencies"]:
        assert find_spec(name.replace("-", "_")) is not None


def test_what_the_manifest_promises_is_what_is_registered(ordinary: Ordinary) -> None:
    """T05."""
    ctx = ordinary(mode="on_demand")
    assert manifest()["provides_tools"] == list(ctx.tools)
    assert manifest()["provides_hooks"] == list(ctx.hooks)


@pytest.mark.requirement("hermes:modules-run-eagerly")
def test_modules_beside_the_first_do_nothing_when_they_are_run() -> None:
    script = (
        "import sys\nbefore = set(sys.modules)\nimport skillcaddy_hermes\n"
        "print(*sorted(set(sys.modules) - before - {'skillcaddy_hermes', '__future__'}))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, encoding="utf-8", check=True)
    assert run.stdout.split() == []
    assert [path.name for path in FOLDER.glob("*.py")] == ["__init__.py"]


@pytest.mark.requirement("hermes:cheap-registration")
@pytest.mark.parametrize("context", ["Context", "Collector"])
def test_registering_starts_no_engine(context: str, tmp_path: Path) -> None:
    settled = tmp_path / "home"
    settled.mkdir()
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        f"from hermes_double import {context}, Host\n"
        f"sys.modules.update(Host(Path({str(settled)!r})).modules())\n"
        "import skillcaddy_hermes\n"
        f"ctx = {context}()\n"
        "skillcaddy_hermes.register(ctx)\n"
        "provider = getattr(ctx, 'provider', None)\n"
        "assert provider is None or len(provider.get_tool_schemas()) == 2 and provider.is_available()\n"
        "heavy = {'tantivy', 'skillcaddy.engine', 'asyncio', 'httpx', 'typer', 'rich', 'pluggy'}\n"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    environment = {"PATH": "", "PYTHONPATH": str(Path(__file__).parent), "SKILLCADDY_HOME": str(tmp_path / "caddy")}
    run = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True, text=True, encoding="utf-8", check=False, env=environment, cwd=tmp_path,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == []


@pytest.mark.requirement("hermes:setup-round-trip")
def test_setup_is_offered_every_setting_with_its_default_and_its_words(slot: Slot, host: Host) -> None:
    provider = slot()
    (host.home / "skillcaddy.json").unlink()
    offered = {field["key"]: field for field in provider.get_config_schema()}
    assert list(offered) == [field.name for field in FIELDS]
    for field in FIELDS:
        entry = offered[field.name]
        assert entry["description"] == field.metadata["help"]
        assert entry.get("choices", []) == list(choices(field, HermesSettings))
        default = default_of(field)
        assert entry["default"] == ("" if default in ((), "") else str(default))


@pytest.mark.requirement("hermes:secrets-by-variable")
def test_a_secret_goes_to_the_hosts_env_file_under_the_variable_that_is_read(slot: Slot) -> None:
    for entry, field in zip(slot().get_config_schema(), FIELDS, strict=True):
        assert entry["secret"] is bool(field.metadata["secret"])
        assert entry.get("env_var") == (variable_of(field.name) if entry["secret"] else None)


def another_value(field: Any) -> tuple[str, Any]:
    """A good value that is not the default, as setup's text and as it should be kept."""
    default = default_of(field)
    if words := choices(field, HermesSettings):
        other = next(word for word in words if word != default)
        return other, other
    if isinstance(default, tuple):
        return "/one:/two", ["/one", "/two"]
    if isinstance(default, int | float):
        other_number = field.metadata["le"] if field.metadata["le"] != default else field.metadata["ge"]
        return str(other_number), other_number
    return ("/one", "/one") if field.metadata["path"] else ("something", "something")


@pytest.mark.requirement("hermes:setup-round-trip")
@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_what_setup_was_told_is_kept_by_its_type_read_by_the_adapter_and_offered_again(
    field: Any, slot: Slot, host: Host
) -> None:
    """T107, one key at a time."""
    provider = slot()
    text, kept = another_value(field)
    provider.save_config({field.name: text}, str(host.home))
    written = json.loads((host.home / "skillcaddy.json").read_text(encoding="utf-8"))
    assert written[field.name] == kept
    value = getattr(_settings_now(host), field.name)
    assert (list(value) if isinstance(value, tuple) else value) == kept
    if not field.metadata["secret"]:
        offered = {entry["key"]: entry["default"] for entry in provider.get_config_schema()}
        assert offered[field.name] in (str(kept), text)


def _settings_now(host: Host) -> Any:
    from skillcaddy_hermes.surface.desk import load

    loaded = load(host.home)
    assert loaded.warnings == ()
    return loaded.settings


def test_answers_that_are_the_defaults_leave_other_layers_their_say(slot: Slot, host: Host) -> None:
    provider = slot()
    (host.home / "skillcaddy.json").unlink()
    answers = {entry["key"]: entry["default"] for entry in provider.get_config_schema()}
    provider.save_config(answers, str(host.home))
    assert json.loads((host.home / "skillcaddy.json").read_text(encoding="utf-8")) == {}


@pytest.mark.parametrize(
    ("values", "named"), [({"mode": "atuo"}, "mode"), ({"top_k": "many"}, "top_k"), ({"top_kk": "2"}, "top_kk")]
)
def test_a_bad_answer_is_an_error_that_names_it_and_nothing_is_written(
    slot: Slot, host: Host, values: dict[str, str], named: str
) -> None:
    provider = slot(top_k=3)
    before = (host.home / "skillcaddy.json").read_text(encoding="utf-8")
    with pytest.raises(BadSettingsError, match=named):
        provider.save_config(values, str(host.home))
    assert (host.home / "skillcaddy.json").read_text(encoding="utf-8") == before


def test_a_file_that_cannot_be_read_is_not_overwritten(slot: Slot, host: Host) -> None:
    """T112."""
    provider = slot()
    (host.home / "skillcaddy.json").write_text("{ half", encoding="utf-8")
    with pytest.raises(BadSettingsError, match="no JSON"):
        provider.save_config({"mode": "auto"}, str(host.home))
    assert (host.home / "skillcaddy.json").read_text(encoding="utf-8") == "{ half"


def test_what_the_file_held_before_stays(slot: Slot, host: Host) -> None:
    provider = slot(top_k=3, mode="auto")
    settle(host, top_k=3, mode="auto")
    provider.save_config({"mode": "on_demand"}, str(host.home))
    written = json.loads((host.home / "skillcaddy.json").read_text(encoding="utf-8"))
    assert (written["top_k"], written["mode"]) == (3, "on_demand")


def test_every_code_of_the_log_is_explained_in_the_docs() -> None:
    text = (Path(__file__).parents[3] / "docs" / "hosts" / "hermes.md").read_text(encoding="utf-8")
    assert [code.value for code in Obstacle if f"| `{code.value}` |" not in text] == []
