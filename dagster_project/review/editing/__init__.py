"""Editing a rubric: the fields of each kind of check, what a form makes of them, and what the next build would say."""
