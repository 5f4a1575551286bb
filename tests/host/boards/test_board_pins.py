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
        ("pico-shoe", "inputs__exit", "D3", "inputs.exit: D3 is not on the edge of a Raspberry Pi Pico"),
        ("esp32s3-shoe", "outputs__pick", 0, "outputs.pick: GPIO 0 is read at reset to choose how the chip starts"),
        ("esp32s3-shoe", "inputs__exit", 46, "inputs.exit: GPIO 46 is read at reset to choose how the chip starts"),
        ("esp32s3-shoe", "inputs__exit", 19, "inputs.exit: GPIO 19 is the USB port, which is the service port"),
        ("esp32s3-shoe", "inputs__exit", 23, "inputs.exit: GPIO 23 does not exist"),
        ("esp32s3-shoe", "inputs__exit", 30, "inputs.exit: GPIO 30 is the flash's"),
        ("esp32s3-shoe", "inputs__exit", 35, "inputs.exit: GPIO 35 is the memory's on modules with octal PSRAM"),
        ("esp32s3-shoe", "inputs__exit", 38, "inputs.exit: GPIO 38 is wired to the colour LED on some of these boards"),
        ("esp32s3-shoe", "inputs__exit", 48, "inputs.exit: GPIO 48 is wired to the colour LED on some of these boards"),
        ("esp32s3-shoe", "outputs__pick", 47, "outputs.pick: GPIO 47 has 1.8 V on modules with memory of 1.8 V"),
        ("esp32s3-shoe", "link__tx", 43, "link.tx: GPIO 43 is the console's"),
        ("stm32-shoe", "inputs__exit", 7, "inputs.exit: GPIO 7 is not on the edge of a NUCLEO-H743ZI"),
        ("stm32-shoe", "inputs__exit", "D44", "inputs.exit: D44 is not on the edge of a NUCLEO-H743ZI"),
        ("stm32-shoe", "link__tx", "D2", "link.tx: D2 cannot be uart2 tx; possible: D53"),
        ("stm32-shoe", "expander__sda", "D2", "expander.sda: D2 cannot be i2c1 sda; possible: D14"),
        ("stm32-shoe", "nv__cs", "D30", "D30 is used twice, for outputs.reverse and for nv.cs"),
        (
            "stm32-shoe",
            "inputs__tray",
            "D61",
            "inputs.tray: D61 shares interrupt line 8 with inputs.exit; take another number",
        ),
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
        ("esp32s3-draw", 0, "link.de: GPIO 0 is read at reset to choose how the chip starts"),
        ("stm32-draw", "D53", "D53 is used twice, for link.tx and for link.de"),
    ],
)
def test_the_pin_of_the_line_driver_is_checked_like_any_other(name: str, pin: object, message: str) -> None:
    assert board_problems(name, link__de=pin) == [message]


@pytest.mark.parametrize(("name", "pin"), [("pico-shoe", 20), ("esp32s3-shoe", 39), ("stm32-shoe", "D32")])
def test_a_free_pin_may_enable_the_line_driver(name: str, pin: object) -> None:
    assert board_problems(name, link__de=pin) == []


def test_the_line_driver_is_never_on_the_expander() -> None:
    """The expander keeps its outputs over a reset of the microcontroller; the driver must be released by one."""
    assert board_problems("pico-shoe", link__de={"expander": 11}) != []


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("esp32s3-shoe", {"link__uart": 0}, "link.tx: no uart0 for this on ESP32-S3-DevKitC-1; possible: uart1, uart2"),
        ("stm32-shoe", {"nv__spi": 1}, "nv.sck: no spi1 for this on NUCLEO-H743ZI; possible: spi3"),
        ("pico-shoe", {"link__uart": 2}, "link.tx: no uart2 for this on Raspberry Pi Pico; possible: uart0, uart1"),
    ],
)
def test_a_bus_that_a_board_lacks_names_those_it_has(name: str, changes: dict[str, object], message: str) -> None:
    assert message in board_problems(name, **changes)


