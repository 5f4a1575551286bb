"""The floor page in a browser: 200 tables, worst first, old data marked; one table in detail; the shift report."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from floor_case import made
from web.browser import Bench
from web.floor import DESK, PHONE, TABLES, floor

from fairshoe.messages import DoorOpened
from fairshoe_floor.reader import Link


def tables(bench: Bench) -> list[str]:
    return bench.tab.evaluate("[...document.querySelectorAll('#grid b')].map((it) => it.textContent)")


@pytest.mark.slice
def test_the_worst_of_200_tables_come_first_and_old_data_is_marked(chromium: Any) -> None:
    with floor(chromium) as (bench, reader):
        bench.until(f"document.querySelectorAll('.cell.well').length === {TABLES}")
        assert "#" not in bench.tab.url  # the token does not stay in the address
        now = time.time()
        reader.silent[70] = 300.0
        reader.links[60] = Link.LOST
        reader.warn(50, now - 10)
        reader.warn(40, now - 90)
        bench.until("document.querySelectorAll('.cell.warned').length === 2")
        bench.until("document.querySelector('.cell.stale')")
        assert tables(bench)[:4] == ["T-40", "T-50", "T-60", "T-70"]
        assert bench.tab.inner_text("#counts").split("\n")[:4] == [
            *("2 warnings", "1 lost", "1 stale", "196 in service")
        ]
        assert "stale for 5 min" in bench.tab.inner_text(".cell.stale")
        assert bench.tab.title().startswith("(2)")
        # A cell is small enough that a desk shows a pit, and 200 fit into three screens.
        assert bench.tab.evaluate("document.documentElement.scrollHeight") < 3 * DESK["height"]
        bench.tab.select_option("#pit", "2")
        assert len(tables(bench)) == TABLES // 4
        bench.tab.fill("#find", "t-50")
        assert tables(bench) == ["T-50"]


def test_a_browser_whose_clock_is_behind_marks_old_data_too(chromium: Any) -> None:
    with floor(chromium) as (bench, reader):
        bench.until(f"document.querySelectorAll('.cell.well').length === {TABLES}")
        bench.tab.evaluate("(() => { const right = Date.now.bind(Date); Date.now = () => right() - 3600000; })()")
        reader.silent[70] = 300.0
        reader.warn(50, time.time() - 10)
        bench.until("document.querySelector('.cell.stale')")
        assert tables(bench)[:2] == ["T-50", "T-70"]


@pytest.mark.slice
def test_a_table_is_shown_in_detail_with_its_history_and_events_as_they_come(chromium: Any) -> None:
    with floor(chromium) as (bench, reader):
        reader.record(7, made(DoorOpened, seq=1), 1)
        bench.until("floor.shoes.get('00000007').seq === 1")
        bench.tab.click("#grid b:text-is('T-07')")
        bench.until("document.querySelectorAll('#shoe-events li').length === 1")
        bench.until("document.querySelectorAll('#shoe-plots polyline').length === 4")
        assert "Feed time: 60 ms" in bench.tab.inner_text("#shoe-plots")
        assert bench.tab.is_visible("#shoe-rounds-part")
        reader.record(7, made(DoorOpened, seq=2), 2)
        bench.until("document.querySelectorAll('#shoe-events li').length === 2")
        bench.tab.click("#grid b:text-is('T-10')")  # its profile is meters
        bench.until("document.getElementById('shoe-title').textContent === 'Table T-10'")
        assert not bench.tab.is_visible("#shoe-rounds-part")
        assert "dealing" not in bench.tab.inner_text("#shoe") and "round" not in bench.tab.inner_text("#shoe-meters")
        bench.tab.keyboard.press("Escape")
        assert not bench.tab.is_visible("#shoe")


@pytest.mark.slice
def test_a_detail_that_is_closed_while_it_connects_leaves_no_error(chromium: Any) -> None:
    with floor(chromium) as (bench, _reader):
        bench.tab.evaluate(
            """() => {
                for (const cell of [...document.querySelectorAll('#grid b')].slice(0, 5)) {
                    cell.click();
                    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
                }
            }"""
        )
        assert not bench.tab.is_visible("#shoe")
        bench.tab.wait_for_timeout(500)


def test_alarms_stand_above_the_tables_and_mark_theirs(chromium: Any) -> None:
    with floor(chromium) as (bench, reader):
        bench.until(f"document.querySelectorAll('.cell.well').length === {TABLES}")
        reader.links[60] = Link.LOST
        reader.number += 1
        reader.alarm(30, "journal", "critical", "the device found its journal broken at record 7")
        reader.alarm(60, "shoe-silent", "minor", "nothing was heard of it for 120 s")
        for device in range(101, 111):
            reader.alarm(device, "feed-time", "minor", "a card takes <b>160</b> ms to feed, 100 ms when new")
        bench.until("document.querySelectorAll('#alarm-list li').length === 6")  # with the next beat
        bench.until("document.querySelector('.cell.lost')")
        assert bench.tab.inner_text("#alarms-title") == "12 alarms, the most severe first"
        assert bench.tab.inner_text("#alarms-more") == "6 more alarms"
        bench.tab.click("#alarms-more summary")
        assert bench.tab.locator("#alarm-rest li:visible").count() == 6
        # A shoe is silent by the limit of its server: 15 s at a gateway, 120 s at the central one.
        shoe = "{heard_at: 40, fresh_s, warning: {fault: 'jam', since: 1}}"
        judged = f"({{ condition }}) => [15, 120].map((fresh_s) => condition({shoe}, 100).stale)"
        assert bench.tab.evaluate(f"import('./condition.js').then({judged})") == [True, False]
        # A critical alarm comes first. What a lost link explains is shown as a lost link.
        assert tables(bench)[:2] == ["T-30", "T-101"] and tables(bench)[11] == "T-60"
        assert bench.tab.evaluate("document.querySelectorAll('#alarms b b, #alarms span b').length") == 0
        bench.tab.click("#alarm-list button:text-is('T-30')")
        assert bench.tab.inner_text("#shoe-title") == "Table T-30"
        assert "broken at record 7" in bench.tab.inner_text("#shoe-alarms")
        assert bench.tab.evaluate("document.querySelectorAll('#alarms button').length") == 12  # tables, nothing else
        reader.raised.clear()
        bench.until("document.getElementById('alarms').hidden")


EVERY_KIND = (
    (0, "standing-still", "critical", "the desk of `fairshoe floor run` has not moved for 70 s", "desk"),
    (0, "broker", "critical", "publisher pit-1: the broker stores nothing", "trouble publisher pit-1"),
    (30, "journal", "critical", "the device found its journal broken at record 7", ""),
    (31, "events-lost", "critical", "events 837 to 924 were lost at gateway pit-1", ""),
    (0, "dead-letters", "critical", "3 messages could not be taken", ""),
    (32, "warning-unattended", "major", "jam exit has not been cleared for 300 s", ""),
    (33, "deck-refused-twice", "major", "2 decks in a row were refused", ""),
    (34, "shoe-silent", "minor", "nothing was heard of it for 120 s", ""),
    (35, "misfeeds", "minor", "12 misfeeds per 1,000 cards", ""),
    (36, "feed-time", "minor", "a card takes 160 ms to feed, 100 ms when new", ""),
    (37, "wear", "minor", "pick latency 31 to 44 ms in 3,000 decks: pick roller", ""),
    (38, "clock", "minor", "its clock is 40 s behind", ""),
)


@pytest.mark.slice
def test_every_kind_of_alarm_names_its_table_or_program_and_what_to_do(chromium: Any) -> None:
    with floor(chromium) as (bench, reader):
        for device, rule, severity, text, part in EVERY_KIND:
            reader.alarm(device, rule, severity, text, part)
        bench.until("document.querySelectorAll('#alarms li').length === 12")
        bench.tab.click("#alarms-more summary")
        said = bench.tab.locator("#alarms li").all_inner_texts()
        names = ["floor run, desk", "publisher pit-1", "T-30", "T-31", "the floor", *(f"T-{n}" for n in range(32, 39))]
        assert [name for name, text in zip(names, said, strict=True) if name not in text.split("\n")] == []
        advice = bench.tab.locator("#alarms .advice").all_inner_texts()
        assert len(set(advice)) == 12 and all(it.startswith("What to do: ") for it in advice)
        assert bench.tab.inner_text("#notice") == (
            f"9 of {TABLES} tables and 3 programs of the floor need a person. "
            "Begin with floor run, desk: standing still."
        )


@pytest.mark.slice
def test_an_alarm_is_acknowledged_in_the_page_and_the_sentence_follows(chromium: Any) -> None:
    with floor(chromium) as (bench, reader):
        reader.alarm(30, "journal", "critical", "broken at record 7", number=17)
        reader.alarm(31, "journal", "critical", "broken at record 8", number=18)
        bench.until("document.querySelectorAll('#alarm-list .ask').length === 2")
        bench.tab.click("#alarm-list li:has-text('T-30') .ask")
        bench.tab.fill("#alarm-list input[name=note]", "taken out of play")
        reader.alarm(32, "feed-time", "minor", "slow")
        bench.until("document.querySelectorAll('#alarm-list li').length === 3")  # another alarm comes meanwhile
        assert bench.tab.input_value("#alarm-list input[name=note]") == "taken out of play"
        bench.tab.fill("#alarm-list input[name=name]", "Ines")
        bench.tab.keyboard.press("Enter")
        bench.until("document.querySelector('#alarm-list time').textContent.endsWith('seen by page (Ines)')")
        assert reader.notes == {17: "taken out of play"} and bench.tab.locator("#alarm-list form").count() == 0
        assert bench.tab.inner_text("#notice").startswith(
            f"3 of {TABLES} tables need a person; 1 of these is seen to. Begin with T-31: journal."
        )


def test_the_shift_report_counts_from_the_first_to_the_last_reading(chromium: Any) -> None:
    with floor(chromium) as (bench, _reader):
        bench.tab.click("#report-open")
        bench.until(f"document.querySelectorAll('#report-table tbody tr').length === {TABLES}")
        cells = bench.tab.evaluate(
            "[...document.querySelectorAll('#report-table tbody tr')[0].cells].map((it) => it.textContent)"
        )
        assert cells[0].startswith("T-") and cells[6:10] == ["10", "520", "2", "3.8"]
        bench.tab.emulate_media(media="print")
        assert not bench.tab.is_visible("header") and bench.tab.is_visible("#report-table")


def test_a_shift_report_that_is_not_complete_says_so_and_is_not_printed_before_it_is_read(chromium: Any) -> None:
    with floor(chromium) as (bench, _reader):
        held: list[Any] = []

        def hold(route: Any) -> None:
            held.append(route)

        bench.tab.route("**/shoes/00000002/meters*", hold)
        bench.tab.click("#report-open")
        bench.until("document.getElementById('report-about').textContent === 'Reading ...'")
        assert bench.tab.is_disabled("#report-print")
        while not held:
            bench.tab.wait_for_timeout(20)
        held[0].fulfill(status=503, json={"error": "busy.", "advice": "Later."})
        bench.until("document.getElementById('report-about').textContent.startsWith('NOT COMPLETE: 1 could not')")
        assert bench.tab.is_enabled("#report-print")
        bench.errors.clear()  # the browser's own line about the answer


def test_a_page_that_loses_its_server_says_so_and_texts_stay_texts(chromium: Any) -> None:
    with floor(chromium) as (bench, reader):
        reader.links[1] = Link.FAILED
        reader.entries = [replace(reader.entries[0], table="<img src=x onerror=alert(1)>"), *reader.entries[1:]]
        reader.number += 1
        bench.until("document.querySelector('.cell.lost')?.textContent.includes('<img')")
        assert bench.tab.evaluate("document.querySelectorAll('img').length") == 0
        reader.stop()
        bench.until("document.body.classList.contains('cut')")
        assert bench.tab.inner_text("#link") == "lost"
        assert "tried again every 2 s" in bench.tab.inner_text("#notice")
        bench.errors.clear()  # the browser complains about a server that is gone


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_floor_is_readable_on_a_phone_and_on_a_desk(
    chromium: Any, readable: Callable[[Any, int], None], scheme: str
) -> None:
    with floor(chromium, PHONE, scheme) as (bench, reader):
        reader.warn(40, time.time() - 90)
        reader.links[60] = Link.LOST
        reader.silent[70] = 300.0
        reader.alarm(30, "journal", "critical", "the device found its journal broken at record 7")
        reader.alarm(7, "feed-time", "minor", "a card takes 160 ms to feed, 100 ms when new")
        bench.until("document.querySelector('.cell.warned')")
        bench.until("document.querySelector('.cell.stale')")
        bench.until("document.querySelectorAll('.cell.alarmed').length === 2")
        bench.tab.click("#grid b:text-is('T-07')")
        bench.until("document.querySelectorAll('#shoe-plots polyline').length === 4")
        assert bench.tab.evaluate("document.getElementById('shoe').getBoundingClientRect().top") < PHONE["height"]
        for size in (PHONE, DESK):
            bench.tab.set_viewport_size(size)
            readable(bench.tab, TABLES)


ADVICE = {
    "warned": "cleared at the shoe",
    "alarmed": "fairshoe journal verify",
    "lost": "Check power and cable",
    "stale": "Look at its display",
    "behind": "Nothing acknowledges the events",
}


@pytest.mark.slice
def test_every_state_of_the_page_and_every_condition_has_words_of_its_own(chromium: Any) -> None:
    """Connecting, no token, a wrong one, no table, none that fits, calm; and what to do about each condition."""
    with floor(chromium) as (bench, reader):
        bench.until("document.body.dataset.state === 'live'")
        said = [bench.tab.inner_text("#notice")]
        assert said[0] == f"{TABLES} tables, all in service. There is nothing to do."
        bench.tab.fill("#find", "no such table")
        said.append(bench.tab.inner_text("#notice"))
        bench.tab.fill("#find", "")
        reader.warn(40, time.time() - 90)
        reader.alarm(30, "journal", "critical", "the device found its journal broken at record 7")
        reader.links[60] = Link.LOST
        reader.silent[70] = 300.0
        reader.waiting[21] = 271
        reader.number += 1
        for table, rank in ((40, "warned"), (30, "alarmed"), (60, "lost"), (70, "stale"), (21, "behind")):
            bench.until(f"document.querySelectorAll('.cell.{rank}').length === 1")
            bench.tab.click(f"#grid b:text-is('T-{table}')")
            assert ADVICE[rank] in bench.tab.inner_text("#shoe-todo")
        assert "271 events wait" in bench.tab.inner_text(".cell.behind")
        assert bench.tab.inner_text("#notice") == f"5 of {TABLES} tables need a person. Begin with T-40: jam exit."
        # Esc closes what is on top, and the keyboard goes back to where it came from.
        bench.tab.click("#report-open")
        for shown, focus in (("#shoe", "report-open"), ("", "")):
            bench.tab.keyboard.press("Escape")
            assert not bench.tab.is_visible("#report") and bench.tab.is_visible("#shoe") == bool(shown)
            assert not focus or bench.ask("document.activeElement.id") == focus
        assert "T-21" in bench.ask("document.activeElement.textContent")
        reader.entries = []
        reader.number += 1
        bench.tab.reload()
        bench.until("document.getElementById('notice').textContent.startsWith('No table:')")
        said.append(bench.tab.inner_text("#notice"))
        where = bench.url.partition("#")[0]
        for token, state in (("", "token"), ("#wrong", "refused")):
            bench.ask("sessionStorage.clear()")
            bench.tab.goto("about:blank")
            bench.tab.goto(where + token)
            bench.until(f"document.body.dataset.state === '{state}'")
            said.append(bench.tab.inner_text("#notice"))
        words = "import('./notice.js').then(({ notice }) => ['connecting', 'lost'].map((it) => notice(it, {}).text))"
        said += bench.ask(words)
        assert len(set(said)) == len(said) == 7 and all(said)
        bench.errors.clear()  # the browser's own line about the refusal
