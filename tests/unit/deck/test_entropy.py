"""Noise: cut-offs as published, both health tests sample by sample, a failure that stays, seeds worth their entropy."""

from array import array
from hashlib import sha256

from firmware.deck.entropy import (
    ALPHA_BITS,
    CHUNK,
    SEED_SIZE,
    SLICE,
    START_UP_BYTES,
    WINDOW_BITS,
    WINDOW_BYTES,
    Entropy,
    proportion_cutoff,
    repetition_cutoff,
)
from firmware.deck.shuffler import Shuffler
from hal.sim.rng import mix

BITS = {"source": "rp2040_rosc", "millibits_per_byte": 500}
BYTES = {"source": "rp2350_trng", "millibits_per_byte": 4000}


class Source:
    """A HAL with nothing but noise: good noise, with what a test puts in its place."""

    def __init__(self, seed=1):
        self.seed = seed
        self.given = bytearray()
        self.broken = bytearray()  # comes first
        self.ok = True

    def entropy_into(self, buf):
        for i in range(len(buf)):
            if self.broken:
                buf[i] = self.broken[0]
                self.broken = self.broken[1:]
            else:
                buf[i] = mix(self.seed, 0x5EED, len(self.given)) & 0xFF
            self.given.append(buf[i])
        return self.ok


def started(config, seed=1):
    source = Source(seed)
    entropy = Entropy(source, config)
    assert entropy.start_up()
    source.given = bytearray()
    return source, entropy


def seed_of(entropy):
    """32 bytes, zeros if there was no seed."""
    out = bytearray(SEED_SIZE)
    while not entropy.gather():
        assert not entropy.seed_into(out)  # not enough yet
    assert entropy.seed_into(out) == (out != bytearray(SEED_SIZE))
    return bytes(out)


# --- cut-offs ----------------------------------------------------------------------------------


def test_proportion_cutoffs_are_those_published_for_jitter_entropy():
    """Its table for 2**-30, windows of 512 and 1/1 to 1/15 bit a sample, which was computed elsewhere by others."""
    published = [325, 422, 459, 477, 488, 494, 499, 502, 505, 507, 508, 509, 510, 511, 512]
    assert ALPHA_BITS == 30
    assert [proportion_cutoff(1000, 1000 * rate, 512) for rate in range(1, 16)] == published


def test_a_proportion_cutoff_never_makes_the_test_impossible_to_fail():
    for worth in (1, 10, 100, 234, 235):
        assert proportion_cutoff(worth, 8000, WINDOW_BITS) <= WINDOW_BITS


def test_repetition_cutoffs_follow_the_formula_of_90b():
    assert repetition_cutoff(8000, 1000) == 1 + 4  # 30 / 8 is 3.75
    assert repetition_cutoff(1000, 1000) == 1 + 30
    assert repetition_cutoff(500, 8000) == 1 + 480
    assert repetition_cutoff(999, 1000) == 1 + 31


def test_less_entropy_makes_both_cutoffs_higher_and_the_seed_longer():
    last = None
    for worth in (8000, 4000, 2000, 1000, 500, 250):
        entropy = Entropy(Source(), {"source": "rp2040_rosc", "millibits_per_byte": worth})
        now = (entropy.run_max, entropy.share_max, entropy.seed_bytes)
        assert last is None or (now[0] > last[0] and now[1] > last[1] and now[2] > last[2]), worth
        last = now


def test_a_seed_is_worth_more_than_twice_its_bits_whatever_the_source():
    for worth in (1, 7, 500, 999, 4000, 8000):
        entropy = Entropy(Source(), {"source": "rp2350_trng", "millibits_per_byte": worth})
        assert entropy.seed_bytes * worth >= 1000 * (2 * 8 * SEED_SIZE + 64)
        assert (entropy.seed_bytes - 1) * worth < 1000 * (2 * 8 * SEED_SIZE + 64)


# --- the tests, sample by sample ---------------------------------------------------------------


