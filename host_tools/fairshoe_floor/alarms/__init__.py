"""Alarms. Here: rules as data, their evaluation over a Reader, acknowledgement, sending them to Alertmanager and
webhooks, dry runs over history. Not here: the warnings that a device latches itself; those are events of the device.
"""
