-- fairshoe: a Wireshark dissector for the serial link of a card shoe.
--
--     tshark -X lua_script:fairshoe.lua -r capture.pcap            (Wireshark 4.0 or newer)
--     wireshark: put this file into the folder "Personal Lua Plugins" (Help, About, Folders)
--
-- Taken for captures of link type USER0 (147), each packet a piece of the serial stream that holds whole frames; and,
-- by "Decode As", for TCP and UDP payloads (a serial server, say). What a packet leaves unfinished is said, not guessed.
--
-- The MAC of a keyed frame is shown and not checked: that would need the device's key in this file.

-- >>> generated
-- by tools/protocol/gen_docs.py from firmware/protocol/ids.py
local VERSION, FRAME_MAX = 1, 253
local SIZES = { u8 = 1, u16 = 2, u32 = 4, t8 = 8, b8 = 8, b16 = 16, b32 = 32, rest = 0 }
local CLASSES = { [0] = "handshake", [1] = "dictionary", [2] = "event", [3] = "ack", [4] = "command", [5] = "response", [6] = "telemetry", [7] = "time", [8] = "diagnostic" }
local ENUMS = {
    class = { [0] = "handshake", [1] = "dictionary", [2] = "event", [3] = "ack", [4] = "command", [5] = "response", [6] = "telemetry", [7] = "time", [8] = "diagnostic" },
    state = { [0] = "starting", [1] = "proving_empty", [2] = "waiting_for_deck", [3] = "preparing", [4] = "shuffling", [5] = "deck_ready", [6] = "waiting_for_lockout", [7] = "dispensing", [8] = "stack_offered", [9] = "waiting_for_green", [10] = "releasing", [11] = "remainder_offered", [12] = "waiting_for_round_end", [13] = "warning", [14] = "removing", [15] = "removed_offered", [16] = "deck_held", [17] = "draw_ready", [18] = "drawing", [19] = "deck_spent", [20] = "waiting_for_wagers" },
    what = { [0] = "none", [1] = "inspected", [2] = "verified", [3] = "shown", [4] = "washed", [5] = "mixing_seen", [6] = "tens_removed", [7] = "provenance", [8] = "cut", [9] = "deck_removed", [10] = "no_activity", [11] = "out_of_service", [12] = "dispute", [13] = "winner_hold", [14] = "stub_counted", [15] = "progressive", [16] = "fold", [17] = "second_wager", [18] = "final_deal", [19] = "hole_card_seen", [20] = "misdeal", [21] = "face_up", [22] = "drawn_in_error", [23] = "dealer_change", [24] = "burned", [25] = "ten_found", [26] = "up_card", [27] = "insurance_closed", [28] = "dealer_card", [29] = "short_shoe", [30] = "reshuffle", [31] = "cut_offered", [32] = "box_missed", [33] = "reader_off", [34] = "approval", [35] = "surrender", [36] = "card_to", [37] = "house_decision", [38] = "delivered_wrongly", [39] = "let_out" },
    consequence = { [0] = "none", [1] = "all_void_reshuffle", [2] = "all_void_reshuffle_with_dealt", [3] = "all_void_remove_deck", [4] = "all_void_but_complete", [5] = "all_void", [6] = "one_void", [7] = "reshuffle", [8] = "remove_deck", [9] = "reject_card", [10] = "complete_hand", [11] = "remove_card", [12] = "burn_card", [13] = "next_card", [14] = "shuffle_again", [15] = "induct_again", [16] = "hold_deck", [17] = "count_stub", [18] = "leave_table", [19] = "play_on" },
    need = { [0] = "none", [1] = "service", [2] = "dispute", [3] = "induction", [4] = "provenance", [5] = "cut", [6] = "stub_count", [7] = "round_end", [8] = "progressive", [9] = "burn", [10] = "hole_card", [11] = "rack", [12] = "card", [13] = "decisions", [14] = "deck", [15] = "shuffle", [16] = "close_betting", [17] = "lockout", [18] = "take", [19] = "release", [20] = "draw", [21] = "empty_shoe", [22] = "close_door", [23] = "open_door", [24] = "clear_path", [25] = "acknowledge", [26] = "store_events", [27] = "house_decision" },
    answer = { [0] = "none", [1] = "no_blackjack", [2] = "blackjack", [3] = "fault" },
    warning = { [0] = "none", [1] = "misfeed", [2] = "jam_throat", [3] = "jam_exit", [4] = "double_feed", [5] = "card_length", [6] = "mismatch", [7] = "axis", [8] = "door", [9] = "cards_inside", [10] = "power", [11] = "entropy", [12] = "journal", [13] = "edge_lost", [14] = "stack", [15] = "ejector", [16] = "internal", [17] = "beam", [18] = "back", [19] = "face_up", [20] = "composition", [21] = "reset", [22] = "noise", [23] = "panel", [24] = "config" },
    sensor = { [0] = "none", [1] = "hopper", [2] = "throat_a", [3] = "throat_b", [4] = "opacity", [5] = "slot", [6] = "exit", [7] = "tray", [8] = "ejector", [9] = "door", [10] = "arrival", [11] = "cut", [12] = "back", [13] = "face", [14] = "hole_card", [15] = "hole_match", [16] = "key_switch", [17] = "button_close", [18] = "button_lock", [19] = "button_seat", [20] = "button_green", [21] = "button_ack" },
    figure = { [0] = "none", [1] = "card_um", [2] = "brake_um", [3] = "slot_count", [4] = "slot_steps", [5] = "slot_beam_slots" },
    part = { [0] = "none", [1] = "pick_roller", [2] = "transport_rollers", [3] = "beams" },
    role = { [0] = "clear", [1] = "observer", [2] = "table", [3] = "service", [4] = "auditor", [5] = "recorder" },
    mode = { [0] = "report_only", [1] = "table" },
    outcome = { [0] = "accepted", [1] = "running", [2] = "done", [3] = "failed", [4] = "rejected", [5] = "stale", [6] = "conflict", [7] = "in_doubt" },
    reason = { [0] = "none", [1] = "state", [2] = "busy", [3] = "role", [4] = "argument", [5] = "warning", [6] = "power", [7] = "unknown", [8] = "need" },
    why = { [0] = "version", [1] = "no_key", [2] = "backoff", [3] = "role", [4] = "switch", [5] = "busy" },
    share = { [0] = "asked", [1] = "given", [2] = "declined", [3] = "late", [4] = "aborted" },
}
local NAMES = {
    [1] = "hello",
    [2] = "welcome",
    [3] = "refused",
    [8] = "dictionary_get",
    [9] = "dictionary_line",
    [16] = "event_ack",
    [32] = "status",
    [33] = "meters",
    [34] = "health",
    [35] = "wear",
    [48] = "time_set",
    [49] = "time_is",
    [64] = "link_counters",
    [65] = "session_ending",
    [66] = "seed_get",
    [67] = "seed_is",
    [68] = "journal_get",
    [69] = "journal_is",
    [70] = "journal_record",
    [75] = "journal_sign",
    [76] = "journal_signed",
    [71] = "key_install",
    [72] = "key_rotate",
    [73] = "key_is",
    [74] = "halted",
    [77] = "nonce",
    [78] = "diagnose",
    [79] = "diagnosis",
    [96] = "shot",
    [97] = "edges",
    [80] = "result",
    [256] = "booted",
    [257] = "power_lost",
    [258] = "empty_proved",
    [259] = "warning_latched",
    [260] = "warning_cleared",
    [261] = "door_opened",
    [262] = "door_closed",
    [263] = "clock_set",
    [264] = "command_accepted",
    [265] = "command_ended",
    [266] = "record_damaged",
    [267] = "sealed",
    [268] = "journal_broken",
    [269] = "journal_filling",
    [270] = "key_changed",
    [281] = "signing_key",
    [271] = "service",
    [272] = "shuffle_started",
    [273] = "deck_verified",
    [274] = "deck_refused",
    [275] = "shuffle_failed",
    [276] = "removal_started",
    [277] = "deck_removed",
    [278] = "removal_failed",
    [279] = "shuffle_committed",
    [282] = "shuffle_nonce",
    [280] = "deck_loaded",
    [288] = "round_started",
    [289] = "lockout_confirmed",
    [290] = "stack_started",
    [291] = "stack_offered",
    [292] = "stack_taken",
    [293] = "green_pressed",
    [294] = "release_started",
    [295] = "remainder_released",
    [296] = "remainder_taken",
    [297] = "round_ended",
    [298] = "round_voided",
    [300] = "release_failed",
    [299] = "cut_reached",
    [301] = "betting_closed",
    [302] = "stub_due",
    [303] = "held_back",
    [304] = "recorded",
    [305] = "cover_all",
    [306] = "hole_card_read",
    [307] = "cards_odd",
    [308] = "draw_flagged",
    [309] = "diagnosis_mode",
    [310] = "not_as_configured",
    [311] = "serviced",
    [512] = "shuffle",
    [513] = "set_positions",
    [514] = "close_betting",
    [515] = "confirm_lockout",
    [516] = "release",
    [517] = "end_round",
    [518] = "acknowledge_warning",
    [519] = "record",
    [520] = "give_card",
    [521] = "deal_community",
    [522] = "self_test",
}
-- filter name (after fairshoe.): type, words for its values
local FIELDS = {
    ["hello.version_max"] = { "u8" },
    ["hello.role"] = { "u8", ENUMS.role },
    ["hello.nonce"] = { "b16" },
    ["welcome.version"] = { "u8" },
    ["welcome.role"] = { "u8", ENUMS.role },
    ["welcome.nonce"] = { "b16" },
    ["welcome.host_nonce"] = { "b16" },
    ["welcome.device"] = { "u32" },
    ["welcome.boot"] = { "u16" },
    ["welcome.mode"] = { "u8", ENUMS.mode },
    ["welcome.has_key"] = { "u8" },
    ["welcome.dictionary"] = { "b8" },
    ["welcome.firmware"] = { "t8" },
    ["welcome.game"] = { "t8" },
    ["welcome.seq_first"] = { "u32" },
    ["welcome.seq_last"] = { "u32" },
    ["welcome.op_last"] = { "u32" },
    ["refused.why"] = { "u8", ENUMS.why },
    ["refused.detail"] = { "u16" },
    ["refused.host_nonce"] = { "b16" },
    ["dictionary_get.line"] = { "u16" },
    ["dictionary_line.line"] = { "u16" },
    ["dictionary_line.lines"] = { "u16" },
    ["dictionary_line.text"] = { "rest" },
    ["event_ack.seq"] = { "u32" },
    ["status.state"] = { "u8", ENUMS.state },
    ["status.warning"] = { "u8", ENUMS.warning },
    ["status.round"] = { "u32" },
    ["status.deck"] = { "u8" },
    ["status.positions"] = { "u8" },
    ["status.stack"] = { "u8" },
    ["status.elapsed_ds"] = { "u16" },
    ["status.expected_ds"] = { "u16" },
    ["status.hopper"] = { "u16" },
    ["status.path"] = { "u16" },
    ["status.store"] = { "u16" },
    ["status.tray"] = { "u16" },
    ["status.dealt"] = { "u16" },
    ["status.discarded"] = { "u16" },
    ["status.released"] = { "u16" },
    ["status.removed"] = { "u16" },
    ["status.events_waiting"] = { "u16" },
    ["status.frames_bad"] = { "u16" },
    ["status.need"] = { "u8", ENUMS.need },
    ["status.hopper_seen"] = { "u8" },
    ["status.deck_next"] = { "u8" },
    ["status.records_due"] = { "u32" },
    ["status.positions_due"] = { "u16" },
    ["meters.cycles"] = { "u32" },
    ["meters.cards"] = { "u32" },
    ["meters.misfeeds"] = { "u32" },
    ["meters.stalls"] = { "u32" },
    ["meters.jams"] = { "u16" },
    ["meters.double_feeds"] = { "u16" },
    ["meters.faults"] = { "u16" },
    ["meters.feed_us"] = { "u32" },
    ["meters.feed_us_new"] = { "u32" },
    ["meters.hopper"] = { "u16" },
    ["meters.throat_a"] = { "u16" },
    ["meters.throat_b"] = { "u16" },
    ["meters.opacity"] = { "u16" },
    ["meters.slot"] = { "u16" },
    ["meters.exit"] = { "u16" },
    ["meters.tray"] = { "u16" },
    ["meters.arrival"] = { "u16" },
    ["meters.cut"] = { "u16" },
    ["health.overruns"] = { "u16" },
    ["health.scan_ms_max"] = { "u16" },
    ["wear.cycles"] = { "u32" },
    ["wear.throat_us"] = { "u32" },
    ["time_set.utc_s"] = { "u32" },
    ["time_is.utc_s"] = { "u32" },
    ["time_is.uptime_s"] = { "u32" },
    ["time_is.uptime_ms"] = { "u16" },
    ["link_counters.good"] = { "u32" },
    ["link_counters.bad_stuffing"] = { "u16" },
    ["link_counters.bad_crc"] = { "u16" },
    ["link_counters.too_short"] = { "u16" },
    ["link_counters.too_long"] = { "u16" },
    ["link_counters.bad_version"] = { "u16" },
    ["link_counters.bad_flags"] = { "u16" },
    ["link_counters.bad_session"] = { "u16" },
    ["link_counters.bad_mac"] = { "u16" },
    ["link_counters.replayed"] = { "u16" },
    ["link_counters.not_keyed"] = { "u16" },
    ["link_counters.not_allowed"] = { "u16" },
    ["link_counters.malformed"] = { "u16" },
    ["link_counters.unknown"] = { "u16" },
    ["link_counters.resent"] = { "u16" },
    ["session_ending.frames_left"] = { "u16" },
    ["seed_is.kept"] = { "u8" },
    ["seed_is.seq"] = { "u32" },
    ["seed_is.cards"] = { "u16" },
    ["seed_is.seed"] = { "b32" },
    ["journal_get.seq"] = { "u32" },
    ["journal_is.first"] = { "u32" },
    ["journal_is.last"] = { "u32" },
    ["journal_is.utc_s"] = { "u32" },
    ["journal_is.key"] = { "u16" },
    ["journal_is.log"] = { "b16" },
    ["journal_is.head"] = { "b32" },
    ["journal_is.mac"] = { "b16" },
    ["journal_record.seq"] = { "u32" },
    ["journal_record.record"] = { "rest" },
    ["journal_signed.first"] = { "u32" },
    ["journal_signed.last"] = { "u32" },
    ["journal_signed.utc_s"] = { "u32" },
    ["journal_signed.key"] = { "u16" },
    ["journal_signed.log"] = { "b16" },
    ["journal_signed.head"] = { "b32" },
    ["journal_signed.mac"] = { "b16" },
    ["journal_signed.public"] = { "b32" },
    ["journal_signed.signature"] = { "rest" },
    ["key_install.key"] = { "b32" },
    ["key_rotate.nonce"] = { "b16" },
    ["key_rotate.wrapped"] = { "b32" },
    ["key_rotate.mac"] = { "b16" },
    ["key_is.result"] = { "u8" },
    ["key_is.generation"] = { "u16" },
    ["key_is.check"] = { "b8" },
    ["halted.text"] = { "rest" },
    ["nonce.share"] = { "u8", ENUMS.share },
    ["nonce.seq"] = { "u32" },
    ["nonce.nonce"] = { "b32" },
    ["diagnose.ask"] = { "u8" },
    ["diagnose.at"] = { "u16" },
    ["diagnosis.on"] = { "u8" },
    ["diagnosis.bench"] = { "u8" },
    ["diagnosis.raw"] = { "u32" },
    ["diagnosis.level"] = { "u32" },
    ["diagnosis.axis"] = { "u8" },
    ["diagnosis.noisy"] = { "u8" },
    ["diagnosis.shot"] = { "u16" },
    ["diagnosis.end"] = { "u8" },
    ["diagnosis.step"] = { "u8" },
    ["diagnosis.edges"] = { "u16" },
    ["diagnosis.home"] = { "u16" },
    ["shot.number"] = { "u16" },
    ["shot.output"] = { "u8" },
    ["shot.line"] = { "u8" },
    ["shot.delay_us"] = { "u32" },
    ["shot.steps"] = { "u16" },
    ["shot.back"] = { "u8" },
    ["shot.watch"] = { "u8" },
    ["shot.program"] = { "rest" },
    ["edges.first"] = { "u16" },
    ["edges.edges"] = { "rest" },
    ["result.op"] = { "u32" },
    ["result.command"] = { "u16", NAMES },
    ["result.outcome"] = { "u8", ENUMS.outcome },
    ["result.reason"] = { "u8", ENUMS.reason },
    ["result.detail"] = { "u16" },
    ["event.seq"] = { "u32" },
    ["event.boot"] = { "u16" },
    ["event.uptime_s"] = { "u32" },
    ["event.uptime_ms"] = { "u16" },
    ["event.utc_s"] = { "u32" },
    ["event.round"] = { "u32" },
    ["event.deck"] = { "u8" },
    ["booted.cause"] = { "u8" },
    ["booted.board_crc"] = { "u32" },
    ["booted.firmware"] = { "t8" },
    ["booted.halted_boot"] = { "u16" },
    ["booted.halted"] = { "t8" },
    ["power_lost.during"] = { "u16", NAMES },
    ["power_lost.round_open"] = { "u8" },
    ["empty_proved.slots_swept"] = { "u16" },
    ["warning_latched.warning"] = { "u8", ENUMS.warning },
    ["warning_latched.cards_seen"] = { "u16" },
    ["warning_latched.sensor"] = { "u8", ENUMS.sensor },
    ["warning_latched.length_um"] = { "u32" },
    ["warning_latched.card_um"] = { "u32" },
    ["warning_cleared.warning"] = { "u8", ENUMS.warning },
    ["clock_set.role"] = { "u8", ENUMS.role },
    ["clock_set.old_utc_s"] = { "u32" },
    ["command_accepted.role"] = { "u8", ENUMS.role },
    ["command_accepted.op"] = { "u32" },
    ["command_accepted.command"] = { "u16", NAMES },
    ["command_accepted.digest"] = { "u32" },
    ["command_ended.role"] = { "u8", ENUMS.role },
    ["command_ended.op"] = { "u32" },
    ["command_ended.command"] = { "u16", NAMES },
    ["command_ended.digest"] = { "u32" },
    ["command_ended.outcome"] = { "u8", ENUMS.outcome },
    ["command_ended.reason"] = { "u8", ENUMS.reason },
    ["command_ended.detail"] = { "u16" },
    ["sealed.key"] = { "u16" },
    ["sealed.mac"] = { "b16" },
    ["journal_broken.defect"] = { "u8" },
    ["journal_broken.at_seq"] = { "u32" },
    ["journal_filling.waiting"] = { "u16" },
    ["journal_filling.room"] = { "u16" },
    ["key_changed.generation"] = { "u16" },
    ["key_changed.how"] = { "u8" },
    ["signing_key.generation"] = { "u16" },
    ["signing_key.public"] = { "b32" },
    ["service.on"] = { "u8" },
    ["shuffle_started.expected"] = { "u16" },
    ["shuffle_started.report_ds"] = { "u16" },
    ["deck_verified.counted"] = { "u16" },
    ["deck_verified.swept"] = { "u16" },
    ["deck_verified.misfeeds"] = { "u8" },
    ["deck_verified.stalls"] = { "u8" },
    ["deck_refused.expected"] = { "u16" },
    ["deck_refused.counted"] = { "u16" },
    ["deck_refused.swept"] = { "u16" },
    ["deck_refused.clause"] = { "t8" },
    ["deck_refused.consequence"] = { "u8", ENUMS.consequence },
    ["shuffle_failed.warning"] = { "u8", ENUMS.warning },
    ["shuffle_failed.clause"] = { "t8" },
    ["shuffle_failed.consequence"] = { "u8", ENUMS.consequence },
    ["deck_removed.counted"] = { "u16" },
    ["deck_removed.clause"] = { "t8" },
    ["deck_removed.consequence"] = { "u8", ENUMS.consequence },
    ["removal_failed.warning"] = { "u8", ENUMS.warning },
    ["shuffle_committed.commitment"] = { "b32" },
    ["shuffle_committed.wait_ds"] = { "u8" },
    ["shuffle_nonce.share"] = { "u8", ENUMS.share },
    ["shuffle_nonce.aborted"] = { "u16" },
    ["shuffle_nonce.nonce"] = { "b32" },
    ["deck_loaded.expected"] = { "u16" },
    ["deck_loaded.shuffled"] = { "u8" },
    ["round_started.game"] = { "t8" },
    ["round_started.positions"] = { "u8" },
    ["lockout_confirmed.accepted"] = { "u16" },
    ["lockout_confirmed.collected"] = { "u16" },
    ["lockout_confirmed.clause"] = { "t8" },
    ["stack_started.stack"] = { "u8" },
    ["stack_started.cards"] = { "u8" },
    ["stack_offered.stack"] = { "u8" },
    ["stack_offered.cards"] = { "u8" },
    ["stack_offered.misfeeds"] = { "u8" },
    ["stack_offered.stalls"] = { "u8" },
    ["stack_taken.stack"] = { "u8" },
    ["stack_taken.cards"] = { "u8" },
    ["release_started.expected"] = { "u16" },
    ["remainder_released.expected"] = { "u16" },
    ["remainder_released.counted"] = { "u16" },
    ["remainder_taken.counted"] = { "u16" },
    ["round_ended.stacks"] = { "u8" },
    ["round_ended.dealt"] = { "u16" },
    ["round_ended.remainder"] = { "u16" },
    ["round_ended.stub"] = { "u16" },
    ["round_ended.stub_counted"] = { "u16" },
    ["round_voided.warning"] = { "u8", ENUMS.warning },
    ["round_voided.clause"] = { "t8" },
    ["round_voided.stacks_taken"] = { "u8" },
    ["round_voided.cards_out"] = { "u16" },
    ["round_voided.cards_inside"] = { "u16" },
    ["round_voided.consequence"] = { "u8", ENUMS.consequence },
    ["round_voided.hands_kept"] = { "u16" },
    ["release_failed.warning"] = { "u8", ENUMS.warning },
    ["cut_reached.drawn"] = { "u16" },
    ["cut_reached.left"] = { "u16" },
    ["cut_reached.box"] = { "u8" },
    ["cut_reached.deep"] = { "u8" },
    ["cut_reached.clause"] = { "t8" },
    ["betting_closed.closing"] = { "u8" },
    ["betting_closed.clause"] = { "t8" },
    ["stub_due.rounds"] = { "u8" },
    ["stub_due.clause"] = { "t8" },
    ["held_back.need"] = { "u8", ENUMS.need },
    ["held_back.clause"] = { "t8" },
    ["recorded.what"] = { "u8", ENUMS.what },
    ["recorded.a"] = { "u16" },
    ["recorded.b"] = { "u16" },
    ["recorded.clause"] = { "t8" },
    ["recorded.consequence"] = { "u8", ENUMS.consequence },
    ["cover_all.hands"] = { "u8" },
    ["cover_all.column"] = { "u8" },
    ["cover_all.clause"] = { "t8" },
    ["hole_card_read.answer"] = { "u8", ENUMS.answer },
    ["hole_card_read.clause"] = { "t8" },
    ["cards_odd.warning"] = { "u8", ENUMS.warning },
    ["cards_odd.found"] = { "u8" },
    ["cards_odd.clause"] = { "t8" },
    ["cards_odd.consequence"] = { "u8", ENUMS.consequence },
    ["draw_flagged.draw"] = { "u8" },
    ["draw_flagged.clause"] = { "t8" },
    ["diagnosis_mode.on"] = { "u8" },
    ["diagnosis_mode.shots"] = { "u16" },
    ["not_as_configured.figure"] = { "u8", ENUMS.figure },
    ["not_as_configured.measured"] = { "u32" },
    ["not_as_configured.configured"] = { "u32" },
    ["serviced.part"] = { "u8", ENUMS.part },
    ["serviced.replaced"] = { "u8" },
    ["serviced.cycles"] = { "u32" },
    ["command.op"] = { "u32" },
    ["set_positions.positions"] = { "u8" },
    ["record.what"] = { "u8", ENUMS.what },
    ["record.a"] = { "u16" },
    ["record.b"] = { "u16" },
}
-- message: its fields in order
local MESSAGES = {
    [1] = { "hello.version_max", "hello.role", "hello.nonce" },
    [2] = { "welcome.version", "welcome.role", "welcome.nonce", "welcome.host_nonce", "welcome.device", "welcome.boot", "welcome.mode", "welcome.has_key", "welcome.dictionary", "welcome.firmware", "welcome.game", "welcome.seq_first", "welcome.seq_last", "welcome.op_last" },
    [3] = { "refused.why", "refused.detail", "refused.host_nonce" },
    [8] = { "dictionary_get.line" },
    [9] = { "dictionary_line.line", "dictionary_line.lines", "dictionary_line.text" },
    [16] = { "event_ack.seq" },
    [32] = { "status.state", "status.warning", "status.round", "status.deck", "status.positions", "status.stack", "status.elapsed_ds", "status.expected_ds", "status.hopper", "status.path", "status.store", "status.tray", "status.dealt", "status.discarded", "status.released", "status.removed", "status.events_waiting", "status.frames_bad", "status.need", "status.hopper_seen", "status.deck_next", "status.records_due", "status.positions_due" },
    [33] = { "meters.cycles", "meters.cards", "meters.misfeeds", "meters.stalls", "meters.jams", "meters.double_feeds", "meters.faults", "meters.feed_us", "meters.feed_us_new", "meters.hopper", "meters.throat_a", "meters.throat_b", "meters.opacity", "meters.slot", "meters.exit", "meters.tray", "meters.arrival", "meters.cut" },
    [34] = { "health.overruns", "health.scan_ms_max" },
    [35] = { "wear.cycles", "wear.throat_us" },
    [48] = { "time_set.utc_s" },
    [49] = { "time_is.utc_s", "time_is.uptime_s", "time_is.uptime_ms" },
    [64] = { "link_counters.good", "link_counters.bad_stuffing", "link_counters.bad_crc", "link_counters.too_short", "link_counters.too_long", "link_counters.bad_version", "link_counters.bad_flags", "link_counters.bad_session", "link_counters.bad_mac", "link_counters.replayed", "link_counters.not_keyed", "link_counters.not_allowed", "link_counters.malformed", "link_counters.unknown", "link_counters.resent" },
    [65] = { "session_ending.frames_left" },
    [66] = {  },
    [67] = { "seed_is.kept", "seed_is.seq", "seed_is.cards", "seed_is.seed" },
    [68] = { "journal_get.seq" },
    [69] = { "journal_is.first", "journal_is.last", "journal_is.utc_s", "journal_is.key", "journal_is.log", "journal_is.head", "journal_is.mac" },
    [70] = { "journal_record.seq", "journal_record.record" },
    [75] = {  },
    [76] = { "journal_signed.first", "journal_signed.last", "journal_signed.utc_s", "journal_signed.key", "journal_signed.log", "journal_signed.head", "journal_signed.mac", "journal_signed.public", "journal_signed.signature" },
    [71] = { "key_install.key" },
    [72] = { "key_rotate.nonce", "key_rotate.wrapped", "key_rotate.mac" },
    [73] = { "key_is.result", "key_is.generation", "key_is.check" },
    [74] = { "halted.text" },
    [77] = { "nonce.share", "nonce.seq", "nonce.nonce" },
    [78] = { "diagnose.ask", "diagnose.at" },
    [79] = { "diagnosis.on", "diagnosis.bench", "diagnosis.raw", "diagnosis.level", "diagnosis.axis", "diagnosis.noisy", "diagnosis.shot", "diagnosis.end", "diagnosis.step", "diagnosis.edges", "diagnosis.home" },
    [96] = { "shot.number", "shot.output", "shot.line", "shot.delay_us", "shot.steps", "shot.back", "shot.watch", "shot.program" },
    [97] = { "edges.first", "edges.edges" },
    [80] = { "result.op", "result.command", "result.outcome", "result.reason", "result.detail" },
    [256] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "booted.cause", "booted.board_crc", "booted.firmware", "booted.halted_boot", "booted.halted" },
    [257] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "power_lost.during", "power_lost.round_open" },
    [258] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "empty_proved.slots_swept" },
    [259] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "warning_latched.warning", "warning_latched.cards_seen", "warning_latched.sensor", "warning_latched.length_um", "warning_latched.card_um" },
    [260] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "warning_cleared.warning" },
    [261] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck" },
    [262] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck" },
    [263] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "clock_set.role", "clock_set.old_utc_s" },
    [264] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "command_accepted.role", "command_accepted.op", "command_accepted.command", "command_accepted.digest" },
    [265] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "command_ended.role", "command_ended.op", "command_ended.command", "command_ended.digest", "command_ended.outcome", "command_ended.reason", "command_ended.detail" },
    [266] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck" },
    [267] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "sealed.key", "sealed.mac" },
    [268] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "journal_broken.defect", "journal_broken.at_seq" },
    [269] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "journal_filling.waiting", "journal_filling.room" },
    [270] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "key_changed.generation", "key_changed.how" },
    [281] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "signing_key.generation", "signing_key.public" },
    [271] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "service.on" },
    [272] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "shuffle_started.expected", "shuffle_started.report_ds" },
    [273] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "deck_verified.counted", "deck_verified.swept", "deck_verified.misfeeds", "deck_verified.stalls" },
    [274] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "deck_refused.expected", "deck_refused.counted", "deck_refused.swept", "deck_refused.clause", "deck_refused.consequence" },
    [275] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "shuffle_failed.warning", "shuffle_failed.clause", "shuffle_failed.consequence" },
    [276] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck" },
    [277] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "deck_removed.counted", "deck_removed.clause", "deck_removed.consequence" },
    [278] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "removal_failed.warning" },
    [279] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "shuffle_committed.commitment", "shuffle_committed.wait_ds" },
    [282] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "shuffle_nonce.share", "shuffle_nonce.aborted", "shuffle_nonce.nonce" },
    [280] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "deck_loaded.expected", "deck_loaded.shuffled" },
    [288] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "round_started.game", "round_started.positions" },
    [289] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "lockout_confirmed.accepted", "lockout_confirmed.collected", "lockout_confirmed.clause" },
    [290] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "stack_started.stack", "stack_started.cards" },
    [291] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "stack_offered.stack", "stack_offered.cards", "stack_offered.misfeeds", "stack_offered.stalls" },
    [292] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "stack_taken.stack", "stack_taken.cards" },
    [293] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck" },
    [294] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "release_started.expected" },
    [295] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "remainder_released.expected", "remainder_released.counted" },
    [296] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "remainder_taken.counted" },
    [297] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "round_ended.stacks", "round_ended.dealt", "round_ended.remainder", "round_ended.stub", "round_ended.stub_counted" },
    [298] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "round_voided.warning", "round_voided.clause", "round_voided.stacks_taken", "round_voided.cards_out", "round_voided.cards_inside", "round_voided.consequence", "round_voided.hands_kept" },
    [300] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "release_failed.warning" },
    [299] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "cut_reached.drawn", "cut_reached.left", "cut_reached.box", "cut_reached.deep", "cut_reached.clause" },
    [301] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "betting_closed.closing", "betting_closed.clause" },
    [302] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "stub_due.rounds", "stub_due.clause" },
    [303] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "held_back.need", "held_back.clause" },
    [304] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "recorded.what", "recorded.a", "recorded.b", "recorded.clause", "recorded.consequence" },
    [305] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "cover_all.hands", "cover_all.column", "cover_all.clause" },
    [306] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "hole_card_read.answer", "hole_card_read.clause" },
    [307] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "cards_odd.warning", "cards_odd.found", "cards_odd.clause", "cards_odd.consequence" },
    [308] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "draw_flagged.draw", "draw_flagged.clause" },
    [309] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "diagnosis_mode.on", "diagnosis_mode.shots" },
    [310] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "not_as_configured.figure", "not_as_configured.measured", "not_as_configured.configured" },
    [311] = { "event.seq", "event.boot", "event.uptime_s", "event.uptime_ms", "event.utc_s", "event.round", "event.deck", "serviced.part", "serviced.replaced", "serviced.cycles" },
    [512] = { "command.op" },
    [513] = { "command.op", "set_positions.positions" },
    [514] = { "command.op" },
    [515] = { "command.op" },
    [516] = { "command.op" },
    [517] = { "command.op" },
    [518] = { "command.op" },
    [519] = { "command.op", "record.what", "record.a", "record.b" },
    [520] = { "command.op" },
    [521] = { "command.op" },
    [522] = { "command.op" },
}
-- <<< generated

