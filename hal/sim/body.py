"""What travels: one card, or several on top of each other, with a length, a place and a speed, moving either way.

A place is that of the leading edge. Between two marks it is a straight line in time. A mark at `um` is passed when the
leading edge is at or beyond it, so that a body moving back passes it one micrometre before.
"""

FAR = 1 << 60

JAM_HARD = -1  # in `jogs`: stays for good, whatever drives it
JAM_WALL = 0  # the way is closed ahead; back is free


class Body:
    """Sole writer of its motion. Who drives it calls start, brake and arrive, and asks `due_us`."""

    def __init__(self, cards: "list[int]", length_um: int, speed: int, now_us: int) -> None:
        self.cards = cards
        self.length_um = length_um
        self.thick_um: "tuple[int, int]" = (0, 0)  # where, from the leading edge back, more than one card lies
        self.traits = 0
        self.attempt = 0
        self.speed = speed
        self.marks_um: "tuple[int, ...]" = ()
        self.marks: "tuple[int, ...]" = ()
        self.mark = 0  # how many marks lie behind the leading edge
        self.x_um = 0
        self.t_us = now_us  # when it was at x_um; at rest: since when
        self.way = 1
        self.moving = False
        self.held = True  # by rollers; a falling card is not
        self.lost = False  # will vanish under a rail
        self.stop_um = FAR  # comes to rest here: braking
        self.jam_um = FAR  # gets stuck here
        self.jogs = JAM_HARD  # or how many times it has to be moved back until it is free
        self.limit_um = FAR  # another body stands there
        self.target_um = 0
        self.due_us = FAR

    def position(self, now_us: int) -> int:
        if not self.moving:
            return self.x_um
        return self.x_um + self.way * ((now_us - self.t_us) * self.speed // 1000)

    def start(self, way: int, now_us: int) -> None:
        """Be driven forwards (1) or back (-1)."""
        if self.moving:
            if way == self.way:
                if self.stop_um != FAR:
                    self.stop_um = FAR
                    self.plan()
                return
            self.x_um = self.position(now_us)
        elif self._is_stopped(way):
            return
        self.t_us = now_us
        self.way = way
        self.moving = True
        self.stop_um = FAR
        self.plan()

    def _is_stopped(self, way: int) -> bool:
        """At rest: whether something keeps it there. Moving back is what frees a stalled card, if it can."""
        if self.limit_um != FAR and way * (self.limit_um - self.x_um) <= 0:
            return True
        if self.x_um == self.jam_um:
            if self.jogs == JAM_HARD or way > 0:
                return True
            self.shake()
        return False

    def shake(self) -> None:
        """One of the moves that free a stalled card."""
        if self.jogs > 0:
            self.jogs -= 1
            if not self.jogs:
                self.jam_um = FAR

    def brake(self, now_us: int, brake_um: int) -> None:
        """Lose the drive: come to rest a little further on."""
        if self.moving and self.stop_um == FAR:
            self.stop_um = self.position(now_us) + self.way * brake_um
            self.plan()

    def let_go(self, now_us: int) -> None:
        """Leave the rollers: it falls, and nothing brakes it any more."""
        self.held = False
        self.start(1, now_us)

    def stop(self, now_us: int) -> None:
        self.x_um = self.position(now_us)
        self.t_us = now_us
        self._rest()

    def plan(self) -> None:
        """When the next mark, or the place where it comes to rest, is reached."""
        if self.way > 0:
            target = self.marks_um[self.mark]
            if self.stop_um < target:
                target = self.stop_um
            if self.x_um <= self.jam_um < target:
                target = self.jam_um
            if self.limit_um < target:
                target = self.limit_um
            ahead = target - self.x_um
        else:
            target = self.marks_um[self.mark - 1] - 1 if self.mark else 0
            if target < self.stop_um < FAR:
                target = self.stop_um
            if target < self.limit_um < FAR:
                target = self.limit_um
            if target < 0:
                target = 0
            ahead = self.x_um - target
        if ahead < 0:
            # Something stands where it already is, because both moved and one of them slipped: no further.
            ahead = 0
            target = self.stop_um = self.x_um
        self.target_um = target
        self.due_us = self.t_us + (ahead * 1000 + self.speed - 1) // self.speed

    def arrive(self, now_us: int) -> int:
        """Be where `due_us` said. 1: a mark was passed forwards, -1: backwards, 0: it only came to rest."""
        target = self.target_um
        self.x_um = target
        self.t_us = now_us
        passed = 0
        if self.way > 0:
            if target == self.marks_um[self.mark]:
                self.mark += 1
                passed = 1
            resting = target == self.stop_um or target == self.jam_um or target == self.limit_um
        else:
            if self.mark and target == self.marks_um[self.mark - 1] - 1:
                self.mark -= 1
                passed = -1
            resting = target == self.stop_um or target == self.limit_um or target == 0
        if resting:
            self._rest()
        else:
            self.plan()
        return passed

    def _rest(self) -> None:
        self.moving = False
        self.stop_um = FAR
        self.due_us = FAR
