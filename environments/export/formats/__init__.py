"""One writer per consumer; each starts from a task set folder."""
