"""Judges: models that answer a rubric's judge checks, outside the runtime, so that grading never calls one."""
