"""How often the cause of a failure is found."""