class Plain:
    """Both tests as 90B words them, one sample at a time."""

    def __init__(self, run_max, share_max, window):
        self.run_max = run_max
        self.share_max = share_max
        self.window = window
        self.last = -1
        self.run = 0
        self.seen = 0
        self.share = 0
        self.first = -1

    def good(self, sample):
        self.run = self.run + 1 if sample == self.last else 1
        self.last = sample
        if self.seen % self.window == 0:
            self.first = sample
            self.share = 0
        self.seen += 1
        self.share += sample == self.first
        return self.run < self.run_max and self.share < self.share_max


def failures(entropy, noise):
    """Indices of the bytes in which a test fails, by the firmware and by the plain words."""
    fast = []
    slow = []
    plain = Plain(entropy.run_max, entropy.share_max, WINDOW_BITS if entropy.one_bit else WINDOW_BYTES)
    alike = 0
    for i in range(len(noise)):
        alike = alike + 1 if i and noise[i] == noise[i - 1] else 1
        if entropy.one_bit:
            good = alike < entropy.byte_run_max
            for shift in range(7, -1, -1):
                good = plain.good(noise[i] >> shift & 1) and good
            if not entropy._test_bits(noise[i : i + 1]):
                fast.append(i)
        else:
            good = plain.good(noise[i])
            if not entropy._test_bytes(noise[i : i + 1]):
                fast.append(i)
        if not good:
            slow.append(i)
    return fast, slow


def rough_noise(seed, size):
    """Bytes with long runs and uneven shares of every kind."""
    noise = bytearray()
    step = 0
    while len(noise) < size:
        kind = mix(seed, 1, step)
        fill = (0x00, 0xFF, kind >> 8 & 0xFF, 0x01, 0x80, 0xFE, 0x7F)[kind % 7]
        for _ in range(1 + (kind >> 16) % 12):
            noise.append(fill if kind & 0x8000 else mix(seed, 2, len(noise)) & 0xFF)
        step += 1
    return noise[:size]


def test_both_tests_agree_with_the_plain_words_on_rough_noise():
    failed = 0
    for seed in range(12):
        for source in ("rp2040_rosc", "other"):
            # Cut-offs low enough to be reached: what is compared is the counting.
            entropy = Entropy(Source(), {"source": source, "millibits_per_byte": 8000})
            entropy.run_max = 31 + seed if entropy.one_bit else 3 + seed % 5
            entropy.byte_run_max = 4 + seed
            entropy.share_max = 540 + 10 * seed if entropy.one_bit else 20 + seed
            fast, slow = failures(entropy, rough_noise(seed, 700))
            assert fast == slow, ("seed", seed, source)
            failed += len(fast)
    assert failed > 100


def run_of_bits(count, value, before):
    """`before` bits of the other value, `count` of this one, then the other again, packed first bit highest."""
    bits = [1 - value] * before + [value] * count + [1 - value] * 8
    bits += [1 - value] * (-len(bits) % 8)
    packed = bytearray()
    for at in range(0, len(bits), 8):
        byte = 0
        for bit in bits[at : at + 8]:
            byte = byte << 1 | bit
        packed.append(byte)
    return packed


def passes(test, noise):
    """Whether all bytes pass, read in chunks of seven: a run and a window go on across them."""
    good = True
    for at in range(0, len(noise), 7):
        good = test(noise[at : at + 7]) and good
    return good


def test_a_run_of_bits_fails_at_its_cutoff_and_not_one_before_wherever_it_begins():
    for before in range(1, 9):
        for value in (0, 1):
            for short in (0, 1):
                entropy = Entropy(Source(), BITS)
                entropy.share_max = WINDOW_BITS + 1
                noise = run_of_bits(entropy.run_max - short, value, before)
                assert passes(entropy._test_bits, noise) == bool(short), (before, value, short)


