"""What messages and fields mean, in words, and an example of each field. The table itself is firmware/protocol/ids.py.

`meaning` fails for a field without words, so a new one cannot be published without saying what it is.
"""

from __future__ import annotations

from hashlib import sha256

from protocol_table import DICTIONARY, DICTIONARY_HASH, Field, Message

Example = int | str

# By message: one sentence. (Events say what happened; commands what is asked for.)
SENTENCES: dict[str, str] = {
    "hello": "The host asks for a session. Always in clear, session 0.",
    "welcome": "The device opens the session whose number stands in this frame's header. Keyed unless role is clear.",
    "refused": "The device opens no session. In clear, session 0, and so only a hint: anybody can send it.",
    "dictionary_get": "The host asks for one line of the dictionary. A keyed one is taken too.",
    "dictionary_line": "The answer, always in clear, session 0.",
    "event_ack": "Every event up to and including seq is stored. Also the host's sign of life.",
    "status": "The state of the machine: every 500 ms, and at once when the state changes. From the first welcome on.",
    "meters": "How the machine is doing over its life: after a welcome, and after every job that changed something.",
    "time_set": "The host tells the time. Roles table and service.",
    "time_is": "The answer to time_set.",
    "link_counters": "What the device received and what it dropped since it booted: after a welcome and every 10 s.",
    "session_ending": "The device's link sequence is nearly used up: say hello again.",
    "seed_get": "The auditor asks for the seed of the last shuffle whose deck is out of play.",
    "seed_is": "The answer to seed_get. Never of a deck in play.",
    "result": "How a command stands: sent when it is recorded, when it has ended, and for every repetition of it.",
    "booted": "The device started.",
    "power_lost": "At boot: power had been lost in the middle of something.",
    "empty_proved": "A sweep of the whole store and clear beams have shown that no card is inside.",
    "warning_latched": "The machine stopped and waits for an operator.",
    "warning_cleared": "The warning is over: the machine was emptied and proved empty.",
    "door_opened": "The door was opened.",
    "door_closed": "The door was closed.",
    "clock_set": "A host set the clock to another time; utc_s of later events counts from the new one.",
    "command_accepted": "A command was recorded, before anything was done about it.",
    "command_ended": "A recorded command has its final outcome.",
    "record_damaged": "The record of this event cannot be read any more: seq is right, all else in the prefix is 0.",
    "shuffle_started": "Intent: a deck is about to be taken in and shuffled.",
    "deck_verified": "The deck is shuffled, and both counts are what they must be.",
    "deck_refused": "The deck does not have the right number of cards.",
    "shuffle_failed": "The shuffle did not come to its end.",
    "removal_started": "Intent: what is inside is about to be put into the tray.",
    "deck_removed": "What was inside lies in the tray.",
    "removal_failed": "The removal did not come to its end.",
    "shuffle_committed": "The order is drawn, from a seed that this commits to. Durable before the first card moves.",
    "deck_loaded": "A deck lies in the hopper of a machine that does not shuffle: expected, not yet counted.",
    "round_started": "Betting was closed: a round begins.",
    "lockout_confirmed": "The progressive wagers are locked out.",
    "stack_started": "Intent: a stack is about to be dispensed.",
    "stack_offered": "A stack lies in the tray.",
    "stack_taken": "The tray is empty again: the stack was taken.",
    "green_pressed": "The dealer, or a command, asked for the rest of the deck.",
    "release_started": "Intent: the rest of the deck is about to be released.",
    "remainder_released": "The rest of the deck lies in the tray.",
    "remainder_taken": "The tray is empty again: the rest was taken.",
    "round_ended": "The dealer, or a command, ended the round.",
    "round_voided": "The round does not count.",
    "release_failed": "Outside of a round: handing out the deck did not come to its end.",
    "cut_reached": "The cut card came out: the shoe ends after this round.",
    "shuffle": "Take in and shuffle the deck in the hopper; done when it is verified.",
    "set_positions": "How many positions play in the next round.",
    "close_betting": "Close the betting: the round begins.",
    "confirm_lockout": "The progressive wagers are locked out: the first stack may come.",
    "release": "Release the rest of the deck; done when it lies in the tray.",
    "end_round": "End the round.",
    "acknowledge_warning": "The path is clear: remove what is inside.",
}

