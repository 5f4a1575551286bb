"""Both clients behave alike: tests/behaviour/hosts.json says what a device does and what a host makes of it, and is
played here against Core with its store, in tests/js/behaviour.test.mjs against the client for JavaScript."""

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from fairshoe import errors, keys, messages
from fairshoe.client.command_queue import Pending
from fairshoe.client.exchange import Core
from fairshoe.client.notices import EventsElsewhere
from fairshoe.client.store import Arrived, Store
from fairshoe.link import framing
from fairshoe.link.session import HostSession

ROOT = Path(__file__).resolve().parents[3]
CASES: list[dict[str, Any]] = json.loads((ROOT / "tests" / "behaviour" / "hosts.json").read_text())
DEVICE = 5
TABLE = keys.role_key(bytes(range(32)), messages.Role.TABLE)
COMMANDS = {kind.NAME: kind for kind in messages.ALL if issubclass(kind, messages.Command)}
NOTHING: dict[str, Any] = {"error": None, "acked": 0, "taken": [], "missing": [], "sent": [], "outcomes": []}


def identity(letter: str) -> bytes:
    return letter.encode() * 16


def door_opened(seq: int, boot: int = 1) -> messages.DoorOpened:
    return messages.DoorOpened(seq, boot, 3, 250, 0, 0, 0)


def body_of(event: messages.Event) -> bytes:
    return event.LAYOUT.pack(*(getattr(event, it.name) for it in fields(event)))


class ScriptedDevice:
    """Says only what a case makes it say; answers hellos and the question which log it writes."""

    def __init__(self) -> None:
        self.log: str | None = "a"
        self.acked = 0
        self.sent: list[str] = []  # commands, each once
        self.output = bytearray()
        self._welcome: dict[str, Any] = {}
        self._session = 0
        self._sequence = 0
        self._seal: keys.Seal | None = None

    def welcome(self, values: dict[str, Any]) -> None:
        self._welcome = {"boot": 1, "seq_first": 1, "seq_last": 0, "op_last": 0, **values}

    def say(self, message: messages.Message) -> None:
        self.output += framing.encode(message, self._session, self._sequence, 0, self._seal)
        self._sequence += 1

    def say_log(self) -> None:
        if self.log is not None:
            self.say(messages.JournalIs(1, 1, 0, 1, identity(self.log), bytes(32), bytes(16)))

    def hear(self, message: messages.Message) -> None:
        if isinstance(message, messages.Hello) and self._welcome:
            self._open(message)
        elif isinstance(message, messages.JournalGet):
            self.say_log()
        elif isinstance(message, messages.EventAck):
            self.acked = max(self.acked, message.seq)
        elif isinstance(message, messages.Command):
            text = " ".join((message.NAME, *(str(int(getattr(message, it.name))) for it in fields(message))))
            if text not in self.sent:
                self.sent.append(text)

    def _open(self, hello: messages.Hello) -> None:
        self._session += 1
        self._sequence = 0
        nonce = bytes([self._session]) * 16
        secret = keys.session_key(TABLE.secret, hello.version_max, self._session, hello.nonce, nonce)
        self._seal = keys.device_sealer(secret)
        said: dict[str, Any] = {"mode": messages.Mode.TABLE, "has_key": 1, "dictionary": bytes(8), "game": "CS"}
        self.say(messages.Welcome(1, hello.role, nonce, hello.nonce, DEVICE, firmware="x", **said, **self._welcome))


class Play:
    """One case."""

    def __init__(self, case: dict[str, Any], store: Store) -> None:
        for letter, boot, last in case.get("on_file", []):
            log = store.resume(DEVICE, identity(letter), last, boot, new_log=True)
            event = door_opened(last, boot)
            store.add(log.id, [Arrived(last, event, body_of(event))])
            store.handled(log.id, last)
        if "unfinished" in case:
            name, op, *arguments = case["unfinished"]
            store.begin(DEVICE, messages.Role.TABLE, op - 1, name, arguments[0] if arguments else {})
        self.store = store
        self.device = ScriptedDevice()
        session = HostSession(TABLE, asks_log=True)
        self.core = Core("case", session, store=store, new_log=case.get("new_log", False), clock=False)
        self.now = 0.0
        self.error: str | None = None
        self.taken: list[int] = []
        self.given: list[Pending] = []
        self._device_hears = framing.Decoder()

    def step(self, what: str, value: Any = None, arguments: dict[str, int] | None = None) -> None:
        if what == "welcome":
            self.device.welcome(value)
            self.core.link_lost("a new session", self.now)
            self.core.relink()
        elif what == "log":
            self.device.log = value
        elif what == "event":
            self.device.say(door_opened(value))
        elif what == "result":
            outcome = messages.Outcome[value["outcome"].upper()]
            self.device.say(messages.Result(value["op"], value["command"], outcome, messages.Reason.NONE, 0))
        elif what == "command":
            self.given.append(self.core.start(COMMANDS[value], arguments or {}))
        elif what == "resume":
            unfinished = self.core.unfinished()
            if unfinished is not None:
                self.given.append(self.core.resume(unfinished))
        for _ in range(16):
            self._pass()

    def _pass(self) -> None:
        self.now += 0.1
        try:
            self.core.tick(self.now)
            for frame in self._device_hears.feed(self.core.output()):
                self.device.hear(frame.message)
            said, self.device.output = bytes(self.device.output), bytearray()
            self.core.feed(said, self.now)
        except errors.StorageReplaced as error:
            self.error = type(error).__name__
        message = self.core.next_message()
        while message is not None:
            if isinstance(message, messages.Event):
                self.taken.append(message.seq)
            self.core.acknowledge()
            message = self.core.next_message()

    def then(self) -> dict[str, Any]:
        missing = [[it.first, it.last] for it in self.core.notices if isinstance(it, EventsElsewhere)]
        ended = [it.result for it in self.given if it.result is not None]
        return {
            "error": self.error,
            "acked": self.device.acked,
            "taken": self.taken,
            "missing": missing,
            "sent": self.device.sent,
            "outcomes": [f"{it.op} {it.outcome.name.lower()}" for it in ended],
            "logs": [[log.identity[:1].decode(), log.last] for log in self.store.logs()],
        }


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.db") as store:
        yield store


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_host_behaves_as_the_table_says(case: dict[str, Any], store: Store) -> None:
    play = Play(case, store)
    for step in case["steps"]:
        play.step(*step)
    assert play.then() == NOTHING | case["then"]
