"""Formats of agent programs whose events are no plain list of messages."""
