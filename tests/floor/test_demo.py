"""`fairshoe floor gateway --demo`: tables that play, on one command."""

import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

from waits import LIMIT_S, wait_until

from fairshoe_floor.alarms.rules import load_rules
from fairshoe_floor.gateway.demo import demo_rules


def read(url: str, token: str, what: str) -> Any:
    request = urllib.request.Request(f"{url}api/v1/{what}", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=LIMIT_S) as answer:
        return json.load(answer)


def rounds_min(said: dict[str, list[dict[str, Any]]]) -> int:
    return min(shoe["totals"]["rounds"] for shoe in said["shoes"])


def test_tables_play_and_none_has_an_alarm_at_the_start(tmp_path: Path) -> None:
    words = ["floor", "gateway", "--demo", "2", "--speed", "20", "--folder", str(tmp_path)]
    process = subprocess.Popen([sys.executable, "-m", "fairshoe", *words], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"(http://\S+/)#(\S+)", process.stdout.readline())
        assert found is not None
        url, token = found[1], found[2]
        wait_until(lambda: rounds_min(read(url, token, "shoes")) >= 2)
        assert read(url, token, "alarms")["alarms"] == []
    finally:
        process.terminate()
        assert process.wait() == 0


def test_no_rule_judges_a_clock_that_runs_faster_than_the_gateways() -> None:
    rules = load_rules()
    assert [rule.kind for rule in rules.rules if rule not in demo_rules(rules).rules] == ["clock"]
