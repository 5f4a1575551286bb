"""Beams while a port is being made, and in a storm."""

from drivers import LINE, Rp2Driver, SimDriver

TOGETHER = ("hopper", "throat_a", "throat_b", "exit", "tray")


def test_a_change_just_before_somebody_listens_is_not_missed():
    for level in (0, 1):
        board = Rp2Driver.make("shoe")
        pad = board.world.pad(board.config["inputs"]["hopper"])
        pad.level = 1 - level
        pad.unheard = level
        board.restart()
        board.sample()
        assert board.raw("hopper") == level


def test_lines_that_overfill_an_image_together_are_noise_below_the_rate_of_each():
    for driver in (Rp2Driver, SimDriver):
        board = driver.make("shoe")
        board.drive(pick=1)
        board.sample()
        for step in range(8):  # 8 edges of each line, 40 of all; one line may have 24
            for name in TOGETHER:
                board.set_line(name, 1 - step % 2)
            board.run(100)
        _is_noise(board)


def test_lines_that_change_in_one_microsecond_are_as_many_edges_as_lines():
    """An RP2 has one word for all of them: 8 words here, and 40 edges."""
    board = Rp2Driver.make("shoe")
    board.drive(pick=1)
    board.sample()
    for step in range(8):
        for name in TOGETHER:
            board.world.pad(board.config["inputs"][name]).level = 1 - step % 2
        board.world.watching.push()
        board.run(100)
    _is_noise(board)


class Meanwhile:
    """The address space, in which a storm begins while the first words are read."""

    def __init__(self, memory, board):
        self.memory = memory
        self.board = board
        self.reads = 0

    def __getitem__(self, index):
        self.reads += index << 2 < 0x21000000
        if self.reads == 3:
            self.reads += 1
            for step in range(70):
                for name in TOGETHER:
                    self.board.world.pad(self.board.config["inputs"][name]).level = 1 - step % 2
                self.board.world.watching.push()
                self.board.plant.now_us += 5
        return self.memory[index]


def test_words_that_go_round_the_ring_while_few_are_read_are_noise():
    """An interrupt took as long as 64 words of all lines at 100 kHz."""
    board = Rp2Driver.make("shoe")
    board.drive(pick=1)
    board.sample()
    for step in range(4):
        board.set_line("exit", 1 - step % 2, then_us=20)
    with board.world:
        import hal.rp2.beams as beams

        beams.MEMORY = Meanwhile(beams.MEMORY, board)
    _is_noise(board)


def _is_noise(board):
    board.sample()
    assert board.inp.edge_lost
    assert board.inp.noisy in [LINE[name] for name in TOGETHER], board
    assert board.outputs()[0] == 0


def test_an_image_that_overflows_because_no_sample_came_is_no_noise():
    for driver in (Rp2Driver, SimDriver):
        board = driver.make("shoe")
        board.drive(pick=1)
        board.sample()
        for step in range(40):
            board.set_line("exit", 1 - step % 2, then_us=1000)
        board.sample()
        assert board.inp.edge_lost
        assert board.inp.noisy == 255, driver
        assert board.outputs()[0] == 1
