"""The command line called in this process: a start of its own costs half a second of processor time.

Where the process is the point (signals, closed streams, terminals, kills) a test starts a real one. So do the first
tests of test_cli.py, for the way from `python -m fairshoe` to a message.
"""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from subprocess import CompletedProcess
from unittest.mock import patch

from fairshoe.cli import command_line


def run_bytes(*arguments: object, data: bytes = b"") -> CompletedProcess[bytes]:
    """`fairshoe` with these arguments and this standard input: exit status, and all that it wrote."""
    words = [str(argument) for argument in arguments]
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    given = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    with redirect_stdout(out), redirect_stderr(err), patch.object(sys, "stdin", given):
        try:
            code = command_line.main(words)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    written = [stream.buffer.getvalue() for stream in (out, err)]  # pyright: ignore
    return CompletedProcess(words, code, *written)


def run(*arguments: object, data: str = "") -> CompletedProcess[str]:
    """The same, as text."""
    done = run_bytes(*arguments, data=data.encode())
    return CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def output(*arguments: object, code: int = 0) -> str:
    """What a command that succeeds, or ends with this status, writes."""
    done = run(*arguments)
    assert done.returncode == code, done
    return done.stdout


def refusal(code: int, *arguments: object) -> str:
    """What a command that ends with this status says of it."""
    done = run(*arguments)
    assert done.returncode == code, done
    return done.stderr
