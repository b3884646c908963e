"""`python -m skillcaddy.manifests`: writes every file that a host reads, or with --check says which are stale."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from skillcaddy.hosting import Host, hosts


def rendered(host: Host) -> dict[Path, bytes]:
    """The files of one host and what they should hold."""
    return {host.root / path: render().encode("utf-8") for path, render in host.manifests.items()}


def stale(host: Host) -> list[Path]:
    """The files of one host that are missing or do not hold what they should."""
    return [path for path, content in rendered(host).items() if not path.is_file() or path.read_bytes() != content]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files; with --check write nothing and return 1 when one is stale."""
    parser = argparse.ArgumentParser(prog="python -m skillcaddy.manifests", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say which files are stale")
    given = parser.parse_args(arguments)
    found = [(host, path) for host in hosts() for path in stale(host)]
    for host, path in found:
        if given.check:
            print(f"{path}: stale; `uv run nox -s manifests` writes it")  # noqa: T201 - a command's answer
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(rendered(host)[path])
            print(f"{path}: written")  # noqa: T201
    return 1 if given.check and found else 0


if __name__ == "__main__":
    sys.exit(main())
