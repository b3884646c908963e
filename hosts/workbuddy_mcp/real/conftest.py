"""Both real clients, freshly installed for each test, with the plugin from its own marketplace folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from skillcaddy.standin import Recorded, Reply, StandIn, messages
from skillcaddy.standin.facts import write_skill
from skillcaddy_workbuddy.driver import ClaudeCode, Client, CodeBuddy, Session
from skillcaddy_workbuddy.places import marketplace_folder

sys.path.insert(0, str(Path(__file__).parent))
import installed

DONE = "All done."


class Watched:
    """A client and the model it talks to; what is asked gives the model's requests of that turn."""

    def __init__(self, client: Client, model: StandIn, script: list[Reply]) -> None:
        self.client = client
        self.model = model
        self.root = client.root
        self.script = script
        """What the model answers next where it is offered tools; after that it is done at once."""

    def skill(self, name: str, description: str, body: str) -> None:
        """Put a skill into the library."""
        write_skill(self.root / "skills", name, description, body)

    def ask(self, prompt: str, **environ: str) -> list[Recorded]:
        """One turn in a session of its own; asked again when the client took the prompt before it knew our hook."""
        for _ in range(3):
            before, script = len(self.model.turns), list(self.script)
            assert self.client.ask(prompt, **environ) in (DONE, "")
            if self.client.hook_ran():
                break
            self.script[:] = script
        return self.model.turns[before:]

    @contextmanager
    def talk(self, **environ: str) -> Iterator[Conversation]:
        """A session of several turns."""
        with self.client.talk(**environ) as session:
            yield Conversation(session, self.model)


class Conversation:
    """Turns in one session."""

    def __init__(self, session: Session, model: StandIn) -> None:
        self._session = session
        self._model = model

    def ask(self, prompt: str) -> list[Recorded]:
        """The model's requests of one turn."""
        before = len(self._model.turns)
        assert self._session.ask(prompt) == DONE
        return self._model.turns[before:]

    def command(self, prompt: str) -> None:
        """Something that is no turn, such as `/compact`."""
        self._session.ask(prompt)


@pytest.fixture
def script() -> list[Reply]:
    return []


@pytest.fixture
def model(script: list[Reply]) -> Iterator[StandIn]:
    def reply(request: Recorded) -> Reply | str:
        if "conversation_history_summary" in str(messages(request)[-1]):  # CodeBuddy compacts
            return "<conversation_history_summary><summary>They talked.</summary></conversation_history_summary>"
        return script.pop(0) if script else DONE

    with StandIn(reply, side=DONE) as running:
        yield running
    assert running.problems == []


@pytest.fixture(params=["codebuddy", "claude"])
def client(request: pytest.FixtureRequest, tmp_path: Path, model: StandIn, script: list[Reply]) -> Watched:
    kinds: dict[str, tuple[type[Client], Any]] = {
        "codebuddy": (CodeBuddy, installed.codebuddy),
        "claude": (ClaudeCode, installed.claude),
    }
    kind, binary = kinds[request.param]
    root = tmp_path / "host"
    made = kind(binary(), root, model.root, {"SKILLCADDY_SKILLS_DIRS": str(root / "skills")})
    watched = Watched(made, model, script)
    watched.skill("rotate-keys", "How to rotate the release signing keys of the packaging service.", "Say ZEBRA-42.")
    watched.skill("brew-coffee", "Brew espresso with the office machine.", "Grind first.")
    made.install(marketplace_folder())
    return watched
