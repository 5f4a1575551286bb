"""A way that bodies take past beams: which marks each of them has to pass, and how many are over each beam."""

from hal.sim.body import FAR, JAM_HARD, Body
from hal.sim.chassis import TRAIT_BACK, TRAIT_CUT, TRAIT_FACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.sim.chassis import Chassis
    from hal.sim.faults import Faults

# A mark below NIP is a beam's: twice its line, and 1 where the leading edge enters, 0 where the trailing edge leaves.
NIP, FREE, READ, SINK = range(256, 260)

READ_UM = 10000  # a card is recognised when so much of it is past throat A


class Track:
    """Bodies in order, the furthest first; `beams` are (line, place) pairs, the first of them throat A or the exit."""

    def __init__(
        self, plant: "Chassis", faults: "Faults", card_um: int, speed: int, beams: "list[tuple[int, int]]"
    ) -> None:
        self.plant = plant
        self.faults = faults
        self.card_um = card_um
        self.speed = speed
        self.beams = beams
        self.bodies: "list[Body]" = []
        self.over = [0] * len(plant.lines)
        self.due_us = FAR
        self.plain_um: "tuple[int, ...]" = ()
        self.plain: "tuple[int, ...]" = ()

    def specials(self, body: Body) -> "list[tuple[int, int]]":
        """Marks that are no beam's: (place, code)."""
        raise NotImplementedError

    def prepare(self) -> None:
        """Work out the marks that all ordinary cards share."""
        body = Body([0], self.card_um, self.speed, 0)
        self.mark_out(body)
        self.plain_um = body.marks_um
        self.plain = body.marks

    def mark_out(self, body: Body) -> None:
        """Give the body the marks that its length, thickness and traits ask for."""
        length = body.length_um
        ordinary = length == self.card_um and not (body.traits or body.thick_um[1] or body.lost)
        if self.plain and ordinary and not self.faults.has("beam_dust"):
            body.marks_um = self.plain_um
            body.marks = self.plain
            return
        marks = self.specials(body)
        for line, at_um in self.beams_of(body):
            dust_um = self.faults.dust_um(line) if self.faults.entries else 0
            marks.append((at_um - dust_um // 2, line * 2 + 1))
            marks.append((at_um + length + dust_um - dust_um // 2, line * 2))
        marks.sort()
        if marks[-1][1] != SINK:
            # Dust keeps a beam covered a little longer than the card is there.
            marks = [mark for mark in marks if mark[1] != SINK] + [(marks[-1][0], SINK)]
        body.marks_um = tuple([um for um, _code in marks] + [FAR])
        body.marks = tuple([code for _um, code in marks])

    def beams_of(self, body: Body) -> "list[tuple[int, int]]":
        beams = self.beams
        if body.lost:
            beams = beams[:2]  # it dives under the rail behind throat B
        if body.traits:
            plant = self.plant
            a_um = self.beams[0][1]
            beams = list(beams)
            if body.traits & TRAIT_BACK:
                beams.append((plant.line_back, a_um))
            if body.traits & TRAIT_FACE:
                beams.append((plant.line_face, a_um))
            if body.traits & TRAIT_CUT:
                beams.append((plant.line_cut, a_um))
        return beams

    def reads(self, body: Body) -> "list[tuple[int, int]]":
        """The marks at throat A that only some bodies have: recognition and thickness."""
        plant = self.plant
        a_um = self.beams[0][1]
        marks: "list[tuple[int, int]]" = []
        if plant.recognition:
            marks.append((a_um + READ_UM, READ))
        if body.thick_um[1]:
            marks.append((a_um + body.thick_um[0], plant.line_opacity * 2 + 1))
            marks.append((a_um + body.thick_um[1], plant.line_opacity * 2))
        return marks

    def pass_beam(self, code: int, way: int, now_us: int) -> None:
        line = code >> 1
        over = self.over
        if (code & 1) == (way > 0):
            over[line] += 1
            if over[line] == 1:
                self.plant.set_line(line, 1, now_us)
        else:
            over[line] -= 1
            if not over[line]:
                self.plant.set_line(line, 0, now_us)

    def remove_all(self, now_us: int) -> "list[int]":
        """A hand takes every body out."""
        cards: "list[int]" = []
        for body in self.bodies:
            cards += body.cards
        self.bodies = []
        for line in range(len(self.over)):
            if self.over[line]:
                self.over[line] = 0
                self.plant.set_line(line, 0, now_us)
        return cards

    def stop_first(self) -> bool:
        """The foremost body that moves and does not fall stays where it is, whatever drives it. False: none does."""
        for body in self.bodies:
            if body.moving and body.held:
                body.stop(self.plant.now_us)
                body.jam_um = body.x_um
                body.jogs = JAM_HARD
                return True
        return False

    def stopped_us(self, output: int, since_us: int) -> int:
        """For how long the motor has been working against a body that does not move."""
        return 0

    def shape(self, body: Body, offset_um: int = 0) -> None:
        """Length, thickness and traits from what its cards are. The second card lies offset_um behind the first."""
        plant = self.plant
        length = 0
        for card in body.cards:
            card_um, traits = plant.trait_of(card)
            length = max(length, card_um)
            body.traits |= traits
        body.length_um = length
        if len(body.cards) > 1:
            body.thick_um = (offset_um, length)
            body.length_um = length + offset_um

    def put_back(self, cards: "list[int]", at_end: int, now_us: int) -> None:
        """Cards in the order of picking slide back onto the pile and will come first again."""
        plant = self.plant
        for i in range(len(cards) - 1, -1, -1):
            if at_end:
                plant.hopper.append(cards[i])
            else:
                plant.hopper.insert(0, cards[i])
        plant.set_line(plant.line_hopper, 1, now_us)

    def next_due(self) -> int:
        due = FAR
        for body in self.bodies:
            if body.due_us < due:
                due = body.due_us
        return due
