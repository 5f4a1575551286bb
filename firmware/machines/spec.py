"""What the machines need to know of the mechanism, worked out once from the board config. Integers only."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Config


class Spec:
    """Times and windows derived from geometry and speeds; see docs/BOARDS.md for where each number comes from."""

    def __init__(self, config: "Config") -> None:
        mech = config["mechanism"]
        speed = mech["transport_um_per_ms"]
        self.slot_count = mech["slot_count"]
        self.slot_beam_slots = mech["slot_beam_slots"]
        self.shuffle_report_ms = mech["shuffle_report_ms"]
        self.tray_settle_ms = mech["tray_settle_ms"]
        # A card must reach the next beam in the nominal time plus the worst latency, half as long again for slip.
        slack_ms = mech["pick_latency_us_max"] // 1000 + 20
        self.pick_ms_max = (mech["throat_a_um"] // speed + slack_ms) * 3 // 2
        self.pass_ms_max = ((mech["throat_b_um"] - mech["throat_a_um"]) // speed + slack_ms) * 3 // 2
        self.length_us = mech["card_um"] * 1000 // speed
        self.length_us_max = self.length_us * 115 // 100
        self.length_us_min = self.length_us * 85 // 100
        # Waiting longer than half as long again would let rollers grind on a stopped card.
        self.enter_ms_max = self.length_us * 3 // 2000 + 1
        self.pick_retry_max = mech["pick_retry_max"]
        self.pick_pause_ms = mech["pick_pause_ms"]
        # After B sees the leading edge the pick roller must push until the transport rollers hold the card.
        self.nip_us = (mech["nip_um"] - mech["throat_b_um"]) * 1000 // speed + 1500
        self.eject_ms_max = (mech["ejector_us"] // 1000 + mech["exit_um"] // speed + 20) * 2
        self.ejector_home_ms_max = mech["ejector_us"] // 1000 * 4 + 50
        # One revolution at half speed, and the ramps.
        self.axis_ms_max = 2000000 // mech["axis_mrev_per_s"] + 1000
        # From the exit beam to rest in the tray, and a little.
        self.land_ms_max = mech["tray_um"] // speed + 60
        # What one misfeed can cost at most: a try and a pause.
        self.misfeed_ms = self.pick_ms_max + self.pick_pause_ms
