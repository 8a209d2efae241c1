"""Policies and the engine that runs many attempts at once."""
