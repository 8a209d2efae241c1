"""Spans and log events to episodes."""
