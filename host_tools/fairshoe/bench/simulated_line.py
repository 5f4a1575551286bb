"""A simulated device for the bench: `sim://BOARD?seed=N` as a line that follows simulated time, and simulated hands."""

from __future__ import annotations

import json
from dataclasses import replace

from fairshoe.bench.steps import Board
from fairshoe.errors import PortError, UsageError
from fairshoe.sim.port import SimPort
from fairshoe.sim.setup import parse_url
from fairshoe.transport.urls import Port
from rig.actions import do


class SimLine:
    """Opened again it is the same device. Only the bench acts on it: the URL's own dealer is switched off."""

    def __init__(self, url: str) -> None:
        self.name = url
        setup = parse_url(url)
        if setup.storage:
            raise UsageError("a bench run starts with a fresh device.", "Leave storage= out of the URL.")
        self.sim = SimPort(replace(setup, dealer="none"))

    def open(self) -> Port:
        try:
            return self.sim.reopen()
        except OSError as error:
            raise PortError(f"cannot open {self.name}: {error.strerror}.", "Plug it in.") from error

    def lost(self, port: Port) -> None:
        """A simulated device stays where it is when its host goes."""

    def sleep(self, seconds: float) -> None:
        self.sim.sleep(seconds)

    def clock(self) -> float:
        return self.sim.clock()

    def act(self, action: str, argument: str = "") -> None:
        """What hands do, as in scenarios; a fault is given as JSON."""
        if action == "fault":
            do(self.sim.rig, action, json.loads(argument))
        else:
            self.sim.act(action, argument)

    def board(self) -> Board:
        """The simulator's settings for its machine."""
        rig = self.sim.rig
        mech = rig.config["mechanism"]
        return Board(
            name=rig.config["name"],
            kind=mech["kind"],
            crc=rig.board_crc,
            deck_cards=rig.app.flow.profile.deck_cards,
            places=mech.get("slot_count") or mech.get("shelf_count") or 0,
            count_assurance=mech["count_assurance"],
            clear_ack=bool(rig.config["link"].get("clear_ack")),
        )
