"""Dagster definitions: every module here is loaded by `definitions.py`."""
