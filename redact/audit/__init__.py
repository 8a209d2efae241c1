"""The independent search for what must not have come out."""
