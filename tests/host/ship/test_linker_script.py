"""One line of the checkout's linker script is replaced, and a checkout that has it otherwise is refused with words."""

from pathlib import Path

import pytest
from fake_checkout import LINKER_SCRIPT, make_checkout

from fairshoe.ship.board_folder import CHIPS
from fairshoe.ship.errors import NoImage
from fairshoe.ship.linker_script import IN_RAM, linker_script

PORT = "ports/rp2"


@pytest.mark.parametrize("platform", [chip.platform for chip in CHIPS.values()])
def test_the_objects_of_hot_code_are_left_out_of_flash_by_the_names_that_the_sdk_gives_them(
    tmp_path: Path, platform: str
) -> None:
    before, after = LINKER_SCRIPT.split("*gc.c.obj *vm.c.obj *parse.c.obj")
    names = " ".join(f"*/{name}.c.o" for name in IN_RAM)
    script = linker_script(make_checkout(tmp_path) / PORT, platform)
    assert script.decode() == f"{before}{names}{after}"
    assert "*/py/vm.c.o" in names and "*/extmod/modtime.c.o" in names


@pytest.mark.parametrize(("text", "count"), [("SECTIONS {}", 0), (LINKER_SCRIPT * 2, 2)])
def test_a_script_without_exactly_one_such_line_is_refused(tmp_path: Path, text: str, count: int) -> None:
    path = make_checkout(tmp_path) / PORT / "memmap_mp_rp2040.ld"
    path.write_text(text)
    with pytest.raises(NoImage, match=f"has {count} lines that end with"):
        linker_script(path.parent, "rp2040")
    path.unlink()
    with pytest.raises(NoImage, match="cannot be read"):
        linker_script(path.parent, "rp2040")
