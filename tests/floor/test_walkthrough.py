"""The commands of docs/FLOOR.md can be read by a shell, and every fairshoe command in them has these arguments."""

import argparse
import re
import shlex
import subprocess
from pathlib import Path

from floor.walkthrough import blocks

from fairshoe.cli.registry import add_arguments

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "FLOOR.md").read_text(encoding="utf-8")


def test_the_blocks_of_the_walkthrough_are_shell_and_their_arguments_exist() -> None:
    found = blocks(PAGE)
    assert len(found) == 7
    subprocess.run(["bash", "-n"], input="\n".join(found), text=True, check=True)
    text = "\n".join(found).replace("$n", "1")
    commands = re.findall(r"fairshoe ((?:sim|inventory|gateway|publish|floor) [^;&<>)\n]*)", text)
    assert len(commands) > 10
    for command in commands:
        name, *words = shlex.split(command)
        parser = argparse.ArgumentParser(exit_on_error=False)
        add_arguments(parser, name)
        parser.parse_args(words)
