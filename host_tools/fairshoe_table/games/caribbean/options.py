"""What a licensee chooses for Caribbean Stud Poker."""

from __future__ import annotations

from dataclasses import dataclass

from fairshoe_table.play.options import AMOUNT_MAX, CHIPS, Options, Range, refuse
from fairshoe_table.rules.ledger import Wager
from fairshoe_table.rules.money import DOLLAR
from fairshoe_table.rules.pay_tables import PayTable

ALONE = ("CS-11d-A", "CS-11d-B", "CS-11d-C", "CS-11d-E")  # may not be linked
LINKS = ("PTMGL01", "PTMGL02", "PTMGL04", "PTMGLML01", "PTMGLML02", "PTMGLML03")


@dataclass(frozen=True)
class CaribbeanOptions(Options):
    """`linked`: the jackpot is shared with other tables, which excludes tables A, B, C and E (CS 11(d)(4)).
    `make_up`: who makes up for contributions of hands that became void after them (ruling `void-side`)."""

    bonus_pays: PayTable | None = None
    progressive_pays: PayTable | None = None
    progressive_wager: int = DOLLAR
    linked: bool = False
    five_card: bool = False
    cover_all: str = ""
    cover_all_counts_folded: bool = False
    make_up: str = "house"

    ranges = {"progressive_wager": Range(DOLLAR, 5 * DOLLAR, "CS 6(c)")}
    words = {"cover_all": ("", "with_dealer", "without_dealer"), "make_up": ("house", "later")}
    takes_coupons = {Wager.ANTE: "CS 6(a)", Wager.PROGRESSIVE: "CS 6(c)"}
    tables = {"bonus_pays": ("CS-11c-A", "CS-11c-B", "CS-11c-C"), "progressive_pays": (*ALONE, "CS-11d-D", *LINKS)}
    sides = {
        Wager.BONUS: Range(DOLLAR, AMOUNT_MAX, "CS 11(c)"),
        Wager.FIVE_CARD: Range(DOLLAR, AMOUNT_MAX, "CS 11(e)"),
        Wager.FIVE_CARD_DEALER: Range(DOLLAR, AMOUNT_MAX, "CS 11(e)"),
        Wager.COVER_ALL: Range(DOLLAR, AMOUNT_MAX, "CS 12(a)"),
    }

    def check(self) -> None:
        super().check()
        table = self.progressive_pays
        if table is not None and self.linked and table.name in ALONE:
            refuse("linked", f"{table.name} may not be linked", "CS 11(d)(4)", "Select table D or a PTMGL table.")
        if self.linked and not (table or self.five_card):
            refuse("linked", "no wager of this table has a jackpot", "CS 11(d)(4)", "Offer one, or link nothing.")
        if table is not None and self.progressive_wager not in CHIPS[CHIPS.index(self.chip) :]:
            refuse("progressive_wager", f"{self.progressive_wager} cents are no chip here", "CS 6(c)", "One chip.")
        if table is not None and table.name == "CS-11d-D" and self.progressive_wager not in (DOLLAR, 5 * DOLLAR):
            refuse(
                "progressive_wager",
                f"no envy bonus is printed for {self.progressive_wager} cents",
                "CS 11(d)(7)",
                "Table D takes $1 or $5 (ruling cs-envy-amount).",
            )
