"""The process image: every input and output of one scan, in buffers made once.

Inputs are logical: 1 means blocked, pressed, open or away. The HAL fills raw levels and raw edges; `settle` turns
them into levels and per-line passages (how many, and when the last began and ended), which is all the machines look at:
a late scan still sees every card, and a change that does not last a millisecond is noise: counted, and ignored.

How much noise a line may have is a bucket that leaks (decision 0025). A pulse that did not last costs time, a level
that lasts pays its own length back, and no more: a rule by which any level that lasts begins the count again is blind
to a line that shows one level for 1.1 ms and hides the other for 0.9. Door, key switch and buttons make events: each
of their changes costs, too. A line whose bucket is full is noise, and levels stand still until it has been calm.
"""

from array import array

from micropython import const

from firmware.ticks import FOREVER_MS, TICKS_HALF, TICKS_MAX, ticks_diff

INPUTS = (
    "hopper",  # cards in the hopper
    "throat_a",
    "throat_b",  # at the mouth of the store; interlocks the axis
    "opacity",  # more than one card thick, at throat A
    "slot",  # carousel: slot-occupied beam, half a slot off the mouth; shelves: the shelf at the mouth holds cards
    "exit",
    "tray",
    "ejector",  # away from home
    "door",  # open
    "arrival",  # shelves: at the shelf's own mouth
    "cut",  # draw: the card in the throat is the cut card
    "back",  # at throat A: not the back this deck must have
    "face",  # at throat A: a card that lies face up
    "hole_card",  # a card lies in the hole-card reader
    "hole_match",  # and is what the reader was lit for
    "key_switch",  # turned: the service port is the link
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
IN_ARRIVAL = const(9)
IN_CUT = const(10)
IN_BACK = const(11)
IN_FACE = const(12)
IN_HOLE_CARD = const(13)
IN_HOLE_MATCH = const(14)
IN_KEY = const(15)
IN_CLOSE = const(16)
IN_LOCK = const(17)
IN_SEAT = const(18)
IN_GREEN = const(19)
IN_ACK = const(20)
INPUT_COUNT = const(21)
NO_LINE = const(255)

OUTPUTS = (
    "pick",
    "transport",
    "ejector",  # carousel: pushes a card out of its slot; shelves: pushes what lies on a shelf into the tray
    "outfeed",  # carousel: rollers behind the slot; shelves: carries the tray's pile back into the hopper
    "reverse",  # pick and transport turn backwards while this is on
    "dark",  # switches the beams' light off, to see whether they notice
    "lamp_green",
    "lamp_amber",
    "lamp_red",
    "read_ace",  # lights the hole-card reader: is it an ace?
    "read_court",  # is it a king, queen or jack? In the dark it tells nothing.
)
OUT_PICK = const(0)
OUT_TRANSPORT = const(1)
OUT_EJECTOR = const(2)
OUT_OUTFEED = const(3)
OUT_REVERSE = const(4)
OUT_DARK = const(5)
OUT_LAMP_GREEN = const(6)
OUT_LAMP_AMBER = const(7)
OUT_LAMP_RED = const(8)
OUT_READ_ACE = const(9)
OUT_READ_COURT = const(10)
OUTPUT_COUNT = const(11)
MOTOR_COUNT = const(4)  # the first four outputs move cards
MACHINE_COUNT = const(6)  # the first six go off when everything does; lamps stay

AXIS_IDLE = const(0)
AXIS_MOVING = const(1)
AXIS_LOST = const(2)  # did not find home, or stalled

# Faces, where cards are recognised, are numbered suit by suit from the ace on, 1 .. 52.
SUIT_FACES = const(13)
TEN = const(10)

EDGES_MAX = const(32)  # a sweep gives 81 slots/s x 2 edges; a scan every 4 ms sees at most 1
FOLDED_BITS = const(6)
FOLDED = const(63)  # an edge's number, EDGES_MAX included
BOUNCES = const(254)  # how many, above the level of a line
BOUNCE_MAX = const(8)  # pulses of one change that are its bounce; a beam has three, a switch six (assumed)
PULSE_US = const(16000)  # what a pulse costs: more than 62 a second are noise, sooner or later
PULSES_US = const(384000)  # after 24 at once
EVENT_PULSE_US = const(62500)  # on a line that makes events; and what a button's change costs
EVENT_US = const(125000)  # a change of door or key switch; a shorter rest pays nothing back
EVENTS_US = const(1000000)  # after eight at once
REST_TIMES = const(5)  # its length is what a rest of less than EVENT_US between two pulses of such a line costs
FULL = const(2 * INPUT_COUNT)  # of glitches: behind two of each line
CALM_US = const(50000)  # without an edge, and a line that was restless counts again
EVENT_CALM_US = const(1000000)
PRESS_SAMPLES = const(3)  # in a row make a press, while noise hides all edges
NOISY_MS = const(2)  # a sample at least so often meanwhile
SETTLE_US = const(1000)  # a beam's bounce is over in less; at 1.2 m/s a card moves 1.2 mm meanwhile


class Inputs:
    """What the HAL saw. Sole writers: the HAL's sample verb and settle."""

    def __init__(self) -> None:
        self.raw = bytearray(INPUT_COUNT)  # by the HAL: levels as they are
        self.axis, self.axis_early = AXIS_IDLE, 0
        self.edge = bytearray(EDGES_MAX)  # twice the line, and the level it has from then on
        self.edge_us = array("i", [0] * EDGES_MAX)
        self.edge_count = 0
        self.edge_lost = False
        self.noisy = NO_LINE  # by the HAL: the line with more edges than it can honestly have, as long as it has
        self.panel_lost = False  # by the HAL: buttons and lamps do not answer
        self.card_code = 0  # by the HAL, where cards are recognised: the last one read, 1 .. 52
        self.card_codes = 0  # and how many were
        self.now_us = 0
        self.level = bytearray(INPUT_COUNT)  # settled
        self.presses = 0  # of any button: the panel looks at each only when this has changed
        self.enters = [0] * INPUT_COUNT
        self.leaves = [0] * INPUT_COUNT
        self.enter_us = [0] * INPUT_COUNT
        self.leave_us = [0] * INPUT_COUNT
        # Changes that did not last, and led to none that did; behind them the noise of each line, in microseconds.
        # The last is the line whose bucket is full, counted from 1: not always the one that changed last.
        self.glitches = array("i", [0] * (2 * INPUT_COUNT + 1))
        self.stale = True  # levels are not what the edges add up to: at the start, after a loss, and under noise
        self.suspect = NO_LINE  # the line that a loss of edges is put down to
        self._restless = NO_LINE  # the line that has more noise than it may
        self._restless_us = 0
        self._counts = bytearray(INPUT_COUNT)  # zero but for buttons under noise: samples that showed another level
        # Raw level after the last edge; before it, glitches so close together that they may be the bounce of a change.
        self._held = bytearray(INPUT_COUNT)
        self._held_us = array("i", [0] * INPUT_COUNT)
        self.waiting = 0  # a bit for each line whose last change has not lasted long enough yet

    def unsettled(self) -> bool:
        return self.edge_count != 0 or self.waiting != 0 or self.stale or self.edge_lost

    def settle(self) -> int:
        """Fold the edges of this scan into levels and passages. Bound: EDGES_MAX. Returns when to come back."""
        if self.stale or self.edge_lost:
            line = self.noisy if self.noisy != NO_LINE else self._uncalmed()
            if line != NO_LINE:
                return self._mistrust(line)
            self._refresh()
            return FOREVER_MS
        if self.edge_count:
            self._fold()
            if self.glitches[FULL]:
                # Slower than what the HAL calls noise, and the line is as blind: what it should show cannot be seen.
                self._restless = self.glitches[FULL] - 1
                self.glitches[FULL] = 0
        age_us = self._settle_lines() if self.waiting else 0
        if self._restless != NO_LINE:
            self._restless_us = self.now_us
            self.edge_lost = True
            return self._mistrust(self._restless)
        return (SETTLE_US - age_us) // 1000 + 1 if self.waiting else FOREVER_MS

    def _fold(self) -> None:
        """Every edge ends the change before it on its line, which lasted or did not."""
        todo = self.edge_count << FOLDED_BITS
        while True:  # bound: EDGES_MAX
            todo = fold_edges(self.edge, self.edge_us, self._held, self._held_us, self.glitches, todo, self.waiting)
            self.waiting = todo >> FOLDED_BITS
            todo &= FOLDED
            if todo == self.edge_count:
                break
            self._end(self.edge[todo] >> 1, self.edge_us[todo])
            todo += (self.edge_count << FOLDED_BITS) + 1
        self.edge_count = 0

    def _end(self, line: int, edge_us: int) -> None:
        """The change before this edge has lasted: a passage. The edge begins another."""
        self._accept(line)
        if self.glitches[INPUT_COUNT + line]:  # most often none, and a call costs more
            self._pay(line, EVENT_US if line in (IN_DOOR, IN_KEY) else 0, ticks_diff(edge_us, self._held_us[line]))
        self._held[line] ^= 1
        self._held_us[line] = edge_us

    def _pay(self, line: int, least_us: int, us: int) -> None:
        if us >= least_us:
            noise_us = self.glitches[INPUT_COUNT + line]
            self.glitches[INPUT_COUNT + line] = noise_us - us if noise_us > us else 0

    def _accept(self, line: int) -> None:
        bounces = self._held[line] >> 1
        level = self.level[line] = self._held[line] & 1
        events = line == IN_DOOR or IN_KEY <= line <= IN_ACK  # makes_events, without the call
        if bounces:
            self.glitches[line] -= bounces  # the bounce of a real change is not the beam's fault
            self._held[line] = level
            bounces = bounces if bounces < BOUNCE_MAX else BOUNCE_MAX
            self._pay(line, 0, bounces * (EVENT_PULSE_US if events else PULSE_US))
        if events:
            self.glitches[INPUT_COUNT + line] += EVENT_PULSE_US if line >= IN_CLOSE else EVENT_US
            if self.glitches[INPUT_COUNT + line] > EVENTS_US:
                self._restless = line
        if level:
            self.enters[line] += 1
            self.enter_us[line] = self._held_us[line]
            if IN_CLOSE <= line <= IN_ACK:
                self.presses += 1
        else:
            self.leaves[line] += 1
            self.leave_us[line] = self._held_us[line]

    def _settle_lines(self) -> int:
        """Accept what has lasted; how long the oldest of the others has, in microseconds."""
        oldest_us = 0
        line = 0
        left = self.waiting
        while left:  # bound: INPUT_COUNT
            if left & 1:
                age_us = ticks_diff(self.now_us, self._held_us[line])
                if age_us >= SETTLE_US:
                    self.waiting ^= 1 << line
                    self._accept(line)
                elif age_us > oldest_us:
                    oldest_us = age_us
            left >>= 1
            line += 1
        return oldest_us

    def _uncalmed(self) -> int:
        """The restless line until it has been calm; then another that is not, or none."""
        line = self.edge[self.edge_count - 1] >> 1 if self.edge_count else NO_LINE
        calm_us = ticks_diff(self.now_us, self._restless_us)
        calm = calm_us >= (EVENT_CALM_US if makes_events(self._restless) else CALM_US)
        if self._restless != NO_LINE and (calm or line == self._restless):
            self._restless = line
            self._restless_us = self.now_us
        return self._restless

    def _mistrust(self, line: int) -> int:
        """Under noise no edge counts and levels stay as they were: a fluttering line must not open the door or turn the
        key switch, hundreds of times. Only buttons are read, which are polled. Returns when to look again."""
        self.suspect = line
        self.stale = True  # refresh all levels when the noise is over
        self.edge_count = 0
        self.waiting = 0
        raw, level = self.raw, self.level
        counts = self._counts
        for line in range(IN_CLOSE, IN_ACK + 1):
            if raw[line] == level[line] or line == self._restless:
                counts[line] = 0
                continue
            counts[line] += 1
            if counts[line] >= PRESS_SAMPLES:
                counts[line] = 0
                level[line] = raw[line]
                if raw[line]:
                    self.enters[line] += 1
                    self.presses += 1
        return NOISY_MS

    def _busiest(self) -> int:
        """The line with the most of the edges that were kept. Bound: EDGES_MAX."""
        counts = self._counts
        found, left = 0, self.edge_count
        while left:
            left -= 1
            line = self.edge[left] >> 1
            counts[line] += 1
            if counts[line] >= counts[found]:
                found = line
        return found if self.edge_count else NO_LINE

    def _refresh(self) -> None:
        """Levels found, not seen to change: no passages."""
        if self.edge_lost:
            self.suspect = self._busiest()
        self.stale = False
        self.edge_count = 0
        self.waiting = 0
        for line in range(INPUT_COUNT):
            self.level[line] = self.raw[line]
            self._held[line] = self.raw[line]
            self._counts[line] = 0
            self.glitches[INPUT_COUNT + line] = 0


def fold_edges(
    edge: bytearray,
    edge_us: "array[int]",
    held: bytearray,
    held_us: "array[int]",
    glitches: "array[int]",
    todo: int,
    waiting: int,
) -> int:
    """Edges: the last bits of `todo` say the first, those before how many there are. Returns in the same way which of
    them ends a change that lasted, or how many, and the lines that wait. Shipped as machine code: machine_code.py."""
    at = todo & FOLDED
    todo >>= FOLDED_BITS
    while at < todo:
        line = edge[at] >> 1
        was = held[line]
        if (edge[at] ^ was) & 1:
            since_us = (edge_us[at] - held_us[line]) & TICKS_MAX
            lasted = 1 if since_us >= SETTLE_US and since_us < TICKS_HALF else 0
            event = 1 if line == IN_DOOR or (line >= IN_KEY and line <= IN_ACK) else 0
            noise_us = glitches[INPUT_COUNT + line]
            if waiting >> line & 1:
                if lasted:
                    break
                glitches[line] = glitches[line] + 1
                noise_us += EVENT_PULSE_US if event else PULSE_US
                was += 2 if was < BOUNCES else 0
            elif lasted:
                if event == 0 or line >= IN_CLOSE or since_us >= EVENT_US:
                    noise_us = noise_us - since_us if noise_us > since_us else 0
                elif was > 1:
                    noise_us += since_us * REST_TIMES  # all that time the line may have hidden an open door
                was &= 1  # it stayed where it was: what came before was no bounce
            glitches[INPUT_COUNT + line] = noise_us
            glitches[FULL] = line + 1 if noise_us >= (EVENTS_US if event else PULSES_US) else glitches[FULL]
            waiting ^= 1 << line
            held[line] = was ^ 1
            held_us[line] = edge_us[at]
        at += 1
    return waiting << FOLDED_BITS | at


def makes_events(line: int) -> bool:
    """Whether each change of this line is an event, or a press that may lead to one."""
    return line == IN_DOOR or IN_KEY <= line <= IN_ACK


def sensor_of(line: int) -> int:
    """An input line as events name it: counted from 1, 0 is none."""
    return (line + 1) & 0xFF


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


def output_set(out: Outputs, index: int, on: int) -> None:
    """Switch one output; the app drives only what changed."""
    if out.level[index] != on:
        out.level[index] = on
        out.dirty = True


def motors_off(out: Outputs) -> None:
    """Every output of the machine off; lamps stay."""
    for i in range(MACHINE_COUNT):
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


def motors_on(out: Outputs) -> bool:
    """Whether an output drives a roller, the ejector or the lift. An axis ends its own moves."""
    level = out.level
    return level[OUT_PICK] | level[OUT_TRANSPORT] | level[OUT_EJECTOR] | level[OUT_OUTFEED] != 0


def output_arm_stop(out: Outputs, output: int, line: int, delay_us: int) -> None:
    """Ask the HAL to switch `output` off by itself `delay_us` after `line` becomes blocked."""
    out.stop_armed = True
    out.stop_output = output
    out.stop_line = line
    out.stop_us = delay_us
