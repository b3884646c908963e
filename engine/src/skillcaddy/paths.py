"""Where things live: the shared config file, the state (index, snapshots, locks), the shared library, the logs.

`SKILLCADDY_HOME` moves them all into one folder; else they are where the platform puts such things.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from skillcaddy.frozen import dataclass

APP = "skillcaddy"
HOME_VARIABLE = "SKILLCADDY_HOME"
CONFIG_VARIABLE = "SKILLCADDY_CONFIG"
CONFIG_NAME = "config.toml"


@dataclass(frozen=True, kw_only=True)
class Locations:
    """The folders and the file that one user's skillcaddy has; none of them need exist yet."""

    config_file: Path
    state_dir: Path
    """The index, settings snapshots and locks; may be deleted at any time."""
    data_dir: Path
    """The library shared by all hosts of this user."""
    log_dir: Path


def locations(environ: Mapping[str, str] | None = None, *, state_dir: str = "") -> Locations:
    """Where everything lives; a `state_dir` from the settings takes the state and the logs with it."""
    home = home_of(environ)
    if home is not None:
        found = below(home)
    else:
        from platformdirs import PlatformDirs  # late: it costs a hot path more than all its own work

        dirs = PlatformDirs(APP, appauthor=False)
        found = Locations(
            config_file=Path(dirs.user_config_dir) / CONFIG_NAME,
            state_dir=Path(dirs.user_cache_dir),
            data_dir=Path(dirs.user_data_dir),
            log_dir=Path(dirs.user_log_dir),
        )
    if not state_dir:
        return found
    return Locations(
        config_file=found.config_file,
        state_dir=Path(state_dir),
        data_dir=found.data_dir,
        log_dir=Path(state_dir) / "logs",
    )


def below(home: Path) -> Locations:
    """Everything in one folder."""
    return Locations(
        config_file=home / CONFIG_NAME, state_dir=home / "state", data_dir=home / "data", log_dir=home / "logs"
    )


def state_dir(environ: Mapping[str, str] | None = None, *, configured: str = "") -> Path:
    """The state folder, without the cost of platformdirs; agrees with `locations` for the usual platforms.

    Only what may be rebuilt at any time is looked for here, so that a strange platform costs time, not correctness.
    """
    if configured:
        return Path(configured)
    home = home_of(environ)
    if home is not None:
        return home / "state"
    values = os.environ if environ is None else environ
    if sys.platform == "win32":
        local = values.get("LOCALAPPDATA", "").strip()
        return Path(local) / APP / "Cache" if local else _user_folder() / "AppData" / "Local" / APP / "Cache"
    base = values.get("XDG_CACHE_HOME", "").strip()
    if base and Path(base).is_absolute():
        return Path(base) / APP
    user = Path(values["HOME"]) if values.get("HOME") else _user_folder()
    return user / ("Library/Caches" if sys.platform == "darwin" else ".cache") / APP


def log_dir(environ: Mapping[str, str] | None = None, *, configured: str = "") -> Path:
    """The folder of the decision log, without the cost of platformdirs; agrees with `locations`.

    `configured` is the setting `state_dir`.
    """
    if configured:
        return Path(configured) / "logs"
    home = home_of(environ)
    if home is not None:
        return home / "logs"
    values = os.environ if environ is None else environ
    if sys.platform == "win32":
        local = values.get("LOCALAPPDATA", "").strip()
        return (Path(local) if local else _user_folder() / "AppData" / "Local") / APP / "Logs"
    user = Path(values["HOME"]) if values.get("HOME") else _user_folder()
    if sys.platform == "darwin":
        return user / "Library" / "Logs" / APP
    base = values.get("XDG_STATE_HOME", "").strip()
    return (Path(base) if base and Path(base).is_absolute() else user / ".local" / "state") / APP / "log"


def home_of(environ: Mapping[str, str] | None = None) -> Path | None:
    """The folder that SKILLCADDY_HOME names, absolute; None where it is unset or blank."""
    text = (os.environ if environ is None else environ).get(HOME_VARIABLE, "").strip()
    if not text:
        return None
    home = os.path.expanduser(text)
    try:
        return Path(os.path.abspath(home))
    except OSError:  # the working directory is gone
        return Path(home)


def _user_folder() -> Path:
    return Path(os.path.expanduser("~"))
