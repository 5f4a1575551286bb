"""The page of a receipt on a phone: from the QR code to the verdict, opened as a file, and with what is forged."""

import base64
import contextlib
import importlib
import json
import shutil
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from receipts import ADDRESS, DEALT, RELEASED, SEATED, exported, keys_of, receipt_of, table, vector_export, vectors
from web.browser import WAIT_S

from fairshoe.cli.command_line import main
from fairshoe.journal.export import write_export

PHONE = {"width": 360, "height": 740}
PIXELS = """async (picture) => {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${picture}`)).blob());
  const { width, height } = bitmap;
  const canvas = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
  canvas.drawImage(bitmap, 0, 0);
  const { data } = canvas.getImageData(0, 0, width, height);
  return [width, height, Array.from({ length: data.length / 4 }, (_, at) => data[4 * at])];
}"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `fairshoe proof receipt` has written and printed, in a folder that a house serves."""
    folder = tmp_path_factory.mktemp("house")
    export, seed = vector_export()
    write_export(folder / "shoe.journal", export)
    (folder / "config.toml").write_text(f'receipt_url = "{ADDRESS}"\nreceipt_ref = "ref. 2026-114"\n')
    words = ["--seed", seed.hex(), "--public-key", keys_of(export)[0].key.hex(), "-o", str(folder / "served"), "--json"]
    out = folder / "said"
    with out.open("w") as said, contextlib.redirect_stdout(said):
        assert (
            main(["--config", str(folder / "config.toml"), "proof", "receipt", str(folder / "shoe.journal"), *words])
            == 0
        )
    return json.loads(out.read_text())


@contextlib.contextmanager
def phone(chromium: Any, folder: Path, scheme: str = "light", script: str = "") -> Generator[Any]:
    """A tab of a phone's size, for which the house's https address is this folder; no console may complain."""
    tab = chromium.new_page(viewport=PHONE, color_scheme=scheme)
    errors: list[str] = []

    def failed(error: Any) -> None:
        errors.append(str(error))

    def heard(said: Any) -> None:
        if said.type == "error" and "404" not in said.text:
            errors.append(said.text)

    def answer(route: Any) -> None:
        path = folder / (route.request.url.partition("#")[0].removeprefix(ADDRESS) or "index.html")
        route.fulfill(path=path) if path.is_file() else route.fulfill(status=404)

    tab.on("pageerror", failed)
    tab.on("console", heard)
    tab.route(f"{ADDRESS}**", answer)
    if script:
        tab.add_init_script(script)
    yield tab
    assert errors == []
    tab.close()


def verdict(tab: Any) -> tuple[str, str]:
    """The state of the page when it has come to one, and what it says at the top."""
    deadline = WAIT_S * 25
    while tab.evaluate("document.body.dataset.state") == "checking" and deadline:
        tab.wait_for_timeout(40)
        deadline -= 1
    return tab.evaluate("document.body.dataset.state"), tab.inner_text("#verdict")


def opened(tab: Any, link: str) -> tuple[str, str]:
    tab.goto(link)
    tab.wait_for_load_state("networkidle")
    return verdict(tab)


def test_a_phone_reads_the_qr_code_and_the_page_proves_the_receipt(chromium: Any, house: dict[str, Any]) -> None:
    """The link comes from the picture of the code alone."""
    barcodes: Any = importlib.import_module("zxingcpp")
    with phone(chromium, Path(house["page"]).parent, "dark") as tab:
        tab.goto(Path(house["qr"]).as_uri())
        picture = base64.b64encode(tab.screenshot()).decode()
        blank = chromium.new_page()
        width, height, grey = blank.evaluate(PIXELS, picture)
        blank.close()
        found = barcodes.read_barcodes(memoryview(bytes(grey)).cast("B", (height, width)))
        assert [code.text for code in found] == [vectors()["link"]]
        state, said = opened(tab, found[0].text)
        assert (state, "Everything fits together" in said) == ("proved", True)
        steps = tab.evaluate("[...document.querySelectorAll('#steps li')].map((step) => step.dataset.ok)")
        assert steps == ["true"] * 7


def test_each_card_is_shown_on_its_way_and_what_was_noted_is_compared(chromium: Any, house: dict[str, Any]) -> None:
    with phone(chromium, Path(house["page"]).parent) as tab:
        opened(tab, house["link"])
        rows = tab.evaluate(
            "[...document.querySelectorAll('#ways tbody tr')].map((row) => [...row.cells].map((it) => it.textContent))"
        )
        assert [int(card) for card, _place, _to in rows] == list(range(1, 53))
        by_place = sorted(rows, key=lambda row: int(row[1]))
        names = ["position 1", "position 2", "dealer or community"]
        wanted = [f"{name}, card {nth}" for name in names for nth in range(1, 6)]
        assert [to for _card, _place, to in by_place] == wanted + ["the rest of the deck"] * 37
        receipt = json.loads(vectors()["receipt"])
        share = tab.inner_text("#facts dt:text-is('share') + dd")
        assert any(share in record for record in receipt["records"])
        rights = {"noted": house["link"].split(".")[-2], "given": share, "posted": receipt["attested"]["public"]}
        for field, right in rights.items():
            least = 64 if field == "given" else 16  # of a share, which is no hash, a part says nothing
            looks = {right: "good", right[:least].upper(): "good", right[: least - 1]: "incomplete", "0f0f": "poor"}
            for text, look in looks.items():
                tab.fill(f"#{field}", text)
                assert tab.get_attribute(f"#{field}-said", "class") == look, (field, text)
        tab.fill("#noted", rights["noted"])
        assert "the order if the share is the one" in tab.inner_text("#noted-said")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("served", [True, False])
