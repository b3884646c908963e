"""What a user would otherwise hit in silence: each has a code and is logged once, with the way out."""

from __future__ import annotations

import logging
import threading
from enum import StrEnum

LOG = logging.getLogger("skillcaddy.hermes")


class Obstacle(StrEnum):
    """Why something does not happen, or happens elsewhere; the word in the log."""

    ENGINE_MISSING = "engine_missing"
    BAD_SETTINGS = "bad_settings"
    SLOT_HAS_IT = "slot_has_it"
    SLOT_WITHOUT_FOLDER = "slot_without_folder"
    SLOT_NAME_UNKNOWN = "slot_name_unknown"
    TOOLSET_OFF = "toolset_off"
    TOOLS_DEFERRED = "tools_deferred"
    NO_ROOM = "no_room"
    STEP_FAILED = "step_failed"
    STATUS = "status"


_said: set[tuple[str, str]] = set()
_lock = threading.Lock()


def say(code: Obstacle, sentence: str, level: int = logging.WARNING) -> None:
    """One line in the host's log, once for each code and sentence in this process."""
    with _lock:
        if (code, sentence) in _said:
            return
        _said.add((code, sentence))
    LOG.log(level, "skillcaddy [%s]: %s", code.value, sentence)


def forget_what_was_said() -> None:
    """Say everything anew; a process that starts over does."""
    with _lock:
        _said.clear()
