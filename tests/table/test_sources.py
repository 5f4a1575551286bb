"""Where faces come from: the line of a card reader, and what is said about a line that is no card; the rules page."""

import re
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from queue import SimpleQueue

import pytest
from waits import LIMIT_S

from fairshoe.errors import PortError
from fairshoe.web.assets import table_files
from fairshoe_table.desk.card_reader import CardReader, joined
from fairshoe_table.desk.setup import PAGE
from fairshoe_table.play import registry
from fairshoe_table.rules.cards import card


@contextmanager
def reader() -> Generator[tuple[socket.socket, SimpleQueue[object]]]:
    """The far end of the reader's cable, and what was heard: cards, and complaints."""
    heard: SimpleQueue[object] = SimpleQueue()
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"socket://127.0.0.1:{server.getsockname()[1]}"
        it = CardReader(url, heard.put, heard.put)
        far, _ = server.accept()
        with far:
            try:
                yield far, heard
            finally:
                it.close()
    assert not any(thread.name == "card reader" for thread in threading.enumerate())


def test_a_reader_gives_one_card_for_each_line_however_the_bytes_come() -> None:
    with reader() as (far, heard):
        for part in (b"As\r\n10", b"d\n\n", b"kh\n2c", b"\n"):
            far.sendall(part)
        assert [heard.get(timeout=LIMIT_S) for _ in range(4)] == [card(it) for it in ("As", "10d", "Kh", "2c")]


def test_what_is_no_card_and_what_is_no_line_is_said_and_the_next_card_is_heard() -> None:
    with reader() as (far, heard):
        far.sendall(b"1x\n\xff\xfe\nAs\n")
        first, second, third = (heard.get(timeout=LIMIT_S) for _ in range(3))
        assert "'1x', which is no card" in str(first) and "which is no card" in str(second) and third == card("As")
        far.sendall(b"x" * 200)
        assert "sends no lines" in str(heard.get(timeout=LIMIT_S))


def test_a_reader_that_cannot_be_opened_says_so() -> None:
    with pytest.raises(PortError, match="card reader"):
        CardReader("/dev/there-is-no-such-reader", print, print)


def test_a_hand_that_the_dealer_has_completed_names_both_sources() -> None:
    assert joined(["reader", "reader"]) == "reader" and joined(["reader", "dealer"]) == "dealer+reader"


def test_the_rules_page_has_the_text_of_every_clause_that_a_button_names() -> None:
    page = table_files(PAGE)["rules.html"].decode()
    anchors = set(re.findall(r'id="([^"]+)"', page))
    named = {it.clause.lower() for game in registry.OURS for it in registry.find(game).irregularities}
    assert len(named) > 20 and named <= anchors
