"""The shoe in a browser: the files of the bench page, and a small server for them on this machine.

page/ is the page itself: plain HTML, CSS and ES modules without a build step. assets.py adds what they load: the
MicroPython VM, the device's sources, boards, games, scenarios and our JavaScript client. The same files are a static
site. The live view of a shoe is live.html: live_shoe.py follows the shoe, live_view.py folds its messages, and
live_server.py serves them over a WebSocket. Imports boards, sim (scenario files), text, observe and client; runs no
firmware itself.
"""
