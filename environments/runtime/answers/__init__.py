"""Where the answer to a call comes from: rows, effects, refusals, recordings."""
