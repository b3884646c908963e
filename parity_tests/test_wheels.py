"""Each member's wheel: installs and imports alone, without its host, with its manifests inside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from skillcaddy import __version__
from skillcaddy.hosting import Host, hosts

ROOT = Path(__file__).parents[1]
MEMBERS = [ROOT / "engine", *sorted(path.parent for path in ROOT.glob("hosts/*/pyproject.toml"))]


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every member's wheel, built once, by the folder's name."""
    built = {}
    for member in MEMBERS:
        out = tmp_path_factory.mktemp(member.name)
        subprocess.run(["uv", "build", "--wheel", "--quiet", "--out-dir", str(out), str(member)], check=True)
        (built[member.name],) = out.glob("*.whl")
    return built


def project(member: Path) -> dict[str, object]:
    found: dict[str, object] = tomllib.loads((member / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_every_member_carries_the_same_version(member: Path) -> None:
    assert project(member)["version"] == __version__


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_requirements_are_floors_without_caps(member: Path) -> None:
    """Hosts pin their own dependencies exactly, so ours must fit beside them."""
    requirements = project(member)["dependencies"]
    assert isinstance(requirements, list)
    assert not [text for text in requirements if any(sign in text for sign in ("<", "==", "~="))]


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_a_wheel_installs_and_imports_alone(member: Path, wheels: dict[str, Path], tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    subprocess.run(["uv", "venv", "--quiet", "--python", sys.executable, str(venv)], check=True)
    python = venv / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    chosen = {wheels["engine"], wheels[member.name]}
    subprocess.run(["uv", "pip", "install", "--quiet", "--python", str(python), *map(str, chosen)], check=True)
    name = str(project(member)["name"]).replace("-", "_")
    # A neutral folder: the checkout must not lend its files.
    subprocess.run([str(python), "-P", "-c", f"import {name}"], check=True, cwd=tmp_path)
    if member.name == "engine":
        # A whole retrieval: a data file left out of the wheel would cost every hit, and only the trace would say so.
        command = [str(python), "-P", "-m", "skillcaddy", "search", "fill in this PDF form", "--json"]
        command += ["--skills", str(ROOT / "examples" / "skills")]
        home = {**os.environ, "SKILLCADDY_HOME": str(tmp_path / "home")}
        found = subprocess.run(command, check=True, cwd=tmp_path, env=home, capture_output=True)
        assert [hit["name"] for hit in json.loads(found.stdout)["hits"]][:1] == ["pdf-forms"]
    else:
        said = subprocess.run(
            [str(python), "-P", "-c", "from skillcaddy.hosting import hosts; print(*[h.id for h in hosts()])"],
            check=True, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8",
        )  # fmt: skip
        assert len(said.stdout.split()) == 1


@pytest.mark.parametrize("host", hosts(), ids=lambda host: host.id)
def test_a_hosts_wheel_holds_its_manifests(host: Host, wheels: dict[str, Path]) -> None:
    with zipfile.ZipFile(wheels[host.root.name]) as wheel:
        inside = [name for name in wheel.namelist() if ".dist-info" not in name]
    for path in host.manifests:
        name = Path(path).name
        assert [entry for entry in inside if entry.endswith(f"/{name}")], f"{path} is not in the wheel"
