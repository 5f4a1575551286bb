"""What becomes of a round in which power failed: void by the record that had voided it, by the fault that had stopped
the machine, or by the game's rule for a machine that stops; held for the house in a game without one."""

from firmware.fault import FAULT_MISMATCH, FAULT_STACK
from firmware.games.profile import CLAUSE_NONE, RULE_COUNT, RULE_DEAL_FAULT, RULE_MISDEAL
from firmware.games.table_facts import OPEN, TAIL
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.games.profile import Profile

_ORDERS = {ids.EV_RECORDED: 3, ids.EV_CARDS_ODD: 2}  # events with what a rule orders, and which value that is
_ROUND_MARKS = (ids.EV_ROUND_STARTED, ids.EV_ROUND_ENDED, ids.EV_ROUND_VOIDED, ids.EV_REMAINDER_TAKEN)


def voiding(before: bytes, flow: "Flow", message: int, values: "list[int]", text: bytes) -> bytes:
    """The clause by which the last record voids a round whose void is not on record yet, after one more event."""
    row = flow.facts.row
    if message in _ORDERS and (row[OPEN] or row[TAIL]):
        return text if ids.ALL_VOID_RESHUFFLE <= values[_ORDERS[message]] <= ids.ALL_VOID else before
    return b"" if message in _ROUND_MARKS else before


def held(profile: "Profile", warning: int) -> bool:
    """Whether the house decides."""
    silent = profile.clauses[RULE_DEAL_FAULT] == CLAUSE_NONE != profile.code
    return silent and profile.clauses[_rule(profile, warning)] == CLAUSE_NONE


def clause_of(profile: "Profile", warning: int, stacks: int) -> bytes:
    rule = _rule(profile, warning)
    if profile.consequences[rule] == ids.ALL_VOID_BUT_COMPLETE and not stacks:
        return CLAUSE_NONE  # the rule covers rounds in which a player has a whole stack
    return profile.clauses[rule]


def _rule(profile: "Profile", warning: int) -> int:
    if warning == FAULT_STACK and profile.clauses[RULE_DEAL_FAULT] == CLAUSE_NONE:
        return RULE_MISDEAL
    return RULE_COUNT if warning == FAULT_MISMATCH else RULE_DEAL_FAULT
