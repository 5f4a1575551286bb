"""Begins and ends timed faults; the others act when their event happens."""

from hal.sim.beams import Pulses, Storm
from hal.sim.body import FAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.sim.beams import Beams
    from hal.sim.chassis import Chassis
    from hal.sim.faults import Fault, Faults, Spec
    from hal.sim.tray import Tray

_TIMED = ("roller_dead", "ejector_stuck", "beam_stuck", "beam_blind", "beam_noise", "storm", "panel_lost", "litter")


class FaultTimer:
    """Adds and ends faults; the part that carries out those on lines, rollers, tray and panel."""

    def __init__(self, plant: "Chassis", faults: "Faults", beams: "Beams", tray: "Tray") -> None:
        self.plant = plant
        self.faults = faults
        self.beams = beams
        self.tray = tray
        self.pulses: "dict[int, Pulses]" = {}  # by number of the fault
        self.storms: "dict[int, Storm]" = {}
        self.due_us = FAR

    def add(self, spec: "Spec") -> None:
        """Raises ValueError for what no machine of this kind can have."""
        fault = self.faults.checked(spec)
        if fault.name == "storm":
            self.beams.check_storm(
                self.faults.line_of(fault), fault.number_of("edges_per_s"), fault.number_of("percent")
            )
        self.faults.add(fault)
        self.fire(self.plant.now_us)

    def clear(self, line: str = "") -> None:
        """The machine is repaired, or only that line of it."""
        entries = self.faults.entries
        ended = [fault for fault in entries if not line or fault.values.get("line") == line]
        self.faults.entries = [fault for fault in entries if fault not in ended]
        for fault in ended:
            if fault.begun:
                self._end(fault)
        self.fire(self.plant.now_us)

    def fire(self, now_us: int) -> None:
        """Begin and end what has its time."""
        due = FAR
        for fault in self.faults.entries:
            if fault.name not in _TIMED:
                continue
            if not fault.begun and fault.from_us <= now_us < fault.until_us:
                fault.begun = True
                self._begin(fault)
            elif fault.begun and now_us >= fault.until_us:
                fault.begun = False
                fault.times = 0
                self._end(fault)
            for edge_us in (fault.from_us, fault.until_us):
                if now_us < edge_us < due:
                    due = edge_us
        self.due_us = due

    def _begin(self, fault: "Fault") -> None:
        plant = self.plant
        self.faults.note(fault)
        if fault.name == "roller_dead":
            self.faults.dead[0 if fault.values["roller"] == "pick" else 1] += 1
            plant.apply()
        elif fault.name == "panel_lost":
            self._plug_panel(False)
        elif fault.name == "litter":
            self.tray.litter(fault.number_of("cards"), plant.now_us)
        elif fault.name == "beam_noise":
            every_us, width_us = fault.number_of("every_us"), fault.number_of("width_us")
            pulses = Pulses(self.faults.line_of(fault), every_us, width_us, plant.now_us)
            self.pulses[fault.number] = pulses
            self.beams.add_noise(pulses)
        elif fault.name == "storm":
            percent, pull = fault.number_of("percent"), str(fault.values["pull"])
            storm = Storm(self.faults.line_of(fault), fault.number_of("edges_per_s"), plant.now_us, percent, pull)
            self.storms[fault.number] = storm
            self.beams.add_storm(storm)
        elif fault.name != "ejector_stuck":
            level = fault.number_of("level") if fault.name == "beam_stuck" else 0
            self.beams.force(self.faults.line_of(fault), level, plant.now_us)

    def _end(self, fault: "Fault") -> None:
        plant = self.plant
        if fault.name == "roller_dead":
            self.faults.dead[0 if fault.values["roller"] == "pick" else 1] -= 1
            plant.apply()
        elif fault.name == "ejector_stuck":
            plant.apply()
        elif fault.name == "panel_lost":
            self._plug_panel(True)
        elif fault.name == "beam_noise":
            self.beams.drop_noise(self.pulses.pop(fault.number), plant.now_us)
        elif fault.name == "storm":
            self.beams.drop_storm(self.storms.pop(fault.number), plant.now_us)
        elif fault.name != "litter":
            self.beams.force(self.faults.line_of(fault), -1, plant.now_us)

    def _plug_panel(self, there: bool) -> None:
        self.faults.panel_lost = not there
        self.plant.changed = True
