"""What all boards have in common: pins, edges, panel, FRAM, link. A port adds what differs on its chip."""
