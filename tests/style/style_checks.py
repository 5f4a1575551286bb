"""The house rules that a machine can check. Each check takes (path, source) and returns findings.

A path is relative to the repository and uses forward slashes. A finding is one line: where, what, why.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import fairshoe
from fairshoe.boards.ports import PORTS as PORT_NAMES
from fairshoe.ship.mpy_compile import CompileError, compile_mpy

DEVICE = ("firmware", "hal", "rig")
parsed = cache(ast.parse)  # several checks read the same tree
OURS = (*DEVICE, "fairshoe", "fairshoe_table", "fairshoe_floor")

# --- who may import whom -----------------------------------------------------------------------
# The entry with the longest matching name decides. "!" forbids part of what another word allows.
# Every module may import its own package where the entry is a package.

BASE = ("firmware.fault", "firmware.ticks", "firmware.image", "firmware.digest")
PORTS = ("hal", "!hal.sim")
# The host library, from the bottom up: a package imports only what stands above it in this table. The docstring of each
# package says what belongs in it.
HOST_BASE = tuple(
    f"fairshoe.{name}"
    for name in (
        *("__version__", "_device", "data_files", "errors", "files", "keys", "look", "message_data", "messages"),
        *("os_errors", "printable", "wear"),
    )
)
FIRMWARE = ("firmware", "!firmware.main")
# What docs/INTEGRATE.md lists as public. tests/host/client/test_public_api.py holds each name.
PUBLIC = (
    *("fairshoe.messages", "fairshoe.message_data", "fairshoe.errors", "fairshoe.keys"),
    *("fairshoe.games.record_kinds", "fairshoe.games.rounds", "fairshoe.games.jackpot_links"),
    *("fairshoe.games.double_attack", "fairshoe.games.cut_order", "fairshoe.journal.seed_audit"),
    *("fairshoe.games.profiles", "fairshoe.__version__"),
    *(f"fairshoe.{name}" for name in fairshoe.__all__),
)
TABLE = tuple(f"fairshoe_table.{name}" for name in ("rules", "play", "books", "table", "desk", "simulated"))
GAMES = ("double_down", "boston5", "caribbean", "double_cross", "double_attack")  # no game imports another
FLOOR = tuple(
    f"fairshoe_floor.{name}"
    for name in (
        *("inventory", "schema_check", "seen_time", "database", "assignments", "metrics", "house_time", "logs"),
        *("samples", "journals", "reader", "rounds"),
    )
)
HOST_LAYERS: dict[str, tuple[str, ...]] = {
    "fairshoe._device": (),
    "fairshoe._shim.micropython": (),
    "fairshoe.errors": (),
    "fairshoe.files": (),
    "fairshoe.data_files": ("fairshoe.errors", "fairshoe.files"),
    "fairshoe.frozen": (),
    "fairshoe.look": (),
    "fairshoe.messages": ("fairshoe.frozen",),
    "fairshoe.message_data": ("fairshoe._device", "fairshoe.errors", "fairshoe.messages"),
    "fairshoe.os_errors": ("fairshoe.errors",),
    "fairshoe.printable": (),
    "fairshoe.wear": ("fairshoe.files", "fairshoe.messages"),
    "fairshoe.keys": ("fairshoe.errors", "fairshoe.files", "fairshoe.messages", "firmware.protocol"),
    "fairshoe.boards": ("fairshoe.boards", *HOST_BASE),
    "fairshoe.games": ("fairshoe.games", "fairshoe.boards", "firmware.protocol", *HOST_BASE),
    "fairshoe.link": ("fairshoe.link", "firmware.protocol", *HOST_BASE),
    "fairshoe.text": ("fairshoe.text", "fairshoe.link", "fairshoe.games", *HOST_BASE),
    "fairshoe.transport.busy_line": ("fairshoe.errors",),
    "fairshoe.sim": (
        *("fairshoe.sim", "fairshoe.boards", "fairshoe.games", "fairshoe.transport.busy_line"),
        *("rig", "hal.sim", "hal.api", "hal.disk"),
        *FIRMWARE,
        *HOST_BASE,
    ),
    "fairshoe.transport": ("fairshoe.transport", "fairshoe.sim.port", *HOST_BASE),
    "fairshoe.client": (
        *("fairshoe.client", "fairshoe.link", "fairshoe.transport", "fairshoe.sim.port"),
        *("fairshoe.text.advice", "fairshoe.games.record_kinds", "fairshoe.games.rounds"),
        "firmware.protocol",
        *HOST_BASE,
    ),
    "fairshoe": (
        *("fairshoe._device", "fairshoe.client", "fairshoe.errors", "fairshoe.messages"),
        *("fairshoe.games.rounds", "fairshoe.text.advice"),
    ),
    "fairshoe.serial_urls": ("fairshoe.sim.port", *HOST_BASE),
    "fairshoe.journal": (
        *("fairshoe.journal", "fairshoe.client", "fairshoe.link", "fairshoe.games.profiles", "firmware.protocol"),
        *HOST_BASE,
    ),
    "fairshoe.observe": (
        *("fairshoe.observe", "fairshoe.journal", "fairshoe.client", "fairshoe.transport", "fairshoe.link"),
        *("fairshoe.text", "fairshoe.sim.running_shoes", "firmware.protocol"),
        *HOST_BASE,
    ),
    "fairshoe.operate": (
        *("fairshoe.operate", "fairshoe.journal", "fairshoe.client", "fairshoe.text", "firmware.protocol"),
        "fairshoe.games.rounds",
        *HOST_BASE,
    ),
    "fairshoe.demo": (
        *("fairshoe.demo", "fairshoe.boards", "fairshoe.games", "fairshoe.link", "fairshoe.sim", "fairshoe.text"),
        "rig",
        *HOST_BASE,
    ),
    "fairshoe.shuffle": ("fairshoe.shuffle", "fairshoe.boards", "fairshoe.sim", "fairshoe.text", *HOST_BASE),
    "fairshoe.shuffle.fast_draws": ("firmware.deck",),
    # Draws orders with the firmware's own code, and plays the whole of it.
    "fairshoe.shuffle.firmware_decks": (
        *("fairshoe.shuffle.fast_draws", "fairshoe.shuffle.stats", "fairshoe.boards", "fairshoe.sim", "rig"),
        *FIRMWARE,
        *HOST_BASE,
    ),
    "fairshoe.bench": (
        *("fairshoe.bench", "fairshoe.client", "fairshoe.transport", "fairshoe.link", "fairshoe.journal"),
        *("fairshoe.text", "fairshoe.sim", "rig.actions"),
        *HOST_BASE,
    ),
    # A device gets the same data of a game as the simulated one, and the firmware says whether it can play it.
    "fairshoe.ship": (
        *("fairshoe.ship", "fairshoe.boards", "fairshoe.games", "fairshoe.link", "fairshoe.transport.urls"),
        *("firmware.protocol", "rig"),
        *HOST_BASE,
    ),
    # Both work in the diagnostic mode, and name lines as the firmware does.
    "fairshoe.calibrate": (
        *("fairshoe.calibrate", "fairshoe.client", "fairshoe.boards", "fairshoe.bench.report_plots"),
        *("firmware.protocol", "firmware.image"),
        *HOST_BASE,
    ),
    "fairshoe.bringup": (
        *("fairshoe.bringup", "fairshoe.calibrate", "fairshoe.client", "fairshoe.boards"),
        *("fairshoe.games.profiles", "fairshoe.journal.export", "fairshoe.link", "fairshoe.sim", "fairshoe.text"),
        *("fairshoe.transport", "firmware.image", "firmware.protocol"),
        *HOST_BASE,
    ),
    "fairshoe.noise": ("fairshoe.noise", *HOST_BASE),
    # Pastes the HAL's own code at a prompt, and reads the simulated source.
    "fairshoe.noise.capture": (
        *("fairshoe.ship.errors", "fairshoe.ship.prompt", "fairshoe.transport.urls"),
        *("firmware.deck.entropy", "firmware.image", "hal.sim"),
        *HOST_BASE,
    ),
    # Programs of an integrator: the table system, and the floor.
    # Its packages, from the bottom up. Only the registry finds games, and by name; no package imports simulated.
    "fairshoe_table": (),
    "fairshoe_table.rules": ("fairshoe_table.rules", *PUBLIC),
    "fairshoe_table.play": (*TABLE[:2], *PUBLIC),
    **{f"fairshoe_table.games.{name}": (f"fairshoe_table.games.{name}", *TABLE[:2], *PUBLIC) for name in GAMES},
    "fairshoe_table.books": (*TABLE[:3], *PUBLIC, "fairshoe.files", "fairshoe.look"),
    "fairshoe_table.table": (*TABLE[:4], *PUBLIC),
    "fairshoe_table.desk": (*TABLE[:5], *PUBLIC),
    "fairshoe_table.simulated": (*TABLE, *PUBLIC, "fairshoe.look"),
    "fairshoe_floor": (),
    "fairshoe_floor.inventory": PUBLIC,
    "fairshoe_floor.side_file": ("fairshoe.files", *PUBLIC),
    "fairshoe_floor.schema_check": (),
    "fairshoe_floor.database": (),
    "fairshoe_floor.house_time": ("fairshoe.errors",),
    "fairshoe_floor.metrics": ("fairshoe.errors",),
    "fairshoe_floor.logs": ("fairshoe.printable",),
    "fairshoe_floor.assignments": ("fairshoe_floor.inventory",),
    "fairshoe_floor.seen_time": ("fairshoe_floor.side_file",),
    "fairshoe_floor.samples": ("fairshoe_floor.side_file", "fairshoe_floor.schema_check", *PUBLIC),
    "fairshoe_floor.journals": ("fairshoe.journal", "fairshoe_floor.inventory", "fairshoe_floor.side_file", *PUBLIC),
    "fairshoe_floor.reader": ("fairshoe_floor.inventory", "fairshoe_floor.samples", *PUBLIC),
    "fairshoe_floor.rounds": ("fairshoe_floor.reader", *PUBLIC),
    "fairshoe_floor.history.schema": PUBLIC,  # every writer asks whether the tables are whole
    "fairshoe_floor.alarms": (
        *("fairshoe_floor.alarms", "fairshoe_floor.history.schema", "fairshoe.ship.release_facts", "fairshoe.wear"),
        *FLOOR,
        *PUBLIC,
    ),
    "fairshoe_floor.api": (
        "fairshoe_floor.api",
        "fairshoe._device",
        "fairshoe.look",
        "fairshoe.text.advice",
        *FLOOR,
        *PUBLIC,
    ),
    "fairshoe_floor.gateway": (
        *("fairshoe_floor.gateway", "fairshoe_floor.alarms", "fairshoe_floor.api", "fairshoe_floor.side_file"),
        "fairshoe.journal.export",
        *("fairshoe.files", "fairshoe.printable", "fairshoe.wear"),
        *FLOOR,
        *PUBLIC,
    ),
    "fairshoe_floor.stream": ("fairshoe_floor.stream", "fairshoe.files", *FLOOR, *PUBLIC),
    "fairshoe_floor.history": (
        *("fairshoe_floor.history", "fairshoe_floor.stream", "fairshoe_floor.api", "fairshoe.journal"),
        *FLOOR,
        *PUBLIC,
    ),
    "fairshoe_floor.kit": (
        *("fairshoe_floor.kit", "fairshoe_floor.stream", "fairshoe_floor.history", "fairshoe_floor.api.tokens"),
        "fairshoe.files",
        *FLOOR,
        *PUBLIC,
    ),
    "fairshoe_floor.running": ("fairshoe_floor.alarms", "fairshoe_floor.history", "fairshoe_floor.metrics"),
    "fairshoe.web": (
        *("fairshoe.web", "fairshoe.boards", "fairshoe.games.clauses", "fairshoe.sim.scenario_cases", "fairshoe.text"),
        *("fairshoe.observe", "fairshoe.client", "fairshoe.link"),  # the live view of a shoe
        *("fairshoe.bringup", "fairshoe.calibrate"),
        *HOST_BASE,
    ),
    "fairshoe.pages": ("fairshoe._device", "fairshoe.errors"),
    "fairshoe.cli": (
        *("fairshoe.cli", "fairshoe.operate", "fairshoe.observe", "fairshoe.client", "fairshoe.text"),
        *("fairshoe.boards.configs", "fairshoe.games.profiles"),
        *HOST_BASE,
    ),
    # Loaded for --help: nothing that loads messages, asyncio or a serial port (tests/host/cli/test_cli_front.py).
    "fairshoe.arguments": (
        *("fairshoe.cli.options", "fairshoe.cli.registry", "fairshoe.cli.settings", "fairshoe.pages"),
        *("fairshoe.bench.plan", "fairshoe.sim.scenario_cases", "fairshoe.ship.identity", "firmware.protocol"),
    ),
    "fairshoe.arguments.floor_inventory": ("fairshoe_floor.api.scopes",),
    "fairshoe.arguments.floor": ("fairshoe.arguments", "fairshoe.cli.options", "fairshoe.cli.registry"),
    "fairshoe.commands": ("fairshoe", "!fairshoe.__main__", "!fairshoe.commands", "firmware.version"),
    # The one place of fairshoe that knows the table system.
    "fairshoe.commands.table": (
        *("fairshoe_table", "fairshoe.web", "fairshoe.cli.settings"),
        *("fairshoe.errors", "fairshoe.files", "fairshoe.printable"),
    ),
    # The places of fairshoe that know the floor.
    "fairshoe.commands.floor_publish": (
        *("fairshoe.cli", "fairshoe.errors"),
        *("fairshoe_floor.stream", "fairshoe_floor.metrics", "fairshoe_floor.logs"),
    ),
    "fairshoe.commands.floor": (
        *("fairshoe.cli", "fairshoe.errors", "fairshoe.printable", "fairshoe.ship.release_facts"),
        "fairshoe_floor",
    ),
    "fairshoe.commands.floor_gateway": ("fairshoe.cli", "fairshoe.errors", "fairshoe.printable", "fairshoe_floor"),
    "fairshoe.commands.floor_inventory": (
        *("fairshoe.observe", "fairshoe.transport.urls", "fairshoe.text", "fairshoe_floor"),
        *HOST_BASE,
    ),
    "fairshoe.__main__": ("fairshoe.cli", "fairshoe.printable"),
}
LAYERS: dict[str, tuple[str, ...]] = {
    "firmware": (),
    "firmware.main": ("firmware", *PORTS),
    "firmware.app": ("firmware", "!firmware.main"),
    "firmware.recorder": ("firmware", "!firmware.main", "!firmware.app"),
    "firmware.drawing": ("firmware", "!firmware.main", "!firmware.app", "!firmware.recorder"),
    "firmware.answers": ("firmware", "!firmware.main", "!firmware.app", "!firmware.recorder", "!firmware.drawing"),
    # In the place of the procedure: bring-up and calibration.
    "firmware.diagnosis": (
        *("firmware.link", "firmware.protocol", "firmware.machines.meters", "firmware.motion"),
        *BASE,
    ),
    "firmware.motion": BASE,
    "firmware.link.status": ("firmware.games", "firmware.deck", *BASE),
    "firmware.link.dictionary_file": (),
    # Commands press the dealer's buttons, so this package sees the procedure and the panel; meters are reported.
    "firmware.link": (
        "firmware.link",
        "firmware.journal",
        "firmware.protocol",
        "firmware.games",
        "firmware.machines.meters",
        "firmware.machines.panel",
        *BASE,
    ),
    # Steps post events: they need the message ids and the outbox, and nothing else of protocol and journal.
    "firmware.games": (
        "firmware.games",
        "firmware.machines",
        "firmware.deck",
        "firmware.protocol.ids",
        "firmware.journal.outbox",
        *BASE,
    ),
    "firmware.machines": ("firmware.machines", "firmware.deck", *BASE),
    "firmware.deck": ("firmware.deck", *BASE),
    # A record holds an event as it goes over the wire.
    "firmware.journal": (
        "firmware.journal",
        "firmware.protocol",
        "firmware.fault",
        "firmware.ticks",
        "firmware.digest",
    ),
    # Signs what the journal holds, with a key of its own noise, and asks the procedure whether a round is open.
    "firmware.signing": (
        "firmware.signing",
        "firmware.journal",
        "firmware.protocol",
        "firmware.deck.entropy",
        "firmware.games.flow",
        *BASE,
    ),
    "firmware.protocol": ("firmware.protocol", "firmware.fault", "firmware.ticks", "firmware.digest"),
    # Names the inputs; a device carries its text and not the module.
    "firmware.protocol.dictionary": ("firmware.protocol", *BASE),
    "firmware.image": ("firmware.fault", "firmware.ticks"),
    "firmware.digest": (),
    "firmware.fault": (),
    "firmware.ticks": (),
    "firmware.version": (),
    "hal": PORTS,
    # What all boards share knows none of them, and no board knows another.
    "hal.board": ("hal.board", "hal.api"),
    # The main.py of a device: it starts the firmware, or says why it cannot.
    "hal.boot_main": ("firmware.main",),
    **{f"hal.{port}": (f"hal.{port}", "hal.board", "hal.flash", "hal.api") for port in PORT_NAMES},
    "hal.sim": ("hal.sim", "hal.api"),
    "rig": ("rig", "firmware", "!firmware.main", "hal.sim", "hal.api", "hal.flash"),
    **HOST_LAYERS,
}

# What a port's contract looks like is a type, and types do not reach the device.
TYPES_ONLY = ("hal.api",)

# --- what device code may import from outside --------------------------------------------------
# The WASM VM has more than a board has, so running there proves nothing about an import.

DEVICE_IMPORTS = frozenset({"array", "binascii", "gc", "hashlib", "json", "micropython", "struct"})
PORT_IMPORTS = frozenset({"machine", "os", "rp2", "select", "time", "uctypes"})
SYS_USERS = ("hal.board.usb", "rig")

# --- sizes -------------------------------------------------------------------------------------

FUNCTION_LINES = {"device": 40, "host": 60}
# Split a module by meaning at about 400; the limit is above, so that none is squeezed to fit.
MODULE_LINES = {"device": 450, "host": 600}

# In pieces, so that this file does not hold what it looks for.
MARKS = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")
PRIVATE = (
    "/wo" + "rk/",
    "/ro" + "ot/",
    "registry.npm" + "js",
    "pypi" + ".org",
    "files.python" + "hosted",
    'resolved"' + ":",
)
HOME = re.compile(r"/ho" + r"me/\w+/|/Us" + r"ers/\w+/")


@dataclass(frozen=True)
class Import:
    """One imported name; `guarded` if it stands under `if TYPE_CHECKING:` and so never runs."""

    line: int
    name: str
    guarded: bool

    @property
    def top(self) -> str:
        return self.name.partition(".")[0]


def is_device(path: str) -> bool:
    return path.split("/")[0] in DEVICE


def module_name(path: str) -> str:
    """firmware/app.py: firmware.app; host_tools/fairshoe/cli/settings.py: fairshoe.cli.settings."""
    return path.removeprefix("host_tools/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def is_within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def imports_of(path: str, source: str) -> list[Import]:
    return list(_imports(path, parsed(source), False))


def _imports(path: str, node: ast.AST, guarded: bool) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield Import(node.lineno, alias.name, guarded)
    elif isinstance(node, ast.ImportFrom):
        base = _absolute(path, node)
        # `from a import b` may mean module a.b or a name in a; a.b is within a either way.
        for alias in node.names:
            yield Import(node.lineno, base if alias.name == "*" else f"{base}.{alias.name}", guarded)
    elif isinstance(node, ast.If) and _is_type_checking(node.test):
        for child in node.body:
            yield from _imports(path, child, True)
        for child in node.orelse:
            yield from _imports(path, child, guarded)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _imports(path, child, guarded)


def _absolute(path: str, node: ast.ImportFrom) -> str:
    if node.level == 0:
        return node.module or ""
    parts = module_name(path).split(".")
    up = node.level - 1 if path.endswith("/__init__.py") else node.level
    return ".".join(parts[: len(parts) - up] + ([node.module] if node.module else []))


def _is_type_checking(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
    return name == "TYPE_CHECKING"


# --- imports -----------------------------------------------------------------------------------


def import_circles(files: dict[str, str]) -> list[list[str]]:
    """Modules that import each other, each circle as a sorted list. Imports for types and in functions count."""
    paths = {module_name(path).removeprefix("tools."): path for path in files}
    arrows = {
        name: sorted({_module_of(item.name, paths) for item in imports_of(path, files[path])} - {name, ""})
        for name, path in paths.items()
    }
    return sorted(_circles(arrows))


def _module_of(name: str, modules: Iterable[str]) -> str:
    """`from a import b` names module a.b, or a name in module a."""
    return name if name in modules else parent if (parent := name.rpartition(".")[0]) in modules else ""


def _circles(arrows: dict[str, list[str]]) -> Iterator[list[str]]:
    """Strongly connected components of more than one module: those that reach each other."""
    reached = {name: _reached(name, arrows) for name in arrows}
    seen: set[str] = set()
    for name in arrows:
        circle = sorted(other for other in reached[name] if name in reached[other])
        if circle and not seen.intersection(circle):
            seen.update(circle)
            yield circle


def _reached(start: str, arrows: dict[str, list[str]]) -> set[str]:
    found: set[str] = set()
    todo = [start]
    while todo:
        for name in arrows[todo.pop()]:
            if name not in found:
                found.add(name)
                todo.append(name)
    return found


def check_layers(path: str, source: str) -> list[str]:
    """Imports among our own packages run one way, as LAYERS says."""
    name = module_name(path)
    entry = max((key for key in LAYERS if is_within(name, key)), key=len, default=None)
    if entry is None:
        return []
    if entry in ("firmware", "fairshoe") and name != entry:
        return [f"{path}:1: {name} has no entry in LAYERS; say there what it may import"]
    return [
        f"{path}:{item.line}: {entry} may not import {item.name} (LAYERS in tests/style/style_checks.py)"
        for item in imports_of(path, source)
        if item.top in OURS and not _may_import(entry, item)
    ]


def _may_import(entry: str, item: Import) -> bool:
    if item.guarded and any(is_within(item.name, name) for name in TYPES_ONLY):
        return True
    words = LAYERS[entry]
    if any(is_within(item.name, word[1:]) for word in words if word.startswith("!")):
        return False
    return any(is_within(item.name, word) for word in words if not word.startswith("!"))


def check_device_imports(path: str, source: str) -> list[str]:
    """Device code takes from outside only what every board has; hardware only in a port."""
    if not is_device(path):
        return []
    name = module_name(path)
    allowed = set(DEVICE_IMPORTS) | set(DEVICE)
    if is_within(name, "hal") and not is_within(name, "hal.sim"):
        allowed |= PORT_IMPORTS
    if name == "hal.boot_main":
        allowed |= {"io", "image_data"}  # the data of an image, which has no files
    if any(is_within(name, user) for user in SYS_USERS):
        allowed.add("sys")
    return [
        f"{path}:{item.line}: device code here may not import {item.top}"
        for item in imports_of(path, source)
        if item.top not in allowed and not (item.guarded and item.top == "typing")
    ]


# --- tidiness ----------------------------------------------------------------------------------


def check_sizes(path: str, source: str) -> list[str]:
    """A function fits on a screen, a module in the head."""
    kind = "device" if is_device(path) else "host"
    findings: list[str] = []
    lines = source.count("\n")
    generated = "Generated by" in (ast.get_docstring(parsed(source)) or "")  # grows with the table; it is not edited
    if lines > MODULE_LINES[kind] and not generated:
        findings.append(f"{path}:1: {lines} lines, at most {MODULE_LINES[kind]}")
    for node in ast.walk(parsed(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES[kind]:
                limit = FUNCTION_LINES[kind]
                findings.append(f"{path}:{node.lineno}: {node.name} has {length} lines, at most {limit}")
    return findings


def check_marks(path: str, source: str) -> list[str]:
    """Work left over belongs in an issue, not in the source."""
    return [
        f"{path}:{number}: leftover mark: {line.strip()[:80]}"
        for number, line in enumerate(source.splitlines(), 1)
        if MARKS.search(line)
    ]


# Modules that write to a terminal: what others wrote goes through fairshoe.printable there.
WRITERS = (
    "host_tools/fairshoe/printable.py",
    "host_tools/fairshoe/text/",
    "host_tools/fairshoe/bench/run_screen.py",
    "host_tools/fairshoe/commands/shuffle_test.py",
    "host_tools/fairshoe/sim/typed_actions.py",
    "host_tools/examples/",
)
# A device's bytes become text in one place.
DEVICE_BYTES = ("host_tools/fairshoe/link/", "host_tools/fairshoe/observe/", "host_tools/fairshoe/client/")
_BARE = re.compile(r"(?<![\w.])print\(|\bstd(?:out|err)\.write\(|\blogging\.(?:basicConfig|Formatter)\(")


def check_output(path: str, source: str) -> list[str]:
    """One function prints: fairshoe.printable.say. A device's text must not move a cursor, nor forge a line."""
    if not path.startswith("host_tools/") or path.startswith(WRITERS):
        return []
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            text = ast.unparse(node)
            if _BARE.match(text.removeprefix("sys.")):
                found.append(f"{path}:{node.lineno}: say() of fairshoe.printable prints, not {text.partition('(')[0]}")
            if path.startswith(DEVICE_BYTES) and re.search(r"\.decode\('ascii', 'replace'\)$", text):
                found.append(f"{path}:{node.lineno}: device_text() of fairshoe.printable makes text of these bytes")
    return found


def check_private(path: str, source: str) -> list[str]:
    """Nothing of one machine or of a package registry: no such path, host or address."""
    return [
        f"{path}:{number}: names a machine's path or a registry: {line.strip()[:80]}"
        for number, line in enumerate(source.splitlines(), 1)
        if any(word in line for word in PRIVATE) or HOME.search(line)
    ]


# --- what MicroPython accepts ------------------------------------------------------------------


def check_device_syntax(path: str, source: str) -> list[str]:
    """No syntax that CPython takes and a board does not."""
    if not is_device(path):
        return []
    findings: list[str] = []
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Match):
            findings.append(f"{path}:{node.lineno}: match is a syntax error on the device")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.args.posonlyargs:
            findings.append(f"{path}:{node.lineno}: positional-only arguments are a syntax error on the device")
    return findings


def check_mpy_cross(path: str, source: str) -> list[str]:
    """The device's own compiler takes the file."""
    if not is_device(path):
        return []
    try:
        compile_mpy(source, path)
    except CompileError as error:
        return [f"{path}: mpy-cross: {error}"]
    return []
