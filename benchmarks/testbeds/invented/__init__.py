"""Invented apps with real behaviour: worlds, redaction and rubrics are tried on them."""
