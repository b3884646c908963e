"""The process that a host starts for each prompt: it prints one JSON document with the skills that fit, or nothing.

Hosts of this kind show the model whatever a hook prints and stop the turn for a hook that fails or runs late. So to say
nothing is to print nothing, the exit code is always 0, and a hard limit ends the process whatever hangs in it.
"""

from __future__ import annotations

import os
import threading
import time

from skillcaddy import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any, NoReturn

    from skillcaddy.loaded import Loaded
    from skillcaddy.models import ChatModel
    from skillcaddy.settings import Settings

LIMIT_S = 8.5
"""Seconds after which the process ends in any case; the hook's manifest allows 10, the shell before us takes some."""
_MARGIN_S = 0.6
_SETTLE_S = 1.0
_MOST_BYTES = 64 * 1024 * 1024


def run(*, host: str, load: Callable[[], Loaded], held: Path | None = None, limit_s: float = LIMIT_S) -> NoReturn:
    """Answer the event on stdin and end the process with exit code 0, at the latest after `limit_s` seconds.

    `load` gives the settings, `held` is the file in which the sessions' deliveries are remembered from one process to
    the next.
    """
    import gc

    ends_at = time.monotonic() + limit_s
    _arm(limit_s)
    gc.disable()  # a process this short has nothing to collect, and looking for it costs milliseconds
    try:
        stdio = wire.Stdio.take()
        event = _read(stdio)
        text = answer(event, host=host, load=load, held=held, ends_at=ends_at) if event else ""
        if text:
            stdio.write(document(text))
            # CodeBuddy throws away what it has not read when it learns that the process has ended.
            stdio.settle(min(_SETTLE_S, ends_at - time.monotonic()))
    except BaseException as error:  # noqa: BLE001 - a failing hook would stop the user's turn
        wire.complain(f"hook: {type(error).__name__}: {error}")
    wire.leave(0)


def answer(event: dict[str, Any], *, host: str, load: Callable[[], Loaded], held: Path | None, ends_at: float) -> str:
    """The text to add for this event; "" for nothing, which is also what everything but a user's prompt gets."""
    name, session = event.get("hook_event_name"), event.get("session_id")
    session = session if isinstance(session, str) else ""
    if _forgets(event):
        if held is not None and held.exists():
            from skillcaddy.retention import Retention

            Retention("process", path=held).clear(session)
        return ""
    prompt = event.get("prompt")
    if name not in (None, "UserPromptSubmit") or event.get("is_internal_continuation") is True:
        return ""
    if not isinstance(prompt, str) or not prompt.strip():
        return ""
    loaded = load()
    for warning in loaded.warnings:
        wire.complain(warning)
    if loaded.settings.mode != "auto":
        return ""
    return _retrieve(event, prompt, session, host, loaded, held, ends_at)


def document(text: str) -> bytes:
    """What the host reads: one line of ASCII JSON that adds the text to the prompt's context."""
    import json

    added = {"hookEventName": "UserPromptSubmit", "additionalContext": text}
    return json.dumps({"continue": True, "hookSpecificOutput": added}).encode("ascii") + b"\n"


def _retrieve(
    event: dict[str, Any], prompt: str, session: str, host: str, loaded: Loaded, held: Path | None, ends_at: float
) -> str:
    from skillcaddy.engine import Engine
    from skillcaddy.request import Request
    from skillcaddy.retention import Retention

    settings, workspace = loaded.settings, event.get("cwd")
    request = Request(
        query=prompt,
        surface="auto",
        host=host,
        session=session,
        workspace=workspace if isinstance(workspace, str) else "",
        deadline_s=max(0.1, min(settings.deadline_auto_s, ends_at - time.monotonic() - _MARGIN_S)),
    )
    engine = Engine(
        settings,
        model=_model(settings),
        state_dir=loaded.locations.state_dir,
        data_dir=loaded.locations.data_dir,
        indexing="turn",
        retention=Retention("process", path=held) if held is not None else None,
    )
    return engine.retrieve(request).text


def _model(settings: Settings) -> ChatModel | None:
    """The endpoint's model; a hook is offered none by its host."""
    if not settings.model_base_url.strip():
        return None
    from skillcaddy.model_choice import choose_model  # late: most deployments have no endpoint

    return choose_model(settings)


def _forgets(event: dict[str, Any]) -> bool:
    """True for an event after which the model no longer sees what earlier hooks of its session added.

    A start is none: there is nothing to forget yet, and CodeBuddy sends it beside, even after, the first prompt.
    """
    return event.get("hook_event_name") == "SessionStart" and event.get("source") != "startup"


def _read(stdio: wire.Stdio) -> dict[str, Any]:
    import json

    parts: list[bytes] = []
    size = 0
    while (chunk := stdio.read(1 << 20)) and size <= _MOST_BYTES:
        parts.append(chunk)
        size += len(chunk)
    event = json.loads(b"".join(parts).decode("utf-8-sig", "replace") or "{}")
    return event if isinstance(event, dict) else {}


def _arm(limit_s: float) -> None:
    """End the process after this many seconds, even if it hangs in C code that never lets another thread run."""
    import faulthandler

    def end() -> None:
        time.sleep(limit_s)
        os._exit(0)

    threading.Thread(target=end, name="hook-limit", daemon=True).start()
    # The thread above needs the interpreter's lock; this one does not, but its exit code is 1, so it comes second.
    sink = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - must stay open
    faulthandler.dump_traceback_later(limit_s + 0.3, exit=True, file=sink)
