"""The one table of messages: device codec, host codec, dictionary, specification and dissector all derive from it.

A line of MESSAGES is `id, class, "name field:type ..."`. Types: u8 u16 u32 little-endian; t8 ASCII text padded with NUL
to eight bytes; b8 b16 b32 raw bytes; rest, only last: what is left. Every event body starts with EVENT_PREFIX, every
command body with COMMAND_PREFIX. Ids are never reused, fields are only ever added at the end. The classes HANDSHAKE and
DICTIONARY and everything in them are frozen for ever: they are how two versions find out about each other.
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
ROLE_OBSERVER = const(1)
ROLE_TABLE = const(2)
ROLE_SERVICE = const(3)
ROLE_AUDITOR = const(4)  # may ask for seeds that are no secret any more, and nothing else
LANE_COUNT = const(4)  # roles below have a lane for commands
ROLE_COUNT = const(5)
ROLE_NAMES = "clear observer table service auditor"

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
RESULT = const(80)

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
REASON_NAMES = "none state busy role argument warning power unknown"

# What becomes of a key that was sent.
KEY_DONE = const(0)
KEY_SWITCH_OFF = const(1)  # the key switch is off, or this is not the service port
KEY_DOOR_SHUT = const(2)  # there is a key: replacing it without it takes the open door too
KEY_WRONG = const(3)  # not made with the key in force
KEY_ROUND_OPEN = const(4)  # not in the middle of a round
KEY_STORAGE = const(5)  # storage failed; the old key is in force

KEY_FIRST = const(0)
KEY_ROTATED = const(1)
KEY_REPLACED = const(2)
KEY_RECOVERED = const(3)  # one of these, and power was lost before it could be recorded

REFUSED_VERSION = const(0)  # no common version
REFUSED_NO_KEY = const(1)  # a role was asked for and the device has no key
REFUSED_BACKOFF = const(2)  # too many wrong attempts; detail is the wait in seconds
REFUSED_ROLE = const(3)  # there is no such role
REFUSED_SWITCH = const(4)  # the service role needs the key switch
REFUSED_NAMES = "version no_key backoff role switch"

# seq counts events over the device's life; utc_s counts from 2020-01-01T00:00Z (0: not synchronised), so that it
# stays a small integer until 2054; uptime is split for the same reason.
EVENT_PREFIX = "seq:u32 boot:u16 uptime_s:u32 uptime_ms:u16 utc_s:u32 round:u32 deck:u8"

# The lane is the role of the session: each role has its own operation numbers.
COMMAND_PREFIX = "op:u32"

# What a device says when it lost power and does not know: never a number that looks like a count.
UNKNOWN_U8 = const(0xFF)
UNKNOWN_U16 = const(0xFFFF)

MESSAGES = (
    (HELLO, CLASS_HANDSHAKE, "hello version_max:u8 role:u8 nonce:b16"),
    (
        WELCOME,
        CLASS_HANDSHAKE,
        "welcome version:u8 role:u8 nonce:b16 host_nonce:b16 device:u32 boot:u16 mode:u8 has_key:u8 dictionary:b8"
        " firmware:t8 game:t8 seq_first:u32 seq_last:u32 op_last:u32",
    ),
    (REFUSED, CLASS_HANDSHAKE, "refused why:u8 detail:u16 host_nonce:b16"),
    (DICTIONARY_GET, CLASS_DICTIONARY, "dictionary_get line:u16"),
    (DICTIONARY_LINE, CLASS_DICTIONARY, "dictionary_line line:u16 lines:u16 text:rest"),
    (EVENT_ACK, CLASS_ACK, "event_ack seq:u32"),
    (
        STATUS,
        CLASS_TELEMETRY,
        "status state:u8 warning:u8 round:u32 deck:u8 positions:u8 stack:u8 elapsed_ds:u16 expected_ds:u16"
        " hopper:u16 path:u16 store:u16 tray:u16 dealt:u16 discarded:u16 released:u16 removed:u16"
        " events_waiting:u16 frames_bad:u16",
    ),
    (
        METERS,
        CLASS_TELEMETRY,
        "meters cycles:u32 cards:u32 misfeeds:u32 stalls:u32 jams:u16 double_feeds:u16 faults:u16 feed_us:u32"
        " feed_us_new:u32 hopper:u16 throat_a:u16 throat_b:u16 opacity:u16"
        " slot:u16 exit:u16 tray:u16 arrival:u16 cut:u16",
    ),
    (HEALTH, CLASS_TELEMETRY, "health overruns:u16 scan_ms_max:u16"),
    (TIME_SET, CLASS_TIME, "time_set utc_s:u32"),
    (TIME_IS, CLASS_TIME, "time_is utc_s:u32 uptime_s:u32 uptime_ms:u16"),
    (
        LINK_COUNTERS,
        CLASS_DIAGNOSTIC,
        "link_counters good:u32 bad_stuffing:u16 bad_crc:u16 too_short:u16 too_long:u16 bad_version:u16 bad_flags:u16"
        " bad_session:u16 bad_mac:u16 replayed:u16 not_keyed:u16 not_allowed:u16 malformed:u16 unknown:u16 resent:u16",
    ),
    (SESSION_ENDING, CLASS_DIAGNOSTIC, "session_ending frames_left:u16"),
    (SEED_GET, CLASS_DIAGNOSTIC, "seed_get"),
    (SEED_IS, CLASS_DIAGNOSTIC, "seed_is kept:u8 seq:u32 cards:u16 seed:b32"),
    (JOURNAL_GET, CLASS_DIAGNOSTIC, "journal_get seq:u32"),
    (
        JOURNAL_IS,
        CLASS_DIAGNOSTIC,
        "journal_is first:u32 last:u32 utc_s:u32 key:u16 log:b16 head:b32 mac:b16",
    ),
    (JOURNAL_RECORD, CLASS_DIAGNOSTIC, "journal_record seq:u32 record:rest"),
    (KEY_INSTALL, CLASS_DIAGNOSTIC, "key_install key:b32"),
    (KEY_ROTATE, CLASS_DIAGNOSTIC, "key_rotate nonce:b16 wrapped:b32 mac:b16"),
    (KEY_IS, CLASS_DIAGNOSTIC, "key_is result:u8 generation:u16 check:b8"),
    (RESULT, CLASS_RESPONSE, "result op:u32 command:u16 outcome:u8 reason:u8 detail:u16"),
    (EV_BOOTED, CLASS_EVENT, "booted cause:u8 board_crc:u32 firmware:t8 halted_boot:u16 halted:t8"),
    (EV_POWER_LOST, CLASS_EVENT, "power_lost during:u16 round_open:u8"),
    (EV_EMPTY_PROVED, CLASS_EVENT, "empty_proved slots_swept:u16"),
    (EV_WARNING_LATCHED, CLASS_EVENT, "warning_latched warning:u8 cards_seen:u16"),
    (EV_WARNING_CLEARED, CLASS_EVENT, "warning_cleared warning:u8"),
    (EV_DOOR_OPENED, CLASS_EVENT, "door_opened"),
    (EV_DOOR_CLOSED, CLASS_EVENT, "door_closed"),
    (EV_CLOCK_SET, CLASS_EVENT, "clock_set role:u8 old_utc_s:u32"),
    (EV_COMMAND_ACCEPTED, CLASS_EVENT, "command_accepted role:u8 op:u32 command:u16 digest:u32"),
    (
        EV_COMMAND_ENDED,
        CLASS_EVENT,
        "command_ended role:u8 op:u32 command:u16 digest:u32 outcome:u8 reason:u8 detail:u16",
    ),
    (EV_RECORD_DAMAGED, CLASS_EVENT, "record_damaged"),
    (EV_SEALED, CLASS_EVENT, "sealed key:u16 mac:b16"),
    (EV_JOURNAL_BROKEN, CLASS_EVENT, "journal_broken what:u8 at_seq:u32"),
    (EV_JOURNAL_FILLING, CLASS_EVENT, "journal_filling waiting:u16 room:u16"),
    (EV_KEY_CHANGED, CLASS_EVENT, "key_changed generation:u16 how:u8"),
    (EV_SERVICE, CLASS_EVENT, "service on:u8"),
    (EV_SHUFFLE_STARTED, CLASS_EVENT, "shuffle_started expected:u16 report_ds:u16"),
    (EV_DECK_VERIFIED, CLASS_EVENT, "deck_verified counted:u16 swept:u16 misfeeds:u8 stalls:u8"),
    (EV_DECK_REFUSED, CLASS_EVENT, "deck_refused expected:u16 counted:u16 swept:u16 clause:t8 consequence:u8"),
    (EV_SHUFFLE_FAILED, CLASS_EVENT, "shuffle_failed warning:u8 clause:t8 consequence:u8"),
    (EV_REMOVAL_STARTED, CLASS_EVENT, "removal_started"),
    (EV_DECK_REMOVED, CLASS_EVENT, "deck_removed counted:u16 clause:t8 consequence:u8"),
    (EV_REMOVAL_FAILED, CLASS_EVENT, "removal_failed warning:u8"),
    (EV_SHUFFLE_COMMITTED, CLASS_EVENT, "shuffle_committed commitment:b32"),
    (EV_DECK_LOADED, CLASS_EVENT, "deck_loaded expected:u16"),
    (EV_ROUND_STARTED, CLASS_EVENT, "round_started game:t8 positions:u8"),
    (EV_LOCKOUT_CONFIRMED, CLASS_EVENT, "lockout_confirmed accepted:u16 collected:u16 clause:t8"),
    (EV_STACK_STARTED, CLASS_EVENT, "stack_started stack:u8 cards:u8"),
    (EV_STACK_OFFERED, CLASS_EVENT, "stack_offered stack:u8 cards:u8 misfeeds:u8 stalls:u8"),
    (EV_STACK_TAKEN, CLASS_EVENT, "stack_taken stack:u8 cards:u8"),
    (EV_GREEN_PRESSED, CLASS_EVENT, "green_pressed"),
    (EV_RELEASE_STARTED, CLASS_EVENT, "release_started expected:u16"),
    (EV_REMAINDER_RELEASED, CLASS_EVENT, "remainder_released expected:u16 counted:u16"),
    (EV_REMAINDER_TAKEN, CLASS_EVENT, "remainder_taken counted:u16"),
    (EV_ROUND_ENDED, CLASS_EVENT, "round_ended stacks:u8 dealt:u16 remainder:u16 stub:u16 stub_counted:u16"),
    (
        EV_ROUND_VOIDED,
        CLASS_EVENT,
        "round_voided warning:u8 clause:t8 stacks_taken:u8 cards_out:u16 cards_inside:u16 consequence:u8"
        " hands_kept:u16",
    ),
    (EV_RELEASE_FAILED, CLASS_EVENT, "release_failed warning:u8"),
    (EV_CUT_REACHED, CLASS_EVENT, "cut_reached drawn:u16"),
    (EV_BETTING_CLOSED, CLASS_EVENT, "betting_closed closing:u8 clause:t8"),
    (EV_STUB_DUE, CLASS_EVENT, "stub_due rounds:u8 clause:t8"),
    (EV_HELD_BACK, CLASS_EVENT, "held_back need:u8 clause:t8"),
    (EV_RECORDED, CLASS_EVENT, "recorded what:u8 a:u16 b:u16 clause:t8 consequence:u8"),
    (EV_COVER_ALL, CLASS_EVENT, "cover_all hands:u8 column:u8 clause:t8"),
    (EV_HOLE_CARD_READ, CLASS_EVENT, "hole_card_read answer:u8 clause:t8"),
    (EV_CARDS_ODD, CLASS_EVENT, "cards_odd warning:u8 found:u8 clause:t8 consequence:u8"),
    (CMD_SHUFFLE, CLASS_COMMAND, "shuffle"),
    (CMD_SET_POSITIONS, CLASS_COMMAND, "set_positions positions:u8"),
    (CMD_CLOSE_BETTING, CLASS_COMMAND, "close_betting"),
    (CMD_CONFIRM_LOCKOUT, CLASS_COMMAND, "confirm_lockout"),
    (CMD_RELEASE, CLASS_COMMAND, "release"),
    (CMD_END_ROUND, CLASS_COMMAND, "end_round"),
    (CMD_ACKNOWLEDGE_WARNING, CLASS_COMMAND, "acknowledge_warning"),
    (CMD_RECORD, CLASS_COMMAND, "record what:u8 a:u16 b:u16"),
    (CMD_GIVE_CARD, CLASS_COMMAND, "give_card"),
    (CMD_DEAL_COMMUNITY, CLASS_COMMAND, "deal_community"),
)

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

# What the device cannot sense and the rules need: told by a `record` command, in code order. docs/GAMES.md says what
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
RECORD_COUNT = const(35)
RECORD_NAMES = (
    "none inspected verified shown washed mixing_seen tens_removed provenance cut deck_removed no_activity"
    " out_of_service dispute winner_hold stub_counted progressive fold second_wager final_deal hole_card_seen misdeal"
    " face_up drawn_in_error dealer_change burned ten_found up_card insurance_closed dealer_card short_shoe reshuffle"
    " cut_offered box_missed reader_off approval"
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

# What a deck or a round waits for. In code order.
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
NEED_NAMES = "none service dispute induction provenance cut stub_count round_end progressive burn hole_card"

# What the hole-card reader said. In code order.
ANSWER_NONE = const(0)  # it was not asked as the rules want it, and says nothing at all
ANSWER_NO = const(1)
ANSWER_BLACKJACK = const(2)
ANSWER_FAULT = const(3)  # it cannot be trusted and is switched off
ANSWER_NAMES = "none no_blackjack blackjack fault"

# How the cards of a deck came into their order: b of the record `provenance`.
FROM_NOBODY = const(0)
FROM_MACHINE = const(1)
FROM_SUPPLIER = const(2)
FROM_HAND = const(3)
