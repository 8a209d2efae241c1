"""Ends: what recorded attempts changed, what an attempt changed, and whether the two are the same."""
