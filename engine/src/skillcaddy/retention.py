"""What the model of each session still sees, so that no skill is handed over twice."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pathlib import Path

Kind = Literal["transcript", "process", "turn"]

_MOST_IDS = 500
_COMPACT_BYTES = 256 * 1024
_MAX_AGE_S = 12 * 3600.0


class Retention:
    """The ids of the skills that each session holds. Thread-safe, bounded, and never raises once it is made.

    `kind` says how long a delivery stays in front of the model: `transcript`, as long as the conversation (it is
    replayed in every later request); `process`, as long as the host's process, of which a short-lived hook learns
    only through a file; `turn`, not beyond the turn, so nothing is held and a skill is given again while it fits.

    With `path` the record outlives this process and is shared by several: each change is one appended line, a damaged
    line costs itself only, and what is older than twelve hours is forgotten. A lost line costs a repeated skill.
    """

    def __init__(self, kind: Kind = "transcript", *, path: Path | None = None, max_sessions: int = 256) -> None:
        self.kind = kind
        self._path = path
        self._max_sessions = max_sessions
        self._lock = threading.Lock()
        self._sessions: OrderedDict[str, OrderedDict[str, float]] = OrderedDict()
        self._signature: tuple[int, int, int] | None = None

    def held(self, session: str) -> frozenset[str]:
        """The ids that this session's model still sees; nothing for a session without a name."""
        if not session or self.kind == "turn":
            return frozenset()
        with self._lock:
            self._reload()
            ids = self._sessions.get(session)
            if ids is None:
                return frozenset()
            self._sessions.move_to_end(session)
            return frozenset(ids)

    def remember(self, session: str, ids: Iterable[str]) -> None:
        """Note that these skills' bodies were handed to this session, or opened by it."""
        new = [skill_id for skill_id in ids if skill_id]
        if not session or not new or self.kind == "turn":
            return
        with self._lock:
            self._reload()
            now = time.time()
            self._add(session, new, now)
            self._append({"session": session, "ids": new, "at": round(now, 3)})

    def clear(self, session: str) -> None:
        """Forget what this session holds: after a compaction, an undo or a new start."""
        if not session:
            return
        with self._lock:
            self._reload()
            if self._sessions.pop(session, None) is not None:
                self._append({"session": session, "clear": True, "at": round(time.time(), 3)})

    def _add(self, session: str, ids: Iterable[str], at: float) -> None:
        known = self._sessions.setdefault(session, OrderedDict())
        self._sessions.move_to_end(session)
        for skill_id in ids:
            known[skill_id] = at
            known.move_to_end(skill_id)
        while len(known) > _MOST_IDS:
            known.popitem(last=False)
        while len(self._sessions) > self._max_sessions:
            self._sessions.popitem(last=False)

    # The file: lines of JSON, appended by many processes without a lock.

    def _reload(self) -> None:
        if self._path is None:
            return
        try:
            state = self._path.stat()
            signature = (state.st_size, state.st_mtime_ns, state.st_ino)
            if signature == self._signature:
                return
            text = self._path.read_bytes().decode("utf-8", "replace")
        except OSError:
            return
        self._signature = signature
        self._sessions.clear()
        oldest = time.time() - _MAX_AGE_S
        for line in text.splitlines():
            record = _record(line)
            if record is None or record["at"] < oldest:
                continue
            if record.get("clear"):
                self._sessions.pop(record["session"], None)
            else:
                self._add(record["session"], record["ids"], record["at"])

    def _append(self, record: dict[str, Any]) -> None:
        if self._path is None:
            return
        import json  # late: only hosts whose processes are short keep a file

        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # One write in append mode: lines of several processes follow each other and do not mix. The newline in
            # front keeps this line whole after one that a killed process left unfinished.
            line = "\n" + json.dumps(record, ensure_ascii=True) + "\n"
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(handle, line.encode("ascii"))
                size = os.fstat(handle).st_size
            finally:
                os.close(handle)
            if size > _COMPACT_BYTES:
                self._compact()
        except OSError:
            return

    def _compact(self) -> None:
        """Write what still counts aside and put it in place at once; a line appended in between may be lost."""
        import json

        assert self._path is not None
        self._signature = None
        self._reload()
        kept = [
            json.dumps({"session": session, "ids": [skill_id], "at": at})
            for session, ids in self._sessions.items()
            for skill_id, at in ids.items()
        ]
        # The newest half at most, or a file of live sessions would be rewritten at every line.
        while kept and sum(len(line) + 1 for line in kept) > _COMPACT_BYTES // 2:
            kept = kept[len(kept) // 4 + 1 :]
        aside = self._path.with_name(f"{self._path.name}.{os.getpid()}.{threading.get_ident()}.new")
        try:
            handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(handle, "w", encoding="ascii") as file:
                file.write("\n".join(kept) + "\n")
            aside.replace(self._path)
        finally:
            aside.unlink(missing_ok=True)


def _record(line: str) -> dict[str, Any] | None:
    """The record of a line of the file, None for anything else."""
    import json

    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not isinstance(record.get("session"), str):
        return None
    at, ids = record.get("at"), record.get("ids", [])
    if not isinstance(at, int | float) or not isinstance(ids, list) or not all(isinstance(i, str) for i in ids):
        return None
    return record