def test_the_page_reads_well_on_a_phone(
    chromium: Any,
    house: dict[str, Any],
    axe: Callable[[Any], None],
    readable: Callable[[Any, int], None],
    scheme: str,
    served: bool,
) -> None:
    """Proved, with the way of each card and both comparisons; and refused."""
    with phone(chromium, Path(house["page"]).parent, scheme) as tab:
        opened(tab, house["link"] if served else house["link"][:-1])
        if served:
            tab.click("summary")
            tab.fill("#noted", house["link"].split(".")[-2])
            tab.fill("#given", "0f0f")
            tab.fill("#posted", "0f0f")
        readable(tab, 60 if served else 10)
        axe(tab)


UNSET = [("deck_verified", 500, "press", "close"), *DEALT[1:3], ("stack_offered", 500, "press", "green"), *RELEASED]


@pytest.mark.parametrize(("game", "story"), [({}, UNSET), ({"plan": [5, 5, 5]}, [SEATED[0], *DEALT, *RELEASED])])
def test_a_stack_is_of_no_position_where_no_record_says_how_many_positions_play(
    chromium: Any, house: dict[str, Any], game: dict[str, Any], story: list[Any]
) -> None:
    """They were never set; or there are more stacks than the position that was set and the dealer would have."""
    stage = table(game=game)
    stage.play(story)
    data = receipt_of(*exported(stage)).data
    with phone(chromium, Path(house["page"]).parent) as tab:
        tab.goto(ADDRESS)
        tab.set_input_files("#file", {"name": "a.json", "mimeType": "", "buffer": data})
        tab.wait_for_function("() => document.body.dataset.state === 'proved'")
        names = tab.evaluate("[...document.querySelectorAll('#stacks tbody th')].map((cell) => cell.textContent)")
        assert names == ["stack 1", "stack 2", "stack 3" if game else "stack 3 (not taken)", "the rest of the deck"]


def altered(field: str) -> Callable[[str], str]:
    """One digit of a field is another."""

    def alter(text: str) -> str:
        at = text.index(f'"{field}":') + len(field) + 6
        return text[:at] + ("0" if text[at] != "0" else "1") + text[at + 1 :]

    return alter


@pytest.mark.parametrize("field", ["seed", "records", "head", "public", "signature", "device"])
def test_a_forged_file_is_refused_with_its_link_and_without(
    chromium: Any, house: dict[str, Any], tmp_path: Path, field: str
) -> None:
    served = tmp_path / "served"
    shutil.copytree(Path(house["page"]).parent, served)
    file = served / Path(house["receipt"]).name
    file.write_text(altered(field)(file.read_text()))
    with phone(chromium, served) as tab:
        state, said = opened(tab, house["link"])
        assert (state, "not the file that the QR code names" in said) == ("refused", True)
        tab.goto(ADDRESS)
        tab.set_input_files("#file", file)
        tab.wait_for_function("() => !['waiting', 'checking'].includes(document.body.dataset.state)")
        assert verdict(tab)[0] == "refused"
        assert not tab.is_visible("#found")


def test_the_page_works_as_a_file_and_names_what_it_lacks(chromium: Any, house: dict[str, Any], tmp_path: Path) -> None:
    folder = Path(house["page"]).parent
    fragment = "#" + house["link"].partition("#")[2]
    with phone(chromium, folder) as tab:
        assert opened(tab, Path(house["page"]).as_uri())[0] == "waiting"
        tab.set_input_files("#file", house["receipt"])
        tab.wait_for_function("() => document.body.dataset.state === 'proved'")
        # Nothing of it stays when another file is chosen.
        tab.set_input_files("#file", {"name": "a.json", "mimeType": "", "buffer": bytes(1_000_001)})
        tab.wait_for_function("() => document.body.dataset.state === 'refused'")
        assert not tab.is_visible("#found") and "too large" in tab.inner_text("#verdict")
    with phone(chromium, tmp_path) as tab:  # a house that serves nothing but the page
        shutil.copy(house["page"], tmp_path)
        state, said = opened(tab, ADDRESS + fragment)
        assert (state, "answers with status 404" in said) == ("waiting", True)
        tab.set_input_files("#file", house["receipt"])
        tab.wait_for_function("() => document.body.dataset.state === 'proved'")
    with phone(chromium, folder) as tab:
        state, said = opened(tab, ADDRESS + fragment[:-1])
        assert (state, "The link is not whole" in said) == ("refused", True)
        assert not tab.is_visible("#file")


NO_ED25519 = """const { importKey } = SubtleCrypto.prototype;
SubtleCrypto.prototype.importKey = function (format, key, algorithm, ...rest) {
  if (algorithm.name === 'Ed25519') return Promise.reject(new DOMException('Unrecognized name', 'NotSupportedError'));
  return importKey.call(this, format, key, algorithm, ...rest);
};"""
ENDLESS = """window.fetch = async () => new Response(new ReadableStream({ async pull(out) {
  await new Promise((done) => setTimeout(done, 5));
  out.enqueue(new Uint8Array(65536));
} }));"""
NO_CRYPTO = "Object.defineProperty(Crypto.prototype, 'subtle', { get: () => undefined });"


@pytest.mark.parametrize(
    ("script", "state", "words"),
    [
        (NO_ED25519, "unsigned", "Signature not checked"),
        (NO_CRYPTO, "unable", "gives no cryptography"),
        (ENDLESS, "refused", "too large"),
    ],
)
def test_a_page_that_cannot_check_says_so_at_the_top(
    chromium: Any, house: dict[str, Any], script: str, state: str, words: str
) -> None:
    with phone(chromium, Path(house["page"]).parent, script=script) as tab:
        found, said = opened(tab, house["link"])
        assert (found, words in said) == (state, True)
        assert "fits together" not in said
