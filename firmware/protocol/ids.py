"""Numbers on the wire: classes, roles, messages, outcomes, reasons, and the words for those that are enumerated.

What is in each message is in table.py. Ids are never reused.
"""

from micropython import const

VERSION = const(1)

CLASS_HANDSHAKE = const(0)
CLASS_DICTIONARY = const(1)
CLASS_EVENT = const(2)
CLASS_ACK = const(3)
CLASS_COMMAND = const(4)
CLASS_RESPONSE = const(5)
CLASS_TELEMETRY = const(6)
CLASS_TIME = const(7)
CLASS_DIAGNOSTIC = const(8)

CLASS_NAMES = "handshake dictionary event ack command response telemetry time diagnostic"

# A receiver that does not know a flag of the high nibble drops the frame; unknown flags of the low nibble are ignored.
FLAG_KEYED = const(0x80)  # 16 bytes of HMAC-SHA256 stand between body and CRC
FLAGS_MUST = const(0xF0)
FLAG_AGAIN = const(0x01)  # this event was sent before

ROLE_CLEAR = const(0)  # no key: may look on, and acknowledge where the board config says so
ROLE_OBSERVER = const(1)  # reads: acknowledges nothing, sets no clock
ROLE_TABLE = const(2)
ROLE_SERVICE = const(3)
ROLE_AUDITOR = const(4)  # reads as an observer, and asks for disclosed seeds
ROLE_RECORDER = const(5)  # acknowledges and sets the clock; gives no command
LANE_COUNT = const(4)  # roles below have a lane for commands
ROLE_COUNT = const(6)
ROLE_NAMES = "clear observer table service auditor recorder"

MODE_REPORT_ONLY = const(0)
MODE_TABLE = const(1)
MODE_NAMES = "report_only table"

HELLO = const(1)
WELCOME = const(2)
REFUSED = const(3)
DICTIONARY_GET = const(8)
DICTIONARY_LINE = const(9)
EVENT_ACK = const(16)
STATUS = const(32)
METERS = const(33)
HEALTH = const(34)
WEAR = const(35)
TIME_SET = const(48)
TIME_IS = const(49)
LINK_COUNTERS = const(64)
SESSION_ENDING = const(65)
SEED_GET = const(66)
SEED_IS = const(67)
JOURNAL_GET = const(68)
JOURNAL_IS = const(69)
JOURNAL_RECORD = const(70)
KEY_INSTALL = const(71)
KEY_ROTATE = const(72)
KEY_IS = const(73)
HALTED = const(74)
JOURNAL_SIGN = const(75)
JOURNAL_SIGNED = const(76)
NONCE = const(77)
DIAGNOSE = const(78)
DIAGNOSIS = const(79)
RESULT = const(80)
SHOT = const(96)
EDGES = const(97)

EV_BOOTED = const(256)
EV_POWER_LOST = const(257)
EV_EMPTY_PROVED = const(258)
EV_WARNING_LATCHED = const(259)
EV_WARNING_CLEARED = const(260)
EV_DOOR_OPENED = const(261)
EV_DOOR_CLOSED = const(262)
EV_CLOCK_SET = const(263)
EV_COMMAND_ACCEPTED = const(264)
EV_COMMAND_ENDED = const(265)
EV_RECORD_DAMAGED = const(266)
EV_SEALED = const(267)
EV_JOURNAL_BROKEN = const(268)
EV_JOURNAL_FILLING = const(269)
EV_KEY_CHANGED = const(270)
EV_SERVICE = const(271)
EV_SHUFFLE_STARTED = const(272)
EV_DECK_VERIFIED = const(273)
EV_DECK_REFUSED = const(274)
EV_SHUFFLE_FAILED = const(275)
EV_REMOVAL_STARTED = const(276)
EV_DECK_REMOVED = const(277)
EV_REMOVAL_FAILED = const(278)
EV_SHUFFLE_COMMITTED = const(279)
EV_DECK_LOADED = const(280)
EV_SIGNING_KEY = const(281)
EV_SHUFFLE_NONCE = const(282)
EV_ROUND_STARTED = const(288)
EV_LOCKOUT_CONFIRMED = const(289)
EV_STACK_STARTED = const(290)
EV_STACK_OFFERED = const(291)
EV_STACK_TAKEN = const(292)
EV_GREEN_PRESSED = const(293)
EV_RELEASE_STARTED = const(294)
EV_REMAINDER_RELEASED = const(295)
EV_REMAINDER_TAKEN = const(296)
EV_ROUND_ENDED = const(297)
EV_ROUND_VOIDED = const(298)
EV_CUT_REACHED = const(299)
EV_RELEASE_FAILED = const(300)
EV_BETTING_CLOSED = const(301)
EV_STUB_DUE = const(302)
EV_HELD_BACK = const(303)
EV_RECORDED = const(304)
EV_COVER_ALL = const(305)
EV_HOLE_CARD_READ = const(306)
EV_CARDS_ODD = const(307)
EV_DRAW_FLAGGED = const(308)
EV_DIAGNOSIS = const(309)
EV_NOT_AS_CONFIGURED = const(310)
EV_SERVICED = const(311)

