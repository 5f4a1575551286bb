"""A carousel or elevator where the step pulses have put it, as a part of the simulated plant."""

from hal.sim.truth import HOME_STEPS, HOME_WIDTH_STEPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hal.sim.plant import Plant

FAR_US = 1 << 60
_STILL_US = 2000


class StepAxis:
    """Carousel or elevator under a stepper. Counts as moving until a moment after the last step."""

    def __init__(self, plant: "Plant", mech: "dict[str, Any]", place: int) -> None:
        self.plant = plant
        self.wraps = mech["kind"] == "carousel"
        self.place_steps: int = mech["slot_steps"] if self.wraps else mech["shelf_steps"]
        self.count: int = mech["slot_count"] if self.wraps else mech["shelf_count"]
        self.home_steps: int = mech.get("home_steps", HOME_STEPS)
        self.beam_slots: int = mech.get("slot_beam_slots", 0)
        self.at = place * self.place_steps
        self.forward = False  # as long as the direction pin is low
        self.steps = 0
        self.step_us = -FAR_US
        self.due_us = FAR_US
        self.lost = False
        self.mark_hidden = False
        self.slip_steps = 0  # so many of the next steps move nothing
        self.slipped = False

    @classmethod
    def install(cls, plant: "Plant", mech: "dict[str, Any]") -> "StepAxis":
        """In place of the plant's own, which moves by itself."""
        axis: "Any" = cls(plant, mech, plant.axis.slot)
        plant.parts = tuple([axis if part is plant.axis else part for part in plant.parts])
        plant.axis = axis
        return axis

    @property
    def slot(self) -> int:
        return (self.at + self.place_steps // 2) // self.place_steps % self.count

    @property
    def moving(self) -> bool:
        return self.plant.now_us - self.step_us < _STILL_US

    def home_seen(self) -> bool:
        if self.mark_hidden:
            return False
        if self.wraps:
            return (self.at + self.home_steps) % (self.count * self.place_steps) < HOME_WIDTH_STEPS
        return self.at <= self.home_steps

    def step(self) -> None:
        plant = self.plant
        if not self.moving and (plant.throat.mouth_blocked() or plant.unloader.mouth_blocked()):
            plant.crashes += 1
        if self.slip_steps:
            self.slip_steps -= 1
            self.slipped = True
        elif self._at_stop():
            # Who has lost steps cannot know where the end is.
            plant.crashes += 0 if self.slipped else 1
        else:
            self.at += 1 if self.forward else -1
        self.steps += 1
        self.step_us = plant.now_us
        self.due_us = plant.now_us + _STILL_US
        shaded = self._shaded() if self.wraps else plant.store.slot_level()
        plant.set_line(plant.line_slot, 1 if shaded else 0, plant.now_us)

    def fire(self, now_us: int) -> None:
        """It has come to rest."""
        self.due_us = FAR_US
        self.plant.look()

    def fits(self) -> bool:
        """Whether a place is at the mouth, to a tenth of it."""
        return (self.at * 10 + self.place_steps) % (self.place_steps * 10) <= self.place_steps * 2

    def is_astray(self) -> bool:
        """Its place is what the steps say."""
        return False

    def under_beam(self) -> int:
        """At rest the beam looks between two slots."""
        return -1

    def halt(self, now_us: int) -> None:
        """Nothing drives it but steps."""

    def _at_stop(self) -> bool:
        """An elevator ends half a place below its first one and half a place above its last."""
        if self.wraps:
            return False
        half = self.place_steps // 2
        return self.at >= (self.count - 1) * self.place_steps + half if self.forward else self.at <= -half

    def _shaded(self) -> bool:
        # The beam sits half a slot off the mouth's grid; a card shades three tenths to either side of its slot.
        slots, rest = divmod(self.at, self.place_steps)
        near = abs(rest * 10 - self.place_steps * 5) <= self.place_steps * 3
        return near and bool(self.plant.slots[(slots + self.beam_slots + 1) % self.count])
