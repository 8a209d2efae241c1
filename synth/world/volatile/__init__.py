"""Values that differ at every call: times, random ids, tokens."""
