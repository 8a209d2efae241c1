"""Formats whose records are spans: `ingest.assemble` makes the conversations."""
