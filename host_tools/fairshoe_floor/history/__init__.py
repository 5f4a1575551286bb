"""The central record in PostgreSQL. Here: the schema and its migrations, the consumer of the stream, a Reader over the
whole floor, scheduled journal pulls, firmware and key ages. Not here: HTTP routes (api), rules (alarms).
"""
