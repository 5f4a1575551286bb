"""The one table of messages: device codec, host codec, dictionary and specification all derive from it.

A line of MESSAGES is `id, class, "name field:type ..."`. Types: u8 u16 u32 little-endian, t8 ASCII text padded with
NUL to eight bytes. Every event body starts with the fields of EVENT_PREFIX. Ids are never reused.
"""

from micropython import const

VERSION = const(1)

CLASS_HANDSHAKE = const(0)  # frozen for ever, as is CLASS_DICTIONARY
CLASS_DICTIONARY = const(1)
CLASS_EVENT = const(2)
CLASS_ACK = const(3)
CLASS_TELEMETRY = const(6)

FLAG_MUST_UNDERSTAND = const(0xF0)  # a receiver that does not know one of these flags drops the frame

HELLO = const(1)
WELCOME = const(2)
EVENT_ACK = const(16)
STATUS = const(32)

EV_BOOTED = const(256)
EV_POWER_LOST = const(257)
EV_EMPTY_PROVED = const(258)
EV_WARNING_LATCHED = const(259)
EV_WARNING_CLEARED = const(260)
EV_DOOR_OPENED = const(261)
EV_DOOR_CLOSED = const(262)
EV_SHUFFLE_STARTED = const(272)
EV_DECK_VERIFIED = const(273)
EV_DECK_REFUSED = const(274)
EV_SHUFFLE_FAILED = const(275)
EV_REMOVAL_STARTED = const(276)
EV_DECK_REMOVED = const(277)
EV_REMOVAL_FAILED = const(278)
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

# seq counts events over the device's life; utc_s counts from 2020-01-01T00:00Z (0: not synchronised), so that it
# stays a small integer until 2054; uptime is split for the same reason.
EVENT_PREFIX = "seq:u32 boot:u16 uptime_s:u32 uptime_ms:u16 utc_s:u32 round:u32 deck:u8"

# What a device says when it lost power and does not know: never a number that looks like a count.
UNKNOWN_U8 = const(0xFF)
UNKNOWN_U16 = const(0xFFFF)

MESSAGES = (
    (HELLO, CLASS_HANDSHAKE, "hello version_max:u8 nonce:u32"),
    (
        WELCOME,
        CLASS_HANDSHAKE,
        "welcome version:u8 nonce:u32 device:u32 boot:u16 firmware:t8 game:t8 seq_first:u32 seq_last:u32",
    ),
    (EVENT_ACK, CLASS_ACK, "event_ack seq:u32"),
    (
        STATUS,
        CLASS_TELEMETRY,
        "status state:u8 warning:u8 round:u32 deck:u8 positions:u8 stack:u8 elapsed_ds:u16 expected_ds:u16"
        " hopper:u16 path:u16 store:u16 tray:u16 dealt:u16 discarded:u16 released:u16 removed:u16"
        " events_waiting:u16 frames_bad:u16",
    ),
    (EV_BOOTED, CLASS_EVENT, "booted cause:u8 board_crc:u32 firmware:t8"),
    (EV_POWER_LOST, CLASS_EVENT, "power_lost during:u16 round_open:u8"),
    (EV_EMPTY_PROVED, CLASS_EVENT, "empty_proved slots_swept:u16"),
    (EV_WARNING_LATCHED, CLASS_EVENT, "warning_latched warning:u8 cards_seen:u16"),
    (EV_WARNING_CLEARED, CLASS_EVENT, "warning_cleared warning:u8"),
    (EV_DOOR_OPENED, CLASS_EVENT, "door_opened"),
    (EV_DOOR_CLOSED, CLASS_EVENT, "door_closed"),
    (EV_SHUFFLE_STARTED, CLASS_EVENT, "shuffle_started expected:u16 report_ds:u16"),
    (EV_DECK_VERIFIED, CLASS_EVENT, "deck_verified counted:u16 swept:u16 misfeeds:u8"),
    (EV_DECK_REFUSED, CLASS_EVENT, "deck_refused expected:u16 counted:u16 swept:u16 clause:t8"),
    (EV_SHUFFLE_FAILED, CLASS_EVENT, "shuffle_failed warning:u8 clause:t8"),
    (EV_REMOVAL_STARTED, CLASS_EVENT, "removal_started"),
    (EV_DECK_REMOVED, CLASS_EVENT, "deck_removed counted:u16"),
    (EV_REMOVAL_FAILED, CLASS_EVENT, "removal_failed warning:u8"),
    (EV_ROUND_STARTED, CLASS_EVENT, "round_started game:t8 positions:u8"),
    (EV_LOCKOUT_CONFIRMED, CLASS_EVENT, "lockout_confirmed"),
    (EV_STACK_STARTED, CLASS_EVENT, "stack_started stack:u8 cards:u8"),
    (EV_STACK_OFFERED, CLASS_EVENT, "stack_offered stack:u8 cards:u8"),
    (EV_STACK_TAKEN, CLASS_EVENT, "stack_taken stack:u8 cards:u8"),
    (EV_GREEN_PRESSED, CLASS_EVENT, "green_pressed"),
    (EV_RELEASE_STARTED, CLASS_EVENT, "release_started expected:u16"),
    (EV_REMAINDER_RELEASED, CLASS_EVENT, "remainder_released expected:u16 counted:u16"),
    (EV_REMAINDER_TAKEN, CLASS_EVENT, "remainder_taken counted:u16"),
    (EV_ROUND_ENDED, CLASS_EVENT, "round_ended stacks:u8 dealt:u16 remainder:u16"),
    (EV_ROUND_VOIDED, CLASS_EVENT, "round_voided warning:u8 clause:t8 stacks_taken:u8 cards_out:u16 cards_inside:u16"),
)

# An intent is durable before cards move; an outcome closes it. An intent left open at boot means power was lost.
INTENTS = (EV_SHUFFLE_STARTED, EV_REMOVAL_STARTED, EV_STACK_STARTED, EV_RELEASE_STARTED)
OUTCOMES = (
    EV_DECK_VERIFIED,
    EV_DECK_REFUSED,
    EV_SHUFFLE_FAILED,
    EV_DECK_REMOVED,
    EV_REMOVAL_FAILED,
    EV_STACK_OFFERED,
    EV_REMAINDER_RELEASED,
    EV_ROUND_VOIDED,
    EV_POWER_LOST,
)

# In code order: what the device is doing, in `status`.
STATE_NAMES = (
    "starting proving_empty waiting_for_deck preparing shuffling deck_ready waiting_for_lockout dispensing"
    " stack_offered waiting_for_green releasing remainder_offered waiting_for_round_end warning removing"
    " removed_offered"
)