local HEADER_SIZE = 8
local CRC_SIZE = 4
local MAC_SIZE = 16
local STUFFED_MAX = 256 -- what a device's reader holds: more without a zero is no frame of ours
local FLAG_KEYED = 0x80
local RESIDUE = 0x2144DF1C

local fairshoe = Proto("fairshoe", "fairshoe card shoe")

-- Bit operations have a different name in every Lua; this is all of them that is needed.
local bxor = bit32 and bit32.bxor or load("return function(a, b) return a ~ b end")()

-- Header and framing -----------------------------------------------------------------------------

local f = {
    version = ProtoField.uint8("fairshoe.version", "Version", base.DEC, nil, 0xF0),
    class = ProtoField.uint8("fairshoe.class", "Class", base.DEC, CLASSES, 0x0F),
    flags = ProtoField.uint8("fairshoe.flags", "Flags", base.HEX),
    keyed = ProtoField.bool("fairshoe.flags.keyed", "Keyed: a MAC stands before the CRC", 8, nil, 0x80),
    again = ProtoField.bool("fairshoe.flags.again", "Again: this event was sent before", 8, nil, 0x01),
    message = ProtoField.uint16("fairshoe.message", "Message", base.DEC, NAMES),
    session = ProtoField.uint16("fairshoe.session", "Session", base.HEX_DEC),
    sequence = ProtoField.uint16("fairshoe.sequence", "Link sequence", base.DEC),
    body = ProtoField.bytes("fairshoe.body", "Body"),
    extra = ProtoField.bytes("fairshoe.extra", "Bytes after the known fields"),
    mac = ProtoField.bytes("fairshoe.mac", "MAC"),
    crc = ProtoField.uint32("fairshoe.crc", "CRC-32", base.HEX),
    bad = ProtoField.string("fairshoe.bad", "Dropped"),
    unfinished = ProtoField.bytes("fairshoe.unfinished", "Unfinished"),
}

