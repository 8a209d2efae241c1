"""Causes by a model, where one is configured: what it is asked, what it said, and how often it agrees with people."""
