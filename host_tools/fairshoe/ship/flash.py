"""Write the files of a board to a device. After a cut at any moment the next run finishes the work.

main.py is deleted first and written last: without it MicroPython stops at its prompt with every output off, so that
modules of two builds never run together. Everything is read back by hash before main.py returns, under another name
first, by one rename.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fairshoe.boards.ports import PORTS
from fairshoe.ship.build import is_rp2040
from fairshoe.ship.device_files import Device, Identity, OnDevice
from fairshoe.ship.errors import DeviceFailed, NotForDevice
from fairshoe.ship.file_plan import MAIN, MAIN_NEW, Plan, make_plan, sha256
from fairshoe.ship.identity import refuse_older
from fairshoe.ship.prompt import Sent

# What the firmware was tried with: the release of the compiler, and that of the emulated board.
MICROPYTHON = ((1, 28), (1, 29))
_ARM = range(3, 9)  # armv6 to armv7emdp in the numbering of .mpy files: each runs what those before it run

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class FlashPermissions:
    """What options permit that is refused by default."""

    other_board: bool = False
    other_micropython: bool = False
    clean: bool = False
    older: str | None = None  # the version that may replace a newer one


# --- is it the right one -----------------------------------------------------------------------


def check_device(
    identity: Identity, config: Mapping[str, Any], files: Mapping[str, bytes], leave: FlashPermissions
) -> list[str]:
    """Refuses a device that these files cannot run on; returns remarks about one that they can."""
    port, board = config["mcu"]["port"], config["mcu"]["board"]
    if identity.name != "micropython":
        raise NotForDevice(f"the device runs {identity.name}.", "Put MicroPython on it: docs/FIRMWARE.md.")
    if identity.platform != PORTS[port].platform:
        raise NotForDevice(
            f"the board config is for {board} (port {port}), the device is {identity.machine}.",
            "Choose the board with --board, or connect the right one.",
        )
    check_code(identity, files)
    refuse_rp2040(identity.machine)
    notes: list[str] = []
    if identity.version[:2] not in MICROPYTHON:
        known = ", ".join(".".join(map(str, release)) for release in MICROPYTHON)
        if not leave.other_micropython:
            raise NotForDevice(
                f"the device has MicroPython {identity.release}; fairshoe was tried with {known}.",
                "Put one of those on it (docs/FIRMWARE.md), or say --other-micropython.",
            )
        notes.append(f"MicroPython {identity.release} was never tried; {known} were")
    if _plain(identity.machine.partition(" with ")[0]) != _plain(board):
        if not leave.other_board:
            raise NotForDevice(
                f"the board config is for {board}, the device says that it is {identity.machine}.",
                "Choose the board with --board; if the pins are the same, say --other-board.",
            )
        notes.append(f"the board config is for {board}, the device says that it is {identity.machine}")
    return notes


def refuse_rp2040(machine: str) -> None:
    """Refuse a chip that is served by its image alone: modules in files run from RAM, and it has too little of that."""
    if machine.endswith("RP2040"):
        raise NotForDevice(f"{machine} runs an image alone.", "Build and copy it: fairshoe firmware image --help.")


def check_board(config: dict[str, Any]) -> None:
    """The same for a board that is not connected, by its config."""
    if is_rp2040(config):
        refuse_rp2040(f"{config['mcu']['board']} with RP2040")


def check_installed(device: Device, firmware: str, leave: FlashPermissions) -> None:
    """Refuses a device whose image would hide these files, and one that has a newer version."""
    if device.image():
        raise NotForDevice(
            "the device has a fairshoe image; its modules come before files, which would not be used.",
            "Install another image (docs/FIRMWARE.md), or put a downloaded MicroPython on it first: docs/FIRMWARE.md.",
        )
    there = device.installed_version()
    if there:
        refuse_older((0, firmware), (0, there), "the device", leave.older)


def _plain(name: str) -> str:
    """MicroPython says Pico2, its maker Pico 2."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def check_code(identity: Identity, files: Mapping[str, bytes]) -> None:
    """Whether the device can load the compiled files: their format, and the processor of what is native in them."""
    takes, sub, arch = identity.mpy & 0xFF, identity.mpy >> 8 & 3, identity.mpy >> 10
    for name, data in files.items():
        if not name.endswith(".mpy"):
            continue
        version, its_sub, its_arch = data[1], data[2] & 3, data[2] >> 2 & 0xF
        if version != takes or (its_arch and its_sub != sub):
            raise NotForDevice(
                f"the device loads .mpy files of format {takes}.{sub}, ours have {version}.{its_sub}.",
                "Put a MicroPython of the release that mpy-cross has on it: docs/FIRMWARE.md.",
            )
        runs = its_arch in (0, arch) or (arch in _ARM and its_arch in _ARM and its_arch <= arch)
        if not runs:
            raise NotForDevice(
                f"{name} has native code for another processor than that of {identity.machine}.",
                "Choose the board with --board, or connect the right one.",
            )


