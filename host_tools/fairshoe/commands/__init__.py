"""The commands of the command line, one module each: `run(options) -> int`. Their arguments are in arguments/.

cli/registry.py lists them. A command reads arguments, calls the library and prints; it decides nothing. It may import
every package, and no other command.
"""