CMD_SHUFFLE = const(512)
CMD_SET_POSITIONS = const(513)
CMD_CLOSE_BETTING = const(514)
CMD_CONFIRM_LOCKOUT = const(515)
CMD_RELEASE = const(516)
CMD_END_ROUND = const(517)
CMD_ACKNOWLEDGE_WARNING = const(518)
CMD_RECORD = const(519)
CMD_GIVE_CARD = const(520)
CMD_DEAL_COMMUNITY = const(521)
CMD_SELF_TEST = const(522)

OUTCOME_ACCEPTED = const(0)  # recorded; not begun
OUTCOME_RUNNING = const(1)
OUTCOME_DONE = const(2)
OUTCOME_FAILED = const(3)
OUTCOME_REJECTED = const(4)  # not begun, and never will be under this number
OUTCOME_STALE = const(5)  # an older number than the last of this lane
OUTCOME_CONFLICT = const(6)  # the last number of this lane, with another command or other arguments
OUTCOME_IN_DOUBT = const(7)  # power was lost before it ended
OUTCOME_NAMES = "accepted running done failed rejected stale conflict in_doubt"

REASON_NONE = const(0)
REASON_STATE = const(1)  # not now: the procedure is elsewhere
REASON_BUSY = const(2)  # another command is running
REASON_ROLE = const(3)  # not with this role, or the link only reports
REASON_ARGUMENT = const(4)
REASON_WARNING = const(5)  # a warning came up; detail is its code
REASON_POWER = const(6)  # detail: cards found inside when the machine was emptied; 65535 until they are counted
REASON_UNKNOWN = const(7)  # this firmware has no such command
REASON_NEED = const(8)  # something else must happen first; detail is the need
REASON_NAMES = "none state busy role argument warning power unknown need"

# Results of sending a key.
KEY_DONE = const(0)
KEY_SWITCH_OFF = const(1)  # the key switch is off, or this is not the service port
KEY_DOOR_SHUT = const(2)  # there is a key: replacing it without it takes the open door too
KEY_WRONG = const(3)  # not made with the key in force
KEY_ROUND_OPEN = const(4)  # not during a round
KEY_STORAGE = const(5)  # storage failed; the old key is in force

KEY_FIRST = const(0)
KEY_ROTATED = const(1)
KEY_REPLACED = const(2)
KEY_RECOVERED = const(3)  # one of these, and power was lost before it could be recorded

# The table's share in an order: what it asks for or answers, and what became of it. In code order.
NONCE_ASKED = const(0)  # this session's host wants to give a nonce to each shuffle
NONCE_GIVEN = const(1)
NONCE_DECLINED = const(2)  # none for this shuffle
NONCE_LATE = const(3)  # no answer came in time
NONCE_ABORTED = const(4)  # the shuffle ended between its commitment and its order
NONCE_NAMES = "asked given declined late aborted"

# The diagnostic mode: what a host asks for, and how a shot ended. In code order.
DIAGNOSE_LEAVE = const(0)
DIAGNOSE_READ = const(1)
DIAGNOSE_EDGES = const(2)
DIAGNOSE_SERVICED = const(3)  # a part was cleaned, or replaced: 256 more
SHOT_DONE = const(0)
SHOT_LATE = const(1)  # a level did not come within the time of its step
SHOT_DOOR = const(2)  # the door is open, or the key switch off
SHOT_NOISE = const(3)  # a line is noisy, or there were more edges than are kept
SHOT_MOUTH = const(4)  # the axis would turn with a card in the mouth, or with the ejector out
SHOT_NOT_BENCH = const(5)  # a release image moves nothing here
SHOT_MALFORMED = const(6)
SHOT_NOT_NOW = const(7)  # the start of the mode is not recorded yet
SHOT_NAMES = "done late door noise mouth not_bench malformed not_now"

