"""Every ruling that code names is in the file, and every one has a clause, a decision and a test."""

import re
from pathlib import Path

from oracles import rulings_page

from fairshoe_table.rules.rulings import RULINGS

PACKAGE = Path(__file__).resolve().parents[2] / "host_tools" / "fairshoe_table"


def test_every_ruling_that_code_names_exists() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    spans = re.findall(r"rulings? ((?:`[\w-]+`(?:, )?)+)", text)
    named = {name for span in spans for name in re.findall(r"`([\w-]+)`", span)}
    assert len(named) > 15
    assert named - set(RULINGS) == set()


def test_every_ruling_decides_something() -> None:
    assert len(RULINGS) > 50
    for ruling in RULINGS.values():
        assert ruling.clause and ruling.question.endswith((".", "?")) and ruling.decision.endswith(".")


# The test that fails if the code decides otherwise, without "test_".
PROVEN = {
    "dds-face-up-late": "what_was_paid_and_taken_goes_back_when_a_settled_round_is_void",
    "dds-stop": "each_row_of_the_void_matrix",
    "dab-delivered": "as_the_dealers_second_card_it_lies_open_and_no_reader_is_asked_and_no_insurance_offered",
    "dab-let-out": "a_box_that_is_let_out_gets_every_wager_back_and_no_card",
    "groups-first": "the_better_hand_has_the_higher_value",
    "dcp-kickers": "a_tie_pushes_all_three_and_the_last_kicker_decides",
    "royal-separate": "the_better_hand_has_the_higher_value",
    "unsuited": "all_2598960_hands_have_the_known_frequencies",
    "odd-chip": "an_odd_cent_of_a_surrender_and_of_insurance_goes_where_the_option_says",
    "to-and-for": "every_row_of_the_progressive_pays_for_one",
    "void-returns": "a_void_at_any_stage_returns_every_wager",
    "void-side": "a_void_hand_touches_no_meter_before_settlement_and_lowers_none_after_it",
    "ended-early": "a_round_that_the_shoe_ends_too_early_is_settled_or_declared_void",
    "jackpot-void": "a_validated_jackpot_of_a_void_hand_is_decided_by_a_person",
    "cs-void-hand": "a_void_hand_touches_no_meter_before_settlement_and_lowers_none_after_it",
    "cs-up-card": "the_dealers_up_card_is_on_record_before_the_first_decision",
    "jam-without-clause": "a_machine_that_stopped_in_a_game_without_a_clause_is_decided_by_the_house",
    "dds-no-pair": "every_row_pays_as_printed",
    "dds-6b": "wagers_that_no_player_can_make_before_the_deal_are_refused",
    "dds-11a": "each_row_of_the_void_matrix",
    "dds-push": "every_row_pays_as_printed",
    "dds-cap": "a_payout_limit_is_never_below_its_floor",
    "b5-ante-bonus": "a_losing_bonus_hand_loses_its_ante_and_is_paid_the_bonus",
    "b5-ante-stake": "a_tie_pays_the_ante_bonus_and_returns_the_rest",
    "b5-bonus-cites": "every_row_of_the_ante_bonus_pays_as_printed",
    "b5-void-bonus": "three_card_hands_are_shown_after_a_void_and_those_that_qualify_are_paid",
    "b5-expose": "a_hand_that_is_not_exposed_loses_the_optional_bonus",
    "b5-all-fold": "people_are_asked_in_the_order_of_the_rules",
    "b5-withdraw": "a_second_wager_is_withdrawn_until_the_last_cards",
    "b5-early-jam": "each_row_of_the_void_matrix",
    "one-hand": "a_player_has_one_hand_or_two_adjacent_areas",
    "cs-steps": "every_row_of_the_progressive_pays_for_one",
    "cs-coupon": "progressive_chips_are_counted_and_a_jackpot_is_validated_before_it_is_paid",
    "coupons": "a_coupon_is_settled_with_its_wager_and_counted_as_a_coupon",
    "cs-payout-hand": "every_row_of_the_progressive_pays_for_one",
    "cs-rate": "the_five_card_meter_has_the_rate_of_the_submission",
    "cs-envy-amount": "envy_is_for_one_and_five_dollars_only",
    "cs-envy-holder": "envy_goes_to_the_others_who_wagered_folded_or_not_and_never_to_the_holder",
    "mgl-envy": "envy_as_printed_and_with_the_wager",
    "cs-two-jackpots": "two_royals_in_a_round_the_second_gets_the_reset_meter",
    "cs-magic-lucky": "options_that_the_rules_do_not_know_are_refused",
    "cs-five-account": "every_row_of_the_five_card_bonus_on_both_hands",
    "cs-dealer-jackpot": "every_row_of_the_five_card_bonus_on_both_hands",
    "cs-13a": "each_row_of_the_void_matrix",
    "cs-fold-side": "a_fold_forfeits_all_but_five_card_bonus_and_cover_all",
    "cs-fold-faces": "nothing_but_folds_is_settled_before_every_card_is_known",
    "cover-column": "cover_all_without_a_column_is_returned",
    "cover-trips": "every_cell_of_cover_all_pays_the_highest_hand_dealers_included",
    "cover-folded": "cover_all_pays_for_the_best_hand_of_any_player_and_not_for_a_void_one",
    "ptmgl03": "an_unknown_pay_table_is_refused",
    "ptmgl04-royal": "every_row_of_linked_tables_pays_from_its_meter",
    "dcp-top": "every_row_of_the_three_card_wager_uses_the_card_farthest_from_the_dealer",
    "dcp-cap": "the_limit_is_on_the_raises_only",
    "dcp-dealer-count": "each_row_of_the_void_matrix",
    "dcp-declined": "the_dealer_takes_the_better_axis_and_a_player_may_win_with_the_other",
    "dab-attack-amount": "smaller_attack_double_and_insurance_wagers_are_taken_and_larger_ones_refused",
    "dab-split-amount": "a_split_asks_the_initial_amount_and_plays_the_first_hand_first",
    "dab-dealer-blackjack": "dealer_blackjack_collects_only_the_original_wagers",
    "dab-bust-final": "a_busted_hand_loses_only_the_original_wager_to_a_blackjack",
    "dab-pat": "the_dealer_draws_only_while_something_depends_on_it",
    "dab-21": "what_a_hand_may_do",
    "dab-order": "what_comes_after_the_dealers_second_card_is_settled_in_the_order_of_events",
    "dab-soft-bonus": "bust_it_loses_unless_the_dealer_busts_with_exactly_three_cards",
    "dab-surrender-bonus": "the_bonus_stands_after_a_surrender",
    "dab-surrender-all": "surrender_halves_every_wager_of_the_hand",
    "dab-dead": "a_dead_hand_returns_every_wager",
    "dab-caller": "others_attack_and_double_only_after_the_bettor_who_calls",
    "dab-surrender-late": "a_doubled_hand_may_be_surrendered_and_takes_no_more_cards",
    "dab-order-of-play": "bettors_of_one_box_are_settled_apart_and_boxes_from_the_far_right",
    "dab-face-up": "each_row_of_double_attack_blackjack",
    "dab-reader-wrong": "a_hole_card_in_the_reader_without_need_changes_nothing",
}
# Rulings that leave this package nothing to do.
NOT_OURS = {
    "one-of-two-decks": "the device decides whose turn it is: tests/unit/games/test_one_of_two_decks.py",
    "cap-notice": "a notice is given by the licensee",
    "dds-shuffle": "the device refuses cards that were shuffled before",
    "cs-6b": "which section a sentence means",
    "cs-stub-cites": "which paragraph a sentence means",
    "dab-cites": "which paragraph a sentence means",
}


def test_every_ruling_has_a_test() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    there = set(re.findall(r"^def test_(\w+)", text, re.MULTILINE))
    assert set(PROVEN) | set(NOT_OURS) == set(RULINGS) and not set(PROVEN) & set(NOT_OURS)
    assert set(PROVEN.values()) - there == set()


def test_the_page_has_every_ruling() -> None:
    text = rulings_page.PAGE.read_text(encoding="utf-8")
    assert text == rulings_page.page(text), "run: PYTHONPATH=tools .venv/bin/python -m oracles.rulings_page"
