"""Tests that draw what they try: the same for one commit, others for another one or with SEED."""

import random
import re
from typing import Any

import pytest
from stages import ROOT


def test_a_test_draws_the_same_for_one_commit_and_others_with_a_seed(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    conftest: Any = request.config.pluginmanager.get_plugin(str(ROOT / "tests" / "conftest.py"))
    assert random.random() == random.Random(f"{conftest.DRAWS} {request.node.nodeid}").random()
    monkeypatch.delenv("SEED", raising=False)
    assert re.fullmatch("[0-9a-f]{40}|no commit", conftest.source_of_draws())
    monkeypatch.setenv("SEED", "7")
    assert conftest.source_of_draws() == "7"
