"""Conversations whose people are known: invented apps, four languages, and published tasks with others in their place."""
