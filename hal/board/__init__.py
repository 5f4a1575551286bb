"""What all boards have in common: pins, edges, panel, FRAM, link. A port adds what its chip does its own way."""
