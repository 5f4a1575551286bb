"""The commands of the command line, one module each: `add_parser(commands)` and `run(options) -> int`.

A command reads arguments, calls the library and prints; it decides nothing. May import every package, and no other
command.
"""
