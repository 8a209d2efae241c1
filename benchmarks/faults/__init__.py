"""Faults from outside: a server whose clock jumps, and a disk that drops what was not synced."""
