"""The bus of buttons, lamps and display hangs: a chip holds it low."""

from __future__ import annotations

from hil.faults import mid_card, warned
from hil.line import unharmed
from hil.player import Player, expect
from hil.rounds import check_display_round, round_by_display

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
