"""Backends that others wrote and published, with their own tools, data and tasks: the nearest there is to a stranger's."""
