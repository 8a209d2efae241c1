"""Apps of AppWorld."""
