"""Whatever firmware, hands and luck do to it: no card vanishes or doubles, and no beam sees what is not there."""

from plants import abuse, names

from hal.sim.chassis import CUT_CARD
from hal.sim.oracle import CardCounts


def covers(plant, track, line):
    """Whether a body of this track lies over the beam, by where the body is."""
    for at_line, at_um in track.beams:
        if at_line == line:
            for body in track.bodies:
                if at_um <= body.position(plant.now_us) < at_um + body.length_um:
                    return True
    return False


def check(plant):
    where = CardCounts(plant)
    assert where.total() == plant.put_in
    for track in plant.tracks:
        for line, _at_um in track.beams:
            # Throat A is dusty for a while, and a card under the rail passes below the beams behind.
            if line != plant.line_a and not [body for body in track.bodies if body.lost]:
                assert plant.beams.truth[line] == covers(plant, track, line), (plant.lines[line], plant.now_us)
        for body in track.bodies:
            assert body.x_um >= 0 and body.cards
    assert plant.beams.truth[plant.line_hopper] == (1 if plant.hopper else 0)
    assert plant.beams.truth[plant.line_tray] == (1 if plant.tray else 0)
    inside = plant.hopper + plant.tray + plant.lost
    assert CUT_CARD not in plant.tray + plant.lost
    assert len(inside) == where.hopper + where.tray + where.lost + inside.count(CUT_CARD)


def test_nothing_vanishes_whatever_is_done_to_it():
    for kind in ("carousel", "shelves", "shoe", "draw"):
        for seed in range(4):
            try:
                edges = abuse(kind, seed, 300, check)
            except Exception:
                print("kind", kind, "seed", seed)
                raise
            assert len(edges) > 50
            times = [t_us for _name, _level, t_us in edges]
            assert times == sorted(times)
            assert ("hopper", 1) in names(edges)


def test_one_seed_gives_one_trace():
    for kind in ("carousel", "shelves", "shoe", "draw"):
        assert abuse(kind, 7, 150) == abuse(kind, 7, 150) != abuse(kind, 8, 150)
