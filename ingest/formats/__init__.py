"""File formats: one file each behind the table in `ingest.formats.table`."""
