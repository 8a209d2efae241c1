"""Formats whose records are spans: `ingest.assembly.assemble` makes the conversations."""
