"""The floor: many shoes, one record, one page. A program of an integrator: it imports only what docs/INTEGRATE.md lists
as public. docs/FLOOR.md begins at the beginning.

    inventory.py   the file that lists the shoes of a pit
    reader.py      what the read API and the page need to know; SQLite (gateway) and PostgreSQL (history) implement it
    schema_check.py  the one check of what comes from the stream
    seen_time.py   time that a gateway has seen pass, by which retention deletes
    samples.py     link, status and meters of a shoe at one time, and the file that keeps them
    gateway/       one process for a pit: records every shoe, serves API, page and metrics
    api/           REST and WebSocket over a reader
    page/          the floor page: static files
    stream/        the publisher: from a gateway's store to NATS JetStream
    history/       the central consumer and its PostgreSQL
    alarms/        rules over history: raised, acknowledged, routed

No module of this package sends a command to a device, and none installs software on one.
"""
