"""The bus of buttons, lamps and display hangs: a chip holds it low. The contact of the storage is bad."""

from __future__ import annotations

from hil.faults import DARK_MS, mid_card, warned
from hil.line import unharmed
from hil.player import Player, expect
from hil.rounds import check_display_round, good_round, round_by_display

FLIP_BYTES = 1000  # a start reads some 40,000
CONTACT_MS = 3000
HUNG_MS = 2500  # less than the 3 s after which a panel is lost
LOST_MS = 5000
CLOCKS = 9  # of a byte and its acknowledgement


def held(player: Player) -> None:
    """Held low for 2.5 s while cards move: scans keep their budget, and when it is free the display works again."""
    first = len(player.events)
    mid_card(player)
    player.board.hang_bus(0)
    player.run(HUNG_MS)
    player.board.free_bus()
    player.run(HUNG_MS)
    unharmed(player, first)
    expect(player.board.display()[0].strip() != "", "the display stays empty")


def clocked(player: Player) -> None:
    """Held by a chip that misses the clocks of one byte: the device gives them, and buttons and display work again."""
    first = len(player.events)
    player.board.hang_bus(CLOCKS)
    player.run(HUNG_MS)
    round_by_display(player, listening=True)
    check_display_round(player, first)
    unharmed(player, first)


def lost(player: Player) -> None:
    """Held low at rest for longer than 3 s: a warning names the panel, and can be cleared when it is back."""
    first = len(player.events)
    player.board.hang_bus(0)
    player.run(LOST_MS)
    warned(player, first, "PANEL")
    player.board.free_bus()
    player.run(HUNG_MS)
    player.play([("", 0, "press", "ack"), ("warning_cleared", 100, "wait", "")])


def contact(player: Player) -> None:
    """A start with a bad contact at the storage, then a whole round: no wrong read counts, and nothing is lost."""
    good_round(player)
    for bytes_a_flip in (FLIP_BYTES, 0):  # where the first start finds what it cannot read, the second goes on
        player.board.power_off(DARK_MS)
        player.board.power_on()
        player.board.bad_contact(bytes_a_flip)
        player.board.run_us(CONTACT_MS * 1000)
    player.until("empty_proved")
    player.board.bad_contact(FLIP_BYTES)
    good_round(player)
    player.board.bad_contact(0)
