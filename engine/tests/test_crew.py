"""Several processes read a library together: nothing is lost, whatever becomes of one of them."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from builders import write_skill

SCRIPT = """
import os, struct, sys, threading
from skillcaddy.library import crew
from skillcaddy.library.manifest import survey

def main():
    crew._CHUNK, crew._CHILDREN_PAY_ABOVE = 2, 1
    parent, read = os.getpid(), crew.read_document

    def reading(located, roots):
        if os.getpid() != parent:
            os._exit(9)
        return read(located, roots)

    def answering(tickets, results, chunks, roots):
        tickets.get()
        os.write(results.fileno(), struct.pack("!i", 1_000_000) + b"a tenth of it")
        os._exit(9)

    if "{dies}" == "reading":
        crew.read_document = reading
    elif "{dies}" == "answering":
        crew._work = answering
    if {threads}:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    root = sys.argv[1]
    files = survey([root]).files
    with crew.Crew(files, (root,), 3) as readers:
        children = len(readers._children)
        names = [one.name for chunk in readers for one in chunk]
    print(children, len(names), *sorted(set(names)))

if __name__ == "__main__":
    main()
"""


def read_together(library: Path, tmp_path: Path, *, dies: str = "", threads: bool) -> list[str]:
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT.format(dies=dies, threads=threads)), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script), str(library)], capture_output=True, timeout=60, check=True, encoding="utf-8"
    )
    return done.stdout.split()


@pytest.mark.parametrize("threads", [False, True], ids=["alone", "with a thread"])
def test_every_file_is_read_once_by_whoever_is_free(library: Path, tmp_path: Path, threads: bool) -> None:
    names = [f"skill-{number:02}" for number in range(21)]
    for name in names:
        write_skill(library, name, f"Does {name}")
    assert read_together(library, tmp_path, threads=threads) == ["2", "21", *names]


@pytest.mark.skipif(sys.platform != "linux", reason="only a fork takes along the reader that kills its process")
@pytest.mark.parametrize("dies", ["reading", "answering"])
def test_what_a_child_that_dies_had_taken_is_read_again(library: Path, tmp_path: Path, dies: str) -> None:
    names = [f"skill-{number:02}" for number in range(21)]
    for name in names:
        write_skill(library, name, f"Does {name}")
    assert read_together(library, tmp_path, dies=dies, threads=False) == ["2", "21", *names]


ORPHAN = """
import os, signal, sys, time
from skillcaddy.library import crew
from skillcaddy.library.manifest import survey

def main():
    crew._CHUNK, crew._CHILDREN_PAY_ABOVE = 1, 1
    read = crew.read_document

    def reading(located, roots):
        with open(sys.argv[2], "a", encoding="utf-8") as log:
            log.write(located.file.folder + chr(10))
        time.sleep(0.05)
        return read(located, roots)

    crew.read_document = reading
    root = sys.argv[1]
    with crew.Crew(survey([root]).files, (root,), 3):
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a process cannot be killed so elsewhere, nor is it forked")
def test_a_child_whose_parent_was_killed_does_not_go_on(library: Path, tmp_path: Path) -> None:
    for number in range(60):
        write_skill(library, f"skill-{number:02}", f"Does {number}")
    script, log = tmp_path / "script.py", tmp_path / "log"
    script.write_text(textwrap.dedent(ORPHAN), encoding="utf-8")
    log.touch()
    # It returns when the child is gone too, which holds the same pipes.
    subprocess.run([sys.executable, str(script), str(library), str(log)], capture_output=True, timeout=60, check=False)
    assert len(log.read_text(encoding="utf-8").splitlines()) < 20
