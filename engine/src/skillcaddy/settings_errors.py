"""What can be wrong with a setting: one exception each, which composes its sentence from its own fields."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

MASK = "***"
_CREDENTIALS_IN_URL = re.compile(r"(?<=://)[^/@\s]+(?=@)")
_LONGEST_SHOWN = 80


def shown(value: Any, *, secret: bool = False) -> str:
    """A value as a person may read it on one line: JSON-like, cut to 80 characters, without anything secret."""
    if secret and value != "":
        return MASK
    try:
        text = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    text = _CREDENTIALS_IN_URL.sub(MASK, text).encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def masked(value: Any, *, secret: bool = False) -> Any:
    """The value itself, without what is secret in it: all of a secret that is set, the credentials of a URL."""
    if secret:
        return MASK if value else value
    return _CREDENTIALS_IN_URL.sub(MASK, value) if isinstance(value, str) else value


def nearest(given: str, known: Iterable[str]) -> str:
    """The known word that was most likely meant, or "" where none is close."""
    import difflib  # late: hot paths meet no misspelt word

    by_plain = {word.casefold().replace("-", "_"): word for word in known}
    plain = given.strip().casefold().replace("-", "_")
    if plain in by_plain:
        return by_plain[plain]
    longer = sorted((word for word in by_plain if len(plain) > 2 and word.startswith(plain)), key=len)
    close = longer or difflib.get_close_matches(plain, by_plain, n=1, cutoff=0.6)
    return by_plain[close[0]] if close else ""


class SettingsError(Exception):
    """Something is wrong with the configuration; `str()` says where, what was given, what is allowed, what to do."""

    where: str
    """The file, variable, host or argument at fault."""
    key: str
    """The setting at fault; "" where the whole of `where` is."""

    def __init__(self, *, where: str, key: str = "") -> None:
        super().__init__()
        self.where = where
        self.key = key

    def problem(self) -> str:
        """What is wrong, as one sentence."""
        raise TypeError(f"{type(self).__name__} does not say what is wrong.")

    def remedy(self) -> str:
        """What to do about it, as one sentence."""
        return "Correct it, then run `skillcaddy config check`."

    def __str__(self) -> str:
        return f"{self.problem()} {self.remedy()}"


class UnknownKeyError(SettingsError):
    """A key that is no setting. Its value is never shown: it may be a misspelt secret."""

    def __init__(self, *, where: str, key: str, known: Sequence[str]) -> None:
        super().__init__(where=where, key=key)
        self.nearest = nearest(key, known)

    def problem(self) -> str:
        meant = f' Did you mean "{self.nearest}"?' if self.nearest else ""
        return f'{self.where}: "{self.key}" is no setting.{meant}'

    def remedy(self) -> str:
        if self.nearest:
            return "Rename or remove it."
        return "Remove it; `skillcaddy config show` lists every setting."


class UnknownVariableError(SettingsError):
    """An environment variable with our prefix that names no setting. Its value is never shown."""

    def __init__(self, *, variable: str, meant: str) -> None:
        super().__init__(where=variable)
        self.nearest = meant

    def problem(self) -> str:
        meant = f" Did you mean {self.nearest}?" if self.nearest else ""
        return f"{self.where}: no setting has this environment variable, so it changes nothing.{meant}"

    def remedy(self) -> str:
        return "Rename or unset it." if self.nearest else "Unset it; `skillcaddy config show` lists every setting."


class BadValueError(SettingsError):
    """A value that its setting does not allow; secrets are masked."""

    def __init__(
        self,
        *,
        where: str,
        key: str,
        given: Any,
        allowed: str,
        choices: Sequence[str] = (),
        default: Any = "",
        hint: str = "",
        secret: bool = False,
    ) -> None:
        super().__init__(where=where, key=key)
        self.given = shown(given, secret=secret)
        self.allowed = allowed
        self.nearest = nearest(given, choices) if isinstance(given, str) and not secret else ""
        self.default = shown(default, secret=secret)
        self.hint = hint

    def problem(self) -> str:
        meant = f' Did you mean "{self.nearest}"?' if self.nearest else ""
        return f"{self.where}: {self.key} = {self.given} is not allowed; allowed: {self.allowed}.{meant}"

    def remedy(self) -> str:
        return self.hint or f"Correct it, or remove it to get the default, {self.default}."


class BadConfigError(SettingsError):
    """A configuration that cannot be read at all: malformed, unreadable, or no table of settings."""

    def __init__(self, *, where: str, detail: str, line: int = 0, column: int = 0) -> None:
        super().__init__(where=where)
        self.detail = detail
        self.line = line
        """Counted from 1; 0 where the trouble has no place."""
        self.column = column

    def problem(self) -> str:
        place = f", line {self.line}, column {self.column}" if self.line else ""
        return f"{self.where}{place}: {self.detail}, so none of its settings is used."

    def remedy(self) -> str:
        return "Nothing is written to it; correct it, then run `skillcaddy config check`."


class BadSettingsError(SettingsError):
    """All that is wrong, found in one go."""

    errors: tuple[SettingsError, ...]

    def __init__(self, errors: Sequence[SettingsError]) -> None:
        super().__init__(where=", ".join(dict.fromkeys(error.where for error in errors)))
        self.errors = tuple(errors)

    def __str__(self) -> str:
        return "\n".join(str(error) for error in self.errors)
