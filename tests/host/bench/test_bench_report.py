"""The report of a bench run: its JSON, its page, and the command line that writes them."""

import json
import os
import re
import xml.etree.ElementTree as ET
from copy import deepcopy
from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest
from bench_case import Case, only
from in_process import output, refusal

from fairshoe.bench import run as bench_run
from fairshoe.bench.plan import load_plan
from fairshoe.bench.report_file import ReportError, StepResult, check_report, verdict_of
from fairshoe.bench.report_page import page
from fairshoe.bench.report_plots import Point, bars, counts
from fairshoe.cli.command_line import main
from fairshoe.messages import Event

SIM = "sim://pico-shoe?seed=3"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    case = Case("sim://pico-carousel?seed=3", tmp_path_factory.mktemp("bench"))
    plan = only(load_plan("acceptance"), "identity", "decks", "counts", "jam-throat", "cut-card", decks=3)
    return case.report(case.run(plan, operator="A. <Moreau> & Co", serial='FS-"12"'))


def text_of(html: str) -> str:
    return " ".join("".join(parse(html).itertext()).split())


def parse(html: str) -> ET.Element:
    """A page that is well-formed as XML too: nothing is left open, nothing unescaped."""
    return ET.fromstring(html.removeprefix("<!doctype html>\n"))


def test_the_report_says_what_was_tested_with_what_and_by_whom(report: dict[str, Any]) -> None:
    check_report(report)
    assert report["verdict"] == "passed"
    assert report["operator"] == "A. <Moreau> & Co"
    assert report["device"]["mechanism"] == "carousel"
    assert report["device"]["board_crc"] == report["device"]["board_crc_expected"]
    assert report["plan"]["sha256"] == load_plan("acceptance").sha256
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d", report["started"])
    before, after = report["meters"]["before"], report["meters"]["after"]
    assert after["cycles"] - before["cycles"] == 3 + 3 + 1, "good decks, counted ones, and one after the jams"
    assert after["jams"] - before["jams"] == 2


def test_no_verdict_says_more_than_its_steps_of_any_three() -> None:
    unended = {"not_run", "stopped"}
    for three in product(("passed", "failed", "not_applicable", "not_tested", *unended), repeat=3):
        results = [StepResult("a", "b", "c", [], "", status, "Needs a key.") for status in three]
        for stopped, broken in (("", False), ("", True), ("Interrupted.", False)):
            verdict, reason = verdict_of(results, stopped, broken)
            good = not stopped and "passed" in three and not {"failed", *unended} & {*three}
            assert (verdict == "passed") == good, (three, stopped, reason)
            assert (verdict == "failed") == (not stopped and "failed" in three)
            assert ("All" in reason) == (good and three.count("passed") > 1 and "not_tested" not in three)
            if not stopped and not unended & {*three}:
                untested = three.count("not_tested")
                assert (f"{untested} not tested: needs a key" in reason) == (untested > 0), (three, reason)


def test_the_page_is_complete_in_itself(report: dict[str, Any]) -> None:
    html = page(report)
    root = parse(html)
    names = {element.tag for element in root.iter()}
    assert not names & {"script", "link", "img", "iframe", "object", "a", "form"}
    assert not re.search(r"https?:|@import|url\(|javascript:", html)
    asks = {"src", "href", "srcset", "action", "data", "background", "poster"}
    for element in root.iter():
        assert not any(name in asks or name.startswith("on") or "href" in name for name in element.attrib)
    assert "@media print" in html
    assert "prefers-color-scheme:dark" in html
    assert "size:A4" in html


def test_the_page_has_verdict_figures_plots_receipt_and_signatures(report: dict[str, Any]) -> None:
    text = text_of(page(report))
    assert text.index("PASSED") < text.index("Summary") < text.index("Receipt of counts")
    for said in (
        "Simulated device.",
        "Device (self-reported)",
        "A. <Moreau> & Co",
        'serial FS-"12"',
        "longest shuffle, as reported",
        "at most 26 s",
        "This mechanism has no cut card.",
        "364 cards in 7 decks; 2 more decks were stopped on purpose",
        "refused, as it must be",
        "operator, signature",
        "WAC 230-16-158",
        report["plan"]["sha256"][:32],
        report["events"]["sha256"],
    ):
        assert said in text, said
    assert len(list(parse(page(report)).iter("svg"))) == 5


def test_every_figure_of_the_report_is_on_the_page(report: dict[str, Any]) -> None:
    text = text_of(page(report))
    for step in report["steps"]:
        assert step["title"] in text
        for figure in step["figures"]:
            assert figure["label"] in text


