"""How many conversations of a log become exported tasks."""
