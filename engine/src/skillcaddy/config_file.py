"""Reads the shared config file: TOML in UTF-8. It is only ever read, never written."""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import Any

from skillcaddy.settings_errors import BadConfigError

_LARGEST = 1_000_000
_PLACE = re.compile(r"\s*\(at line (\d+), column (\d+)\)$")
_END = re.compile(r"\s*\(at end of document\)$")


def read_config_file(path: Path) -> dict[str, Any]:
    """The file's tables as Python data; BadConfigError says why it cannot be read, with line and column."""
    import tomllib  # late: a hot path has its settings from a snapshot

    where = str(path)
    text = _text_of(path, where)
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise BadConfigError(where=where, detail="it is nested too deeply") from error
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = _PLACE.search(message)
        if place:
            line, column = int(place[1]), int(place[2])
        else:
            line, column = text.count("\n") + 1, len(text) - (text.rfind("\n") + 1) + 1
        detail = _END.sub("", _PLACE.sub("", message))
        raise BadConfigError(
            where=where, detail=f"it is not valid TOML ({detail})", line=line, column=column
        ) from error


def _text_of(path: Path, where: str) -> str:
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise BadConfigError(where=where, detail="it is a folder, not a file")
        if not stat.S_ISREG(found.st_mode):  # reading a pipe would wait for ever
            raise BadConfigError(where=where, detail="it is not a regular file")
        if found.st_size > _LARGEST:
            raise BadConfigError(where=where, detail=f"it has {found.st_size} bytes, far more than any settings need")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadConfigError(where=where, detail=f"it cannot be read ({reason})") from error
    try:
        return data.decode("utf-8-sig")  # editors on Windows put a byte order mark first
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - (before.rfind(b"\n") + 1) + 1
        raise BadConfigError(where=where, detail="it is not UTF-8 text", line=line, column=column) from error
