"""A real Alertmanager for tests, with a webhook as its receiver; ended by its process id."""

from __future__ import annotations

import contextlib
import json
import shutil
import urllib.request
from collections.abc import Generator
from pathlib import Path
from typing import Any

from floor.servers import Server, ServerError, free_port

CONFIG = """\
route: {{receiver: hook, group_wait: 0s, group_interval: 1s, repeat_interval: 1h}}
receivers: [{{name: hook, webhook_configs: [{{url: "{hook}", send_resolved: true}}]}}]
"""


def alertmanager() -> str | None:
    return shutil.which("prometheus-alertmanager") or shutil.which("alertmanager")


class Alertmanager(Server):
    """Keeps silences on disk, and no alerts."""

    name = "Alertmanager"

    def __init__(self, folder: Path, hook: str) -> None:
        super().__init__(folder)
        (folder / "alertmanager.yml").write_text(CONFIG.format(hook=hook))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answers(self) -> bool:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.url}/-/ready", timeout=1):
            return True
        return False

    def alerts(self, inactive: bool = False) -> list[Any]:
        """Those that it knows; inactive: that are silenced or inhibited."""
        query = f"?active={str(not inactive).lower()}"
        with urllib.request.urlopen(f"{self.url}/api/v2/alerts{query}", timeout=5) as answer:
            return json.loads(answer.read())

    def _launch(self) -> None:
        binary = alertmanager()
        if binary is None:
            raise ServerError("Alertmanager is missing (Debian: apt-get install prometheus-alertmanager)")
        self.port = self.port or free_port()
        self.process = self._spawn(
            [
                *(binary, "--config.file=alertmanager.yml", f"--storage.path={self.data}"),
                *("--cluster.listen-address=", f"--web.listen-address=127.0.0.1:{self.port}"),
            ]
        )


@contextlib.contextmanager
def running_alertmanager(folder: Path, hook: str) -> Generator[Alertmanager]:
    made = Alertmanager(folder, hook)
    made.start()
    try:
        yield made
    finally:
        made.kill()
