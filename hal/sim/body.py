"""A card on its way: position of the leading edge, marks it will cross, and where it will stop if nothing drives it."""

FAR = 1 << 60


class Body:
    """Moves at one speed or stands. Between two marks its position is a straight line in time."""

    def __init__(self, card: int, now_us: int, speed_um_per_ms: int) -> None:
        self.card = card
        self.speed = speed_um_per_ms
        self.x_um = 0
        self.t_us = now_us
        self.moving = False
        self.stop_um = FAR  # comes to rest here: braking
        self.jam_um = FAR  # gets stuck here, whatever drives it
        self.mark = 0  # index of the next mark

    def position(self, now_us: int) -> int:
        if not self.moving:
            return self.x_um
        return self.x_um + (now_us - self.t_us) * self.speed // 1000

    def start(self, now_us: int) -> None:
        self.stop_um = FAR
        if not self.moving and self.x_um < self.jam_um:
            self.moving = True
            self.t_us = now_us

    def brake(self, now_us: int, brake_um: int) -> None:
        """Lose the drive: come to rest a little further on."""
        if self.moving and self.stop_um == FAR:
            self.stop_um = self.position(now_us) + brake_um

    def due(self, mark_um: int) -> int:
        """When the next mark, the place it gets stuck or the place it rests is reached."""
        if not self.moving:
            return FAR
        ahead = min(mark_um, self.stop_um, self.jam_um) - self.x_um
        return self.t_us + (ahead * 1000 + self.speed - 1) // self.speed

    def arrive(self, mark_um: int, now_us: int) -> bool:
        """Be where `due` said. True if that is the mark; otherwise it has come to rest."""
        target = min(mark_um, self.stop_um, self.jam_um)
        self.x_um = target
        self.t_us = now_us
        if target == self.stop_um or target == self.jam_um:
            self.moving = False
            self.stop_um = FAR
        return target == mark_um
