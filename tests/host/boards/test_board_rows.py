"""What the way in which a port watches its inputs asks of a board: pins in a row."""

from other import board_problems


def test_inputs_of_an_rp2_lie_in_a_row_of_twelve() -> None:
    assert [found for found in board_problems("pico-draw", inputs__door=13) if "row" in found] == []
    assert [found for found in board_problems("pico-draw", inputs__door=14) if "row" in found] == [
        "inputs: GPIO 2 to 14 are 13 in a row; PIO watches 12 at most: put the lines closer together, or buttons on the"
        " expander"
    ]


def test_nothing_fast_lies_between_the_inputs_of_an_rp2() -> None:
    assert board_problems("pico-draw", link__uart=1, link__tx=8, link__rx=9) == [
        f"link.{word}: GPIO {pin} lies between the inputs (GPIO 2 to 10), where its changes would be noise"
        for word, pin in (("tx", 8), ("rx", 9))
    ]
