"""The wire protocol, sans IO: bytes in, frames out. The only firmware package that host tools import."""
