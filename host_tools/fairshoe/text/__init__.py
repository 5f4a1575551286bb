"""What people read: messages in words, what to do next, and output on a terminal.

Reads messages and prints; opens no port and decides nothing. Imports link and games for their words.
"""
