"""Decks shuffled by the firmware: the order it draws, and the deck that the simulated machine makes of it.

The only module of the shuffle test that knows the inside of firmware and rig.
"""

from __future__ import annotations

from array import array
from functools import cache
from struct import pack
from typing import Any, cast

from fairshoe.boards.configs import Config
from fairshoe.errors import SimulatorError, UsageError
from fairshoe.shuffle.fast_draws import fast_order, noise
from fairshoe.shuffle.stats import inverse
from fairshoe.sim.pty_server import check_game
from firmware.deck.shuffler import Shuffler
from firmware.version import VERSION_TEXT
from rig import stories
from rig.games import load_profile
from rig.story import Stage, Stuck

WAIT_MS_MAX = 600_000


class Entropy:
    """The board's noise source for one shuffle: the same bytes for the same seed and number, in fast and full path."""

    def __init__(self, seed: int, index: int) -> None:
        self.seed = seed
        self.index = index
        self.given = 0

    def entropy_into(self, buf: bytearray) -> bool:
        buf[:] = noise(self.seed, self.index, self.given, len(buf))
        self.given += len(buf)
        return True


class _Board:
    """A HAL that has nothing but noise."""

    def __init__(self) -> None:
        self.source = Entropy(0, 0)

    def entropy_into(self, buf: bytearray) -> bool:
        return self.source.entropy_into(buf)

    def unique_id(self) -> int:
        return 0


@cache
def _shuffler(source: str, worth: int) -> tuple[_Board, Shuffler]:
    """One for each process: its start-up test costs as much as a shuffle."""
    board = _Board()
    config = {"entropy": {"source": source, "millibits_per_byte": worth}}
    return board, Shuffler(cast(Any, board), config, 1)


def draw_order(entropy: Entropy, count: int, config: Config) -> array[int]:
    """What App does with its noise when the procedure asks for an order: card i of the hopper comes out as order[i].

    As the first shuffle after the first boot of a device of its own, with the simulator's identity for that seed."""
    board, shuffler = _shuffler(config["entropy"]["source"], config["entropy"]["millibits_per_byte"])
    board.source = entropy
    shuffler.drbg = None
    shuffler.nonce = _nonce(entropy.index)
    order = array("H", [0] * count)
    while not shuffler.entropy.gather():
        pass
    if not shuffler.draw(order, count):
        raise SimulatorError("the health tests refused the simulated noise.", "Try another seed.")
    return order


def _nonce(index: int) -> bytes:
    """Identity and boot count of the simulated device that makes this shuffle."""
    return pack("<II", 0x51 << 16 | index & 0xFFFF, 1)


def fast_deck(config: Config, seed: int, index: int, cards: int) -> list[int]:
    """The deck of firmware_deck, without the tests of the noise."""
    return inverse(fast_order(seed, index, cards, _nonce(index), config["entropy"]["millibits_per_byte"]))


def firmware_deck(config: Config, seed: int, index: int, cards: int) -> list[int]:
    """The deck that shuffle number `index` deals, cards numbered as the hopper feeds them."""
    return inverse(draw_order(Entropy(seed, index), cards, config))


def machine_deck(config: Config, game: str, seed: int, index: int) -> list[int]:
    """The same shuffle by the whole firmware on the simulated machine: a deck goes in, is counted and stored."""
    cards = deck_cards(game)
    stage = Stage(config, check_game(game), index)
    try:
        stage.play(stories.start())
        # After the handshake, whose nonces come from the same source: the next to draw is the shuffle.
        stage.rig.hal.entropy_into = Entropy(seed, index).entropy_into
        stage.play(stories.shuffle(cards))
        stage.until("deck_verified", WAIT_MS_MAX)
    except Stuck as error:
        raise SimulatorError(f"shuffle {index} did not end: {error}.", "Play the board with fairshoe demo.") from error
    return stored_deck(stage, cards)


def stored_deck(stage: Stage, cards: int) -> list[int]:
    """Cards in the order in which the machine deals them, or from the bottom of the pile it hands out, each by its
    number in the order of feeding. The rig loads them by number, the first at the bottom."""
    pile = [card for slot in stage.rig.plant.slots for card in slot]
    if stage.rig.config["mechanism"]["feed"] == "bottom":
        return pile
    return [cards - 1 - card for card in pile]


def check_shuffles(config: Config) -> None:
    kind = config["mechanism"]["kind"]
    if kind not in ("carousel", "shelves"):
        raise UsageError(f"a {kind} does not shuffle.", "Give a board with a carousel or shelves.")


def deck_cards(game: str) -> int:
    return load_profile(check_game(game)).deck_cards


def firmware_version() -> str:
    return bytes(VERSION_TEXT).decode()
