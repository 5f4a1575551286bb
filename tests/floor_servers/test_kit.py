"""`fairshoe floor kit`: the tools of each part accept its files; roles log in, and may do no more than they need."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from floor import servers
from one_floor import Site
from test_accounts import write_inventory

from fairshoe.cli.command_line import main, parse
from fairshoe.journal.signatures import WORD, read_public_keys
from fairshoe_floor.alarms import book
from fairshoe_floor.alarms.desk import Desk
from fairshoe_floor.alarms.rules import load_rules
from fairshoe_floor.history.consumer import Consumer
from fairshoe_floor.history.roles import WRITES
from fairshoe_floor.inventory import read_inventory
from fairshoe_floor.stream import broker
from fairshoe_floor.stream.names import FLOOR

PROGRAM = Path(sys.executable).with_name("fairshoe")


def write_kit(folder: Path, *more: str) -> Path:
    files = [str(write_inventory(folder, name, device)) for name, device in (("pit-1", 1), ("pit 2", 2))]
    house = folder / "house"
    paths = ["--etc", str(house / "etc" / "fairshoe"), "--state", str(folder), "--program", str(PROGRAM)]
    paths += ["--nats-server", servers.nats_server() or "/bin/false", "--broker", "localhost"]
    assert main(["floor", "kit", str(house), *files, *paths, *more]) == 0
    return house


def passes(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode, f"{' '.join(command)}:\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("tool", ["nats-server", "systemd-analyze", "promtool", "amtool"])
def test_the_tool_of_each_part_accepts_its_files(tmp_path: Path, tool: str) -> None:
    house = write_kit(tmp_path, "--mail-to", "floor@house.example")
    found = servers.nats_server() if tool == "nats-server" else shutil.which(tool)
    if found is None:
        pytest.skip(f"NOT CHECKED: {tool} is not installed")
    units = sorted((house / "etc" / "systemd" / "system").iterdir())
    assert len(units) == 9
    commands = {
        "nats-server": [[found, "-t", "-c", str(house / "etc" / "fairshoe" / "nats.conf")]],
        "systemd-analyze": [[found, "verify", "--man=no", *map(str, units)]],
        "promtool": [
            [found, "check", "config", str(house / "etc" / "prometheus" / "prometheus.yml")],
            [found, "check", "rules", str(house / "etc" / "prometheus" / "fairshoe-rules.yml")],
        ],
        "amtool": [[found, "check-config", str(house / "etc" / "alertmanager" / "alertmanager.yml")]],
    }
    for command in commands[tool]:
        passes(*command)


def test_public_keys_of_all_pits_go_with_their_inventories(tmp_path: Path) -> None:
    files: list[Path] = []
    for device in (1, 2):  # both name it signing.pub
        (tmp_path / f"pit{device}").mkdir()
        files.append(write_inventory(tmp_path / f"pit{device}", f"pit-{device}", device))
        files[-1].write_text(files[-1].read_text().replace("[[shoe]]", 'public_keys = "signing.pub"\n[[shoe]]'))
        (files[-1].parent / "signing.pub").write_text(f"{WORD} {device:08x} 1 {device:064x}\n")
    assert main(["floor", "kit", str(tmp_path / "house"), *map(str, files)]) == 0
    for device in (1, 2):
        copied = read_inventory(tmp_path / "house" / "var" / "lib" / "fairshoe" / f"pit-{device}.toml")
        assert {it.device for it in read_public_keys(str(copied.public_keys))} == {1, 2}


def test_units_call_programs_with_options_that_they_have(tmp_path: Path) -> None:
    house = write_kit(tmp_path)
    called: set[tuple[str, ...]] = set()
    for unit in (house / "etc" / "systemd" / "system").iterdir():
        for words in re.findall(rf"^Exec\w+={re.escape(str(PROGRAM))} (.+)$", unit.read_text(), re.M):
            options = parse(shlex.split(words))
            called.add((options.command, getattr(options, "action", "")))
    assert called == {("floor", name) for name in ("gateway", "publish", "run", "serve", "broker")}


@pytest.mark.parametrize("name", ["%i", "100 % pit", 'the "new" pit', "a\\b", "$HOME", "${HOME}", "-x"])
def test_a_publisher_gets_the_name_of_its_gateway_letter_by_letter(tmp_path: Path, name: str) -> None:
    """systemd puts its own words for %i and $HOME, and takes quotes and backslashes away."""
    inventory = write_inventory(tmp_path, "pit-1", 1)
    inventory.write_text(inventory.read_text().replace('name = "pit-1"', f"name = {json.dumps(name)}"))
    house = tmp_path / "house"
    assert main(["floor", "kit", str(house), str(inventory), "--program", str(PROGRAM)]) == 0
    (unit,) = (house / "etc" / "systemd" / "system").glob("fairshoe-publish-*.service")
    (words,) = re.findall(rf"^ExecStart={re.escape(str(PROGRAM))} (.+)$", unit.read_text(), re.M)
    assert not re.search(r"%", words.replace("%%", "")) and not re.search(r"\$", words.replace("$$", ""))
    assert parse(shlex.split(words.replace("%%", "%").replace("$$", "$"))).name == name
    if systemd := shutil.which("systemd-analyze"):
        passes(systemd, "verify", "--man=no", str(unit))


def test_a_second_run_keeps_every_secret_and_closes_them_to_others(tmp_path: Path) -> None:
    house = write_kit(tmp_path)
    etc = house / "etc" / "fairshoe"
    secret = [it for it in etc.iterdir() if it.suffix in (".key", ".nkey", ".env", ".token")]
    assert len(secret) >= 4 + 4 + 4 + 1 and all(it.stat().st_mode & 0o777 == 0o600 for it in secret)
    before = {it.name: it.read_bytes() for it in (*secret, etc / "ca.pem", etc / "broker.pem", etc / "tokens.toml")}
    write_kit(tmp_path)
    assert {name: (etc / name).read_bytes() for name in before} == before
    words = [it.read_text().split("=", 1)[1] for it in secret if it.suffix == ".env"]
    passwords = [re.findall(r":([^:@/]+)@", it)[0] for it in words]
    public = "".join(it.read_text() for it in (house / "roles.sql", house / "RUNBOOK.md", etc / "nats.conf"))
    assert len(set(passwords)) == 4 and not any(it in public for it in passwords)


def test_a_broker_of_the_kit_takes_its_accounts_over_tls(tmp_path: Path) -> None:
    house = write_kit(tmp_path)
    etc = house / "etc" / "fairshoe"
    nats = servers.Nats(tmp_path)
    config = (etc / "nats.conf").read_text()
    config = config.replace("0.0.0.0:4222", f"127.0.0.1:{nats.port}").replace("8222", str(nats.monitor))
    (etc / "nats.conf").write_text(config)
    process = subprocess.Popen([servers.nats_server() or "", "-c", str(etc / "nats.conf")], stderr=subprocess.DEVNULL)
    try:

        async def enter(url: str, **options: Path) -> str:
            async with broker.connected(url, "test", FLOOR, **options) as (_client, stream):
                await broker.ensure_streams(stream, broker.Names())
                return (await stream.stream_info("fairshoe")).config.name or ""

        while not nats.answers():
            assert process.poll() is None
        url, key, ca = f"tls://localhost:{nats.port}", etc / f"{FLOOR}.nkey", etc / "ca.pem"
        assert asyncio.run(enter(url, key=key, ca=ca)) == "fairshoe"
        for wrong in ({"key": key}, {"ca": ca}):
            with pytest.raises(broker.LOST):
                asyncio.run(enter(url, **wrong))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def test_roles_log_in_with_their_passwords_and_may_do_what_they_need(site: Site, tmp_path: Path) -> None:
    house = write_kit(tmp_path)
    binaries = servers.postgres_folder()
    assert binaries
    rules = site.postgres.data / "pg_hba.conf"
    before = rules.read_text()
    names = "fairshoe_migrator,fairshoe_writer,fairshoe_desk,fairshoe_reader"
    rules.write_text(f"host all {names} 127.0.0.1/32 scram-sha-256\n{before}")
    site.postgres.signal(signal.SIGHUP)
    passes(
        str(binaries / "psql"), "-q", "-v", "ON_ERROR_STOP=1", "-d", site.postgres.url, "-f", str(house / "roles.sql")
    )
    urls: dict[str, str] = {}
    for role in ("migrator", "writer", "desk", "reader"):
        said = (house / "etc" / "fairshoe" / f"{role}.env").read_text().split("=", 1)[1].strip()
        urls[role] = said.replace("@127.0.0.1/", f"@127.0.0.1:{site.postgres.port}/")
    assert main(["floor", "migrate", "--database", urls["migrator"]]) == 0
    site.record(1, 1, 5)
    consumer = Consumer(urls["writer"], site.url, site.names, journals_s=0.1, idle_s=0.1)
    site.run(site.publisher(), consumer, until=lambda: consumer.counts.new == 5 and consumer.counts.positions > 0)
    desk = Desk(urls["desk"], load_rules())
    with psycopg.connect(urls["desk"], autocommit=True) as db:
        engine, places = desk.warm_up(db, 1.0)
        desk.step(db, engine, places, 1.0)
    _check_rights(urls)
    for role, right in urls.items():
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(right.replace(f"{role}:", f"{role}:x"))


def _check_rights(urls: dict[str, str]) -> None:
    """Every table, every role, every way to write: allowed if the table of rights says so, and only then."""
    with psycopg.connect(urls["migrator"], autocommit=True) as db:
        found = db.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        tables = [name for (name,) in found]
        for role in ("writer", "desk", "reader"):
            may = WRITES.get(role, {})
            assert set(may) <= set(tables)
            for table in tables:
                for verb in ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE"):
                    asked = ("SELECT has_table_privilege(%s, %s, %s)", (f"fairshoe_{role}", table, verb))
                    allowed = db.execute(*asked).fetchall()[0][0]
                    assert allowed == (verb == "SELECT" or verb in may.get(table, "").split(", ")), (role, table, verb)
    for role in ("writer", "desk", "reader"):
        with psycopg.connect(urls[role], autocommit=True) as db:
            for statement in ("CREATE TABLE mine (a int)", "DELETE FROM events", "UPDATE events SET seq = 1"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    db.execute(statement.encode())
    with psycopg.connect(urls["reader"], autocommit=True) as db, pytest.raises(psycopg.errors.InsufficientPrivilege):
        db.execute("SELECT drop_old_events()")
    with psycopg.connect(urls["desk"], autocommit=True) as db:
        db.execute("INSERT INTO alarms (rule, severity, device, text, raised_at) VALUES ('a', 'major', 1, 'x', 5)")
    with psycopg.connect(urls["reader"], autocommit=True) as db:  # `floor serve` notes who has seen an alarm
        assert book.acknowledge(db, book.alarms(db)[0].id, "Ines", "", 6.0).rule == "a"
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute("UPDATE alarms SET cleared_at = 7")
