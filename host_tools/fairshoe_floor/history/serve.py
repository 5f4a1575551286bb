"""Serves the read API and the floor page from PostgreSQL. It asks no device, and writes nothing but who has seen an
alarm."""

from __future__ import annotations

import time
from collections.abc import Collection
from contextlib import AsyncExitStack

from fairshoe_floor.api.app import Acknowledge, Service
from fairshoe_floor.api.profiles import Json
from fairshoe_floor.api.server import ApiServer, Binding, page_files
from fairshoe_floor.api.tokens import Grant, Tokens
from fairshoe_floor.history.central_reader import SAMPLE_AGE_S, CentralReader
from fairshoe_floor.history.schema import DatabaseError
from fairshoe_floor.metrics import INFO, Families

METRICS = INFO | {"sample_age_seconds": "age of the newest sample of a shoe"}


class CentralServer:
    """`async with` it; `url` says where it listens, `ended` waits until it fails."""

    def __init__(
        self,
        reader: CentralReader,
        binding: Binding,
        grants: Collection[Grant],
        own_tokens: bool,
        acknowledge: Acknowledge | None = None,
    ) -> None:
        binding.check(own_tokens)
        self._reader = reader
        service = Service(
            reader, Tokens(grants), self.health, self.metrics, page_files(), binding.local, self.ready, acknowledge
        )
        self._server = ApiServer(service, binding)
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> CentralServer:
        self._stack.callback(self._reader.close)
        await self._stack.enter_async_context(self._server)
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._stack.aclose()

    @property
    def url(self) -> str:
        return self._server.url

    async def ended(self) -> None:
        await self._server.ended()

    def health(self) -> tuple[bool, Json]:
        """Whether the database answers, consumer and desk move, and samples come."""
        try:
            heard = [shoe.sample.at for shoe in self._reader.shoes() if shoe.sample is not None]
            still = [alarm.text for alarm in self._reader.standing_still()]
        except DatabaseError as error:
            return False, {"status": error.what}
        if still:
            return False, {"status": "; ".join(still)}
        age_s = round(time.time() - max(heard), 1) if heard else None
        about = {"shoes_heard": len(heard), "seconds_since_sample": age_s}
        if age_s is not None and age_s > SAMPLE_AGE_S:
            return False, {"status": "no gateway has sent a sample for a while", **about}
        return True, {"status": "ok", **about}

    def ready(self) -> tuple[bool, Json]:
        """Whether requests can be answered, however old what they say is."""
        try:
            self._reader.shoes()
        except DatabaseError as error:
            return False, {"status": error.what}
        return True, {"status": "ok"}

    def metrics(self, grant: Grant) -> str:
        """Age of the newest sample of each shoe that the token sees; the gateways have the rest."""
        families = Families("fairshoe_serve", METRICS)
        families.add_process()
        now = time.time()
        for shoe in self._reader.shoes():
            if shoe.sample is not None and (not grant.pits or shoe.entry.pit in grant.pits):
                labels = {"device": shoe.entry.name, "gateway": shoe.gateway}
                families.add("sample_age_seconds", now - shoe.sample.at, labels)
        return families.text()
