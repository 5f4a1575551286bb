"""What is sent of alarms, and that a part that fails ends the process."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from fairshoe.cli.floor_options import run_until_stopped
from fairshoe.errors import UsageError
from fairshoe_floor.alarms.book import Alarm
from fairshoe_floor.alarms.notify import HOLD_S, alert, body, receivers

NOW = 1_700_000_000.0
HELD = Alarm(7, "journal", "critical", 0x510001, "cut", NOW - 60, None, None, None, None, "", "BJ-07", "1")


def test_an_alarm_that_holds_ends_far_ahead_and_one_that_is_over_has_its_end() -> None:
    said = alert(HELD, NOW)
    labels = {"alertname": "journal", "severity": "critical", "device": "00510001", "table": "BJ-07", "pit": "1"}
    assert said["labels"] == labels and said["annotations"] == {"summary": "cut", "alarm": "7"}
    assert said["startsAt"] == "2023-11-14T22:12:20.000+00:00" and HOLD_S == 86400
    assert said["endsAt"] == "2023-11-15T22:13:20.000+00:00"
    over = alert(replace(HELD, cleared_at=NOW - 5, acknowledged_by="Ines"), NOW)
    assert over["endsAt"] == "2023-11-14T22:13:15.000+00:00" and over["annotations"]["acknowledged_by"] == "Ines"
    assert over["labels"] == labels  # acknowledging makes no other alert


def test_a_wrong_clock_makes_no_alert_that_ends_before_it_begins() -> None:
    """Alertmanager would refuse it."""
    for raised, cleared in ((NOW + 1e6, NOW + 5), (NOW + 1e6, NOW - 5), (NOW - 5, NOW + 1e6), (NOW + 5, None)):
        said = alert(replace(HELD, raised_at=raised, cleared_at=cleared), NOW)
        assert said["startsAt"] <= said["endsAt"] and said["startsAt"] <= "2023-11-14T22:13:20.000+00:00"


def test_an_alarm_that_is_raised_again_is_said_once_and_holds() -> None:
    again = [replace(HELD, cleared_at=NOW - 9), replace(HELD, id=8, raised_at=NOW - 3), replace(HELD, device=5)]
    said = json.loads(body(again, NOW))
    assert [it["annotations"]["alarm"] for it in said] == ["8", "7"] and said[0]["endsAt"] > "2023-11-15"


def test_receivers_are_checked_and_alertmanager_gets_its_path() -> None:
    found = receivers(["http://am:9093/"], ["https://hook/x?y=1"])
    assert found == ["http://am:9093/api/v2/alerts", "https://hook/x?y=1"]
    for url in ("host:514", "syslog://host", "http://", "http://a b/", "http://host:many"):
        with pytest.raises(UsageError, match="no receiver"):
            receivers([], [url])


class Program:
    def __init__(self, error: Exception | None) -> None:
        self.error = error
        self.stopped = False

    async def run(self) -> None:
        if self.error is not None:
            raise self.error
        while not self.stopped:
            await asyncio.sleep(0.01)

    def stop(self) -> None:
        self.stopped = True


def test_a_part_that_fails_ends_the_process() -> None:
    well = Program(None)
    with pytest.raises(ValueError, match="broken"):
        run_until_stopped(well, Program(ValueError("broken")))
    assert well.stopped
