"""A device at a table gets another image: what must hold before its door is opened, and before it deals again.

The image itself is written by a person with BOOTSEL (docs/FIRMWARE.md). Both halves read and prove the journal, so what
an update must not touch (records, log, key, signing key, game) is compared by the device's own chain and seals, and
not by its word. Nothing is acknowledged: events stay for the host that stores them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from fairshoe.client.shoe import Shoe
from fairshoe.errors import Exit, FairshoeError, NoAnswer
from fairshoe.journal.export import Export, JournalAltered, NothingToVerify, Progress, pull
from fairshoe.journal.signatures import PublicKey
from fairshoe.journal.verify import verify
from fairshoe.messages import Booted, EmptyProved, JournalBroken, KeyChanged, RecordDamaged, State
from fairshoe.operate.driver import Driver
from fairshoe.text.describe import words

_HARM = (JournalBroken, KeyChanged, RecordDamaged)


class NotReady(FairshoeError):
    """A device that must not be updated now."""

    exit_code = Exit.FAILED


class NotUpdated(FairshoeError):
    """A device that is not what it must be after its update. It stays out of service."""

    exit_code = Exit.PROOF


@dataclass(frozen=True)
class Keys:
    """What the journal is proved with: seal keys, and public keys where the device signs."""

    seal: Sequence[bytes] = ()
    public: Sequence[PublicKey] = ()


@dataclass(frozen=True)
class DeviceState:
    """A device on one side of its update. All but `firmware`, `boot` and `last` must be equal on both."""

    device: str
    firmware: str
    game: str
    boot: int
    log: str
    last: int
    key: int
    public: str


KEPT = {
    "device": "another device answers",
    "game": "it plays another game",
    "log": "it has begun another journal: its records are gone",
    "key": "its key was changed",
    "public": "its signing key was changed",
}


def before(shoe: Shoe, keys: Keys, progress: Progress | None = None) -> tuple[DeviceState, Export]:
    """The device as it is, and its whole journal, proved. Raises NotReady unless it is empty and between two rounds and
    its host has acknowledged every event."""
    driver = Driver(shoe)
    status = driver.begin()
    if status.state != State.WAITING_FOR_DECK:
        raise NotReady(
            f"{shoe.name} is not empty and at rest: {words(status.state.name)}.",
            "End the round, take the cards out and clear any warning; then run this again.",
        )
    export = _proved(shoe, keys, None, progress)
    waiting = driver.fresh().events_waiting
    if waiting:
        raise NotReady(
            f"{shoe.name} has {waiting} events that its host has not acknowledged.",
            "Let the table system or the gateway collect them; then run this again.",
        )
    return _standing(shoe, export), export


def after(
    shoe: Shoe, was: DeviceState, version: str, keys: Keys, known: Export, progress: Progress | None = None
) -> tuple[DeviceState, Export]:
    """The same device with `version`. Raises NotUpdated if anything was lost or changed that must be kept."""
    welcome = shoe.welcome
    if welcome is None:
        raise NoAnswer(f"{shoe.name} does not answer.", "Check that it has power and that its door is closed.")
    _same(was, {"device": f"{welcome.device:08x}", "game": welcome.game})
    if welcome.firmware != version:
        still = "still " if welcome.firmware == was.firmware else ""
        raise NotUpdated(
            f"{shoe.name} {still}runs {welcome.firmware}, not {version}.",
            "Write the image again: hold BOOTSEL at power-up and copy it onto the drive.",
        )
    if welcome.boot <= was.boot:
        raise NotUpdated(
            f"{shoe.name} has not restarted since the first part.", "Write the image first, then run this again."
        )
    export = _proved(shoe, keys, known, progress)
    now = _standing(shoe, export)
    _same(was, asdict(now))
    new = [record.event() for record in export.records if record.seq > was.last and not record.fault]
    harm = [event for event in new if isinstance(event, _HARM)]
    if harm:
        raise NotUpdated(
            f"record {harm[0].seq} since the first part: {words(harm[0].NAME)}.",
            "Keep the device out of service and find out why: fairshoe journal show.",
        )
    if not any(isinstance(event, Booted) and event.firmware == version for event in new):
        raise NotUpdated(f"no start of {version} is in its journal.", "Switch it off and on, then run this again.")
    return now, export


def run_self_test(driver: Driver) -> tuple[int, int]:
    """Have the device test itself. The number of the operation, and of the record that it passed."""
    result = driver.self_test()
    if not result.done:
        raise driver.why("self_test", result)
    passed = [event.seq for event in driver.events if isinstance(event, EmptyProved)]
    if not passed:
        raise NotUpdated("the self-test ended without a record of it.", "Run this again.")
    return result.op, passed[-1]


def _same(was: DeviceState, now: dict[str, object]) -> None:
    for name, what in KEPT.items():
        if name in now and now[name] != getattr(was, name):
            raise NotUpdated(
                f"{what}: {name} {now[name] or 'none'}, before {getattr(was, name) or 'none'}.",
                "Keep it out of service. The export of the first part has every record until then.",
            )


def _proved(shoe: Shoe, keys: Keys, known: Export | None, progress: Progress | None) -> Export:
    export = pull(shoe, known, progress=progress, sign=bool(keys.public))
    verdict = verify(export, keys.seal, None, keys.public)
    if verdict.problems:
        raise JournalAltered(
            f"the journal of {shoe.name} is altered or incomplete: {verdict.problems[0].text()}.",
            "Do not update it: the storage is evidence. fairshoe journal pull keeps what there is.",
        )
    if not verdict.sound:
        raise NothingToVerify(
            f"the journal of {shoe.name} is not proved.",
            "Give the seal key of every generation with --seal-key, or the public key with --public-key.",
        )
    return export


def _standing(shoe: Shoe, export: Export) -> DeviceState:
    welcome = shoe.welcome
    if welcome is None:
        raise NoAnswer(f"{shoe.name} does not answer.", "Check that it has power.")
    last = export.attested[-1]
    public = last.public.hex()
    return DeviceState(
        f"{welcome.device:08x}",
        welcome.firmware,
        welcome.game,
        welcome.boot,
        export.log.hex(),
        export.last,
        last.key,
        public,
    )
