// Written by tools/protocol/gen_docs.py from firmware/protocol/table.py.
export declare const FROM_HOST: readonly number[];
export declare const UNKNOWN: { readonly [message: string]: readonly string[] };
export declare const LINES: readonly string[];
export declare const COMMAND_OF: { readonly [need: string]: CommandName };
export declare const FOR_PEOPLE: readonly string[];

/** The words of enumerated fields, by the field's name. */
export interface Words {
  state: 'starting' | 'proving_empty' | 'waiting_for_deck' | 'preparing' | 'shuffling' | 'deck_ready' | 'waiting_for_lockout' | 'dispensing' | 'stack_offered' | 'waiting_for_green' | 'releasing' | 'remainder_offered' | 'waiting_for_round_end' | 'warning' | 'removing' | 'removed_offered' | 'deck_held' | 'draw_ready' | 'drawing' | 'deck_spent' | 'waiting_for_wagers';
  what: 'none' | 'inspected' | 'verified' | 'shown' | 'washed' | 'mixing_seen' | 'tens_removed' | 'provenance' | 'cut' | 'deck_removed' | 'no_activity' | 'out_of_service' | 'dispute' | 'winner_hold' | 'stub_counted' | 'progressive' | 'fold' | 'second_wager' | 'final_deal' | 'hole_card_seen' | 'misdeal' | 'face_up' | 'drawn_in_error' | 'dealer_change' | 'burned' | 'ten_found' | 'up_card' | 'insurance_closed' | 'dealer_card' | 'short_shoe' | 'reshuffle' | 'cut_offered' | 'box_missed' | 'reader_off' | 'approval' | 'surrender' | 'card_to' | 'house_decision' | 'delivered_wrongly' | 'let_out';
  consequence: 'none' | 'all_void_reshuffle' | 'all_void_reshuffle_with_dealt' | 'all_void_remove_deck' | 'all_void_but_complete' | 'all_void' | 'one_void' | 'reshuffle' | 'remove_deck' | 'reject_card' | 'complete_hand' | 'remove_card' | 'burn_card' | 'next_card' | 'shuffle_again' | 'induct_again' | 'hold_deck' | 'count_stub' | 'leave_table' | 'play_on';
  need: 'none' | 'service' | 'dispute' | 'induction' | 'provenance' | 'cut' | 'stub_count' | 'round_end' | 'progressive' | 'burn' | 'hole_card' | 'rack' | 'card' | 'decisions' | 'deck' | 'shuffle' | 'close_betting' | 'lockout' | 'take' | 'release' | 'draw' | 'empty_shoe' | 'close_door' | 'open_door' | 'clear_path' | 'acknowledge' | 'store_events' | 'house_decision';
  answer: 'none' | 'no_blackjack' | 'blackjack' | 'fault';
  warning: 'none' | 'misfeed' | 'jam_throat' | 'jam_exit' | 'double_feed' | 'card_length' | 'mismatch' | 'axis' | 'door' | 'cards_inside' | 'power' | 'entropy' | 'journal' | 'edge_lost' | 'stack' | 'ejector' | 'internal' | 'beam' | 'back' | 'face_up' | 'composition' | 'reset' | 'noise' | 'panel' | 'config';
  sensor: 'none' | 'hopper' | 'throat_a' | 'throat_b' | 'opacity' | 'slot' | 'exit' | 'tray' | 'ejector' | 'door' | 'arrival' | 'cut' | 'back' | 'face' | 'hole_card' | 'hole_match' | 'key_switch' | 'button_close' | 'button_lock' | 'button_seat' | 'button_green' | 'button_ack';
  figure: 'none' | 'card_um' | 'brake_um' | 'slot_count' | 'slot_steps' | 'slot_beam_slots';
  part: 'none' | 'pick_roller' | 'transport_rollers' | 'beams';
  role: 'clear' | 'observer' | 'table' | 'service' | 'auditor' | 'recorder';
  mode: 'report_only' | 'table';
  outcome: 'accepted' | 'running' | 'done' | 'failed' | 'rejected' | 'stale' | 'conflict' | 'in_doubt';
  reason: 'none' | 'state' | 'busy' | 'role' | 'argument' | 'warning' | 'power' | 'unknown' | 'need';
  why: 'version' | 'no_key' | 'backoff' | 'role' | 'switch' | 'busy';
  share: 'asked' | 'given' | 'declined' | 'late' | 'aborted';
  command: MessageName;
  during: MessageName;
}

