"""Real hosts, installed once into a cache outside the checkout; a second run takes them from there.

Nothing here is skipped: what cannot be installed is a RuntimeError that names the command and what it printed.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

CACHE_VARIABLE = "SKILLCADDY_HOSTS_CACHE"
NODE_VERSION = "24.18.1"
TYPESCRIPT_VERSION = "5.9.3"
_NODE_TYPES = "24.10.1"
NPM_FLAGS = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
_INSTALL_S = 600


def cache_folder() -> Path:
    """The folder of the cache, made if need be; SKILLCADDY_HOSTS_CACHE names another one."""
    from platformdirs import user_cache_path

    root = Path(os.environ.get(CACHE_VARIABLE) or user_cache_path("skillcaddy-hosts"))
    root.mkdir(parents=True, exist_ok=True)
    return root


def cached(name: str, what: list[str], fill: Callable[[Path], object]) -> Path:
    """The cache's folder of that name, made anew by `fill` unless it was filled with the same `what` before."""
    from filelock import FileLock

    root = cache_folder()
    folder, done = root / name, root / name / "installed.json"
    with FileLock(root / f"{name}.lock"):
        if not done.is_file() or json.loads(done.read_text(encoding="utf-8")) != what:
            shutil.rmtree(folder, ignore_errors=True)  # half an installation is worse than none
            folder.mkdir()
            fill(folder)
            done.write_text(json.dumps(what), encoding="utf-8")
    return folder


def run(*command: str, cwd: Path | None = None) -> None:
    """The command, to its end. RuntimeError when there is no such program, or when it fails."""
    program = shutil.which(command[0])
    if program is None:
        raise RuntimeError(f"{command[0]} is not on PATH; it is needed to install the real hosts")
    done = subprocess.run(
        [program, *command[1:]],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=_INSTALL_S,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed with {done.returncode}:\n{done.stderr[-3000:]}")


def npm_install(folder: Path, *what: str) -> None:
    """Let npm put packages into a folder of their own, without running any script of theirs."""
    (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    run("npm", "install", *what, *NPM_FLAGS, cwd=folder)


def npm(name: str, *what: str) -> Path:
    """The `node_modules` of the cache's folder of that name, with these packages in it."""
    return cached(name, list(what), lambda folder: npm_install(folder, *what)) / "node_modules"


def platform_word() -> str:
    """This machine as npm's packages of binaries call it, such as `linux-x64`."""
    system = {"linux": "linux", "darwin": "darwin", "win32": "win"}[sys.platform]
    machine = platform.machine().lower()
    return f"{system}-" + {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine, machine)


def node_package() -> str:
    """What to install for `node_in`: the npm package that holds Node's binary for this machine."""
    return f"node-{platform_word()}@{NODE_VERSION}"


def node_in(modules: Path) -> Path:
    """The Node binary in a `node_modules` folder with `node_package`."""
    return modules / f"node-{platform_word()}" / "bin" / ("node.exe" if os.name == "nt" else "node")


def node() -> Path:
    """The Node binary that every host runs with."""
    return node_in(npm(f"node-{NODE_VERSION}", node_package()))


def typescript() -> Path:
    """A `node_modules` folder with the compiler and Node's types."""
    return npm(f"typescript-{TYPESCRIPT_VERSION}", f"typescript@{TYPESCRIPT_VERSION}", f"@types/node@{_NODE_TYPES}")
