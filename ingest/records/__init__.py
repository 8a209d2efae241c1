"""The records of this stage: span, episode, outcome, quarantined record."""
