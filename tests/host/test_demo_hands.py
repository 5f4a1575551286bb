"""The demonstration's hands and its commands go different ways to the shoe, and must not overtake each other."""

import os
import signal
import threading

from fairshoe.demo.table import Child


def test_a_hand_is_done_when_the_shoe_has_felt_it_however_busy_the_machine_is() -> None:
    child = Child(["--board", "pico-draw", "--seed", "7", "--speed", "20"])
    done = threading.Event()
    os.kill(child.process.pid, signal.SIGSTOP)
    hand = threading.Thread(target=lambda: (child.hand("load 52"), done.set()))
    try:
        hand.start()
        assert not done.wait(0.5)
    finally:
        os.kill(child.process.pid, signal.SIGCONT)
        hand.join(60)
        child.close()
    assert done.is_set()