@pytest.mark.parametrize("name", ["esp32s3-shoe", "stm32-shoe"])
@pytest.mark.parametrize("kind", ["carousel", "shelves"])
def test_a_chip_without_pio_moves_no_axis_and_the_way_out_is_named(name: str, kind: str) -> None:
    shuffler = configs.load_board(f"pico-{kind}")[0]
    chip = {"esp32s3-shoe": "ESP32-S3", "stm32-shoe": "STM32H743"}[name]
    found = board_problems(name, mechanism=shuffler["mechanism"], axis={"step": 1, "dir": 2, "home": 3})
    told = [problem for problem in found if problem.startswith("section axis: ")]
    assert len(told) == 1
    assert chip in told[0]
    assert "take an RP2, or fit a driver chip that generates its own ramps" in told[0]


def test_no_deck_is_shuffled_by_what_may_be_no_noise() -> None:
    shuffler = configs.load_board("pico-carousel")[0]
    found = board_problems("esp32s3-shoe", mechanism=shuffler["mechanism"])
    assert "entropy.source esp32_rng: it may be no noise at all, and no deck is shuffled by it" in found


@pytest.mark.parametrize(
    ("name", "source", "own"),
    [
        # Another part uses its register there.
        ("pico2-carousel", "rp2040_rosc", "rp2350_trng"),
        ("pico-carousel", "rp2350_trng", "rp2040_rosc"),
        ("esp32s3-shoe", "stm32_rng", "esp32_rng"),
        ("stm32-draw", "simulated", "stm32_rng"),
    ],
)
def test_a_chip_has_its_own_noise_and_no_other(name: str, source: str, own: str) -> None:
    entropy = {"source": source, "millibits_per_byte": 100}
    mcu = configs.load_board(name)[0]["mcu"]["board"]
    assert board_problems(name, entropy=entropy) == [f"entropy.source: a {mcu} has no {source}; it has {own}"]


def test_only_an_rp2_keeps_cells_in_its_own_flash() -> None:
    flash = {"kind": "flash", "start": 1 << 20, "blocks": 64, "bytes": 11520}
    assert board_problems("pico2-shoe", nv=flash) == []
    for name in ("esp32s3-shoe", "stm32-draw"):
        port = configs.load_board(name)[0]["mcu"]["port"]
        assert board_problems(name, nv=flash) == [
            f"nv.kind flash: the port {port} keeps no cells in its own flash; fit an FRAM"
        ]


def test_an_esp32_has_no_more_inputs_on_pins_than_its_queue_holds() -> None:
    eight = {"inputs__back": 39}
    assert board_problems("esp32s3-shoe", **eight) == []
    message = board_problems("esp32s3-shoe", **eight, inputs__face=40)
    assert message == [
        "9 inputs on pins: MicroPython on an ESP32 queues 8 changes, and outputs.dark changes all beams at once"
    ]


def test_no_button_sits_on_a_bit_that_is_for_outputs_only() -> None:
    for bit in (7, 15):
        assert board_problems("pico-shoe", inputs__button_ack={"expander": bit}) == [
            f"inputs.button_ack: bit {bit} of an MCP23017 is for outputs only"
        ]
    assert board_problems("pico-shoe", outputs__lamp_red={"expander": 15}) == []


def test_a_board_without_a_table_of_pins_is_refused_and_so_is_another_port() -> None:
    assert board_problems("pico-shoe", mcu={"port": "rp2", "board": "Nonesuch"}) == [
        f"mcu.board: no table of pins for 'Nonesuch'; there is one for {', '.join(pins.MCUS)} (docs/BOARDS.md)"
    ]
    assert "mcu.port esp32: a Raspberry Pi Pico is of port rp2" in board_problems(
        "pico-shoe", mcu={"port": "esp32", "board": "Raspberry Pi Pico"}
    )


def test_every_function_of_a_board_is_on_pins_that_it_has() -> None:
    for name, mcu in pins.MCUS.items():
        for function, choice in mcu.functions.items():
            assert choice <= mcu.place.keys(), (name, function)
            assert not choice & mcu.why.keys(), (name, function)


def test_every_microcontroller_board_of_the_table_has_a_config() -> None:
    boards = [configs.load_board(name)[0] for name in configs.board_names()]
    assert {config["mcu"]["board"] for config in boards} == pins.MCUS.keys()
