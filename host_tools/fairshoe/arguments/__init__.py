"""The arguments of each command: `add_arguments(command)` in a module named after it.

Apart from the commands, so that --help, a mistake and completion load no message, no asyncio and no serial port. What a
module here may import is in LAYERS (tests/style/style_checks.py).
"""
