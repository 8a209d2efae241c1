"""The records of the report, one module a section."""
