"""The `tracegym` command line, one file per command."""
