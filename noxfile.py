"""What the project can prove about itself. `uv run nox` runs the default sessions; `uv run nox -l` lists all."""

from __future__ import annotations

import tomllib
from pathlib import Path

import nox

ROOT = Path(__file__).parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = PROJECT["tool"]["skillcaddy"]["pythons"]
MEMBERS = sorted(path.parent for path in (*ROOT.glob("engine/pyproject.toml"), *ROOT.glob("hosts/*/pyproject.toml")))

# The hosts' folders by their ids; a host with a folder `real` is proved on the real thing.
TESTED = [member for member in MEMBERS if any((member / "tests").glob("test_*.py"))]
HOST_FOLDERS = {"openclaw2_bridge": "openclaw", "workbuddy_mcp": "workbuddy", "dsh_bridge": "dsh"}
REAL = {HOST_FOLDERS.get(path.parent.name, path.parent.name): path.parent.name for path in ROOT.glob("hosts/*/real")}

nox.options.default_venv_backend = "uv"
nox.options.sessions = ["lint", "types", "tests", "parity", "bridge"]
# A fresh machine has the oldest one only; name others with -p, as in `uv run nox -p 3.12 3.13`.
nox.options.pythons = PYTHONS[:1]
nox.options.error_on_missing_interpreters = True
nox.options.reuse_existing_virtualenvs = True


def group(name: str) -> list[str]:
    """The requirements of one dependency group of the root."""
    return nox.project.dependency_groups(PROJECT, name)


@nox.session(python=PYTHONS[0])
def lint(session: nox.Session) -> None:
    """Style, and generated files that are not stale."""
    session.install(*group("lint"))
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


@nox.session(python=PYTHONS[0])
def types(session: nox.Session) -> None:
    """Strict types in every member."""
    session.install(*group("types"), *(f"-e{member}" for member in MEMBERS))
    for member in MEMBERS:
        session.run("mypy", str(member / "src"))


@nox.session(python=PYTHONS)
@nox.parametrize("member", [nox.param(member.relative_to(ROOT).as_posix(), id=member.name) for member in TESTED])
def tests(session: nox.Session, member: str) -> None:
    """One member's tests, with only its own dependencies."""
    session.install(*group("tests"), *([] if member == "engine" else ["-eengine"]), f"-e{member}")
    session.run("pytest", f"{member}/tests", *session.posargs)


@nox.session(python=PYTHONS[0])
def parity(session: nox.Session) -> None:
    """Settings, manifests, tool text, modes, contracts and layers, each file read as its host reads it; the wheels."""
    session.install(*group("parity"), *(f"-e{member}" for member in MEMBERS))
    session.run("pytest", "parity_tests", *session.posargs)


@nox.session(python=PYTHONS[0])
def bridge(session: nox.Session) -> None:
    """The JavaScript shells under `node --test`, alone and with the engine behind them; then the engine's end alone."""
    session.install(*group("tests"), "-eengine")
    shells = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("**/tests/**/*.test.mjs") if not _hidden(path))
    python = str(Path(session.bin) / "python")
    session.run("node", "--test", *shells, external=True, env={"SKILLCADDY_PYTHON": python})
    session.run("pytest", "-q", "engine/tests/test_bridge.py")


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") or part == "node_modules" for part in path.relative_to(ROOT).parts)


@nox.session(python=PYTHONS[0])
def floors(session: nox.Session) -> None:
    """The oldest dependencies that the engine allows."""
    session.install(*group("tests"))
    session.install("--resolution", "lowest-direct", "--reinstall", "-r", "engine/pyproject.toml")
    session.install("--no-deps", "-eengine")
    session.run("pytest", "engine/tests", *session.posargs)


@nox.session(python=PYTHONS[0])
def manifests(session: nox.Session) -> None:
    """Write the files that hosts read; `-- --check` finds stale ones."""
    session.install(*(f"-e{member}" for member in MEMBERS))
    session.run("python", "-m", "skillcaddy.manifests", *session.posargs)


@nox.session(python=PYTHONS[0])
def mcp(session: nox.Session) -> None:
    """The MCP server under the official client, in every protocol version, and under the inspector."""
    session.install(*group("tests"), "mcp>=2.3", "-eengine")
    session.run("pytest", "engine/peer_tests", *session.posargs)


@nox.session(python=PYTHONS[0])
def handshake(session: nox.Session) -> None:
    """How long a host waits for the MCP server and for the hook, beside bare Python and the SDK's server."""
    session.install(*group("bench"), "mcp>=2.3", "-eengine", "-ehosts/workbuddy_mcp")
    session.run("python", "bench/handshake.py", *session.posargs)


@nox.session(python=PYTHONS[0])
@nox.parametrize("folder", [nox.param(folder, id=host) for host, folder in sorted(REAL.items())])
def real(session: nox.Session, folder: str) -> None:
    """One real host, installed into a cache outside the checkout, judged by what reaches its model."""
    session.install(*group("tests"), "-eengine", f"-ehosts/{folder}")
    session.run("pytest", f"hosts/{folder}/real", *session.posargs)