def test_a_stuck_byte_fails_at_its_cutoff_and_not_one_before():
    for short in (0, 1):
        entropy = Entropy(Source(), BYTES)
        noise = b"\x01" + b"\xa5" * (entropy.run_max - short) + b"\x02"
        assert passes(entropy._test_bytes, noise) == bool(short)


def test_a_biased_window_fails_at_its_cutoff_and_not_one_below():
    for short in (0, 1):
        entropy = Entropy(Source(), BYTES)
        good = True
        for i in range(WINDOW_BYTES):
            # Never two alike in a row, so that only the share can fail.
            alike = i % 2 == 0 and i // 2 < entropy.share_max - short
            good = entropy._test_bytes(bytes((0x55 if alike else i & 0x1F,))) and good
        assert good == bool(short)


# --- the source --------------------------------------------------------------------------------


def test_good_noise_passes_the_start_up_and_twenty_seeds():
    for config in (BITS, BYTES):
        _source, entropy = started(config)
        seen = set()
        for _ in range(20):
            seen.add(seed_of(entropy))
        assert len(seen) == 20 and bytes(SEED_SIZE) not in seen


def test_the_start_up_tests_its_samples_and_uses_none_of_them():
    source = Source()
    entropy = Entropy(source, BITS)
    assert entropy.failed
    assert entropy.start_up()
    assert len(source.given) == START_UP_BYTES


def test_a_seed_is_the_hash_of_enough_fresh_noise():
    for config in (BITS, BYTES):
        source, entropy = started(config)
        seed = seed_of(entropy)
        assert seed == sha256(bytes(source.given)).digest()
        assert entropy.seed_bytes <= len(source.given) < entropy.seed_bytes + CHUNK


def test_no_call_takes_more_than_a_slice_and_a_seed_serves_once():
    for config in (BITS, BYTES):
        source, entropy = started(config)
        calls = 0
        done = False
        while not done:
            before = len(source.given)
            done = entropy.gather()
            assert len(source.given) - before <= SLICE
            calls += 1
        assert calls == (entropy.seed_bytes + SLICE - 1) // SLICE
        assert entropy.gather() and len(source.given) < entropy.seed_bytes + CHUNK  # asked again: nothing more is taken
        assert entropy.seed_into(bytearray(SEED_SIZE))
        assert not entropy.seed_into(bytearray(SEED_SIZE))


def test_nothing_of_the_noise_is_left_in_the_buffer():
    _source, entropy = started(BITS)
    seed_of(entropy)
    assert bytes(entropy.chunk) == bytes(CHUNK)


def test_every_kind_of_dead_source_is_found_and_gives_no_seed():
    for config in (BITS, BYTES):
        for fill in (b"\x00", b"\xff"):
            source, entropy = started(config)
            source.broken = bytearray(fill * 2000)
            assert seed_of(entropy) == bytes(SEED_SIZE), (config, fill)
            assert entropy.failed
            assert bytes(entropy.chunk) == bytes(CHUNK)
    for config in (BITS, BYTES):
        # As many ones as zeros and no run at all: only the repetition shows.
        source, entropy = started(config)
        source.broken = bytearray(b"\x5a" * 2000)
        assert seed_of(entropy) == bytes(SEED_SIZE)


def test_a_pattern_of_a_one_bit_source_fails_at_its_cutoff_and_not_one_before():
    for short in (0, 1):
        entropy = Entropy(Source(), BITS)
        noise = b"\x33" + b"\xa5" * (entropy.byte_run_max - short) + b"\x5a"
        assert passes(entropy._test_bits, noise) == bool(short)


def test_a_source_that_says_it_is_broken_gives_no_seed():
    source, entropy = started(BITS)
    source.ok = False
    assert seed_of(entropy) == bytes(SEED_SIZE)
    assert not entropy.start_up()