# What wears, and is cleaned or replaced. In code order.
PART_COUNT = const(4)
PART_NAMES = "none pick_roller transport_rollers beams"

REFUSED_VERSION = const(0)  # no common version
REFUSED_NO_KEY = const(1)  # a role was asked for and the device has no key
REFUSED_BACKOFF = const(2)  # too many wrong attempts; detail is the wait in seconds
REFUSED_ROLE = const(3)  # there is no such role
REFUSED_SWITCH = const(4)  # the service role needs the key switch
REFUSED_BUSY = const(5)  # a table or service host holds the line, and this role takes it from none
REFUSED_NAMES = "version no_key backoff role switch busy"

# A count that the device does not know after a power loss: never a number that looks like a count.
UNKNOWN_U8 = const(0xFF)
UNKNOWN_U16 = const(0xFFFF)

# An intent is durable before cards move; an outcome closes it. An intent left open at boot means power was lost.
INTENTS = (EV_SHUFFLE_STARTED, EV_DECK_LOADED, EV_REMOVAL_STARTED, EV_STACK_STARTED, EV_RELEASE_STARTED)
OUTCOMES = (
    EV_DECK_VERIFIED,
    EV_DECK_REFUSED,
    EV_SHUFFLE_FAILED,
    EV_DECK_REMOVED,
    EV_REMOVAL_FAILED,
    EV_STACK_OFFERED,
    EV_REMAINDER_RELEASED,
    EV_REMAINDER_TAKEN,
    EV_RELEASE_FAILED,
    EV_ROUND_VOIDED,
    EV_POWER_LOST,
)

# After any of these the deck that was shuffled last is out of play for good.
DECK_OUT = (
    EV_BOOTED,
    EV_WARNING_LATCHED,
    EV_DECK_REFUSED,
    EV_SHUFFLE_FAILED,
    EV_REMOVAL_STARTED,
    EV_ROUND_ENDED,
    EV_ROUND_VOIDED,
)

# In code order: what the device is doing, in `status`.
STATE_NAMES = (
    "starting proving_empty waiting_for_deck preparing shuffling deck_ready waiting_for_lockout dispensing"
    " stack_offered waiting_for_green releasing remainder_offered waiting_for_round_end warning removing"
    " removed_offered deck_held draw_ready drawing deck_spent waiting_for_wagers"
)

# Facts that the rules need and no sensor sees: reported by a `record` command, in code order. docs/GAMES.md says what
# a and b are, and when each is taken.
REC_INSPECTED = const(1)
REC_VERIFIED = const(2)
REC_SHOWN = const(3)
REC_WASHED = const(4)
REC_MIXING_SEEN = const(5)
REC_TENS_REMOVED = const(6)
REC_PROVENANCE = const(7)
REC_CUT = const(8)
REC_DECK_REMOVED = const(9)
REC_NO_ACTIVITY = const(10)
REC_OUT_OF_SERVICE = const(11)
REC_DISPUTE = const(12)
REC_WINNER_HOLD = const(13)
REC_STUB_COUNTED = const(14)
REC_PROGRESSIVE = const(15)
REC_FOLD = const(16)
REC_SECOND_WAGER = const(17)
REC_FINAL_DEAL = const(18)
REC_HOLE_CARD_SEEN = const(19)
REC_MISDEAL = const(20)
REC_FACE_UP = const(21)
REC_DRAWN_IN_ERROR = const(22)
REC_DEALER_CHANGE = const(23)
REC_BURNED = const(24)
REC_TEN_FOUND = const(25)
REC_UP_CARD = const(26)
REC_INSURANCE_CLOSED = const(27)
REC_DEALER_CARD = const(28)
REC_SHORT_SHOE = const(29)
REC_RESHUFFLE = const(30)
REC_CUT_OFFERED = const(31)
REC_BOX_MISSED = const(32)
REC_READER_OFF = const(33)
REC_APPROVAL = const(34)
REC_SURRENDER = const(35)
REC_CARD_TO = const(36)
REC_HOUSE_DECISION = const(37)
REC_DELIVERED_WRONGLY = const(38)
REC_LET_OUT = const(39)
RECORD_COUNT = const(40)
RECORD_NAMES = (
    "none inspected verified shown washed mixing_seen tens_removed provenance cut deck_removed no_activity"
    " out_of_service dispute winner_hold stub_counted progressive fold second_wager final_deal hole_card_seen misdeal"
    " face_up drawn_in_error dealer_change burned ten_found up_card insurance_closed dealer_card short_shoe reshuffle"
    " cut_offered box_missed reader_off approval surrender card_to house_decision delivered_wrongly let_out"
)

