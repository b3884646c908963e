"""The fast way to the settings: what it spares, when it must not be believed, and what it never keeps."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from skillcaddy import config, installed, snapshot
from skillcaddy.config import load
from skillcaddy.digest import digest
from skillcaddy.installed import plugin_entries, third_party_plugins
from skillcaddy.loaded import Loaded
from skillcaddy.settings import Settings, setting
from skillcaddy.snapshot import load_fast
from skillcaddy.storage import read_sealed, write_sealed

HEAVY = ["pydantic", "typer", "rich", "platformdirs", "tomllib", "pluggy", "importlib.metadata", "asyncio", "difflib"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "caddy"
    folder.mkdir()
    return folder


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one for each time the slow way is taken."""
    calls: list[int] = []

    def counting(**kwargs: Any) -> Loaded:
        calls.append(1)
        return load(**kwargs)

    monkeypatch.setattr(config, "load", counting)
    return calls


def env(home: Path, **more: str) -> dict[str, str]:
    return {"SKILLCADDY_HOME": str(home), "HOME": str(home), **more}


def write(home: Path, text: str, *, age: float = 60) -> Path:
    """Write the config file and make it look as old as this, in seconds: very young files are not trusted."""
    file = home / "config.toml"
    file.write_text(text, encoding="utf-8")
    moment = time.time() - age
    os.utime(file, (moment, moment))
    return file


def kept(home: Path) -> list[Path]:
    return sorted((home / "state" / "settings").glob("*.json"))


def test_the_second_load_gives_the_same_without_the_slow_way(home: Path, slow: list[int]) -> None:
    write(home, 'mode = "auto"\nskills_dirs = ["skills"]\ntopk = 3\n')
    environ = env(home, SKILLCADDY_CATALOG_SIZE="3")
    first = load_fast(environ=environ, host={"gate": "on"}, host_name="raven")
    second = load_fast(environ=environ, host={"gate": "on"}, host_name="raven")
    assert slow == [1]
    assert second == first == load(environ=environ, host={"gate": "on"}, host_name="raven", strict=False)
    assert second.settings.skills_dirs == (str(home / "skills"),)
    assert second.warnings != ()


