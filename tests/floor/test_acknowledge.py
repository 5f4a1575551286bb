"""Acknowledging over the API: at the central record alone, under the token's name, not from a foreign page. And answers
that are kept: as old as the reader allows, and no older."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Sequence

from floor_case import Answer, MemoryReader, entry, request

from fairshoe import FairshoeError
from fairshoe_floor.api.app import Service
from fairshoe_floor.api.documents import openapi
from fairshoe_floor.api.route_table import ACKNOWLEDGE
from fairshoe_floor.api.server import ApiServer, Binding, page_files
from fairshoe_floor.api.tokens import Tokens, new_token
from fairshoe_floor.reader import Alarm, Shoe

INES, INES_GRANT = new_token("Ines", ["table", "acknowledge"])
PIT_2, PIT_2_GRANT = new_token("pit 2", ["acknowledge"], ["2"])
PAGE, PAGE_GRANT = new_token("page", ["table"])
ALARMS = [Alarm(1, "journal", "critical", "cut", 5.0, None, 17), Alarm(0, "still", "critical", "dead", 5.0, None, 18)]


class Book:
    def __init__(self) -> None:
        self.noted: list[tuple[int, str, str]] = []

    def acknowledge(self, number: int, by: str, note: str) -> bool:
        if any(it[0] == number for it in self.noted):
            return False
        self.noted.append((number, by, note))
        return True


class Counting(MemoryReader):
    """Counts its answers, and fails on request."""

    asked = 0
    broken = False

    def shoes(self) -> Sequence[Shoe]:
        self.asked += 1
        if self.broken:
            raise FairshoeError("the database does not answer.", "Check it.")
        return super().shoes()


@contextlib.asynccontextmanager
async def serve(over: MemoryReader, book: Book | None = None) -> AsyncGenerator[str]:
    tokens = Tokens((INES_GRANT, PIT_2_GRANT, PAGE_GRANT))
    service = Service(over, tokens, lambda: (True, {}), lambda _: "up 1\n", page_files())
    service.acknowledge = book.acknowledge if book else None
    async with ApiServer(service, Binding()) as server:
        yield server.url


def path(number: int) -> str:
    return ACKNOWLEDGE.path.replace("{id}", str(number))


async def post(url: str, number: int, token: str, body: str = "", **headers: str) -> Answer:
    return await request(url, path(number), token, "POST", body, **headers)


async def test_an_alarm_is_acknowledged_once_under_the_name_of_the_token() -> None:
    book = Book()

    async with serve(MemoryReader([entry(1), entry(2, pit="2")], raised=ALARMS), book) as url:
        for token, status in (("", 401), (PAGE, 403), (PIT_2, 404)):
            assert (await post(url, 17, token)).status == status
        assert (await post(url, 99, INES)).status == 404 and (await post(url, 18, PIT_2)).status == 404
        assert (await post(url, 17, INES, Origin="http://elsewhere")).status == 403
        for odd in ("x", "-1", "1.5", "9" * 5000, "%D9%A5", "17%00"):
            assert (await request(url, ACKNOWLEDGE.path.replace("{id}", odd), INES, "POST")).status in (400, 404), odd
        for body, status in (
            *((f'{{"note": {odd}}}', 400) for odd in ("null", "7", "[]", "{}", "true")),
            ('{"name": "a\\u0000b"}', 400),
            ("[]", 400),
            ("null", 400),
            ('{"note": "a\\u0000b"}', 400),
            ("x" * 5000, 413),
        ):
            assert (await post(url, 17, INES, body)).status == status
        assert book.noted == []
        answer = await post(url, 17, INES, '{"note": "deck replaced", "by": "Otto"}', Origin=url.rstrip("/"))
        assert (answer.status, answer.json["acknowledged_by"]) == (200, "Ines")
        typed = await post(url, 18, INES, '{"name": " Otto "}')
        assert (await post(url, 17, INES)).status == 409 and typed.json["acknowledged_by"] == "Ines (Otto)"
        assert book.noted == [(17, "Ines", "deck replaced"), (18, "Ines (Otto)", "")]
        for method in ("GET", "PUT", "DELETE"):
            assert (await request(url, path(17), INES, method)).status in (404, 405)
        assert ACKNOWLEDGE.path in (await request(url, "/api/v1/openapi.json")).json["paths"]
        assert "post" in openapi(True)["paths"][ACKNOWLEDGE.path]


async def test_a_gateway_has_no_route_that_acknowledges() -> None:
    async with serve(MemoryReader([entry(1)], raised=ALARMS)) as url:
        assert (await post(url, 17, INES)).status == 405
        assert ACKNOWLEDGE.path not in (await request(url, "/api/v1/openapi.json")).json["paths"]


async def test_what_is_known_is_asked_for_once_for_all_clients_and_runs_out_when_the_reader_fails() -> None:
    over = Counting([entry(1), entry(2, pit="2")], lasting_s=0.6)

    began = time.monotonic()
    async with serve(over) as url:
        answers = await asyncio.gather(*(request(url, "/api/v1/shoes", PAGE) for _client in range(40)))
        renewed = (time.monotonic() - began) / (over.lasting_s / 2)  # more often on a busy machine, which is slower
        assert {it.status for it in answers} == {200} and over.asked <= 2 + renewed
        packed = await request(url, "/api/v1/shoes", PAGE, **{"Accept-Encoding": "gzip"})
        assert packed.headers["content-encoding"] == "gzip" and packed.json["shoes"] == answers[0].json["shoes"]
        over.entries = [entry(1), entry(2, pit="2"), entry(3)]
        while len((await request(url, "/api/v1/shoes", PAGE)).json["shoes"]) != 3:  # renewed in the background
            await asyncio.sleep(0.05)
        over.broken = True
        while (await request(url, "/api/v1/shoes", PAGE)).status != 503:
            await asyncio.sleep(0.05)
        over.broken = False
        assert (await request(url, "/api/v1/shoes", PAGE)).status == 200
