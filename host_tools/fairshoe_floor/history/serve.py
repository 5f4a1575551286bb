"""Serves the read API and the floor page from PostgreSQL. It asks no device and writes nothing."""

from __future__ import annotations

import time
from collections.abc import Collection
from contextlib import AsyncExitStack

from fairshoe_floor.api.app import Service
from fairshoe_floor.api.profiles import Json
from fairshoe_floor.api.server import ApiServer, Binding, page_files
from fairshoe_floor.api.tokens import Grant, Tokens
from fairshoe_floor.history.central_reader import CentralReader
from fairshoe_floor.history.schema import DatabaseError


class CentralServer:
    """`async with` it; `url` says where it listens, `ended` waits until it fails."""

    def __init__(self, reader: CentralReader, binding: Binding, grants: Collection[Grant], own_tokens: bool) -> None:
        binding.check(own_tokens)
        self._reader = reader
        service = Service(reader, Tokens(grants), self.health, self.metrics, page_files(), binding.local)
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
        """Whether the database answers, and how old its newest sample is."""
        try:
            heard = [shoe.sample.at for shoe in self._reader.shoes() if shoe.sample is not None]
            still = [alarm.text for alarm in self._reader.standing_still()]
        except DatabaseError as error:
            return False, {"status": error.what}
        if still:
            return False, {"status": "; ".join(still)}
        age_s = round(time.time() - max(heard), 1) if heard else None
        return True, {"status": "ok", "shoes_heard": len(heard), "seconds_since_sample": age_s}

    def metrics(self, grant: Grant) -> str:
        """Age of the newest sample of each shoe that the token sees; the gateways have the rest."""
        lines = ["# TYPE fairshoe_floor_sample_age_seconds gauge"]
        now = time.time()
        for shoe in self._reader.shoes():
            if shoe.sample is not None and (not grant.pits or shoe.entry.pit in grant.pits):
                place = f'device="{shoe.entry.name}",gateway="{_label(shoe.gateway)}"'
                lines.append(f"fairshoe_floor_sample_age_seconds{{{place}}} {now - shoe.sample.at:.1f}")
        return "\n".join(lines) + "\n"


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
