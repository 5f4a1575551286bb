"""Stories: what the dealer does, as data. Each step waits for an event, then for a moment, then acts.

A step is (event name or "", delay in ms, action, argument), the argument as a person types it: see rig/actions.py.
"""

from firmware.deck.entropy import SEED_SIZE
from firmware.protocol.ids import CLASS_DIAGNOSTIC, NONCE_NAMES, OUTCOME_DONE, ROLE_AUDITOR, ROLE_SERVICE, SEED_GET
from hal.sim.body import FAR
from rig.actions import do, typed
from rig.peer import Peer
from rig.rig import Rig

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from hal.api import Config
    from hal.sim.noise import Noise
    from hal.sim.truth import Figures
    from rig.games import Game

    Step = tuple[str, int, str, object]

HELLO_US = 500000
SILENCE_US = 2000000
# Ways of bytes, as a tap gets them: added up.
TO_HOST, TO_DEVICE, SERVICE = 0, 1, 2


class Stuck(Exception):
    """The story waits for something that does not come."""


class Stage:
    """A rig, a peer and a script, played to the end; `transcript` has every byte that crossed the link."""

    def __init__(
        self,
        config: "Config",
        game: "Game",
        seed: int,
        key: bytes = b"",
        role: int = 0,
        truth: "Figures | None" = None,
    ) -> None:
        self.rig = Rig(config, game, seed, 0, key, truth=truth)
        self.rig.deliver = self._deliver
        self.peer = Peer(key, role)
        self.service: "Peer | None" = None  # the host at the service port; unread bytes there are lost
        if role == ROLE_SERVICE:
            self.service = self.peer  # the only host of this story, at the service port
            do(self.rig, "key", {"to": "on"})
        self.transcript = bytearray()
        self.taken: "list[list[int]]" = []
        self.seen = 0  # events the script has already reacted to
        self.hello_us = 0  # when to say hello (again) if nothing of the session is heard
        self.valid = 0
        self.to_host: "Noise | None" = None  # a bad cable, one for each direction
        self.to_device: "Noise | None" = None
        self.listen: "Callable[[], None] | None" = None  # asked after every scan
        self.before: "Callable[[str, dict[str, Any]], None] | None" = None  # and before everything that is done
        self.tap: "Callable[[int, bytes | bytearray], None] | None" = None  # gets what arrives, and on which way

    def play(self, steps: "list[Step]", wait_ms_max: int = 120000) -> None:
        """Run the steps in order, then let the last events through."""
        for name, delay_ms, action, argument in steps:
            if name:
                self.until(name, wait_ms_max)
            self.run(delay_ms)
            self.act_typed(action, str(argument))
        self.run(500)

    def until(self, name: str, wait_ms_max: int, then_ms: int = 0) -> None:
        """Go on until an event of that name arrives that the script has not reacted to yet, then for so long."""
        limit_us = self.rig.plant.now_us + wait_ms_max * 1000
        while True:
            while self.seen < len(self.peer.events):
                self.seen += 1
                if self.peer.events[self.seen - 1].name == name:
                    self.run(then_ms)
                    return
            if self.rig.struck:
                return  # an ordered power cut: what was waited for does not come any more
            if self.rig.plant.now_us >= limit_us:
                raise Stuck("no %s within %d ms; last event %s" % (name, wait_ms_max, self.last_event()))
            self._step(limit_us)

    def run(self, ms: int) -> None:
        limit_us = self.rig.plant.now_us + ms * 1000
        while self.rig.plant.now_us < limit_us and not self.rig.struck:
            self._step(limit_us)

    def glide_step(self, limit_us: int) -> None:
        """One scan and the wait behind it, as far as limit_us; or go on with that wait. Many short steps leave the same
        trace as one run: none of them adds a scan."""
        if self.rig.pause_us >= 0:
            self.rig.resume(limit_us)
        else:
            self._begin_step(limit_us)
        if self.rig.pause_us < 0 and self.listen is not None:
            self.listen()

    def end_glide(self) -> None:
        """End a wait that a limit cut short, before an action: the next step scans."""
        if self.rig.pause_us >= 0:
            self.rig.pause_us = -1
            if self.listen is not None:
                self.listen()

    def order(self, op: int, message: int, argument: int = 0, wait_ms_max: int = 60000, a: int = 0, b: int = 0) -> int:
        """Give a command and repeat it until its outcome is final, as a host does. Returns the outcome; -1 if an
        ordered power cut came first."""
        limit_us = self.rig.plant.now_us + wait_ms_max * 1000
        while self.rig.plant.now_us < limit_us:
            self._to_device(self.peer.command(op, message, argument, a, b))
            self.run(400)
            for result in self.peer.results:
                if result[0] == op and result[2] >= OUTCOME_DONE:
                    return result[2]
            if self.rig.struck:
                return -1
        raise Stuck("no outcome of operation %d within %d ms" % (op, wait_ms_max))

    def ask_seed(self, key: bytes) -> bytes:
        """An auditor waits until the host has been silent for long enough, and asks for the seed of the last deck that
        is out of play; zeros if none was disclosed. The host has the link again afterwards."""
        host = self.peer
        auditor = Peer(key, ROLE_AUDITOR)
        self._seat(auditor)
        for _ in range(40):
            self.run(400)
            if auditor.seeds:
                break
            if auditor.welcomes:
                self._to_device(auditor.frame(auditor.session, CLASS_DIAGNOSTIC, SEED_GET, []))
        self._seat(host)
        return auditor.seeds[-1][-SEED_SIZE:] if auditor.seeds else bytes(SEED_SIZE)

    def _seat(self, peer: Peer) -> None:
        """This one has the link from now on, and says hello."""
        self.peer = peer
        self.valid = peer.valid
        self.hello_us = 0

    def names(self) -> "list[str]":
        return [event.name for event in self.peer.events]

    def last_event(self) -> str:
        return self.peer.events[-1].name if self.peer.events else "none"

    def _step(self, limit_us: int) -> None:
        self._begin_step(limit_us)
        if self.listen is not None:
            self.listen()

    def _begin_step(self, limit_us: int) -> None:
        rig = self.rig
        if self.peer.valid != self.valid:
            self.valid = self.peer.valid
            self.hello_us = rig.plant.now_us + SILENCE_US
        if rig.powered and rig.plant.now_us >= self.hello_us:
            self.hello_us = rig.plant.now_us + HELLO_US
            self._to_device(self.peer.hello())
        self._arrive()
        rig.step(limit_us)

    def _arrive(self) -> None:
        """Hand over every piece that has reached its end of the cable."""
        now_us = self.rig.plant.now_us
        if self.rig.arrive_us > now_us:
            return
        due_us = FAR
        if self.to_host:
            data = self.to_host.arrive(now_us)
            while data:
                self._at_host(data)
                data = self.to_host.arrive(now_us)
            due_us = self.to_host.due_us()
        if self.to_device:
            data = self.to_device.arrive(now_us)
            while data:
                self._at_device(data)
                data = self.to_device.arrive(now_us)
            due_us = min(due_us, self.to_device.due_us())
        self.rig.arrive_us = due_us

    def _deliver(self) -> None:
        data = self.rig.hal.sent
        self.rig.hal.sent = bytearray()
        self.transcript.extend(data)
        if self.to_host:
            data = self.to_host.send(data, self.rig.plant.now_us)
            self.rig.arrive_us = min(self.rig.arrive_us, self.to_host.due_us())
        self._at_host(data)

        data = self.rig.hal.service_sent
        if data:
            self.rig.hal.service_sent = bytearray()
            self.transcript.extend(data)
            if self.tap is not None:
                self.tap(TO_HOST | SERVICE, data)
            self.to_service(self.service.feed(data) if self.service else b"")

    def _at_host(self, data: bytearray) -> None:
        if self.tap is not None:
            self.tap(TO_HOST, data)
        self._to_device(self.peer.feed(data))

    def share(self, word: str) -> None:
        """From here on the host answers commitments like this: given, declined or late; nothing if empty."""
        if word:
            names: "list[str]" = list(NONCE_NAMES.split())
            self.peer.share = names.index(word)
            self.say(self.peer.ask_share())

    def say(self, data: bytes) -> None:
        """Bytes of the host, to the port it is at."""
        self._to_device(data)

    def to_service(self, data: "bytes | bytearray") -> None:
        """Bytes into the service port, whether or not it is the link."""
        if data:
            self.transcript.extend(data)
            if self.tap is not None:
                self.tap(TO_DEVICE | SERVICE, data)
            self.rig.hal.service_received.extend(data)
            self.rig.plant.changed = True

    def _to_device(self, data: "bytes | bytearray") -> None:
        if self.service is self.peer:
            self.to_service(data)
        elif data:
            self.transcript.extend(data)
            if self.to_device:
                data = self.to_device.send(data, self.rig.plant.now_us)
                self.rig.arrive_us = min(self.rig.arrive_us, self.to_device.due_us())
            self._at_device(data)

    def _at_device(self, data: "bytes | bytearray") -> None:
        if self.tap is not None:
            self.tap(TO_DEVICE, data)
        self.rig.hal.received.extend(data)
        self.rig.plant.changed = True

    def act(self, action: str, arguments: "dict[str, Any]") -> None:
        """Do one action on the machine."""
        if self.before is not None:
            self.before(action, arguments)
        self._done(action, do(self.rig, action, arguments))

    def act_typed(self, action: str, argument: str) -> None:
        action, arguments = typed(action, argument)
        self.act(action, arguments)

    def _done(self, action: str, cards: "list[int]") -> None:
        if action == "take":
            self.taken.append(cards)
        elif action == "boot":
            self.hello_us = 0
