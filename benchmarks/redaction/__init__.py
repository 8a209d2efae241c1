"""What redaction leaves, changes needlessly and costs."""
