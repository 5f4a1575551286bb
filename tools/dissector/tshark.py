"""Captures for tshark, and what it makes of them. Pcap is written by hand: there is very little to it."""

from __future__ import annotations

import os
import pwd
import shutil
import struct
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

LINKTYPE_RAW = 101
LINKTYPE_USER0 = 147
IP_TCP = 6
IP_UDP = 17
_ADDRESSES = bytes((10, 0, 0, 1, 10, 0, 0, 2))


def find_tshark() -> str:
    return os.environ.get("TSHARK") or shutil.which("tshark") or ""


def pcap(packets: list[bytes], linktype: int = LINKTYPE_USER0) -> bytes:
    """A capture file, one packet a second."""
    data = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 0x40000, linktype)
    for second, packet in enumerate(packets):
        data += struct.pack("<IIII", second, 0, len(packet), len(packet)) + packet
    return data


def udp_packet(payload: bytes, port: int) -> bytes:
    return _ip(IP_UDP, struct.pack(">HHHH", port, port, 8 + len(payload), 0) + payload)


def tcp_packet(payload: bytes, port: int, sequence: int) -> bytes:
    return _ip(IP_TCP, struct.pack(">HHIIBBHHH", port, port, sequence, 1, 5 << 4, 0x18, 4096, 0, 0) + payload)


def _ip(protocol: int, payload: bytes) -> bytes:
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), 0, 0, 64, protocol, 0) + _ADDRESSES + payload


@dataclass(frozen=True)
class Shown:
    """One line of tshark's tree."""

    name: str
    show: str  # the value
    text: str  # the line as a user reads it
    offset: int
    size: int


@dataclass
class Layer:
    """One piece of the stream as the dissector shows it: everything under one fairshoe item."""

    offset: int
    size: int
    lines: list[Shown] = field(default_factory=list[Shown])

    def get(self, name: str) -> Shown | None:
        found = [line for line in self.lines if line.name == name]
        if len(found) > 1:
            raise ValueError(f"{name} is shown {len(found)} times")
        return found[0] if found else None

    def value(self, name: str) -> str | None:
        line = self.get(name)
        return None if line is None else line.show


def run(script: Path, capture: bytes, *arguments: str) -> str:
    """tshark's output for a capture, with the dissector loaded."""
    with tempfile.TemporaryDirectory(prefix="fairshoe-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "capture.pcap").write_bytes(capture)
        shutil.copyfile(script, folder / "fairshoe.lua")
        command = [find_tshark(), "-X", "lua_script:fairshoe.lua", "-r", "capture.pcap", *arguments]
        environment = os.environ | {"HOME": name, "WIRESHARK_CONFIG_DIR": name, "LC_ALL": "C.UTF-8"}
        user, group = _user()
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            timeout=60,
            check=False,
            user=user,
            group=group,
            extra_groups=None if user is None else [],
        )
    errors = done.stderr.decode(errors="replace").strip()
    if done.returncode or errors:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}\n{errors}")
    return done.stdout.decode()


def dissect(script: Path, capture: bytes, *arguments: str) -> list[list[Layer]]:
    """For every packet the pieces the dissector found in it."""
    tree = ElementTree.fromstring(run(script, capture, "-T", "pdml", *arguments))
    return [
        [_layer(proto) for proto in packet.findall("proto") if proto.get("name") == "fairshoe"]
        for packet in tree.findall("packet")
    ]


def _layer(proto: ElementTree.Element) -> Layer:
    layer = Layer(int(proto.get("pos", "0")), int(proto.get("size", "0")))
    for item in proto.iter("field"):
        layer.lines.append(
            Shown(
                item.get("name", ""),
                item.get("show", ""),
                item.get("showname", ""),
                int(item.get("pos", "0")),
                int(item.get("size", "0")),
            )
        )
    return layer


def _user() -> tuple[int | None, int | None]:
    """Whom to run tshark as: root's Lua may be switched off, and root has no business in a dissector."""
    if os.geteuid() != 0:
        return None, None
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        return None, None
    return nobody.pw_uid, nobody.pw_gid