local function expert_info(name, text, group, severity)
    return ProtoExpert.new("fairshoe.expert." .. name, text, group, severity)
end

local experts = {
    bad_stuffing = expert_info("bad_stuffing", "Dropped: not COBS", expert.group.MALFORMED, expert.severity.ERROR),
    too_short = expert_info("too_short", "Dropped: shorter than 12 bytes", expert.group.MALFORMED, expert.severity.ERROR),
    too_long = expert_info("too_long", "Dropped: longer than 253 bytes", expert.group.MALFORMED, expert.severity.ERROR),
    bad_crc = expert_info("bad_crc", "Dropped: wrong CRC", expert.group.CHECKSUM, expert.severity.ERROR),
    bad_version = expert_info("bad_version", "Dropped: another version", expert.group.PROTOCOL, expert.severity.WARN),
    bad_flags = expert_info("bad_flags", "Dropped: a flag that must be understood", expert.group.PROTOCOL, expert.severity.WARN),
    malformed = expert_info("malformed", "Malformed: shorter than its fields", expert.group.MALFORMED, expert.severity.ERROR),
    unknown = expert_info("unknown", "No such message in this version", expert.group.UNDECODED, expert.severity.NOTE),
    unfinished = expert_info("unfinished", "No delimiter at the end", expert.group.REASSEMBLE, expert.severity.NOTE),
}