def test_a_failed_step_and_an_unfinished_run_look_like_it(report: dict[str, Any]) -> None:
    bad = deepcopy(report)
    bad["verdict"], bad["reason"] = "failed", "1 of 4 steps failed."
    bad["steps"][1]["status"] = "failed"
    bad["steps"][1]["figures"][0]["ok"] = False
    bad["decks"][0]["verdict"] = "WRONG"
    html = page(bad)
    assert '<div class="verdict failed"><b>FAILED</b>' in html
    missing = report | {"steps": [step | {"status": "not_tested"} for step in report["steps"][:2]]}
    assert "PASSED, 2 NOT TESTED" in text_of(page(missing))
    assert ", passed, 2 not tested</title>" in page(missing)
    assert '<td class="poor">NOT HELD</td>' in html
    assert '<td class="poor">WRONG' in html
    bad["verdict"] = "incomplete"
    bad["meters"]["after"] = None
    bad["simulated"] = False
    assert "INCOMPLETE" in text_of(page(bad))
    assert "not reported" in text_of(page(bad))
    assert "Simulated device" not in text_of(page(bad))


def test_a_run_without_decks_and_without_meters_has_a_page_too(report: dict[str, Any]) -> None:
    bare = deepcopy(report)
    bare["decks"], bare["meters"]["before"] = [], None
    for step in bare["steps"]:
        step["series"], step["figures"] = {}, []
    text = text_of(page(bare))
    assert "No deck was run." in text
    assert "did not tell its meters" in text


@pytest.mark.parametrize(
    "place, value, told",
    [
        ("verdict", None, "verdict"),
        ("verdict", "splendid", "verdict"),
        *(("steps.1.status", status, f"says passed, .* {status}") for status in ("failed", "not_run", "stopped")),
        ("format", 2, "format 2"),
        ("device.mechanism", "toaster", "mechanism"),
        ("device.secret", 1, "device"),
        ("events.sha256", "abc", "sha256"),
    ],
)
def test_what_is_no_report_is_refused(report: dict[str, Any], place: str, value: Any, told: str) -> None:
    bad = deepcopy(report)
    *parents, name = place.split(".")
    inner: Any = bad
    for parent in parents:
        inner = inner[int(parent) if parent.isdigit() else parent]
    inner[name] = value
    with pytest.raises(ReportError, match=told):
        check_report(bad)


@pytest.mark.parametrize("values", [[0.0], [5.0, 3.0], [1e6, 2.0], [0.2, 0.4], list(map(float, range(200)))])
def test_plots_stay_inside_their_frame(values: list[float]) -> None:
    svg = ET.fromstring(bars("Times", "ms", "deck", [Point(str(i), value) for i, value in enumerate(values)], 4.0))
    width, height = (float(svg.attrib[name]) for name in ("width", "height"))
    for bar in svg.iter("rect"):
        x, y, w, h = (float(bar.attrib[name]) for name in ("x", "y", "width", "height"))
        assert 0 <= x <= x + w <= width
        assert 0 <= y <= y + h <= height
    over = [bar for bar in svg.iter("rect") if bar.attrib["class"] == "over"]
    assert len(over) == sum(value > 4.0 for value in values)


def test_counts_of_wrong_decks_stand_out() -> None:
    svg = ET.fromstring(counts("Counts", "deck", [("1", 52, [52, 52], True), ("2", 53, [52], False)]))
    assert [dot.attrib["class"] for dot in svg.iter("circle")] == ["good", "good", "wrong"]


