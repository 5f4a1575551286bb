"""The device's end of the link: who may say what (gate, handshake), what is said and when (report), and commands."""
