"""Records the steps of tables/key.steps while real firmware runs, and holds them against the table.

Keys have the numbers in which they came into force. What a cut left half done is known at the next boot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from firmware.digest import Hmac
from firmware.journal import keys, seals
from firmware.journal import store as journal
from firmware.protocol import ids
from model.monitor import Monitor, Rejected
from model.steps import Table, source_of

Step = tuple[Any, ...]
Real = Callable[..., Any]
_SEAL_LABEL = b"fairshoe seal"
_NO_BOUND = 1 << 30
_BOUNDS = {"GENERATIONS": _NO_BOUND, "CUTS": _NO_BOUND, "FAILS": _NO_BOUND}


def _init(trace: Any, real: Real, self: Any, storage: Any) -> None:
    trace.keys.append(("begins",))
    real(self, storage)
    trace.keys.append(("boot", self._pair.generation, self.key))


def _store(trace: Any, real: Real, self: Any, key: bytes) -> bool:
    trace.keys.append(("store",))
    done = real(self, key)
    trace.keys.append(("stored", done))
    return done


def _write(trace: Any, real: Real, self: Any, key: bytes) -> bool:
    trace.keys.append(("write", bytes(key)))
    done = real(self, key)
    trace.keys.append(("wrote", bytes(key), done))
    return done


def _sign(trace: Any, real: Real, self: Any, *rest: Any) -> None:
    real(self, *rest)
    right = Hmac(Hmac(self.keys.key).digest(_SEAL_LABEL, b""))
    same = self.hmac is not None and self.hmac.digest(b"", b"") == right.digest(b"", b"")
    trace.keys.append(("seal", self.keys.generation(), self.keys.key if same else b""))


def _append(trace: Any, real: Real, self: Any, message: int, prefix: Any, values: Any, text: Any) -> bool:
    if message not in (ids.EV_KEY_CHANGED, ids.EV_SEALED):
        return real(self, message, prefix, values, text)
    trace.keys.append(("appends", self.seq_last + 1, message, *values[:1]))
    done = real(self, message, prefix, values, text)
    if done:
        trace.keys.append(("appended",))
    return done


def _recover(trace: Any, real: Real, self: Any, hal: Any) -> None:
    real(self, hal)
    trace.keys.append(("journal", self.seq_last))


HOOKS: list[tuple[Any, str, Callable[..., Any]]] = [
    (keys.Keys, "__init__", _init),
    (keys.Keys, "store", _store),
    (keys.Keys, "_write", _write),
    (seals.Sealer, "sign", _sign),
    (journal.Journal, "append", _append),
    (journal.Journal, "recover", _recover),
]


def replay_keys(steps: Sequence[Step]) -> str:
    """The first step that the table does not allow; empty if there is none."""
    run = _Replay()
    for at, step in enumerate(steps):
        try:
            run.take(*step)
        except (Rejected, AssertionError) as error:
            return f"key step {at}, {step[0]}: {error or 'a promise of the table is broken'}"
    return ""


class _Replay:
    def __init__(self) -> None:
        self.booting, self.failed = True, False
        self.journal = -1  # its last number; a device that is being made has none yet
        self._new()

    def _new(self) -> None:
        self.monitor = Monitor(Table(source_of("key"), _BOUNDS))
        self.state = self.monitor.state
        self.numbers: dict[bytes, int] = {b"": 0}
        self.half: Step = ()  # a write or a record that has begun
        self.changed = False

    def take(self, name: str, *values: Any) -> None:
        if name in ("begins", "journal"):
            self.booting = True
        if name == "begins":
            self.failed = False
        elif name == "journal":
            self.journal = values[0]
        elif name == "wrote" and self.booting:
            self.failed = not values[1]
        elif name == "boot" and self.journal >= 0:
            self._boot(*values)
        elif not self.booting:
            getattr(self, f"_{name}")(*values)

    def _boot(self, generation: int, key: bytes) -> None:
        """After the journal was read, which is empty in a new device or on a new chip, and the cells are settled."""
        if not self.journal:
            self._new()
            if generation:
                self.numbers[key] = 1
                self.monitor.take("provision")
        elif self.state["up"]:
            self._on_record()
            self._left_behind(generation)
            self.monitor.take("cut")
        self.monitor.take("boot_settle_fails" if self.failed else "boot")
        self._expect("generation", generation)
        self._expect("key", self.numbers.get(key, -1))
        self.booting, self.half = False, ()

    def _left_behind(self, generation: int) -> None:
        """What was whole when power failed, though the firmware had not heard of it."""
        if self.half[:1] == ("write",) and not self.state["stage"] and generation > self.state["generation"]:
            self._written(self.half[1])
        elif self.half[:1] == ("append",) and self.half[1] <= self.journal:
            self._appended()

    def _on_record(self) -> None:
        if not self.state["records"]:
            self.monitor.take("first_record")

    def _store(self) -> None:
        self.changed = False

    def _stored(self, done: bool) -> None:
        if done != self.changed:
            raise Rejected(f"the answer is {done}, and the next boot finds {self.changed}")

    def _write(self, key: bytes) -> None:
        self.half = ("write", key)

    def _wrote(self, key: bytes, done: bool) -> None:
        self.half = ()
        if done:
            self._written(key)
            if self.state["stage"] == 1:
                self.monitor.take("in_force")
        elif self.state["stage"] == 2:
            self.monitor.take("second_fails")
        elif self.state["generation"] % 2 == 0:
            self.monitor.take("change_fails")

    def _written(self, key: bytes) -> None:
        if self.state["stage"] == 2:
            self.monitor.take("second")
        elif self.state["generation"] % 2:
            self.monitor.take("settle")
        else:
            self.monitor.take("change")
            self.numbers[key] = self.state["old"] + 1
            self.changed = True
            return
        self._expect("key", self.numbers.get(key, -1))

    def _appends(self, seq: int, message: int, generation: int = 0) -> None:
        if message == ids.EV_KEY_CHANGED:
            self._expect("due", generation)
        self.half = ("append", seq, message)

    def _seal(self, generation: int, key: bytes) -> None:
        self._on_record()
        self.monitor.take("seal")
        self._expect("key", generation)
        self._expect("key", self.numbers.get(key, -1))

    def _appended(self) -> None:
        message = self.half[2]
        self.half = ()
        if message == ids.EV_KEY_CHANGED:
            self.monitor.take("record")
        elif self.state["first"]:
            self.monitor.take("seal_recorded")

    def _expect(self, name: str, value: int) -> None:
        if self.state[name] != value:
            raise Rejected(f"{name} is {self.state[name]} in the model, {value} in the run")
