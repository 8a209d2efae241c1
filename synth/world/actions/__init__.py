"""What a successful write does to records."""