def test_the_command_writes_report_page_and_events(tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    outcome = json.loads(output("bench", SIM, "feed", "--decks", "1", "--out", str(folder), "--json"))
    assert outcome["verdict"] == "passed"
    written = json.loads(Path(outcome["report"]).read_text())
    assert written["plan"]["options"] == {"decks": 1}
    assert len(written["decks"]) == 1
    again = tmp_path / "again.html"
    assert main(["report", outcome["report"], "-o", str(again)]) == 0
    assert again.read_text() == Path(outcome["page"]).read_text()
    assert {path.suffix for path in folder.iterdir()} == {".json", ".html", ".jsonl"}


def test_the_exit_status_says_failed(tmp_path: Path) -> None:
    port = f"{SIM}&faults=misfeed:ppm=200000"
    shown = output("bench", port, "feed", "--decks", "1", "--out", str(tmp_path), code=1)
    assert "FAILED  Good decks" in shown
    assert "\x1b" not in shown


def test_ctrl_c_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = bench_run.Log.write

    def stop(self: bench_run.Log, event: Event) -> None:
        write(self, event)
        if event.NAME == "stack_started":
            raise KeyboardInterrupt

    monkeypatch.setattr(bench_run.Log, "write", stop)
    shown = output("bench", SIM, "feed", "--out", str(tmp_path), code=130)
    assert "continues without the bench" in shown
    assert "INCOMPLETE: Interrupted by the operator." in shown
    (written,) = tmp_path.glob("bench-feed-*[0-9].json")
    assert json.loads(written.read_text())["verdict"] == "incomplete"


@pytest.mark.usefixtures("nothing_attached")
@pytest.mark.parametrize(
    "arguments, code, told",
    [
        (["bench", "feed"], 2, "no shoe is attached"),
        (["bench", SIM, "feeed"], 3, "no bench plan 'feeed'"),
        (["bench", "show"], 2, "which plan?"),
        (["bench", "feed", SIM], 2, "the port comes before the plan"),
        (["bench", "/dev/null-shoe", "feed", "--operator", "me"], 2, "standard input is not a terminal"),
        (["bench", "/dev/null-shoe", "feed"], 2, "who tests?"),
        (["bench", "sim://toaster", "feed"], 3, "no board 'toaster'"),
        (["bench", SIM, "feed", "--key-file", "/nowhere.key"], 3, "cannot read the key"),
        (["report", "/nowhere.json"], 3, "No such file"),
    ],
)
def test_mistakes_are_told_with_the_next_step(
    arguments: list[str],
    code: int,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert told in refusal(code, *arguments)
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


def test_the_port_that_is_set_is_the_one_that_is_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRSHOE_PORT", "sim://no-such-board")
    assert "no-such-board" in refusal(3, "bench", "sensors")


def test_a_folder_that_cannot_be_written_is_told_before_anything_moves(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "--out" in refusal(9, "bench", SIM, "feed", "--out", str(tmp_path / "file"))
    assert os.listdir(tmp_path) == ["file"]  # noqa: PTH208


def test_a_report_that_is_none_is_refused_by_the_command(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"format": 1}')
    assert main(["report", str(path)]) == 3
    path.write_text("hello")
    assert "not JSON" in refusal(3, "report", str(path))
    assert not path.with_suffix(".html").exists()


def test_two_runs_of_one_second_do_not_share_a_name(tmp_path: Path) -> None:
    first, second = bench_run.Log(tmp_path, "bench-feed"), bench_run.Log(tmp_path, "bench-feed")
    assert first.path.name == "bench-feed.events.jsonl"
    assert second.path.name == "bench-feed-2.events.jsonl"


def test_a_device_that_would_not_believe_our_acknowledgements_is_not_begun_with(tmp_path: Path) -> None:
    board = json.loads((Path(__file__).resolve().parents[3] / "board_configs" / "pico-shoe.json").read_text())
    board["link"]["clear_ack"] = False
    (tmp_path / "strict.json").write_text(json.dumps(board))
    assert "--key-file" in refusal(2, "bench", f"sim://{tmp_path}/strict.json", "feed", "--out", str(tmp_path))


# --- the page of a report that another program wrote -----------------------------------------------------------------


@pytest.mark.parametrize("name", ["one.json", "../here/one.json", "link.html", "hard.html"])
def test_the_page_never_takes_the_place_of_its_report(report: dict[str, Any], tmp_path: Path, name: str) -> None:
    here = tmp_path / "here"
    here.mkdir()
    source = here / "one.json"
    source.write_text(json.dumps(report))
    (here / "link.html").symlink_to("one.json")
    (here / "hard.html").hardlink_to(source)
    assert "is the report itself" in refusal(2, "report", str(source), "-o", str(here / name))
    assert json.loads(source.read_text()) == report


EVIL = '"><img src=x onerror=1>'


def leaves(value: Any, place: tuple[Any, ...] = ()) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """A way to one value of every kind there is: entries of a list are alike."""
    found: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    pairs: Any = cast(dict[str, Any], value).items() if isinstance(value, dict) else enumerate(value[:3])
    entries: list[tuple[Any, Any]] = list(pairs)
    for key, inner in entries:
        if isinstance(inner, (dict, list)) and inner:
            found |= leaves(inner, (*place, key))
        else:
            found[tuple("" if isinstance(part, int) else part for part in (*place, key))] = (*place, key)
    return found


def with_value(report: dict[str, Any], place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    copy = deepcopy(report)
    inner: Any = copy
    for part in place[:-1]:
        inner = inner[part]
    inner[place[-1]] = value
    return copy


def test_nothing_in_a_report_becomes_part_of_the_page(report: dict[str, Any]) -> None:
    """Also where the schema would refuse it: the page does not rest on that."""
    texts = [place for place in leaves(report).values() if isinstance(at(report, place), str)]
    assert len(texts) > 40
    times = {("started",), ("ended",)}
    for place in texts:
        if place in times:
            continue
        html = page(with_value(report, place, EVIL))
        assert "<img" not in html, place
        parse(html)


def at(report: Any, place: tuple[Any, ...]) -> Any:
    for part in place:
        report = report[part]
    return report
