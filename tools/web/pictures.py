"""Takes the pictures of the bench page for the documentation: stops of its tour, at the moment they are about.

make page-pictures
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from web.browser import ROOT, Bench, browser, served

FOLDER = ROOT / "docs" / "captures"


@dataclass(frozen=True)
class Picture:
    """One stop of the tour, when the expression is true in the page."""

    name: str
    stop: int
    when: str
    scheme: str = "light"
    width: int = 1180
    height: int = 760


PICTURES = (
    Picture("bench-page-jam", 3, "bench.warnings.includes('jam_throat') && bench.picture.display[3]"),
    Picture("bench-page-power", 5, "bench.warnings.includes('power') && bench.picture.display[3]", "dark", 390, 900),
)


def take(chromium: Any, url: str, picture: Picture) -> None:
    tab = chromium.new_page(viewport={"width": picture.width, "height": picture.height}, color_scheme=picture.scheme)
    bench = Bench(tab, url)
    bench.open()
    tab.click(f"#tour-{picture.stop}")
    bench.until(picture.when)
    tab.click("#pause")
    tab.wait_for_timeout(700)
    tab.evaluate("scrollTo(0, 0)")
    tab.screenshot(path=str(FOLDER / f"{picture.name}.png"))
    tab.close()


def main() -> int:
    with served() as url, browser() as chromium:
        for picture in PICTURES:
            take(chromium, url, picture)
            print(f"docs/captures/{picture.name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
