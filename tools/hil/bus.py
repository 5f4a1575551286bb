"""The bus of buttons, lamps and display hangs: a chip holds it low."""

from __future__ import annotations

from hil.faults import mid_card
from hil.line import unharmed
from hil.player import Player, expect

HUNG_MS = 2500  # a chip that is gone is looked for every second


def hung(player: Player) -> None:
    """Held low while cards move and for 2.5 s: scans keep their budget, cards go on, and then buttons work again."""
    first = len(player.events)
    mid_card(player)
    player.board.hang_bus(True)
    player.run(HUNG_MS)
    player.board.hang_bus(False)
    player.run(HUNG_MS)
    unharmed(player, first)
    expect(player.board.display()[0].strip() != "", "the display stays empty")
