"""What a licensee chooses for Double Attack Blackjack."""

from __future__ import annotations

from dataclasses import dataclass

from fairshoe_table.play.options import AMOUNT_MAX, Options, Range, refuse
from fairshoe_table.rules.ledger import Wager
from fairshoe_table.rules.money import DOLLAR


@dataclass(frozen=True)
class DoubleAttackOptions(Options):
    """`chip`: also the chip to which insurance is rounded up (DAB 11(b))."""

    packs: int = 6
    positions: int = 7
    bonus_maximum: int = 100 * DOLLAR
    hole_card: bool = False  # DAB 7(i)
    reader: bool = False
    surrender_at_once: bool = False  # DAB 8(a)(3)
    attack_equals_initial: bool = False  # ruling `dab-attack-amount`
    split_matches_both: bool = False  # ruling `dab-split-amount`
    boxes_per_player: int = 1  # DAB 14
    bettors_per_box: int = 1  # DAB 13(a), up to three
    late_entry_barred: bool = False
    bust_is_final: bool = False  # ruling `dab-bust-final`

    ranges = {
        "positions": Range(6, 7, "DAB 10(c)"),
        "bonus_maximum": Range(DOLLAR, AMOUNT_MAX, "DAB 6(b)"),
        "boxes_per_player": Range(1, 7, "DAB 14"),
        "bettors_per_box": Range(1, 3, "DAB 13(a)"),
    }

    takes_coupons = {Wager.INITIAL: "DAB 5(c)", Wager.BONUS: "DAB 6(c)"}

    def check(self) -> None:
        super().check()
        if self.packs not in (6, 8):
            refuse("packs", f"{self.packs} packs", "DAB 2(a)", "6 or 8 packs.")
        if self.bonus_maximum % self.chip:
            refuse("bonus_maximum", f"{self.bonus_maximum} cents are no whole chips", "DAB 6(b)", "Post whole chips.")
        if self.boxes_per_player > self.positions:
            refuse("boxes_per_player", f"{self.boxes_per_player} of {self.positions} boxes", "DAB 14", "Fewer boxes.")
        if self.reader and not self.hole_card:
            refuse("reader", "a reader needs a hole card", "DAB 7(i)", "Set hole_card as well.")
        if self.surrender_at_once and not self.reader:
            refuse("surrender_at_once", "it needs a reader", "DAB 8(a)(3)", "Set reader as well.")