/** The fields of every message: numbers, null where one is not known, text, and bytes as hexadecimal digits. */
export interface Fields {
  hello: { version_max: number; role: number; nonce: string; };
  welcome: { version: number; role: number; nonce: string; host_nonce: string; device: number; boot: number; mode: number; has_key: number; dictionary: string; firmware: string; game: string; seq_first: number; seq_last: number; op_last: number; };
  refused: { why: number; detail: number; host_nonce: string; };
  dictionary_get: { line: number; };
  dictionary_line: { line: number; lines: number; text: string; };
  event_ack: { seq: number; };
  status: { state: number; warning: number; round: number; deck: number; positions: number; stack: number; elapsed_ds: number; expected_ds: number; hopper: number; path: number; store: number; tray: number; dealt: number; discarded: number; released: number; removed: number; events_waiting: number; frames_bad: number; need: number; hopper_seen: number; deck_next: number; records_due: number; positions_due: number; };
  meters: { cycles: number; cards: number; misfeeds: number; stalls: number; jams: number; double_feeds: number; faults: number; feed_us: number; feed_us_new: number; hopper: number; throat_a: number; throat_b: number; opacity: number; slot: number; exit: number; tray: number; arrival: number; cut: number; };
  health: { overruns: number; scan_ms_max: number; };
  wear: { cycles: number; throat_us: number; };
  time_set: { utc_s: number; };
  time_is: { utc_s: number; uptime_s: number; uptime_ms: number; };
  link_counters: { good: number; bad_stuffing: number; bad_crc: number; too_short: number; too_long: number; bad_version: number; bad_flags: number; bad_session: number; bad_mac: number; replayed: number; not_keyed: number; not_allowed: number; malformed: number; unknown: number; resent: number; };
  session_ending: { frames_left: number; };
  seed_get: {  };
  seed_is: { kept: number; seq: number; cards: number; seed: string; };
  journal_get: { seq: number; };
  journal_is: { first: number; last: number; utc_s: number; key: number; log: string; head: string; mac: string; };
  journal_record: { seq: number; record: string; };
  journal_sign: {  };
  journal_signed: { first: number; last: number; utc_s: number; key: number; log: string; head: string; mac: string; public: string; signature: string; };
  key_install: { key: string; };
  key_rotate: { nonce: string; wrapped: string; mac: string; };
  key_is: { result: number; generation: number; check: string; };
  halted: { text: string; };
  nonce: { share: number; seq: number; nonce: string; };
  diagnose: { ask: number; at: number; };
  diagnosis: { on: number; bench: number; raw: number; level: number; axis: number; noisy: number; shot: number; end: number; step: number; edges: number; home: number | null; };
  shot: { number: number; output: number; line: number; delay_us: number; steps: number; back: number; watch: number; program: string; };
  edges: { first: number; edges: string; };
  result: { op: number; command: number; outcome: number; reason: number; detail: number | null; };
  booted: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; cause: number; board_crc: number; firmware: string; halted_boot: number; halted: string; };
  power_lost: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; during: number; round_open: number; };
  empty_proved: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; slots_swept: number; };
  warning_latched: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; warning: number; cards_seen: number; sensor: number; length_um: number; card_um: number; };
  warning_cleared: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; warning: number; };
  door_opened: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; };
  door_closed: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; };
  clock_set: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; role: number; old_utc_s: number; };
  command_accepted: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; role: number; op: number; command: number; digest: number; };
  command_ended: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; role: number; op: number; command: number; digest: number; outcome: number; reason: number; detail: number | null; };
  record_damaged: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; };
  sealed: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; key: number; mac: string; };
  journal_broken: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; defect: number; at_seq: number; };
  journal_filling: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; waiting: number; room: number; };
  key_changed: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; generation: number; how: number; };
  signing_key: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; generation: number; public: string; };
  service: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; on: number; };
  shuffle_started: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; expected: number; report_ds: number; };
  deck_verified: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; counted: number; swept: number; misfeeds: number; stalls: number; };
  deck_refused: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; expected: number; counted: number; swept: number; clause: string; consequence: number; };
  shuffle_failed: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; warning: number; clause: string; consequence: number; };
  removal_started: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; };
  deck_removed: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; counted: number | null; clause: string; consequence: number; };
  removal_failed: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; warning: number; };
  shuffle_committed: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; commitment: string; wait_ds: number; };
  shuffle_nonce: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; share: number; aborted: number; nonce: string; };
  deck_loaded: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; expected: number; shuffled: number; };
  round_started: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; game: string; positions: number; };
  lockout_confirmed: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; accepted: number | null; collected: number | null; clause: string; };
  stack_started: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; stack: number; cards: number; };
  stack_offered: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; stack: number; cards: number; misfeeds: number; stalls: number; };
  stack_taken: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; stack: number; cards: number; };
  green_pressed: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; };
  release_started: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; expected: number; };
  remainder_released: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; expected: number; counted: number; };
  remainder_taken: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; counted: number | null; };
  round_ended: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; stacks: number | null; dealt: number | null; remainder: number | null; stub: number | null; stub_counted: number | null; };
  round_voided: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; warning: number; clause: string; stacks_taken: number | null; cards_out: number | null; cards_inside: number | null; consequence: number; hands_kept: number | null; };
  release_failed: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; warning: number; };
  cut_reached: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; drawn: number; left: number; box: number | null; deep: number; clause: string; };
  betting_closed: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; closing: number; clause: string; };
  stub_due: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; rounds: number; clause: string; };
  held_back: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; need: number; clause: string; };
  recorded: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; what: number; a: number | null; b: number; clause: string; consequence: number; };
  cover_all: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; hands: number; column: number; clause: string; };
  hole_card_read: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; answer: number; clause: string; };
  cards_odd: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; warning: number; found: number; clause: string; consequence: number; };
  draw_flagged: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; draw: number; clause: string; };
  diagnosis_mode: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; on: number; shots: number; };
  not_as_configured: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; figure: number; measured: number; configured: number; };
  serviced: { seq: number; boot: number; uptime_s: number; uptime_ms: number; utc_s: number; round: number; deck: number; part: number; replaced: number; cycles: number; };
  shuffle: { op: number; };
  set_positions: { op: number; positions: number; };
  close_betting: { op: number; };
  confirm_lockout: { op: number; };
  release: { op: number; };
  end_round: { op: number; };
  acknowledge_warning: { op: number; };
  record: { op: number; what: number; a: number; b: number; };
  give_card: { op: number; };
  deal_community: { op: number; };
  self_test: { op: number; };
}

