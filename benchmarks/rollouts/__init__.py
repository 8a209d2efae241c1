"""Rollouts: how fast, how the scripted user behaves, and what training on them brings."""
