"""The search for expressions that reproduce recorded values."""