_WARNING = ("enumeration `warning`", 3)
_CLAUSE = ("the rule that orders this consequence, e.g. `CS-13f`; `HOUSE` if none does", "CS-13f")
_STACK = ("number of the stack in this round, from 1", 2)
_ROLE = ("whose lane; enumeration `role`", 2)
_OP = ("operation number", 41)
_COMMAND = ("message id of the command", 516)
_OUTCOME = ("enumeration `outcome`", 4)
_REASON = ("enumeration `reason`", 1)
_DETAIL = ("by reason: see [Commands](#7-commands)", 5)
_DIGEST = ("CRC-32 of the arguments after op, low 30 bits: tells two commands with one number apart", 0x2A5C31D7)
_MORE = "; wraps"

# (owner, field): what it means, and an example value.
FIELDS: dict[tuple[str, str], tuple[str, Example]] = {
    ("event", "seq"): ("number of the event in the device's life, from 1, without gaps", 1207),
    ("event", "boot"): ("number of the boot it happened in, from 1", 12),
    ("event", "uptime_s"): ("seconds since that boot", 3605),
    ("event", "uptime_ms"): ("and milliseconds, 0 to 999", 250),
    ("event", "utc_s"): ("UTC in seconds since 2020-01-01T00:00:00Z; 0: the clock was not set", 216864000),
    ("event", "round"): ("number of the round it belongs to; 0: none", 88),
    ("event", "deck"): ("number of the deck; 0: none", 1),
    ("command", "op"): ("operation number, larger than any used before in this lane; never 0", 41),
    ("hello", "version_max"): ("highest protocol version the host speaks", 1),
    ("hello", "role"): ("role asked for; enumeration `role`", 2),
    ("hello", "nonce"): ("16 random bytes, new for every hello", "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf"),
    ("welcome", "version"): ("version spoken from here on", 1),
    ("welcome", "role"): ("role granted: the one asked for", 2),
    ("welcome", "nonce"): ("the device's 16 random bytes", "d0d1d2d3d4d5d6d7d8d9dadbdcdddedf"),
    ("welcome", "host_nonce"): ("nonce of the hello this answers", "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf"),
    ("welcome", "device"): ("number of the device, below 2^30", 0x0051BEEF),
    ("welcome", "boot"): ("number of this boot", 12),
    ("welcome", "mode"): ("enumeration `mode`", 1),
    ("welcome", "has_key"): ("1: a key is installed", 1),
    ("welcome", "dictionary"): ("hash of the dictionary", DICTIONARY_HASH),
    ("welcome", "firmware"): ("version of the firmware", "0.1.0"),
    ("welcome", "game"): ("code of the game", "CS"),
    ("welcome", "seq_first"): ("first event that nobody has acknowledged", 1200),
    ("welcome", "seq_last"): ("last event recorded; seq_first - 1 if none waits", 1207),
    ("welcome", "op_last"): ("last operation number recorded in the lane of this role; 0: none", 40),
    ("refused", "why"): ("enumeration `why`", 2),
    ("refused", "detail"): (
        "why version: the device's version; why backoff: seconds to wait; why role: the role asked for; else 0",
        4,
    ),
    ("refused", "host_nonce"): ("nonce of the hello this answers", "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf"),
    ("dictionary_get", "line"): ("which line, from 0", 0),
    ("dictionary_line", "line"): ("which line", 0),
    ("dictionary_line", "lines"): ("how many there are", len(DICTIONARY)),
    ("dictionary_line", "text"): ("ASCII, no newline; empty if there is no such line", DICTIONARY[0].encode().hex()),
    ("event_ack", "seq"): ("last event stored; 0: none yet", 1207),
    ("status", "state"): ("enumeration `state`", 8),
    ("status", "warning"): ("latched warning, or what holds up the next round; enumeration `warning`", 0),
    ("status", "round"): ("round in progress or last; 0: none", 88),
    ("status", "deck"): ("deck inside; 0: none", 1),
    ("status", "positions"): ("positions set for the round; 0: not set", 3),
    ("status", "stack"): ("stack in progress or last; 0: none", 2),
    ("status", "elapsed_ds"): ("while shuffling: tenths of a second since it began", 0),
    ("status", "expected_ds"): ("while shuffling: when the result will be told, on the same clock", 0),
    ("status", "hopper"): ("cards in the hopper; while shuffling all eight counts stand still", 0),
    ("status", "path"): ("cards between hopper and store", 0),
    ("status", "store"): ("cards in the store", 42),
    ("status", "tray"): ("cards in the tray", 5),
    ("status", "dealt"): ("cards taken as stacks", 5),
    ("status", "discarded"): ("cards discarded", 0),
    ("status", "released"): ("cards taken as the rest of the deck", 0),
    ("status", "removed"): ("cards removed under a warning", 0),
    ("status", "events_waiting"): ("events not yet acknowledged", 1),
    ("status", "frames_bad"): ("sum of the six frame counters of link_counters" + _MORE, 2),
    ("time_set", "utc_s"): ("UTC in seconds since 2020-01-01T00:00:00Z", 216864000),
    ("time_is", "utc_s"): ("as set", 216864000),
    ("time_is", "uptime_s"): ("the device's uptime at that moment, seconds", 3605),
    ("time_is", "uptime_ms"): ("and milliseconds", 250),
    ("link_counters", "good"): ("frames with good stuffing, length, CRC, version and flags", 48211),
    ("link_counters", "bad_stuffing"): ("frames: not COBS, or a code 0xFF" + _MORE, 1),
    ("link_counters", "bad_crc"): ("frames: the residue is wrong" + _MORE, 2),
    ("link_counters", "too_short"): ("frames: less than 12 bytes" + _MORE, 3),
    ("link_counters", "too_long"): ("frames: more than 253 bytes" + _MORE, 4),
    ("link_counters", "bad_version"): ("frames: another version" + _MORE, 5),
    ("link_counters", "bad_flags"): ("frames: a must-understand flag not understood" + _MORE, 6),
    ("link_counters", "bad_session"): ("messages: of no session in force" + _MORE, 7),
    ("link_counters", "bad_mac"): ("messages: the MAC is wrong" + _MORE, 8),
    ("link_counters", "replayed"): ("messages: the link sequence did not rise" + _MORE, 9),
    ("link_counters", "not_keyed"): ("messages: in clear, where only keyed ones count" + _MORE, 10),
    ("link_counters", "not_allowed"): ("messages: not with this role, or nothing a host may send" + _MORE, 11),
    ("link_counters", "malformed"): ("messages: the body is shorter than its fields" + _MORE, 12),
    ("link_counters", "unknown"): ("messages: no such id" + _MORE, 13),
    ("link_counters", "resent"): ("events the device sent again" + _MORE, 14),
    ("session_ending", "frames_left"): ("frames the device can still send in this session, this one included", 255),
    ("seed_is", "kept"): ("1: this device keeps seeds for the auditor; 0: it erases them, and tells none", 1),
    ("seed_is", "seq"): ("number of the shuffle_committed event the seed belongs to; 0: there is none to tell", 1207),
    ("seed_is", "cards"): ("cards that were put in order", 52),
    ("seed_is", "seed"): ("what the order was drawn from; zeros if there is none to tell", bytes(range(32)).hex()),
    ("result", "op"): _OP,
    ("result", "command"): _COMMAND,
    ("result", "outcome"): _OUTCOME,
    ("result", "reason"): _REASON,
    ("result", "detail"): _DETAIL,
    ("booted", "cause"): ("0 power on, 1 watchdog, 2 other", 0),
    ("booted", "board_crc"): ("CRC-32 of the board configuration", 0x8C0FFEE1),
    ("booted", "firmware"): ("version of the firmware", "0.1.0"),
    ("power_lost", "during"): ("message id of the intent that was open; 0: none", 290),
    ("power_lost", "round_open"): ("1: a round was open; it is voided", 1),
    ("empty_proved", "slots_swept"): ("slots looked at", 54),
    ("warning_latched", "warning"): _WARNING,
    ("warning_latched", "cards_seen"): ("cards of this deck counted so far", 52),
    ("warning_cleared", "warning"): _WARNING,
    ("clock_set", "role"): ("who set it; enumeration `role`", 2),
    ("clock_set", "old_utc_s"): ("the time before; 0: not set", 216863990),
    ("command_accepted", "role"): _ROLE,
    ("command_accepted", "op"): _OP,
    ("command_accepted", "command"): _COMMAND,
    ("command_accepted", "digest"): _DIGEST,
    ("command_ended", "role"): _ROLE,
    ("command_ended", "op"): _OP,
    ("command_ended", "command"): _COMMAND,
    ("command_ended", "digest"): _DIGEST,
    ("command_ended", "outcome"): _OUTCOME,
    ("command_ended", "reason"): _REASON,
    ("command_ended", "detail"): _DETAIL,
    ("shuffle_started", "expected"): ("cards a full deck has", 52),
    ("shuffle_started", "report_ds"): ("tenths of a second until the result is told", 200),
    ("deck_verified", "counted"): ("cards counted in", 52),
    ("deck_verified", "swept"): ("cards found by the sweep of the store", 52),
    ("deck_verified", "misfeeds"): ("feeds that had to be tried again", 1),
    ("deck_verified", "stalls"): ("cards that stopped and were freed", 1),
    ("deck_refused", "expected"): ("cards a full deck has", 52),
    ("deck_refused", "counted"): ("cards counted in", 51),
    ("deck_refused", "swept"): ("cards found by the sweep of the store", 51),
    ("deck_refused", "clause"): ("the rule that orders this consequence", "CS-9g"),
    ("shuffle_failed", "warning"): _WARNING,
    ("shuffle_failed", "clause"): ("the rule that orders this consequence", "CS-13e"),
    ("deck_removed", "counted"): ("cards counted out", 42),
    ("removal_failed", "warning"): _WARNING,
    ("shuffle_committed", "commitment"): (
        "SHA-256 of the ASCII text `fairshoe seed 1` and the 32-byte seed: see [Audit](AUDIT.md)",
        sha256(b"fairshoe seed 1" + bytes(range(32))).hexdigest(),
    ),
    ("round_started", "game"): ("code of the game", "CS"),
    ("round_started", "positions"): ("positions that play; 0: as many as the dealer takes stacks", 3),
    ("stack_started", "stack"): _STACK,
    ("stack_started", "cards"): ("cards it shall have", 5),
    ("stack_offered", "stack"): _STACK,
    ("stack_offered", "cards"): ("cards counted out", 5),
    ("stack_offered", "misfeeds"): ("feeds that had to be tried again", 1),
    ("stack_offered", "stalls"): ("cards that stopped and were freed", 0),
    ("release_failed", "warning"): _WARNING,
    ("deck_loaded", "expected"): ("cards the game's deck has", 384),
    ("cut_reached", "drawn"): ("cards drawn from this shoe so far", 300),
    ("meters", "cycles"): ("decks shuffled or loaded", 1200),
    ("meters", "cards"): ("cards fed or drawn", 62400),
    ("meters", "misfeeds"): ("feeds that had to be tried again", 31),
    ("meters", "stalls"): ("cards that stopped and were freed", 4),
    ("meters", "jams"): ("cards that were not freed", 2),
    ("meters", "double_feeds"): ("more than one card where one should be", 1),
    ("meters", "faults"): ("warnings of any kind that the machine raised", 5),
    ("meters", "feed_us"): ("mean time from roller on to card at the first beam, lately", 64000),
    ("meters", "feed_us_new"): ("the same over the first thousand cards: its drift is wear or dirt", 61000),
    **{
        ("meters", line): (f"glitches: changes of the {line} beam that did not last, and dark tests it failed", 0)
        for line in ("hopper", "throat_a", "throat_b", "opacity", "slot", "exit", "tray", "arrival", "cut")
    },
    ("stack_taken", "stack"): _STACK,
    ("stack_taken", "cards"): ("cards it had", 5),
    ("release_started", "expected"): ("cards in store and tray", 37),
    ("remainder_released", "expected"): ("cards of the deck not dealt", 37),
    ("remainder_released", "counted"): ("cards counted out", 37),
    ("remainder_taken", "counted"): ("cards taken", 37),
    ("round_ended", "stacks"): ("stacks taken", 3),
    ("round_ended", "dealt"): ("cards in them", 15),
    ("round_ended", "remainder"): ("cards taken as the rest", 37),
    ("round_voided", "warning"): _WARNING,
    ("round_voided", "clause"): _CLAUSE,
    ("round_voided", "stacks_taken"): ("stacks taken before; 255: not known", 2),
    ("round_voided", "cards_out"): ("cards outside the machine; 65535: not known", 10),
    ("round_voided", "cards_inside"): ("cards inside; 65535: not known", 42),
    ("set_positions", "positions"): ("1 to what the game allows", 3),
}


def sentence(message: Message) -> str:
    if message.name not in SENTENCES:
        raise SystemExit(f"tools/protocol/protocol_words.py: say what the message {message.name} is for")
    return SENTENCES[message.name]


def meaning(field: Field) -> str:
    return _entry(field)[0]


def usual(message: Message) -> dict[str, Example]:
    """The fields of a message with their example values; bytes in hexadecimal."""
    return {field.name: _entry(field)[1] for field in message.fields}


def _entry(field: Field) -> tuple[str, Example]:
    entry = FIELDS.get((field.owner, field.name))
    if entry is None:
        raise SystemExit(f"tools/protocol/protocol_words.py: say what {field.path} means")
    return entry
