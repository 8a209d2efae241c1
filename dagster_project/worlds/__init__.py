"""Worlds in the lake: learnt, measured on held-out calls, kept in spite of faults."""
