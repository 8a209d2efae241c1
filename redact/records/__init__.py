"""The records past the gate, and their rows."""
