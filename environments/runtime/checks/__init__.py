"""Grading: each kind of check, and the table of all."""
