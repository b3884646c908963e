"""`python -m skillcaddy.standin`: the stand-in model as a process of its own."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from dataclasses import asdict
from pathlib import Path

from skillcaddy.standin import Recorded, StandIn, from_json


def main(arguments: list[str] | None = None) -> int:
    """Serve until the time limit or a signal; the base URL goes to stdout first."""
    parser = argparse.ArgumentParser(prog="python -m skillcaddy.standin", description=__doc__)
    parser.add_argument("port", type=int, nargs="?", default=0, help="port on 127.0.0.1; 0 takes a free one")
    parser.add_argument("--script", type=Path, help="JSON list of replies")
    parser.add_argument("--after", default="Done.", help="the answer when the script is used up")
    parser.add_argument("--record", type=Path, help="file that gets one JSON line for each request")
    parser.add_argument("--lasts", type=float, default=600.0, metavar="SECONDS", help="stop by itself after this time")
    given = parser.parse_args(arguments)
    try:
        script = from_json(given.script.read_text(encoding="utf-8")) if given.script else []
    except (OSError, ValueError) as error:
        parser.error(f"--script: {error}")
    lock = threading.Lock()

    def record(visit: Recorded) -> None:
        with lock, given.record.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(visit), ensure_ascii=False) + "\n")

    standin = StandIn(
        script,
        after=given.after,
        port=given.port,
        lasts_s=given.lasts,
        on_request=record if given.record else None,
    )
    with standin:
        signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=standin.stop, daemon=True).start())
        sys.stdout.write(standin.url + "\n")
        sys.stdout.flush()
        try:
            standin.wait_until_stopped()
        except KeyboardInterrupt:
            return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
