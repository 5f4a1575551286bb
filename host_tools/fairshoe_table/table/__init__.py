"""A table at a shoe: what the shoe waits for, what people are asked, what is booked."""
