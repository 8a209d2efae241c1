"""A SpanExporter that spools to a folder."""