export type MessageName = 'hello' | 'welcome' | 'refused' | 'dictionary_get' | 'dictionary_line' | 'event_ack' | 'status' | 'meters' | 'health' | 'wear' | 'time_set' | 'time_is' | 'link_counters' | 'session_ending' | 'seed_get' | 'seed_is' | 'journal_get' | 'journal_is' | 'journal_record' | 'journal_sign' | 'journal_signed' | 'key_install' | 'key_rotate' | 'key_is' | 'halted' | 'nonce' | 'diagnose' | 'diagnosis' | 'shot' | 'edges' | 'result' | 'booted' | 'power_lost' | 'empty_proved' | 'warning_latched' | 'warning_cleared' | 'door_opened' | 'door_closed' | 'clock_set' | 'command_accepted' | 'command_ended' | 'record_damaged' | 'sealed' | 'journal_broken' | 'journal_filling' | 'key_changed' | 'signing_key' | 'service' | 'shuffle_started' | 'deck_verified' | 'deck_refused' | 'shuffle_failed' | 'removal_started' | 'deck_removed' | 'removal_failed' | 'shuffle_committed' | 'shuffle_nonce' | 'deck_loaded' | 'round_started' | 'lockout_confirmed' | 'stack_started' | 'stack_offered' | 'stack_taken' | 'green_pressed' | 'release_started' | 'remainder_released' | 'remainder_taken' | 'round_ended' | 'round_voided' | 'release_failed' | 'cut_reached' | 'betting_closed' | 'stub_due' | 'held_back' | 'recorded' | 'cover_all' | 'hole_card_read' | 'cards_odd' | 'draw_flagged' | 'diagnosis_mode' | 'not_as_configured' | 'serviced' | 'shuffle' | 'set_positions' | 'close_betting' | 'confirm_lockout' | 'release' | 'end_round' | 'acknowledge_warning' | 'record' | 'give_card' | 'deal_community' | 'self_test';
export type EventName = 'booted' | 'power_lost' | 'empty_proved' | 'warning_latched' | 'warning_cleared' | 'door_opened' | 'door_closed' | 'clock_set' | 'command_accepted' | 'command_ended' | 'record_damaged' | 'sealed' | 'journal_broken' | 'journal_filling' | 'key_changed' | 'signing_key' | 'service' | 'shuffle_started' | 'deck_verified' | 'deck_refused' | 'shuffle_failed' | 'removal_started' | 'deck_removed' | 'removal_failed' | 'shuffle_committed' | 'shuffle_nonce' | 'deck_loaded' | 'round_started' | 'lockout_confirmed' | 'stack_started' | 'stack_offered' | 'stack_taken' | 'green_pressed' | 'release_started' | 'remainder_released' | 'remainder_taken' | 'round_ended' | 'round_voided' | 'release_failed' | 'cut_reached' | 'betting_closed' | 'stub_due' | 'held_back' | 'recorded' | 'cover_all' | 'hole_card_read' | 'cards_odd' | 'draw_flagged' | 'diagnosis_mode' | 'not_as_configured' | 'serviced';
export type CommandName = 'shuffle' | 'set_positions' | 'close_betting' | 'confirm_lockout' | 'release' | 'end_round' | 'acknowledge_warning' | 'record' | 'give_card' | 'deal_community' | 'self_test';

/** Values to send: an enumerated field takes its word as well. */
export type Values<N extends MessageName> = {
  [F in keyof Fields[N]]: Fields[N][F] | (F extends keyof Words ? Words[F] : never);
};
/** Arguments of a command: all of its fields but the operation number. */
export type Arguments<N extends CommandName> = Omit<Values<N>, 'op'>;
