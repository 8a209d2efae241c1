"""Failures: clean episodes in, a record of what went badly out, with its evidence and its cause."""
