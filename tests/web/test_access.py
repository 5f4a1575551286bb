"""Both pages can be read and used: contrast, names of controls, and the width of a phone, in light and dark."""

from collections.abc import Callable
from typing import Any

import pytest
from web.browser import Bench

PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 900}
LOOKED_MIN = {"": 60, "live.html": 10}  # texts: fewer would mean that the script looks past them


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", LOOKED_MIN)
def test_texts_have_contrast_and_controls_have_names(
    chromium: Any, url: str, readable: Callable[[Any, int], None], page: str, scheme: str
) -> None:
    """The bench page with a warning, events, frames and a stop of the tour; the live view without its shoe."""
    bench = Bench(chromium.new_page(viewport=PHONE, color_scheme=scheme), url + page)
    bench.tab.goto(bench.url)
    if page:
        bench.until("globalThis.live")
    else:
        bench.until("globalThis.bench?.about")
        bench.tab.click("#tour-3")
        bench.tab.select_option("#speed", "max")
        bench.until("document.getElementById('tour-end').textContent")
    for size in (PHONE, DESK):
        bench.tab.set_viewport_size(size)
        readable(bench.tab, LOOKED_MIN[page])
    bench.tab.close()


def test_the_keyboard_alone_reaches_every_control(bench: Bench) -> None:
    """Tab goes through all of them in the order of the page, and each shows that it has the focus."""
    bench.start("pico-carousel")
    bench.tab.click("#pause")
    bench.ask("bench.source.save()")  # answered after the last picture: the list of events stays as it is
    wanted = bench.ask(
        """(() => {
          globalThis.stops = [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')]
            .filter((element) => !element.disabled && element.checkVisibility());
          return stops.length;
        })()"""
    )
    assert wanted > 50
    bench.ask("document.body.setAttribute('tabindex', '-1'); document.body.focus()")
    found = "[stops.indexOf(document.activeElement), getComputedStyle(document.activeElement).outlineStyle]"
    reached: list[int] = []
    for _ in range(wanted):
        bench.tab.keyboard.press("Tab")
        at, outline = bench.ask(found)
        assert outline == "solid", bench.ask("document.activeElement.outerHTML")
        reached.append(at)
    bench.ask("document.body.removeAttribute('tabindex')")
    assert reached == list(range(wanted))
