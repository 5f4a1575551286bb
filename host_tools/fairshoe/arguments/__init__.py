"""The arguments of each command: `add_NAME(command)`, in the module of its group in --help or in one of its own.

What --help says before and after them is help/NAME.txt: a paragraph, then the examples.

Apart from the commands, so that --help, a mistake and completion load no message, no asyncio and no serial port. What a
module here may import is in LAYERS (tests/style/style_checks.py).
"""
