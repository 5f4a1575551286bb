"""The floor's servers and chaos: PostgreSQL and NATS started in private folders, killed, frozen and rolled back."""
