"""Pins by microcontroller: what a board does not have, or cannot do with a pin, is refused with the reason."""

import ast

import pytest
from other import board_problems

from fairshoe.boards import configs, pins


@pytest.mark.parametrize(
    ("name", "path", "pin", "message"),
    [
        ("pico2-shoe", "inputs__exit", 24, "inputs.exit: GPIO 24 is not on the edge of a Raspberry Pi Pico 2"),
        ("pico-shoe", "inputs__exit", 40, "inputs.exit: GPIO 40 is not on the edge of a Raspberry Pi Pico"),
        ("pico-shoe", "link__tx", 20, "link.tx: GPIO 20 cannot be uart0 tx; possible: 0, 12, 16, 28"),
        ("pico-shoe", "nv__sck", 20, "nv.sck: GPIO 20 cannot be spi0 sck; possible: 2, 6, 18, 22"),
    ],
)
def test_a_pin_that_will_not_do_is_refused_with_the_reason(name: str, path: str, pin: object, message: str) -> None:
    assert board_problems(name, **{path: pin}) == [message]


@pytest.mark.parametrize("path", ["outputs__pick", "inputs__exit", "nv__cs"])
def test_nothing_is_where_a_device_speaks_that_cannot_read_its_config(path: str) -> None:
    """Its UART drives that pin high: a motor there would run, and a beam's receiver pull against it."""
    elsewhere = {"link__uart": 1, "link__tx": 20, "link__rx": 21}
    assert board_problems("pico-shoe", **elsewhere) == []
    told = f"{path.replace('__', '.')}: GPIO 0 is driven high by a device that cannot read its config, to say so; only "
    assert board_problems("pico-shoe", **elsewhere, **{path: 0}) == [told + "link.tx may be there"]


@pytest.mark.parametrize("path", ["axis__step", "axis__dir", "axis__home", "inputs__door", "outputs__pick", "nv__cs"])
def test_nothing_is_where_a_usb_reset_takes_the_pin_but_what_rests(path: str) -> None:
    """Erratum RP2040-E5: a step is lost there, five of them within the tenth of a place that the home mark forgives."""
    user = path.replace("__", ".")
    told = (
        f"{user}: GPIO 15 of an RP2040 is taken for a millisecond at each reset of the USB bus (erratum E5); "
        "only outputs.reverse, outputs.dark or a lamp may be there"
    )
    elsewhere = {"outputs__reverse": 22, "axis__step": 28, "outputs__dark": 15}
    assert board_problems("pico-carousel", **elsewhere) == []
    assert told in board_problems("pico-carousel", **{**elsewhere, path: 15})
    assert not any("erratum" in problem for problem in board_problems("pico2-carousel", **{**elsewhere, path: 15}))


def test_that_place_is_the_one_in_the_devices_own_main() -> None:
    source = (configs.folder().parent / "hal" / "boot_main.py").read_text()
    link = ast.literal_eval(source.partition("\nLINK = ")[2].partition("\n")[0])
    assert {mcu.halted_tx for mcu in pins.MCUS.values() if mcu.port == "rp2"} == {link["tx"]}


@pytest.mark.parametrize(
    ("name", "pin", "message"),
    [
        ("pico-shoe", 26, "GPIO 26 is used twice, for link.de and for expander.sda"),
        ("pico-shoe", 23, "link.de: GPIO 23 is not on the edge of a Raspberry Pi Pico"),
        ("pico2-carousel", 28, "GPIO 28 is used twice, for link.de and for outputs.dark"),
    ],
)
def test_the_pin_of_the_line_driver_is_checked_like_any_other(name: str, pin: object, message: str) -> None:
    assert board_problems(name, link__de=pin) == [message]


def test_a_free_pin_may_enable_the_line_driver() -> None:
    assert board_problems("pico-shoe", link__de=20) == []


def test_the_line_driver_is_never_on_the_expander() -> None:
    """The expander keeps its outputs over a reset of the microcontroller; the driver must be released by one."""
    assert board_problems("pico-shoe", link__de={"expander": 11}) != []


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("pico-shoe", {"link__uart": 2}, "link.tx: no uart2 for this on Raspberry Pi Pico; possible: uart0, uart1"),
    ],
)
def test_a_bus_that_a_board_lacks_names_those_it_has(name: str, changes: dict[str, object], message: str) -> None:
    assert message in board_problems(name, **changes)


@pytest.mark.parametrize(
    ("name", "source", "own"),
    [
        # Another part uses its register there.
        ("pico2-carousel", "rp2040_rosc", "rp2350_trng"),
        ("pico-carousel", "rp2350_trng", "rp2040_rosc"),
    ],
)
def test_a_chip_has_its_own_noise_and_no_other(name: str, source: str, own: str) -> None:
    entropy = {"source": source, "millibits_per_byte": 100}
    mcu = configs.load_board(name)[0]["mcu"]["board"]
    assert board_problems(name, entropy=entropy) == [f"entropy.source: a {mcu} has no {source}; it has {own}"]


def test_no_button_sits_on_a_bit_that_is_for_outputs_only() -> None:
    for bit in (7, 15):
        assert board_problems("pico-shoe", inputs__button_ack={"expander": bit}) == [
            f"inputs.button_ack: bit {bit} of an MCP23017 is for outputs only"
        ]
    assert board_problems("pico-shoe", outputs__lamp_red={"expander": 15}) == []


def test_a_board_without_a_table_of_pins_is_refused() -> None:
    assert board_problems("pico-shoe", mcu={"port": "rp2", "board": "Nonesuch"}) == [
        f"mcu.board: no table of pins for 'Nonesuch'; there is one for {', '.join(pins.MCUS)} (docs/BOARDS.md)"
    ]


def test_every_function_of_a_board_is_on_pins_that_it_has() -> None:
    for name, mcu in pins.MCUS.items():
        for function, choice in mcu.functions.items():
            assert choice <= mcu.place.keys(), (name, function)


def test_every_microcontroller_board_of_the_table_has_a_config() -> None:
    boards = [configs.load_board(name)[0] for name in configs.board_names()]
    assert {config["mcu"]["board"] for config in boards} == pins.MCUS.keys()
