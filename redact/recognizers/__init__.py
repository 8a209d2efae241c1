"""What one text reveals: patterns, identifiers, codes, addresses; the analyzer runs them all."""
