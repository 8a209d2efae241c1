"""What is decided about values that no key explains, over the whole app."""
