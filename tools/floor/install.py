"""Installs the servers of the floor: the broker into .venv from its lock, the others by apt, as root on Debian."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from floor.alertmanager import alertmanager
from floor.servers import missing, nats_server, postgres_folder

ROOT = Path(__file__).resolve().parents[2]
# prometheus: for promtool, which checks the rules of a floor's kit
APT = ["apt-get", "install", "-y", "--no-install-recommends", "postgresql", "prometheus-alertmanager", "prometheus"]


def install() -> list[str]:
    """Install what is missing and may be installed from here, in plain sight. What is still missing, in words."""
    if nats_server() is None:
        subprocess.call([sys.executable, "tools/setup.py", "--quiet", "--floor"], cwd=ROOT)
    all_here = postgres_folder() and alertmanager() and shutil.which("promtool")
    if not all_here and os.geteuid() == 0 and shutil.which("apt-get"):
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        for command in (["apt-get", "update"], APT):
            print("PostgreSQL, Alertmanager or promtool is missing; running as root:", " ".join(command), flush=True)
            subprocess.call(command, env=environment, stdout=subprocess.DEVNULL)
    return missing()
