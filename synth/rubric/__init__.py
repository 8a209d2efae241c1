"""Rubric derivation: from attempts with labels to checks (ends, told facts, evidence, caps)."""
