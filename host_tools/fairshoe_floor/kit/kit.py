"""`fairshoe floor kit`: the files with which a house runs a floor, for its inventories. A tree to be copied to /etc.

Templates are in `templates/`. What is secret is made once, 0600, and stays when the kit is written again: keys of
accounts, passwords of roles, a token for Prometheus, an authority for TLS and its certificates. What follows from the
inventories is written each time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from fairshoe.files import write_private
from fairshoe_floor.api.tokens import add_token, new_token
from fairshoe_floor.history.roles import PREFIX, ROLES
from fairshoe_floor.inventory import Inventory
from fairshoe_floor.journals import trusted_keys
from fairshoe_floor.kit.accounts import file_name, write_accounts
from fairshoe_floor.kit.certificates import Authority
from fairshoe_floor.kit.passwords import kept_password, verifier
from fairshoe_floor.stream.broker import VERSION_MIN
from fairshoe_floor.stream.names import Names

_TEMPLATES = Path(__file__).with_name("templates")
_PORT = 8443
_SHARE = 0.75  # of the broker's disk is for messages; the rest for indexes, and for what is written while it compacts


@dataclass(frozen=True)
class House:
    """What the inventories do not say."""

    broker: str = "floor"  # the central host, as gateways reach it
    hosts: Mapping[str, str] | None = None  # of gateways, by name; else the name itself
    database: str = "floor"
    database_host: str = "127.0.0.1"
    disk_gb: int = 20
    mail_to: str = ""
    smtp: str = "127.0.0.1:25"
    etc: str = "/etc/fairshoe"
    state: str = "/var/lib/fairshoe"
    program: str = "/opt/fairshoe/bin/fairshoe"
    nats_server: str = "/usr/local/bin/nats-server"


def _percents(value: object) -> str:
    """In a unit: systemd takes %i and its like for words of its own."""
    return str(value).replace("%", "%%")


def _quoted(value: object) -> str:
    """Between double quotes in a command of a unit, as the program is to get it."""
    return re.sub(r'(["\\])', r"\\\1", _percents(value)).replace("$", "$$")


class Kit:
    """Writes into a folder. `files` are inventories as given, `inventories` the same as read."""

    def __init__(self, folder: Path, files: Sequence[Path], inventories: Sequence[Inventory], house: House) -> None:
        self._folder = folder
        self._etc = folder / "etc" / "fairshoe"
        self._files = files
        self._inventories = inventories
        self._house = house
        self._names = Names()
        pits = [file_name(it.name) for it in inventories]
        hosts = [(house.hosts or {}).get(it.name, file_name(it.name)) for it in inventories]
        self._pits = list(zip(inventories, pits, hosts, strict=True))
        self._words: dict[str, object] = {
            **{name: value for name, value in vars(house).items() if name != "hosts"},
            "version": ".".join(map(str, VERSION_MIN)),
            "store_mb": int(house.disk_gb * 1000 * _SHARE),
            "inventories": " ".join(f"{house.state}/{pit}.toml" for pit in pits),
            "count": len(pits),
            "shoes": sum(len(it.shoes) for it in inventories),
            "gateways": ", ".join(it.name for it in inventories),
            "stream": self._names.stream,
        }

    def write(self) -> None:
        self._etc.mkdir(parents=True, exist_ok=True)
        write_accounts(self._etc, self._inventories, self._names)
        self._write_certificates()
        self._write("nats.conf", self._etc / "nats.conf")
        self._write_inventories()
        self._write_units()
        self._write_roles()
        self._write_monitoring()
        self._write("RUNBOOK.md", self._folder / "RUNBOOK.md")

    def _write_inventories(self) -> None:
        """With the public keys that they name by a relative path. Pits may share the name of that file: it then has the
        lines of each."""
        state = self._folder / "var" / "lib" / "fairshoe"
        state.mkdir(parents=True, exist_ok=True)
        keys: dict[Path, dict[str, None]] = {}
        for source, (inventory, pit, _host) in zip(self._files, self._pits, strict=True):
            (state / f"{pit}.toml").write_bytes(source.read_bytes())
            folder, named = source.resolve().parent, inventory.public_keys
            if named is not None and named.is_relative_to(folder):
                trusted_keys(inventory)  # refuses what is no public key
                lines = named.read_text(encoding="ascii").splitlines()
                keys.setdefault(state / named.relative_to(folder), {}).update(dict.fromkeys(lines))
        for target, lines in keys.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("\n".join([*lines, ""]), encoding="utf-8")

    def _write(self, template: str, target: Path, **words: object) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        text = Template((_TEMPLATES / template).read_text(encoding="utf-8"))
        target.write_text(text.substitute(self._words | words), encoding="utf-8")

    def _write_certificates(self) -> None:
        authority = Authority(self._etc)
        authority.issue("broker", self._house.broker, "localhost", "127.0.0.1")
        authority.issue("serve", self._house.broker, "localhost", "127.0.0.1")
        for _inventory, pit, host in self._pits:
            authority.issue(pit, host, "localhost", "127.0.0.1")

    def _ports(self) -> list[int]:
        """Gateways on one host have a port each; the page of all pits is at the central one."""
        used = [self._house.broker]
        ports: list[int] = []
        for _inventory, _pit, host in self._pits:
            ports.append(_PORT + used.count(host))
            used.append(host)
        return ports

    def _write_units(self) -> None:
        units = self._folder / "etc" / "systemd" / "system"
        house = {word: _percents(value) for word, value in self._words.items()}
        for name in ("nats.service", "nats-restart.service", "nats-restart.timer", "floor.service", "serve.service"):
            self._write(f"fairshoe-{name}", units / f"fairshoe-{name}", **house)
        for (inventory, pit, _host), port, source in zip(self._pits, self._ports(), self._files, strict=True):
            folder = source.resolve().parent
            inside = inventory.store.is_relative_to(folder)
            store = Path(self._house.state) / inventory.store.relative_to(folder) if inside else inventory.store
            words: dict[str, object] = {"title": _percents(inventory.name), "name": _quoted(inventory.name)}
            words |= {"file": pit, "port": port, "store": _quoted(store), "shoes": len(inventory.shoes)}
            for kind in ("gateway", "publish"):
                self._write(f"fairshoe-{kind}.service", units / f"fairshoe-{kind}-{pit}.service", **house | words)

    def _write_roles(self) -> None:
        lines: list[str] = []
        for role in ROLES:
            name = "FAIRSHOE_DESK_DATABASE" if role == "desk" else "FAIRSHOE_DATABASE"
            url = f"postgresql://{PREFIX}{role}:{{}}@{self._house.database_host}/{self._house.database}"
            password = kept_password(self._etc / f"{role}.env", name, url)
            lines.append(f"CREATE ROLE {PREFIX}{role} LOGIN PASSWORD '{verifier(password)}';")
        self._write("roles.sql", self._folder / "roles.sql", roles="\n".join(lines))

    def _write_monitoring(self) -> None:
        if not (self._etc / "prometheus.token").exists():
            token, grant = new_token("prometheus", ["metrics"])
            add_token(self._etc / "tokens.toml", grant)
            write_private(self._etc / "prometheus.token", token)
        targets = [f"{host}:{port}" for (_i, _pit, host), port in zip(self._pits, self._ports(), strict=True)]
        shown = "\n".join(f'      - targets: ["{it}"]' for it in (f"{self._house.broker}:{_PORT}", *targets))
        self._write("prometheus.yml", self._folder / "etc" / "prometheus" / "prometheus.yml", targets=shown)
        self._write("fairshoe-rules.yml", self._folder / "etc" / "prometheus" / "fairshoe-rules.yml")
        mail = self._house.mail_to
        words = {
            "global": f"global:\n  smtp_smarthost: '{self._house.smtp}'\n  smtp_from: fairshoe@{self._house.broker}"
            * bool(mail),
            "receiver": f"    email_configs:\n      - to: '{mail}'\n        send_resolved: true" if mail else "",
        }
        self._write("alertmanager.yml", self._folder / "etc" / "alertmanager" / "alertmanager.yml", **words)
        dashboard = self._folder / "grafana.json"
        dashboard.write_bytes((_TEMPLATES / "grafana.json").read_bytes())
