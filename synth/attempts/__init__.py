"""Attempts at one task: which episodes they are, where they begin, and what their user goes on to say."""
