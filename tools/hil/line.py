"""What goes wrong on the link and on the panel's bus while a round is played. The round must come out well."""

from __future__ import annotations

from fairshoe.messages import WarningLatched
from hil.player import Player, expect
from hil.rounds import check_display_round, good_round, round_by_display

BREAK_US = 3000  # of a line at rest or in a frame: 35 bit times are a break
BREAK_EVERY_MS = 400
BACK_MS = 9000  # by then the device has repeated what was not acknowledged: RESEND_MS_MAX


def unharmed(player: Player, first: int) -> None:
    warnings = [event.warning.name for event in player.since(first) if isinstance(event, WarningLatched)]
    expect(not warnings, f"warnings: {warnings}")


def deaf(player: Player) -> None:
    """A host that neither reads nor acknowledges for a whole round. When it reads again it gets every event."""
    first = len(player.events)
    round_by_display(player, listening=False)
    expect(len(player.events) == first, "the host was not deaf")
    player.wire.drop()
    player.run(BACK_MS)
    check_display_round(player, first)
    unharmed(player, first)


def rx_stuck(player: Player) -> None:
    """The receive line stuck low for a whole round: no acknowledgement arrives. Freed, it goes on as if nothing was."""
    first = len(player.events)
    player.board.rx_low(True)
    player.wire.cut = True
    round_by_display(player, listening=True)
    player.board.rx_low(False)
    player.wire.cut = False
    player.run(BACK_MS)
    check_display_round(player, first)
    unharmed(player, first)


def breaks(player: Player) -> None:
    """A break condition of 3 ms every 400 ms, in frames and between them."""
    first = len(player.events)
    due_s = [player.now()]

    def strike() -> None:
        if player.now() >= due_s[0]:
            due_s[0] = player.now() + BREAK_EVERY_MS / 1000
            player.board.rx_low(True)
            player.board.run_us(BREAK_US)
            player.board.rx_low(False)

    player.watch = strike
    good_round(player)
    player.watch = None
    unharmed(player, first)


def replay(player: Player) -> None:
    """The host's own last frame again and again at line rate, between its new ones: acted on once, if at all."""
    first = len(player.events)
    expect(len(player.wire.sent) > 0, "the host has not sent anything yet")
    player.flood(player.wire.sent)
    good_round(player)
    player.flood(b"")
    unharmed(player, first)


def zeros(player: Player) -> None:
    """Zeros at line rate between the host's frames."""
    first = len(player.events)
    player.flood(bytes(16))
    good_round(player)
    player.flood(b"")
    unharmed(player, first)
