"""One trial of a noise source: what was captured, what it is worth, and whether the board config claims more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from fairshoe.errors import FairshoeError
from fairshoe.files import parse_json, read_regular
from fairshoe.noise.assessment import RESTARTS, SAMPLES, Assessment, Estimate, Restarts

FORMAT = 1
KIND = "noise"
SIMULATED = "simulated source"


@dataclass(frozen=True)
class Trial:
    """Entropies are in bits; the claim is of a byte, as in the board config."""

    board: str
    source: str
    taken_from: str  # a port, a simulated source or a file
    at: str
    version: str
    sha256: str  # of the raw bytes
    sound: bool  # the source never reported a failure
    claim_millibits: int
    assessment: Assessment
    restarts: Restarts | None

    @property
    def claim(self) -> float:
        """Bits a sample."""
        return self.claim_millibits * self.assessment.width / 8000

    @property
    def entropy(self) -> float:
        """Bits a sample: the lowest of all."""
        found = [self.assessment.entropy]
        if self.restarts is not None:
            found += [self.restarts.by_row.entropy, self.restarts.by_column.entropy]
        return min(found)

    @property
    def millibits(self) -> int:
        """Of a byte, rounded down."""
        return int(self.entropy * 8000 / self.assessment.width)

    @property
    def problems(self) -> list[str]:
        found: list[str] = []
        if not self.sound:
            found.append("the source reported a failure")
        if self.millibits < self.claim_millibits:
            found.append(f"the config claims {self.claim_millibits}, the samples are worth {self.millibits}")
        if self.restarts is not None and not self.restarts.passes:
            found.append("after restarts the source is worth too little, or repeats itself")
        return found

    @property
    def passes(self) -> bool:
        return not self.problems

    @property
    def missing(self) -> list[str]:
        """What SP 800-90B asks for and this trial has not."""
        found: list[str] = []
        if self.assessment.samples < SAMPLES:
            found.append(f"{self.assessment.samples:,} samples, not {SAMPLES:,}")
        if self.restarts is None:
            found.append("no restarts")
        elif self.restarts.rows < RESTARTS:
            found.append(f"{self.restarts.rows:,} restarts, not {RESTARTS:,}")
        return found

    @property
    def verdict(self) -> str:
        if not self.passes:
            return "; ".join(self.problems)
        short = f"; short of SP 800-90B: {', '.join(self.missing)}" if self.missing else ""
        return f"the claim of {self.claim_millibits} millibits a byte holds: {self.millibits} found{short}"


def as_json(trial: Trial) -> dict[str, Any]:
    found = asdict(trial)
    return {
        "format": FORMAT,
        "kind": KIND,
        "passes": trial.passes,
        "millibits": trial.millibits,
        "looks": trial.assessment.looks,
        "lowest": trial.assessment.lowest,
        "problems": trial.problems,
        "missing": trial.missing,
        **found,
    }


def as_text(trial: Trial) -> Iterator[str]:
    assessment = trial.assessment
    unit = "bit" if assessment.width == 1 else "byte"
    yield f"{trial.source} of {trial.board}: {assessment.samples:,} samples, one a {unit}, from {trial.taken_from}"
    for name, whole, of_bits in table(assessment):
        yield f"  {name:28s} {entropy_text(whole):>8s}" + (
            f"  {entropy_text(of_bits):>8s} a bit" if assessment.width > 1 else ""
        )
    yield f"  lowest: {assessment.lowest}, {assessment.entropy:.4f} bits a sample; it looks {assessment.looks}"
    restarts = trial.restarts
    if restarts is not None:
        yield (
            f"  {restarts.rows:,} restarts: {restarts.by_row.entropy:.4f} by rows,"
            f" {restarts.by_column.entropy:.4f} by columns, at least {restarts.needed:.4f} needed;"
            f" a value {restarts.most:,} times in a line, {restarts.most_allowed:,} allowed"
        )
    yield f"{'passes' if trial.passes else 'FAILS'}: {trial.verdict}"


def table(assessment: Assessment) -> Iterator[tuple[str, Estimate | None, Estimate | None]]:
    """Each estimator with what it says of whole samples and of their bits."""
    names = dict.fromkeys(each.name for each in sorted(assessment.estimates, key=lambda each: not each.of_bits))
    for name in names:
        said = {each.of_bits: each for each in assessment.estimates if each.name == name}
        yield name, said.get(False), said.get(True)


def entropy_text(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    return "too few" if estimate.entropy is None else f"{estimate.entropy:.4f}"


def check_claim(path: Path, config: Mapping[str, Any]) -> str:
    """Compare the claim of a board config with the report of a trial of `fairshoe noise --json`. Raises if it is of
    another source, of a simulated one, or says less; returns what it says."""
    advice = "Judge the noise of this board with fairshoe noise, or claim less in its config."
    try:
        report = cast(Any, parse_json(read_regular(path)))
        kind, source, board = report["kind"], report["source"], report["board"]
        passes, millibits, taken_from = report["passes"], report["millibits"], report["taken_from"]
        short = "".join(f"; {word}" for word in report["missing"])
        if (type(passes), type(millibits), type(taken_from)) != (bool, int, str):
            raise TypeError("a value is of another kind")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FairshoeError(f"{path} is no report about noise: {error}.", advice) from error
    entropy = config["entropy"]
    if kind != KIND or (source, board) != (entropy["source"], config["name"]):
        raise FairshoeError(
            f"{path} is about {source} of {board}, not {entropy['source']} of {config['name']}.", advice
        )
    if taken_from.startswith(SIMULATED):
        raise FairshoeError(f"{path} is about a {taken_from}, not a device.", advice)
    if millibits < entropy["millibits_per_byte"] or not passes:
        raise FairshoeError(
            f"{path}: the config claims {entropy['millibits_per_byte']} millibits a byte, "
            f"and {millibits} were found{'' if passes else '; the trial failed'}.",
            advice,
        )
    return f"{millibits} millibits a byte found at {taken_from}, {entropy['millibits_per_byte']} claimed{short}"
