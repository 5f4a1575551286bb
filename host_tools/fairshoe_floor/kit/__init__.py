"""What a house needs beside our programs, made from its inventories: accounts of the broker, and files for systemd,
NATS, PostgreSQL, Prometheus and Alertmanager. Nothing here runs on a floor.
"""
