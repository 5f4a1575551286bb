"""One process for a pit. Here: the fleet of recorders, what is known of each shoe now, samples of meters on file,
metrics, health and logs. Not here: HTTP routes (api), publishing (stream), rules over time (alarms).

The gateway acknowledges an event to the device when it is committed to the local store, never later and never because
another process has it.
"""