# --- writing -----------------------------------------------------------------------------------


def plan_for(device: Device, files: Mapping[str, bytes], leave: FlashPermissions) -> Plan:
    """What has to be done; refused where it would end badly, before anything is touched."""
    there = device.files()
    plan = make_plan(files, there, leave.clean, device.identity.block_bytes)
    if plan.intruders and not leave.clean:
        raise NotForDevice(
            f"the device has code that is not fairshoe's and could run in its place: {_some(plan.intruders)}.",
            "Save what you need of it; --clean deletes everything on the device that is not fairshoe's.",
        )
    if plan.write and plan.blocks_needed > device.identity.blocks_free:
        room = device.identity.blocks_free * device.identity.block_bytes
        others = [f"{name} ({there[name].size} bytes)" for name in plan.others if not there[name].is_folder]
        raise DeviceFailed(
            f"{plan.blocks_needed * device.identity.block_bytes} bytes are needed on the device, {room} are free. "
            + (f"Others have {_some(others)}." if others else "Nothing else is on it."),
            "Delete what is not fairshoe's with --clean, or format the file system: docs/FIRMWARE.md.",
        )
    return plan


def apply(device: Device, files: Mapping[str, bytes], plan: Plan, progress: Progress) -> None:
    """Carry out the plan. After a cut anywhere a second run finds what is left to do."""
    if not plan.changes:
        return
    if plan.has_main:
        device.delete(MAIN)
        device.sync()
    for name, is_folder in plan.delete:
        device.delete(name, is_folder)
    for name in plan.make:
        device.make_folder(name)
    write = [name for name in plan.write if name != MAIN]
    total = sum(len(files[name]) for name in write) + len(files[MAIN])
    done = 0

    def sent_of(name: str, before: int) -> Sent:
        return lambda sent, _size: progress(name, before + sent, total)

    for name in write:
        _write(device, name, files[name], sent_of(name, done))
        done += len(files[name])
    _write(device, MAIN_NEW, files[MAIN], sent_of(MAIN, done))
    device.sync()
    check(device.files(), {**{name: data for name, data in files.items() if name != MAIN}, MAIN_NEW: files[MAIN]})
    device.rename(MAIN_NEW, MAIN)
    device.sync()


def check(there: Mapping[str, OnDevice], files: Mapping[str, bytes]) -> None:
    """Every file is on the device as it should be."""
    wrong = sorted(name for name, data in files.items() if name not in there or there[name].sha256 != sha256(data))
    if wrong:
        raise DeviceFailed(
            f"read back from the device, {_some(wrong)} is not what was written.",
            "Run the same command again; if it stays so, the flash of the board is worn out or damaged.",
        )


def _write(device: Device, name: str, data: bytes, progress: Sent) -> None:
    # Try twice: one lost bit on a long cable must not end in an error.
    if device.write(name, data, progress) != sha256(data) and device.write(name, data, progress) != sha256(data):
        raise DeviceFailed(
            f"read back from the device, {name} is not what was written.",
            "Try another cable; if it stays so, the flash of the board is worn out or damaged.",
        )


def _some(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
