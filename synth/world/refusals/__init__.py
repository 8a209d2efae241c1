"""When a call is refused, and in which words."""