def test_a_fast_load_imports_nothing_heavy(home: Path) -> None:
    write(home, "top_k = 4\n")
    code = (
        "import sys; from skillcaddy import installed; from skillcaddy.snapshot import load_fast, third_party_plugins;"
        "installed._SETTLED_NS = 0;"  # the environment of this test may be seconds old
        "loaded = load_fast(); third_party_plugins(); print(loaded.settings.top_k, loaded.locations.data_dir);"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    environ = {**os.environ, **env(home)}
    runs = [
        subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    answer, modules = runs[1].splitlines()
    assert answer == runs[0].splitlines()[0] == f"4 {home / 'data'}"
    assert "pydantic" in runs[0]
    assert modules == "[]"


@dataclass(frozen=True, kw_only=True)
class Narrow(Settings):
    """A host with one mode."""

    mode: Literal["auto"] = setting("auto", "auto is the only mode that this host can carry.")


CHANGES: dict[str, dict[str, Any]] = {
    "a variable": {"more": {"SKILLCADDY_TOP_K": "5"}},
    "an unknown variable": {"more": {"SKILLCADDY_TOPK": "5"}},
    "the host's configuration": {"host": {"top_k": 5}},
    "an argument": {"arguments": {"top_k": 5}},
    "the host": {"host_name": "dsh"},
    "the settings class": {"settings_class": Narrow},
    "where the user lives": {"more": {"HOME": "/elsewhere"}},
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_input_is_noticed(change: str, home: Path, slow: list[int]) -> None:
    load_fast(environ=env(home))
    changed = dict(CHANGES[change])
    environ = {**env(home), **changed.pop("more", {})}
    found = load_fast(environ=environ, **changed)
    assert slow == [1, 1]
    assert found == load(environ=environ, strict=False, **changed)


def test_a_changed_file_is_noticed_even_at_the_same_size(home: Path, slow: list[int]) -> None:
    write(home, "top_k = 4\n", age=60)
    assert load_fast(environ=env(home)).settings.top_k == 4
    write(home, "top_k = 5\n", age=30)
    assert load_fast(environ=env(home)).settings.top_k == 5
    write(home, "", age=30)
    assert load_fast(environ=env(home)).settings.top_k == 2
    (home / "config.toml").unlink()
    assert load_fast(environ=env(home)).settings.top_k == 2
    write(home, "top_k = 6\n", age=30)
    assert load_fast(environ=env(home)).settings.top_k == 6
    assert load_fast(environ=env(home)).settings.top_k == 6
    assert slow == [1] * 5


def test_a_file_written_this_moment_is_not_trusted_to_be_final(home: Path) -> None:
    """Another write within one tick of the file system's clock would leave the same signature."""
    file = write(home, "top_k = 4\n", age=0)
    moment = file.stat().st_mtime_ns
    assert load_fast(environ=env(home)).settings.top_k == 4
    file.write_text("top_k = 5\n", encoding="utf-8")
    os.utime(file, ns=(moment, moment))
    assert load_fast(environ=env(home)).settings.top_k == 5


def test_a_variable_used_in_a_path_is_an_input_too(home: Path) -> None:
    write(home, 'skills_dirs = ["$TEAM/skills"]\n')
    assert load_fast(environ=env(home, TEAM="/a")).settings.skills_dirs == ("/a/skills",)
    assert load_fast(environ=env(home, TEAM="/b")).settings.skills_dirs == ("/b/skills",)
    assert load_fast(environ=env(home)).settings.skills_dirs == (str(home / "$TEAM" / "skills"),)


def test_a_variable_used_to_name_the_file_is_an_input_too(home: Path) -> None:
    for name, top_k in (("a", 4), ("b", 5)):
        folder = home / name
        folder.mkdir()
        write(folder, f"top_k = {top_k}\n")
    for name, top_k in (("a", 4), ("b", 5)):
        environ = env(home, SKILLCADDY_CONFIG="$WHICH/config.toml", WHICH=str(home / name))
        assert load_fast(environ=environ).settings.top_k == top_k


def test_a_relative_folder_follows_the_working_directory(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        folder = home / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        found = load_fast(environ=env(home, SKILLCADDY_SKILLS_DIRS="skills"), host={"state_dir": "state"})
        assert found.settings.skills_dirs == (str(folder / "skills"),)
        assert found.settings.state_dir == str(folder / "state")


def test_workspaces_share_a_snapshot_when_no_path_is_relative(
    home: Path, slow: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        folder = home / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        load_fast(environ=env(home, SKILLCADDY_SKILLS_DIRS="/skills"), host={"skills_dirs": ["~/skills"]})
    assert slow == [1]


# Secrets


SECRET = "sk-tell-no-one"
WAYS: dict[str, tuple[dict[str, str], dict[str, Any], str]] = {
    "environment": ({"SKILLCADDY_MODEL_API_KEY": SECRET}, {}, ""),
    "host": ({}, {"host": {"model_api_key": SECRET}}, ""),
    "file": ({}, {}, f'model_api_key = "{SECRET}"\n'),
    "argument": ({}, {"arguments": {"model_api_key": SECRET}}, ""),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_secret_arrives_and_is_stored_nowhere(way: str, home: Path) -> None:
    more, given, text = WAYS[way]
    write(home, text)
    for _ in range(2):
        assert load_fast(environ=env(home, **more), **given).settings.model_api_key == SECRET
    for file in (home / "state").rglob("*"):
        assert file.is_dir() or SECRET not in file.read_text(encoding="utf-8")


def test_a_new_secret_needs_no_new_snapshot_and_arrives(home: Path, slow: list[int]) -> None:
    for secret in ("first", "second"):
        assert load_fast(environ=env(home, SKILLCADDY_MODEL_API_KEY=secret)).settings.model_api_key == secret
    assert slow == [1]
    write(home, 'model_api_key = "from-file"\n')
    for text, arrives in (("third", "third"), ("", "from-file"), ("off", ""), ("fourth", "fourth")):
        assert load_fast(environ=env(home, SKILLCADDY_MODEL_API_KEY=text)).settings.model_api_key == arrives


# Damage


def damages(path: Path) -> Mapping[str, bytes]:
    whole = path.read_bytes()
    _, body = whole.split(b"\n", 1)
    other = json.dumps({"values": {}}).encode()
    return {
        "empty": b"",
        "cut": whole[: len(whole) // 2],
        "one byte changed": whole.replace(b'"top_k": 4', b'"top_k": 9'),
        "no seal": body,
        "binary": bytes(range(256)),
        "sealed, but no snapshot": digest(other).encode() + b"\n" + other,
        "sealed, but a list": digest(b"[]").encode() + b"\n[]",
    }


def test_a_damaged_snapshot_is_replaced(home: Path, slow: list[int]) -> None:
    write(home, "top_k = 4\n")
    load_fast(environ=env(home))
    [path] = kept(home)
    whole = path.read_bytes()
    for number, (name, data) in enumerate(damages(path).items(), start=2):
        path.write_bytes(data)
        assert load_fast(environ=env(home)).settings.top_k == 4, name
        assert len(slow) == number, name
        assert path.read_bytes() == whole, name


def test_a_snapshot_that_others_may_write_is_not_believed(home: Path, slow: list[int]) -> None:
    load_fast(environ=env(home))
    [path] = kept(home)
    path.chmod(0o666)
    load_fast(environ=env(home))
    assert slow == [1, 1]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_snapshots_are_private_and_their_number_is_bounded(home: Path) -> None:
    for number in range(1, snapshot._KEPT + 9):
        load_fast(environ=env(home, SKILLCADDY_MAX_CHARS=str(1000 + number)))
    assert len(kept(home)) == snapshot._KEPT
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept(home)} == {0o600}
    assert stat.S_IMODE((home / "state" / "settings").stat().st_mode) == 0o700


def test_settings_arrive_where_no_snapshot_can_be_stored(home: Path) -> None:
    write(home, "top_k = 4\n")
    (home / "state").write_text("a file where a folder should be", encoding="utf-8")
    assert load_fast(environ=env(home)).settings.top_k == 4


def test_many_at_once_agree(home: Path) -> None:
    write(home, "top_k = 4\n")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: load_fast(environ=env(home)), range(32)))
    assert {each.settings.top_k for each in found} == {4}
    assert len(kept(home)) == 1


def test_a_load_that_fails_in_itself_gives_the_defaults_and_says_so(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: Any) -> Loaded:
        raise RuntimeError("pydantic is not itself today")

    monkeypatch.setattr(config, "load", broken)
    found = load_fast(environ=env(home))
    assert found.settings == Settings()
    assert found.warnings == (
        "No settings could be loaded (RuntimeError: pydantic is not itself today), so the defaults are used.",
    )


def test_a_bad_configuration_is_warned_of_every_time(home: Path, slow: list[int]) -> None:
    write(home, 'mode = "atuo"\n')
    said = [load_fast(environ=env(home)).warnings for _ in range(3)]
    assert slow == [1]
    assert said[0] == said[1] == said[2] != ()


# Plugins


def install(folder: Path, name: str, entry_points: str, *, age: float = 60) -> None:
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(entry_points, encoding="utf-8")
    moment = time.time() - age
    os.utime(folder, (moment, moment))


def test_a_newly_installed_plugin_is_noticed(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site-packages"
    site.mkdir()
    monkeypatch.setattr(installed, "distribution_folders", lambda: [str(site)])
    install(site, "something-else", "[console_scripts]\nx = x:main\n", age=90)
    assert not third_party_plugins(env(home))
    install(site, "Skillcaddy_Host", "[skillcaddy]\nhost = adapter.host\n", age=60)
    assert not third_party_plugins(env(home)), "a host's description adds nothing to retrieval"
    install(site, "their-catalog", "[skillcaddy]\ncatalog = theirs.catalog:plugin\n", age=30)
    assert third_party_plugins(env(home))
    assert [
        (entry.distribution, entry.name, entry.value) for entry in plugin_entries(env(home)) if not entry.describes_host
    ] == [("their-catalog", "catalog", "theirs.catalog:plugin")]


def test_distributions_are_scanned_once_for_each_state_of_their_folder(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site-packages"
    install(site, "their-catalog", "[skillcaddy]\ncatalog = theirs.catalog\n")
    first = plugin_entries(env(home), folders=[str(site)])
    monkeypatch.setattr(installed, "_scan", lambda _: pytest.fail("scanned again"))
    assert plugin_entries(env(home), folders=[str(site)]) == first != ()


def test_a_folder_that_an_installer_may_still_be_filling_is_scanned_again(tmp_path: Path, home: Path) -> None:
    site = tmp_path / "site-packages"
    install(site, "their-catalog", "", age=0)
    assert plugin_entries(env(home), folders=[str(site)]) == ()
    found = site / "their_catalog-1.0.dist-info" / "entry_points.txt"
    found.write_text("[skillcaddy]\ncatalog = theirs.catalog\n", encoding="utf-8")
    assert len(plugin_entries(env(home), folders=[str(site)])) == 1


def test_a_broken_distribution_costs_only_itself(tmp_path: Path, home: Path) -> None:
    site = tmp_path / "site-packages"
    install(site, "their-catalog", "[skillcaddy]\ncatalog = theirs.catalog\n")
    broken = site / "broken-1.0.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_bytes(b"\xff\xfe\x00")
    (broken / "entry_points.txt").write_bytes(b"\xff[skillcaddy\n=")
    assert [entry.name for entry in plugin_entries(env(home), folders=[str(site)])] == ["catalog"]


# Storage


def test_a_record_is_read_back_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "record.json"
    assert write_sealed(path, {"text": "ü\udcff"}, keep=3)
    assert read_sealed(path) == {"text": "ü\udcff"}
    assert read_sealed(tmp_path / "absent.json") is None
    assert read_sealed(tmp_path) is None
    assert not write_sealed(tmp_path / "deep" / "record.json" / "below.json", {}, keep=3)


def test_nothing_half_written_is_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.mkdir()
    assert not write_sealed(path, {}, keep=3)
    assert [entry.name for entry in tmp_path.iterdir()] == ["record.json"]
