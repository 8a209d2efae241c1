"""What values look like: folded text, shapes, dates, scripts, identifiers in text. Nothing here knows whose a value is."""
