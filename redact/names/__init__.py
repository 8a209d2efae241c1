"""Names of people in text that no key explains."""
