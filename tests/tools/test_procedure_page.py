"""docs/PROCEDURE.md and its picture are as the firmware has them."""

from docs import procedure_page


def test_the_page_and_the_picture_are_as_the_firmware_has_them() -> None:
    text = procedure_page.PAGE.read_text(encoding="utf-8")
    assert procedure_page.renewed(text) == text, "run make generate"
    assert procedure_page.PICTURE.read_text(encoding="utf-8") == procedure_page.picture(), "run make generate"
