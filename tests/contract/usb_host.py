"""A USB host at the other end of a board's console: `sys.stdin`, `sys.stdout` and `select` for hal/board/usb.py.

Whatever would make the device wait is an error here: a read without a byte, a write without room, a poll with patience.
"""


class UsbHost:
    """Bytes on their way in, bytes that arrived, and how many more the host's buffer takes."""

    POLLIN = 1
    POLLOUT = 4

    def __init__(self, room=64, drops=False):
        self.received = bytearray()
        self.sent = bytearray()
        self.room = room
        self.drops = drops  # what finds no room is dropped without an error

    def poll(self):
        return Poll(self)

    def take(self):
        """The host reads."""
        data = bytes(self.sent)
        self.room += len(data)
        self.sent = bytearray()
        return data

    def readinto(self, buf):
        size = len(buf)
        assert size <= len(self.received), "the device would wait for a byte"
        buf[:] = self.received[:size]
        self.received = self.received[size:]
        return size

    def write(self, data):
        if self.drops and len(data) > self.room:
            return len(data)
        assert len(data) <= self.room, "the device would wait for its host"
        self.sent.extend(data)
        self.room -= len(data)
        return len(data)


class Poll:
    """`select.poll()`, of one stream."""

    def __init__(self, host):
        self.host = host
        self.flags = 0

    def register(self, stream, flags):
        self.flags = flags

    def poll(self, timeout):
        assert timeout == 0, "the device would wait"
        host = self.host
        if self.flags == host.POLLIN:
            ready = len(host.received) > 0
        else:
            ready = host.room > 0 or host.drops
        return [(host, self.flags)] if ready else []
