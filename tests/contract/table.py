"""A real port with the firmware on it, a machine at its pins, a dealer's hands and a listening host.

What rig/ is for the simulated port. The loop is that of firmware/main.py: scan, then idle in the port itself; hands and
host are those of rig/, which find here what they ask of a rig and a stage.
"""

from firmware.app import App
from firmware.protocol.dictionary import Words
from rig.actions import do
from rig.games import load_profile
from rig.peer import Peer

BEAT_MS = 200  # as in firmware/main.py
ZERO_WAKES_MAX = 200
WORDS = Words()


class Storage:
    """What the operator asks of it: nothing is cut here."""

    cut_at = -1


class BoardRig:
    """A device of which the hands see the plant, and the operator the display and the app."""

    powered = True
    reset_us = -1
    cut_us = -1
    cut_frame = -1

    def __init__(self, board, game):
        self.board = board
        self.plant = board.plant
        self.nv = Storage()
        self.game = game
        self.boot()

    def boot(self):
        self.board.restart()
        self.hal = self.board.hal
        self.app = App(self.hal, self.board.config, load_profile(self.game), 0, WORDS)


class Table:
    """A table with a dealer."""

    to_host = None

    def __init__(self, board, game):
        self.board = board
        board.world.uart_room = 1024
        self.rig = BoardRig(board, game)
        self.peer = Peer()
        self.hello_us = 0
        self.scans = 0
        self.fed = 0

    def run(self, ms):
        plant, hal, app = self.rig.plant, self.rig.hal, self.rig.app
        limit_us = plant.now_us + ms * 1000
        zero = 0
        while plant.now_us < limit_us:
            if not self.peer.valid and plant.now_us >= self.hello_us:
                self.hello_us = plant.now_us + 500000
                self.board.receive(self.peer.hello())
            wake_ms = app.scan(hal.ticks_ms())
            self.scans += 1
            self._carry()
            if wake_ms <= 0:
                zero += 1
                assert zero < ZERO_WAKES_MAX, "the firmware keeps asking for scans"
                continue
            zero = 0
            hal.idle(min(wake_ms, BEAT_MS, (limit_us - plant.now_us) // 1000 + 1))

    def act(self, action, arguments):
        do(self.rig, action, arguments)
        self.board.world.show()

    def _carry(self):
        """What the device sent to the host, and its answer back."""
        uart = self.board.world.uart
        if uart.sent:
            data = uart.sent
            uart.sent = bytearray()
            self.board.receive(self.peer.feed(data))
