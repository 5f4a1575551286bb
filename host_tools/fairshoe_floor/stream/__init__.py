"""From a gateway's store to NATS JetStream. Here: subjects, the publisher and its cursor, the broker's settings. Not
here: acknowledging a device (gateway), keeping history (history). The publisher reads the store of a gateway with a
named cursor, and writes nothing else to it.
"""
