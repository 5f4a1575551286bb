"""The one table of messages: device codec, host codec, dictionary, specification and dissector all derive from it.

A line of MESSAGES is `id, class, "name field:type ..."`. Types: u8 u16 u32 little-endian; t8 ASCII text padded with NUL
to eight bytes; b8 b16 b32 raw bytes; rest, only last: what is left. Every event body starts with EVENT_PREFIX, every
command body with COMMAND_PREFIX. Ids are never reused, fields are only ever added at the end. The classes HANDSHAKE and
DICTIONARY and everything in them are frozen for ever: they are how two versions find out about each other.

A device does not carry it: type codes are in layout.py, made from this, and the texts in a file of their own.
"""

from firmware.protocol import ids

# seq counts events over the device's life; utc_s counts from 2020-01-01T00:00Z (0: not synchronised), so that it
# stays a small integer until 2054; uptime is split for the same reason.
EVENT_PREFIX = "seq:u32 boot:u16 uptime_s:u32 uptime_ms:u16 utc_s:u32 round:u32 deck:u8"

# The lane is the role of the session: each role has its own operation numbers.
COMMAND_PREFIX = "op:u32"

MESSAGES = (
    (ids.HELLO, ids.CLASS_HANDSHAKE, "hello version_max:u8 role:u8 nonce:b16"),
    (
        ids.WELCOME,
        ids.CLASS_HANDSHAKE,
        "welcome version:u8 role:u8 nonce:b16 host_nonce:b16 device:u32 boot:u16 mode:u8 has_key:u8 dictionary:b8"
        " firmware:t8 game:t8 seq_first:u32 seq_last:u32 op_last:u32",
    ),
    (ids.REFUSED, ids.CLASS_HANDSHAKE, "refused why:u8 detail:u16 host_nonce:b16"),
    (ids.DICTIONARY_GET, ids.CLASS_DICTIONARY, "dictionary_get line:u16"),
    (ids.DICTIONARY_LINE, ids.CLASS_DICTIONARY, "dictionary_line line:u16 lines:u16 text:rest"),
    (ids.EVENT_ACK, ids.CLASS_ACK, "event_ack seq:u32"),
    (
        ids.STATUS,
        ids.CLASS_TELEMETRY,
        "status state:u8 warning:u8 round:u32 deck:u8 positions:u8 stack:u8 elapsed_ds:u16 expected_ds:u16"
        " hopper:u16 path:u16 store:u16 tray:u16 dealt:u16 discarded:u16 released:u16 removed:u16"
        " events_waiting:u16 frames_bad:u16 need:u8 hopper_seen:u8 deck_next:u8 records_due:u32 positions_due:u16",
    ),
    (
        ids.METERS,
        ids.CLASS_TELEMETRY,
        "meters cycles:u32 cards:u32 misfeeds:u32 stalls:u32 jams:u16 double_feeds:u16 faults:u16 feed_us:u32"
        " feed_us_new:u32 hopper:u16 throat_a:u16 throat_b:u16 opacity:u16"
        " slot:u16 exit:u16 tray:u16 arrival:u16 cut:u16",
    ),
    (ids.HEALTH, ids.CLASS_TELEMETRY, "health overruns:u16 scan_ms_max:u16"),
    (ids.WEAR, ids.CLASS_TELEMETRY, "wear cycles:u32 throat_us:u32"),
    (ids.TIME_SET, ids.CLASS_TIME, "time_set utc_s:u32"),
    (ids.TIME_IS, ids.CLASS_TIME, "time_is utc_s:u32 uptime_s:u32 uptime_ms:u16"),
    (
        ids.LINK_COUNTERS,
        ids.CLASS_DIAGNOSTIC,
        "link_counters good:u32 bad_stuffing:u16 bad_crc:u16 too_short:u16 too_long:u16 bad_version:u16 bad_flags:u16"
        " bad_session:u16 bad_mac:u16 replayed:u16 not_keyed:u16 not_allowed:u16 malformed:u16 unknown:u16 resent:u16",
    ),
    (ids.SESSION_ENDING, ids.CLASS_DIAGNOSTIC, "session_ending frames_left:u16"),
    (ids.SEED_GET, ids.CLASS_DIAGNOSTIC, "seed_get"),
    (ids.SEED_IS, ids.CLASS_DIAGNOSTIC, "seed_is kept:u8 seq:u32 cards:u16 seed:b32"),
    (ids.JOURNAL_GET, ids.CLASS_DIAGNOSTIC, "journal_get seq:u32"),
    (
        ids.JOURNAL_IS,
        ids.CLASS_DIAGNOSTIC,
        "journal_is first:u32 last:u32 utc_s:u32 key:u16 log:b16 head:b32 mac:b16",
    ),
    (ids.JOURNAL_RECORD, ids.CLASS_DIAGNOSTIC, "journal_record seq:u32 record:rest"),
    (ids.JOURNAL_SIGN, ids.CLASS_DIAGNOSTIC, "journal_sign"),
    (
        ids.JOURNAL_SIGNED,
        ids.CLASS_DIAGNOSTIC,
        "journal_signed first:u32 last:u32 utc_s:u32 key:u16 log:b16 head:b32 mac:b16 public:b32 signature:rest",
    ),
    (ids.KEY_INSTALL, ids.CLASS_DIAGNOSTIC, "key_install key:b32"),
    (ids.KEY_ROTATE, ids.CLASS_DIAGNOSTIC, "key_rotate nonce:b16 wrapped:b32 mac:b16"),
    (ids.KEY_IS, ids.CLASS_DIAGNOSTIC, "key_is result:u8 generation:u16 check:b8"),
    (ids.HALTED, ids.CLASS_DIAGNOSTIC, "halted text:rest"),
    (ids.NONCE, ids.CLASS_DIAGNOSTIC, "nonce share:u8 seq:u32 nonce:b32"),
    (ids.DIAGNOSE, ids.CLASS_DIAGNOSTIC, "diagnose ask:u8 at:u16"),
    (
        ids.DIAGNOSIS,
        ids.CLASS_DIAGNOSTIC,
        "diagnosis on:u8 bench:u8 raw:u32 level:u32 axis:u8 noisy:u8 shot:u16 end:u8 step:u8 edges:u16 home:u16",
    ),
    (
        ids.SHOT,
        ids.CLASS_DIAGNOSTIC,
        "shot number:u16 output:u8 line:u8 delay_us:u32 steps:u16 back:u8 watch:u8 program:rest",
    ),
    (ids.EDGES, ids.CLASS_DIAGNOSTIC, "edges first:u16 edges:rest"),
    (ids.RESULT, ids.CLASS_RESPONSE, "result op:u32 command:u16 outcome:u8 reason:u8 detail:u16"),
    (ids.EV_BOOTED, ids.CLASS_EVENT, "booted cause:u8 board_crc:u32 firmware:t8 halted_boot:u16 halted:t8"),
    (ids.EV_POWER_LOST, ids.CLASS_EVENT, "power_lost during:u16 round_open:u8"),
    (ids.EV_EMPTY_PROVED, ids.CLASS_EVENT, "empty_proved slots_swept:u16"),
    (
        ids.EV_WARNING_LATCHED,
        ids.CLASS_EVENT,
        "warning_latched warning:u8 cards_seen:u16 sensor:u8 length_um:u32 card_um:u32",
    ),
    (ids.EV_WARNING_CLEARED, ids.CLASS_EVENT, "warning_cleared warning:u8"),
    (ids.EV_DOOR_OPENED, ids.CLASS_EVENT, "door_opened"),
    (ids.EV_DOOR_CLOSED, ids.CLASS_EVENT, "door_closed"),
    (ids.EV_CLOCK_SET, ids.CLASS_EVENT, "clock_set role:u8 old_utc_s:u32"),
    (ids.EV_COMMAND_ACCEPTED, ids.CLASS_EVENT, "command_accepted role:u8 op:u32 command:u16 digest:u32"),
    (
        ids.EV_COMMAND_ENDED,
        ids.CLASS_EVENT,
        "command_ended role:u8 op:u32 command:u16 digest:u32 outcome:u8 reason:u8 detail:u16",
    ),
    (ids.EV_RECORD_DAMAGED, ids.CLASS_EVENT, "record_damaged"),
    (ids.EV_SEALED, ids.CLASS_EVENT, "sealed key:u16 mac:b16"),
    (ids.EV_JOURNAL_BROKEN, ids.CLASS_EVENT, "journal_broken defect:u8 at_seq:u32"),
    (ids.EV_JOURNAL_FILLING, ids.CLASS_EVENT, "journal_filling waiting:u16 room:u16"),
    (ids.EV_KEY_CHANGED, ids.CLASS_EVENT, "key_changed generation:u16 how:u8"),
    (ids.EV_SIGNING_KEY, ids.CLASS_EVENT, "signing_key generation:u16 public:b32"),
    (ids.EV_SERVICE, ids.CLASS_EVENT, "service on:u8"),
    (ids.EV_SHUFFLE_STARTED, ids.CLASS_EVENT, "shuffle_started expected:u16 report_ds:u16"),
    (ids.EV_DECK_VERIFIED, ids.CLASS_EVENT, "deck_verified counted:u16 swept:u16 misfeeds:u8 stalls:u8"),
    (ids.EV_DECK_REFUSED, ids.CLASS_EVENT, "deck_refused expected:u16 counted:u16 swept:u16 clause:t8 consequence:u8"),
    (ids.EV_SHUFFLE_FAILED, ids.CLASS_EVENT, "shuffle_failed warning:u8 clause:t8 consequence:u8"),
    (ids.EV_REMOVAL_STARTED, ids.CLASS_EVENT, "removal_started"),
    (ids.EV_DECK_REMOVED, ids.CLASS_EVENT, "deck_removed counted:u16 clause:t8 consequence:u8"),
    (ids.EV_REMOVAL_FAILED, ids.CLASS_EVENT, "removal_failed warning:u8"),
    (ids.EV_SHUFFLE_COMMITTED, ids.CLASS_EVENT, "shuffle_committed commitment:b32 wait_ds:u8"),
    (ids.EV_SHUFFLE_NONCE, ids.CLASS_EVENT, "shuffle_nonce share:u8 aborted:u16 nonce:b32"),
    (ids.EV_DECK_LOADED, ids.CLASS_EVENT, "deck_loaded expected:u16 shuffled:u8"),
    (ids.EV_ROUND_STARTED, ids.CLASS_EVENT, "round_started game:t8 positions:u8"),
    (ids.EV_LOCKOUT_CONFIRMED, ids.CLASS_EVENT, "lockout_confirmed accepted:u16 collected:u16 clause:t8"),
    (ids.EV_STACK_STARTED, ids.CLASS_EVENT, "stack_started stack:u8 cards:u8"),
    (ids.EV_STACK_OFFERED, ids.CLASS_EVENT, "stack_offered stack:u8 cards:u8 misfeeds:u8 stalls:u8"),
    (ids.EV_STACK_TAKEN, ids.CLASS_EVENT, "stack_taken stack:u8 cards:u8"),
    (ids.EV_GREEN_PRESSED, ids.CLASS_EVENT, "green_pressed"),
    (ids.EV_RELEASE_STARTED, ids.CLASS_EVENT, "release_started expected:u16"),
    (ids.EV_REMAINDER_RELEASED, ids.CLASS_EVENT, "remainder_released expected:u16 counted:u16"),
    (ids.EV_REMAINDER_TAKEN, ids.CLASS_EVENT, "remainder_taken counted:u16"),
    (ids.EV_ROUND_ENDED, ids.CLASS_EVENT, "round_ended stacks:u8 dealt:u16 remainder:u16 stub:u16 stub_counted:u16"),
    (
        ids.EV_ROUND_VOIDED,
        ids.CLASS_EVENT,
        "round_voided warning:u8 clause:t8 stacks_taken:u8 cards_out:u16 cards_inside:u16 consequence:u8"
        " hands_kept:u16",
    ),
    (ids.EV_RELEASE_FAILED, ids.CLASS_EVENT, "release_failed warning:u8"),
    (ids.EV_CUT_REACHED, ids.CLASS_EVENT, "cut_reached drawn:u16 left:u16 box:u8 deep:u8 clause:t8"),
    (ids.EV_BETTING_CLOSED, ids.CLASS_EVENT, "betting_closed closing:u8 clause:t8"),
    (ids.EV_STUB_DUE, ids.CLASS_EVENT, "stub_due rounds:u8 clause:t8"),
    (ids.EV_HELD_BACK, ids.CLASS_EVENT, "held_back need:u8 clause:t8"),
    (ids.EV_RECORDED, ids.CLASS_EVENT, "recorded what:u8 a:u16 b:u16 clause:t8 consequence:u8"),
    (ids.EV_COVER_ALL, ids.CLASS_EVENT, "cover_all hands:u8 column:u8 clause:t8"),
    (ids.EV_HOLE_CARD_READ, ids.CLASS_EVENT, "hole_card_read answer:u8 clause:t8"),
    (ids.EV_CARDS_ODD, ids.CLASS_EVENT, "cards_odd warning:u8 found:u8 clause:t8 consequence:u8"),
    (ids.EV_DRAW_FLAGGED, ids.CLASS_EVENT, "draw_flagged draw:u8 clause:t8"),
    (ids.EV_DIAGNOSIS, ids.CLASS_EVENT, "diagnosis_mode on:u8 shots:u16"),
    (ids.EV_NOT_AS_CONFIGURED, ids.CLASS_EVENT, "not_as_configured figure:u8 measured:u32 configured:u32"),
    (ids.EV_SERVICED, ids.CLASS_EVENT, "serviced part:u8 replaced:u8 cycles:u32"),
    (ids.CMD_SHUFFLE, ids.CLASS_COMMAND, "shuffle"),
    (ids.CMD_SET_POSITIONS, ids.CLASS_COMMAND, "set_positions positions:u8"),
    (ids.CMD_CLOSE_BETTING, ids.CLASS_COMMAND, "close_betting"),
    (ids.CMD_CONFIRM_LOCKOUT, ids.CLASS_COMMAND, "confirm_lockout"),
    (ids.CMD_RELEASE, ids.CLASS_COMMAND, "release"),
    (ids.CMD_END_ROUND, ids.CLASS_COMMAND, "end_round"),
    (ids.CMD_ACKNOWLEDGE_WARNING, ids.CLASS_COMMAND, "acknowledge_warning"),
    (ids.CMD_RECORD, ids.CLASS_COMMAND, "record what:u8 a:u16 b:u16"),
    (ids.CMD_GIVE_CARD, ids.CLASS_COMMAND, "give_card"),
    (ids.CMD_DEAL_COMMUNITY, ids.CLASS_COMMAND, "deal_community"),
    (ids.CMD_SELF_TEST, ids.CLASS_COMMAND, "self_test"),
)

# The code of a field is its size in bytes: 1, 2 and 4 are integers.
_CODES = {"u8": 1, "u16": 2, "u32": 4, "t8": 8, "b8": 8, "b16": 16, "b32": 32, "rest": 255}


def field_codes(spec: str) -> bytes:
    """Type codes of "field:type ..." words; words without a type (the message's name) are passed over."""
    codes = bytearray()
    for word in spec.split():
        if ":" in word:
            codes.append(_CODES[word.split(":")[1]])
    return bytes(codes)
