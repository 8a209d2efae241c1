"""Text in, leaves with the meaning of their keys out: JSON, tables, YAML, printed objects, settings, base64."""
