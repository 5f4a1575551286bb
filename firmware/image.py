"""The process image: every input and output of one scan, in buffers made once.

Inputs are logical: 1 means blocked, pressed, open or away. The HAL fills levels and raw edges; `image_settle` turns
the edges into per-line passages (how many, and when the last began and ended), which is all the machines look at:
a late scan still sees every card.
"""

from micropython import const

INPUTS = (
    "hopper",  # cards in the hopper
    "throat_a",
    "throat_b",  # at the mouth of the store; interlocks rotation
    "opacity",  # more than one card thick, at throat A
    "slot",  # slot-occupied beam, half a slot away from the mouth
    "exit",
    "tray",
    "ejector",  # away from home
    "door",  # open
    "button_close",  # betting closed
    "button_lock",  # progressive lock-out confirmed
    "button_seat",  # one more position in this round
    "button_green",
    "button_ack",
)
IN_HOPPER = const(0)
IN_THROAT_A = const(1)
IN_THROAT_B = const(2)
IN_OPACITY = const(3)
IN_SLOT = const(4)
IN_EXIT = const(5)
IN_TRAY = const(6)
IN_EJECTOR = const(7)
IN_DOOR = const(8)
IN_CLOSE = const(9)
IN_LOCK = const(10)
IN_SEAT = const(11)
IN_GREEN = const(12)
IN_ACK = const(13)
INPUT_COUNT = const(14)

OUTPUTS = ("pick", "transport", "ejector", "outfeed", "lamp_green", "lamp_amber", "lamp_red")
OUT_PICK = const(0)
OUT_TRANSPORT = const(1)
OUT_EJECTOR = const(2)
OUT_OUTFEED = const(3)
OUT_LAMP_GREEN = const(4)
OUT_LAMP_AMBER = const(5)
OUT_LAMP_RED = const(6)
OUTPUT_COUNT = const(7)
MOTOR_COUNT = const(4)  # the first four outputs move cards

AXIS_IDLE = const(0)
AXIS_MOVING = const(1)
AXIS_LOST = const(2)  # did not find home, or stalled

EDGES_MAX = const(32)  # a sweep gives 81 slots/s x 2 edges; a scan every 4 ms sees at most 1


class Inputs:
    """What the HAL saw. Sole writers: the HAL's sample verb and image_settle."""

    def __init__(self) -> None:
        self.level = bytearray(INPUT_COUNT)
        self.axis = AXIS_IDLE
        self.edge_line = bytearray(EDGES_MAX)
        self.edge_level = bytearray(EDGES_MAX)
        self.edge_us = [0] * EDGES_MAX
        self.edge_count = 0
        self.edge_lost = False
        self.presses = 0  # of any button: the panel looks at each only when this has changed
        self.enters = [0] * INPUT_COUNT
        self.leaves = [0] * INPUT_COUNT
        self.enter_us = [0] * INPUT_COUNT
        self.leave_us = [0] * INPUT_COUNT


class Outputs:
    """What the machines want. Each field has one writer among the machines; the app hands it to the HAL."""

    def __init__(self) -> None:
        self.level = bytearray(OUTPUT_COUNT)
        self.dirty = True
        self.watch_slot = False
        self.halt = False  # everything off at once, the axis too
        self.axis_go = False
        self.axis_home = False
        self.axis_slots = 0
        self.stop_armed = False
        self.stop_output = 0
        self.stop_line = 0
        self.stop_us = 0


def image_settle(inp: Inputs) -> None:
    """Fold the edges of this scan into passages. Bound: EDGES_MAX."""
    for i in range(inp.edge_count):
        line = inp.edge_line[i]
        if inp.edge_level[i]:
            inp.enters[line] += 1
            inp.enter_us[line] = inp.edge_us[i]
            if line >= IN_CLOSE:
                inp.presses += 1
        else:
            inp.leaves[line] += 1
            inp.leave_us[line] = inp.edge_us[i]
    inp.edge_count = 0


def output_set(out: Outputs, index: int, on: int) -> None:
    """Switch one output; the app drives only what changed."""
    if out.level[index] != on:
        out.level[index] = on
        out.dirty = True


def motors_off(out: Outputs) -> None:
    """Every card-moving output off; lamps stay."""
    for i in range(MOTOR_COUNT):
        output_set(out, i, 0)


def motors_running(inp: Inputs, out: Outputs) -> bool:
    """Whether a card may be moving: no journal, crypto or collection then."""
    level = out.level
    return (
        inp.axis == AXIS_MOVING
        or out.axis_go
        or level[OUT_PICK] != 0
        or level[OUT_TRANSPORT] != 0
        or level[OUT_EJECTOR] != 0
        or level[OUT_OUTFEED] != 0
    )


def output_arm_stop(out: Outputs, output: int, line: int, delay_us: int) -> None:
    """Ask the HAL to switch `output` off by itself `delay_us` after `line` becomes blocked."""
    out.stop_armed = True
    out.stop_output = output
    out.stop_line = line
    out.stop_us = delay_us