# What a rule orders: for the hands, and for the cards. In code order.
CONSEQUENCE_NONE = const(0)
ALL_VOID_RESHUFFLE = const(1)
ALL_VOID_WITH_DEALT = const(2)
ALL_VOID_REMOVE_DECK = const(3)
ALL_VOID_BUT_COMPLETE = const(4)
ALL_VOID = const(5)
ONE_VOID = const(6)
RESHUFFLE = const(7)
REMOVE_DECK = const(8)
REJECT_CARD = const(9)
COMPLETE_HAND = const(10)
REMOVE_CARD = const(11)
BURN_CARD = const(12)
NEXT_CARD = const(13)
SHUFFLE_AGAIN = const(14)
INDUCT_AGAIN = const(15)
HOLD_DECK = const(16)
COUNT_STUB = const(17)
LEAVE_TABLE = const(18)
PLAY_ON = const(19)
CONSEQUENCE_NAMES = (
    "none all_void_reshuffle all_void_reshuffle_with_dealt all_void_remove_deck all_void_but_complete all_void"
    " one_void reshuffle remove_deck reject_card complete_hand remove_card burn_card next_card shuffle_again"
    " induct_again hold_deck count_stub leave_table play_on"
)

# What must happen next. In code order.
NEED_NONE = const(0)
NEED_SERVICE = const(1)
NEED_DISPUTE = const(2)
NEED_INDUCTION = const(3)
NEED_PROVENANCE = const(4)
NEED_CUT = const(5)
NEED_COUNT = const(6)
NEED_ROUND_END = const(7)
NEED_PROGRESSIVE = const(8)
NEED_BURN = const(9)
NEED_UP_CARD = const(10)
NEED_RACK = const(11)
NEED_CARD = const(12)
NEED_DECISIONS = const(13)
# The needs below are in `status` only: what the next step of the procedure is, with no rule unmet.
NEED_DECK = const(14)
NEED_SHUFFLE = const(15)
NEED_CLOSE_BETTING = const(16)
NEED_LOCKOUT = const(17)
NEED_TAKE = const(18)
NEED_RELEASE = const(19)
NEED_DRAW = const(20)
NEED_EMPTY_SHOE = const(21)
NEED_CLOSE_DOOR = const(22)
NEED_OPEN_DOOR = const(23)
NEED_CLEAR_PATH = const(24)
NEED_ACKNOWLEDGE = const(25)
NEED_STORE_EVENTS = const(26)
NEED_HOUSE_DECISION = const(27)  # about a round in which the machine stopped, in a game without a rule for that
NEED_NAMES = (
    "none service dispute induction provenance cut stub_count round_end progressive burn hole_card rack card decisions"
    " deck shuffle close_betting lockout take release draw empty_shoe close_door open_door clear_path acknowledge"
    " store_events house_decision"
)

# What the hole-card reader said. In code order.
ANSWER_NONE = const(0)  # it was not asked as the rules require, and gives no answer
ANSWER_NO = const(1)
ANSWER_BLACKJACK = const(2)
ANSWER_FAULT = const(3)  # it cannot be trusted and is switched off
ANSWER_NAMES = "none no_blackjack blackjack fault"

# Why a deck or shoe was loaded: `shuffled` of deck_loaded.
LOADED_AGAIN = const(0)  # the same cards, cut again
LOADED_SHUFFLED = const(1)
LOADED_RACK = const(2)  # completes a short shoe

# What follows when a deck has left the table: b of the record `deck_removed`.
REMOVED_REPLACED = const(1)  # a new one was inducted in its place
REMOVED_ALONE = const(2)  # of two decks: the table goes on with the other one

# What the house decides about a round that no rule covers: a of the record `house_decision`.
HOUSE_GOES_ON = const(1)
HOUSE_VOID = const(2)

# How the cards of a deck came into their order: b of the record `provenance`.
FROM_NOBODY = const(0)
FROM_MACHINE = const(1)
FROM_SUPPLIER = const(2)
FROM_HAND = const(3)
