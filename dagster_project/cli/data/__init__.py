"""Commands that bring data in, build, and show what came of it."""
