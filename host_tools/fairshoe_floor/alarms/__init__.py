"""Alarms. Here: rules as data, their evaluation over a Reader, acknowledgement, escalation, routes (webhook, syslog),
dry runs over history. Not here: the warnings that a device latches itself; those are events of the device.
"""
