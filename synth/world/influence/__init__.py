"""Which earlier calls an answer depends on."""