def test_a_failure_stays_until_a_start_up_test_has_been_passed():
    source, entropy = started(BITS)
    source.broken = bytearray(200)
    assert seed_of(entropy) == bytes(SEED_SIZE)
    assert not entropy.seed_into(bytearray(SEED_SIZE))
    # Good noise again: used only after the start-up test.
    source.given = bytearray()
    assert seed_of(entropy) != bytes(SEED_SIZE)
    assert len(source.given) >= START_UP_BYTES + entropy.seed_bytes
    source.broken = bytearray(200)
    seed_of(entropy)
    source.broken = bytearray(200)
    assert seed_of(entropy) == bytes(SEED_SIZE)


def test_a_start_up_test_counts_nothing_of_what_came_before_it():
    for config in (BITS, BYTES):
        source, entropy = started(config)
        source.broken = bytearray(2000)
        assert seed_of(entropy) == bytes(SEED_SIZE)
        source.broken = bytearray(1)  # the byte that it was stuck at, once
        assert entropy.start_up()


def test_a_run_across_two_seeds_is_seen():
    """The tests go on from one seed to the next: a source cannot die between two shuffles unnoticed."""
    source, entropy = started(BITS)
    good_bytes = (entropy.seed_bytes + CHUNK - 1) // CHUNK * CHUNK - 40
    noise = bytearray(mix(9, 9, i) & 0xFF for i in range(good_bytes)) + bytearray(40)
    source.broken = noise + bytearray(40)
    assert seed_of(entropy) != bytes(SEED_SIZE)
    assert seed_of(entropy) == bytes(SEED_SIZE)


# --- limits to the last sample -----------------------------------------------------------------


def test_cut_offs_are_those_of_the_source_and_never_above_the_window():
    assert repetition_cutoff(ALPHA_BITS * 1000 - 1, 1000) == 3  # rounded up
    assert repetition_cutoff(ALPHA_BITS * 1000, 1000) == 2
    assert (WINDOW_BITS, WINDOW_BYTES) == (1024, 512)  # 90B 4.4.2
    window = ALPHA_BITS + 1
    assert proportion_cutoff(1000, 1000, window) == window  # all alike, and no less, is as rare as asked for
    for config, unit, samples in ((BITS, 8000, WINDOW_BITS), (BYTES, 1000, WINDOW_BYTES)):
        worth = config["millibits_per_byte"]
        entropy = Entropy(Source(), config)
        assert entropy.run_max == repetition_cutoff(worth, unit)
        assert entropy.byte_run_max == repetition_cutoff(worth, 1000)
        assert entropy.share_max == proportion_cutoff(worth, unit, samples)


def test_a_seed_takes_as_many_slices_as_its_bytes_fill_and_not_one_more():
    for worth, seed_bytes, slices, given in ((2250, SLICE, 1, SLICE), (2242, SLICE + 1, 2, SLICE + CHUNK)):
        source, entropy = started({"source": "rp2350_trng", "millibits_per_byte": worth})
        assert entropy.seed_bytes == seed_bytes
        out = bytearray(SEED_SIZE)
        for number in range(1, slices + 1):
            assert not entropy.seed_into(out) and out == bytearray(SEED_SIZE)
            assert entropy.gather() == (number == slices)
        assert len(source.given) == given
        assert entropy.seed_into(out) and bytes(out) == sha256(bytes(source.given)).digest()
        assert not entropy.seed_into(out)


def test_without_healthy_noise_no_order_is_drawn_and_what_is_forgotten_is_gone():
    source = Source()
    source.unique_id = lambda: 1
    shuffler = Shuffler(source, {"entropy": BYTES}, 1)
    order = array("H", [9] * 8)
    assert not shuffler.draw(order, 8) and list(order) == [9] * 8  # nothing was gathered
    while not shuffler.entropy.gather():
        pass
    shuffler.share = b"nonce"
    assert shuffler.commit() and shuffler.committed and shuffler.seed != bytearray(SEED_SIZE)
    shuffler.forget()
    assert (shuffler.committed, shuffler.share, bytes(shuffler.seed)) == (False, b"", bytes(SEED_SIZE))
    assert not shuffler.draw(order, 8)
