"""What all commands share: the list of commands, the parser, exit codes, settings, ports and keys from arguments.

A command itself is a module of commands/. Imports operate, observe, client and text.
"""
