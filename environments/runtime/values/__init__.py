"""Values in normal form, what they mention, canonical JSON, dates and numbers in words."""
