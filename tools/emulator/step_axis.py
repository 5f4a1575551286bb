"""The axis that the emulated board's step pulses move; the fake boards of the tests have the same one."""

from hal.sim.stepper import FAR_US, StepAxis

__all__ = ("FAR_US", "StepAxis")