-- Body fields ------------------------------------------------------------------------------------

local makers = { u8 = ProtoField.uint8, u16 = ProtoField.uint16, u32 = ProtoField.uint32 }
local body_fields = {}
local all_fields, all_experts = {}, {}

for path, field in pairs(FIELDS) do
    local kind, names = field[1], field[2]
    local label = path:match("[^.]+$")
    if makers[kind] then
        body_fields[path] = makers[kind]("fairshoe." .. path, label, base.DEC, names)
    elseif kind == "t8" or (kind == "rest" and label == "text") then
        body_fields[path] = ProtoField.string("fairshoe." .. path, label)
    else
        body_fields[path] = ProtoField.bytes("fairshoe." .. path, label)
    end
    all_fields[#all_fields + 1] = body_fields[path]
end
for _, field in pairs(f) do
    all_fields[#all_fields + 1] = field
end
for _, field in pairs(experts) do
    all_experts[#all_experts + 1] = field
end
fairshoe.fields = all_fields
fairshoe.experts = all_experts

-- Frames -----------------------------------------------------------------------------------------

local crc_table = {}
for i = 0, 255 do
    local value = i
    for _ = 1, 8 do
        local odd = value % 2
        value = (value - odd) / 2
        if odd == 1 then
            value = bxor(value, 0xEDB88320)
        end
    end
    crc_table[i] = value
end

-- Whole numbers stay whole: in newer Luas "/" makes a float, which bxor takes as long as it has no fraction.
local function crc32(bytes)
    local crc = 0xFFFFFFFF
    for i = 0, bytes:len() - 1 do
        local low = crc % 256
        crc = bxor((crc - low) / 256, crc_table[bxor(low, bytes:get_index(i))])
    end
    return bxor(crc, 0xFFFFFFFF)
end

-- The frame behind a stuffed piece, or nil.
local function unstuff(piece)
    local out, size, at = ByteArray.new(), piece:len(), 0
    out:set_size(size)
    local used = 0
    while at < size do
        local code = piece:get_index(at)
        if code == 255 or at + code > size then
            return nil
        end
        for i = at + 1, at + code - 1 do
            out:set_index(used, piece:get_index(i))
            used = used + 1
        end
        at = at + code
        if at < size then
            out:set_index(used, 0)
            used = used + 1
        end
    end
    out:set_size(used)
    return out
end

-- In the order of the specification: nothing of a frame is looked at before its CRC has been.
local function check(piece)
    if piece:len() > STUFFED_MAX then
        return nil, "too_long"
    end
    local frame = unstuff(piece)
    if not frame then
        return nil, "bad_stuffing"
    elseif frame:len() < HEADER_SIZE + CRC_SIZE then
        return frame, "too_short"
    elseif frame:len() > FRAME_MAX then
        return frame, "too_long"
    elseif crc32(frame) ~= RESIDUE then
        return frame, "bad_crc"
    elseif math.floor(frame:get_index(0) / 16) ~= VERSION then
        return frame, "bad_version"
    elseif math.floor(frame:get_index(1) / 16) % 8 ~= 0 then
        return frame, "bad_flags"
    end
    return frame, nil
end

local function add_body(tree, tvb, message, at, finish)
    local known = MESSAGES[message]
    if not known then
        tree:add_proto_expert_info(experts.unknown)
    end
    for _, path in ipairs(known or {}) do
        local size = SIZES[FIELDS[path][1]]
        if size == 0 then
            size = finish - at
        end
        if at + size > finish then
            tree:add_proto_expert_info(experts.malformed)
            break
        end
        if size > 0 then
            -- Little-endian for numbers; for text and bytes add_le and add are the same.
            tree:add_le(body_fields[path], tvb(at, size))
        elseif FIELDS[path][1] == "rest" and path:match("[^.]+$") == "text" then
            tree:add(body_fields[path], "")
        elseif FIELDS[path][1] == "rest" then
            tree:add(body_fields[path], tvb(at, 0))
        end
        at = at + size
    end
    if at < finish then
        tree:add(known and f.extra or f.body, tvb(at, finish - at))
    end
end

local function add_frame(tree, frame)
    local tvb = frame:tvb("Frame")
    local size = tvb:len()
    tree:add(f.version, tvb(0, 1))
    tree:add(f.class, tvb(0, 1))
    local flags = tree:add(f.flags, tvb(1, 1))
    flags:add(f.keyed, tvb(1, 1))
    flags:add(f.again, tvb(1, 1))
    tree:add_le(f.message, tvb(2, 2))
    tree:add_le(f.session, tvb(4, 2))
    tree:add_le(f.sequence, tvb(6, 2))
    local message = tvb(2, 2):le_uint()
    local finish = size - CRC_SIZE
    local keyed = tvb(1, 1):uint() >= FLAG_KEYED
    if keyed then
        finish = finish - MAC_SIZE
    end
    if finish < HEADER_SIZE then
        tree:add_proto_expert_info(experts.malformed)
    else
        add_body(tree, tvb, message, HEADER_SIZE, finish)
        if keyed then
            tree:add(f.mac, tvb(finish, MAC_SIZE))
        end
    end
    tree:add_le(f.crc, tvb(size - CRC_SIZE, CRC_SIZE))
    return NAMES[message] or ("message " .. message)
end

local function add_piece(root, range)
    local tree = root:add(fairshoe, range)
    local frame, reason = check(range:bytes())
    local name
    if reason then
        tree:add(f.bad, range, reason)
        tree:add_proto_expert_info(experts[reason])
        name = "[" .. reason .. "]"
    else
        name = add_frame(tree, frame)
    end
    tree:append_text(", " .. name)
    return name
end

-- Packets ----------------------------------------------------------------------------------------

function fairshoe.dissector(tvb, pinfo, root)
    local bytes, size = tvb:bytes(), tvb:len()
    local names, start = {}, 0
    pinfo.cols.protocol = "fairshoe"
    for at = 0, size - 1 do
        if bytes:get_index(at) == 0 then
            if at > start then
                names[#names + 1] = add_piece(root, tvb(start, at - start))
            end
            start = at + 1
        end
    end
    if start < size then
        if pinfo.can_desegment > 0 and size - start <= STUFFED_MAX then
            pinfo.desegment_offset = start
            pinfo.desegment_len = DESEGMENT_ONE_MORE_SEGMENT
        else
            local tree = root:add(fairshoe, tvb(start, size - start))
            tree:add(f.unfinished, tvb(start, size - start))
            tree:add_proto_expert_info(experts.unfinished)
            names[#names + 1] = "[unfinished]"
        end
    end
    pinfo.cols.info = table.concat(names, ", ")
    return size
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, fairshoe)
for _, name in ipairs({ "tcp.port", "udp.port" }) do
    DissectorTable.get(name):add_for_decode_as(fairshoe)
end
